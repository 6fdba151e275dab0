/* SPDX-License-Identifier: MIT */
#include <stddef.h> /* an empty unit would be none */

#ifdef FRAZIL_HAVE_POSTGRESQL
#include "lib/postgresql_server.h"

#include <glob.h>
#include <libpq-fe.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/asserts.h"
#include "lib/patience.h"

enum { WORDS_MAX = 8 };

/* A program's place: Debian has each version in a folder of its own, which is not in $PATH. */
static const char *program(const char *name)
{
    static char path[WORDS_MAX][256];
    static size_t next;
    char pattern[128];
    char *ret = path[next++ % WORDS_MAX];
    glob_t found = {.gl_pathc = 0};

    snprintf(pattern, sizeof pattern, "/usr/lib/postgresql/*/bin/%s", name);
    snprintf(ret, sizeof path[0], "%s", name);
    if (glob(pattern, 0, NULL, &found) == 0)
        snprintf(ret, sizeof path[0], "%s", found.gl_pathv[found.gl_pathc - 1]);
    globfree(&found);
    return ret;
}

bool postgresql_server_installed(void)
{
    return server_installed(program("postgres"));
}

/* Runs a program to its end. */
static void run(const struct server *server, const char *const *wanted)
{
    const char *argv[SERVER_ARGUMENTS_MAX];
    char log[sizeof server->folder + 8];
    int status = -1;

    server_as_user("postgres", "QUIT", wanted, argv);
    snprintf(log, sizeof log, "%s/log", server->folder);
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        if (chdir(server->folder) != 0 || freopen(log, "a", stdout) == NULL || freopen(log, "a", stderr) == NULL)
            _exit(126);
        execvp(argv[0], (char *const *)(uintptr_t)argv);
        _exit(127);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    if (status != 0)
        fail_msg("%s failed: see %s", wanted[0], log);
}

static void prepare(struct server *server)
{
    const struct passwd *user = server_user("postgres");

    server_prepare(server, "postgresql");
    if (user != NULL)
        assert_int_equal(chown(server->folder, user->pw_uid, user->pw_gid), 0);
}

static PGconn *connect_as_owner(const struct server *server)
{
    char info[160];

    snprintf(info, sizeof info,
             "host=127.0.0.1 port=%u user=owner dbname=postgres sslmode=disable connect_timeout=10 "
             "options='-c client_min_messages=error -c lock_timeout=60s'",
             (unsigned)server->port);
    return PQconnectdb(info);
}

static bool answers(const struct server *server)
{
    PGconn *conn = connect_as_owner(server);
    bool ok = PQstatus(conn) == CONNECTION_OK;

    PQfinish(conn);
    return ok;
}

void postgresql_server_restart(struct server *server, const char *const *settings)
{
    char port[16];
    char sockets[sizeof server->folder + 32];
    const char *wanted[SERVER_ARGUMENTS_MAX] = {program("postgres"), "-D", "data", "-c", port, "-c", sockets};
    const char *argv[SERVER_ARGUMENTS_MAX];
    size_t n = 7;

    snprintf(port, sizeof port, "port=%u", (unsigned)server->port);
    snprintf(sockets, sizeof sockets, "unix_socket_directories=%s", server->folder);
    for (; settings != NULL && *settings != NULL; settings++) {
        assert_true(n < SERVER_ARGUMENTS_MAX - 3);
        wanted[n++] = "-c";
        wanted[n++] = *settings;
    }
    server_as_user("postgres", "QUIT", wanted, argv);
    server_run(server, argv, answers);
}

static void write_access(const struct server *server)
{
    char path[sizeof server->folder + 32];

    snprintf(path, sizeof path, "%s/data/pg_hba.conf", server->folder);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs("host all guarded all scram-sha-256\n"
          "local all guarded scram-sha-256\n"
          "host all all all trust\n"
          "local all all trust\n"
          "host replication all all trust\n",
          file);
    assert_int_equal(fclose(file), 0);
}

void postgresql_server_start(struct server *server, const char *const *settings)
{
    const char *const initdb[] = {program("initdb"), "-D",        "data",       "-U", "owner",
                                  "--encoding=UTF8", "--no-sync", "--locale=C", NULL};

    prepare(server);
    run(server, initdb);
    write_access(server);
    postgresql_server_restart(server, settings);
}

void postgresql_server_certify(const struct server *server)
{
    static const char *const openssl[] = {"openssl",
                                          "req",
                                          "-new",
                                          "-x509",
                                          "-days",
                                          "30",
                                          "-nodes",
                                          "-out",
                                          "data/server.crt",
                                          "-keyout",
                                          "data/server.key",
                                          "-subj",
                                          "/CN=localhost",
                                          NULL};

    run(server, openssl); /* the key is readable for its owner alone */
}

void postgresql_server_follow(struct server *server, const struct server *primary)
{
    char port[8];
    const char *const backup[] = {program("pg_basebackup"),
                                  "-D",
                                  "data",
                                  "-h",
                                  "127.0.0.1",
                                  "-p",
                                  port,
                                  "-U",
                                  "owner",
                                  "-R",
                                  "-X",
                                  "stream",
                                  "--checkpoint=fast",
                                  "--no-sync",
                                  NULL};

    snprintf(port, sizeof port, "%u", (unsigned)primary->port);
    prepare(server);
    run(server, backup);
    postgresql_server_restart(server, NULL);
    postgresql_server_await(primary, "SELECT count(*) FROM pg_stat_replication WHERE state = 'streaming'", "1");
}

void postgresql_server_crash(struct server *server)
{
    siginfo_t info;

    if (server->pid == 0)
        return;
    kill(server->pid, SIGQUIT); /* it ends all its processes first, none of which is in its group */
    assert_int_equal(waitid(P_PID, (id_t)server->pid, &info, WEXITED | WNOWAIT), 0);
    server_kill(server);
}

void postgresql_server_stop(struct server *server)
{
    postgresql_server_crash(server);
    server_stop(server);
}

/* The reply as postgresql_server_do has it; an error with a '-' before it. */
static const char *ask(const struct server *server, const char *sql)
{
    static char reply[256];
    PGconn *conn = connect_as_owner(server);
    PGresult *result = PQexec(conn, sql);
    ExecStatusType status = PQresultStatus(result);

    reply[0] = '\0';
    if (status != PGRES_TUPLES_OK && status != PGRES_COMMAND_OK)
        snprintf(reply, sizeof reply, "-%s", PQerrorMessage(conn));
    else if (PQntuples(result) > 0)
        snprintf(reply, sizeof reply, "%s", PQgetvalue(result, 0, 0));
    PQclear(result);
    PQfinish(conn);
    return reply;
}

struct pg_conn *postgresql_server_session(const struct server *server)
{
    PGconn *conn = connect_as_owner(server);

    if (PQstatus(conn) != CONNECTION_OK)
        fail_msg("%s", PQerrorMessage(conn));
    return conn;
}

const char *postgresql_server_do(const struct server *server, const char *sql)
{
    const char *reply = ask(server, sql);

    if (reply[0] == '-')
        fail_msg("%s: %s", sql, reply);
    return reply;
}

void postgresql_server_await(const struct server *server, const char *sql, const char *wanted)
{
    AWAIT(strcmp(ask(server, sql), wanted) == 0, "%s: %s; wanted: %s", sql, ask(server, sql), wanted);
}

#endif
