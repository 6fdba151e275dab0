/* SPDX-License-Identifier: MIT */
#include <stddef.h> /* an empty unit would be none */

#ifdef FRAZIL_HAVE_MYSQL
#include "lib/mysql_server.h"

#include <mysql.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/asserts.h"
#include "lib/patience.h"

bool mysql_server_installed(void)
{
    return server_installed("/usr/sbin/mariadbd");
}

/* Small, and of a crash of the host nothing need survive: tests start many. */
#define SMALL "--innodb-log-file-size=4M", "--innodb-buffer-pool-size=8M"

static MYSQL *connect_as_owner(const struct server *server)
{
    static const unsigned timeout_s = 10;
    static const unsigned protocol = MYSQL_PROTOCOL_TCP;
    MYSQL *mysql = mysql_init(NULL);

    assert_non_null(mysql);
    mysql_options(mysql, MYSQL_OPT_CONNECT_TIMEOUT, &timeout_s);
    mysql_options(mysql, MYSQL_OPT_PROTOCOL, &protocol);
    (void)mysql_real_connect(mysql, "127.0.0.1", "owner", "", NULL, server->port, NULL, 0);
    return mysql;
}

static bool answers(const struct server *server)
{
    MYSQL *mysql = connect_as_owner(server);
    bool ok = mysql_ping(mysql) == 0;

    mysql_close(mysql);
    return ok;
}

/* Not /tmp, where a server that starts deletes the temporary tables of all others. */
static void name_tmpdir(const struct server *server, char ret[sizeof server->folder + 32])
{
    snprintf(ret, sizeof server->folder + 32, "--tmpdir=%s", server->folder);
}

void mysql_server_restart(struct server *server, const char *const *options)
{
    char port[24];
    char data[sizeof server->folder + 32];
    char init[sizeof server->folder + 32];
    char socket[sizeof server->folder + 32];
    char tmpdir[sizeof server->folder + 32];
    const char *wanted[SERVER_ARGUMENTS_MAX] = {"/usr/sbin/mariadbd",
                                                "--no-defaults",
                                                data,
                                                "--bind-address=127.0.0.1",
                                                "--skip-name-resolve",
                                                init,
                                                "--pid-file=pid",
                                                SMALL,
                                                port,
                                                socket,
                                                tmpdir};
    const char *argv[SERVER_ARGUMENTS_MAX];
    size_t n = 12;

    snprintf(port, sizeof port, "--port=%u", (unsigned)server->port);
    snprintf(data, sizeof data, "--datadir=%s/data", server->folder);
    snprintf(init, sizeof init, "--init-file=%s/init.sql", server->folder);
    snprintf(socket, sizeof socket, "--socket=%s/socket", server->folder);
    name_tmpdir(server, tmpdir);
    for (; options != NULL && *options != NULL; options++) {
        assert_true(n < SERVER_ARGUMENTS_MAX - 1);
        wanted[n++] = *options;
    }
    wanted[n] = NULL;
    server_as_user("mysql", "KILL", wanted, argv);
    server_run(server, argv, answers);
}

/* Run at each start, with nothing written to the binary log. */
static void write_init(const struct server *server)
{
    char path[sizeof server->folder + 16];

    snprintf(path, sizeof path, "%s/init.sql", server->folder);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs("SET sql_log_bin = 0;\n"
          "CREATE DATABASE IF NOT EXISTS app;\n"
          "CREATE USER IF NOT EXISTS owner@'%';\n"
          "GRANT ALL ON *.* TO owner@'%' WITH GRANT OPTION;\n"
          "CREATE USER IF NOT EXISTS app@'%';\n"
          "GRANT SELECT, INSERT, UPDATE, CREATE ON app.* TO app@'%';\n",
          file);
    assert_int_equal(fclose(file), 0);
}

void mysql_server_start(struct server *server, const char *const *options)
{
    const struct passwd *user = server_user("mysql");
    char data[sizeof server->folder + 32];
    char tmpdir[sizeof server->folder + 32];
    const char *const install[] = {"mariadb-install-db",
                                   "--no-defaults",
                                   data,
                                   tmpdir,
                                   "--skip-test-db",
                                   "--skip-name-resolve",
                                   "--auth-root-authentication-method=normal",
                                   SMALL,
                                   user != NULL ? "--user=mysql" : NULL,
                                   NULL};

    server_prepare(server, "mysql");
    if (user != NULL)
        assert_int_equal(chown(server->folder, user->pw_uid, user->pw_gid), 0);
    snprintf(data, sizeof data, "--datadir=%s/data", server->folder);
    name_tmpdir(server, tmpdir);
    if (!server_command(server, install))
        fail_msg("mariadb-install-db failed: see %s/log", server->folder);
    write_init(server);
    mysql_server_restart(server, options);
}

void mysql_server_start_tls(struct server *server)
{
    char cert[sizeof server->folder + 32];
    char key[sizeof server->folder + 32];
    const char *const options[] = {cert, key, NULL};

    mysql_server_start(server, NULL);
    server_certify(server);
    server_kill(server);
    snprintf(cert, sizeof cert, "--ssl-cert=%s/ids.pem", server->folder);
    snprintf(key, sizeof key, "--ssl-key=%s/ids.key", server->folder);
    mysql_server_restart(server, options);
    mysql_server_do(server, "CREATE USER guarded@'%' IDENTIFIED BY 's3cret' REQUIRE SSL");
    mysql_server_do(server, "GRANT SELECT, INSERT, UPDATE, CREATE ON app.* TO guarded@'%'");
}

void mysql_server_follow(struct server *server, const struct server *primary)
{
    static const char *const options[] = {"--server-id=2", "--log-bin=log-bin", "--read-only", NULL};
    char sql[256];

    mysql_server_start(server, options);
    snprintf(sql, sizeof sql,
             "CHANGE MASTER TO master_host = '127.0.0.1', master_port = %u, master_user = 'owner', "
             "master_use_gtid = slave_pos, master_connect_retry = 1",
             (unsigned)primary->port);
    mysql_server_do(server, sql);
    mysql_server_do(server, "START SLAVE");
    snprintf(sql, sizeof sql, "SELECT MASTER_GTID_WAIT('%s', 60)",
             mysql_server_do(primary, "SELECT @@gtid_binlog_pos"));
    assert_string_equal(mysql_server_do(server, sql), "0");
}

/* The reply as mysql_server_do has it; an error with a '-' before it. */
static const char *ask(const struct server *server, const char *sql)
{
    static char reply[256];
    MYSQL *mysql = connect_as_owner(server);

    reply[0] = '\0';
    if (mysql_select_db(mysql, "app") != 0 || mysql_real_query(mysql, sql, strlen(sql)) != 0) {
        snprintf(reply, sizeof reply, "-%s", mysql_error(mysql));
    } else {
        MYSQL_RES *result = mysql_store_result(mysql);
        MYSQL_ROW row = result == NULL ? NULL : mysql_fetch_row(result);
        snprintf(reply, sizeof reply, "%s", row == NULL || row[0] == NULL ? "" : row[0]);
        mysql_free_result(result);
    }
    mysql_close(mysql);
    return reply;
}

const char *mysql_server_do(const struct server *server, const char *sql)
{
    const char *reply = ask(server, sql);

    if (reply[0] == '-')
        fail_msg("%s: %s", sql, reply);
    return reply;
}

void mysql_server_await(const struct server *server, const char *sql, const char *wanted)
{
    AWAIT(strcmp(ask(server, sql), wanted) == 0, "%s: %s; wanted: %s", sql, ask(server, sql), wanted);
}

#endif
