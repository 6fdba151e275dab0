/* SPDX-License-Identifier: MIT */
#define _XOPEN_SOURCE 700 /* nftw */
#include "lib/server.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <ftw.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/asserts.h"
#include "lib/bound.h"
#include "lib/patience.h"

enum { SERVERS_MAX = 64 };

/* Below what the kernel gives to those who connect: a server that is stopped for a while finds its port free again. */
enum { PORT_FIRST = 12000, PORT_COUNT = 20000 };

/* Those that run: a test that fails goes on to the next one, and leaves its own behind. */
static struct {
    pid_t pid;
    char folder[sizeof((struct server *)0)->folder];
} running[SERVERS_MAX];

static int remove_one(const char *path, const struct stat *info, int kind, struct FTW *where)
{
    (void)info;
    (void)kind;
    (void)where;
    return remove(path);
}

static int remove_below(const char *path, const struct stat *info, int kind, struct FTW *where)
{
    (void)info;
    (void)kind;
    return where->level == 0 ? 0 : remove(path);
}

static void remove_folder(const char *folder)
{
    nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

/* Also what it has started itself: it leads a group of its own. */
static void end(pid_t pid)
{
    kill(-pid, SIGKILL);
    waitpid(pid, NULL, 0);
}

static void end_running(void)
{
    for (size_t i = 0; i < SERVERS_MAX; i++) {
        if (running[i].pid == 0)
            continue;
        end(running[i].pid);
        remove_folder(running[i].folder);
    }
}

static void note_running(const struct server *server)
{
    static bool registered;
    size_t i = 0;

    if (!registered)
        registered = atexit(end_running) == 0;
    while (i < SERVERS_MAX && running[i].pid != 0)
        i++;
    assert_true(i < SERVERS_MAX);
    running[i].pid = server->pid;
    memcpy(running[i].folder, server->folder, sizeof running[i].folder);
}

static void note_ended(pid_t pid)
{
    for (size_t i = 0; i < SERVERS_MAX; i++) {
        if (running[i].pid == pid)
            running[i].pid = 0;
    }
}

static bool is_there(const char *program)
{
    const char *path = getenv("PATH");

    if (program[0] == '/')
        return access(program, X_OK) == 0;
    while (path != NULL && *path != '\0') {
        char name[512];
        size_t len = strcspn(path, ":");
        snprintf(name, sizeof name, "%.*s/%s", (int)len, path, program);
        if (access(name, X_OK) == 0)
            return true;
        path += len + (path[len] == ':');
    }
    return false;
}

bool server_installed(const char *program)
{
    if (is_there(program))
        return true;
    if (getenv("TEST_SKIP_NOTHING") != NULL)
        fail_msg("%s is not installed, and nothing may be skipped", program);
    print_message("SKIPPED: %s is not installed\n", program);
    return false;
}

static bool nobody_listens(uint16_t port)
{
    const struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int fd = socket(AF_INET, SOCK_STREAM, 0);

    assert_true(fd >= 0);
    bool free = bind(fd, (const struct sockaddr *)&address, sizeof address) == 0;
    close(fd);
    return free;
}

/* Among all tests of this machine; the name is this process's until it ends. */
static bool claim(uint16_t port)
{
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    int len = snprintf(name.sun_path + 1, sizeof name.sun_path - 1, "frazil-test-port-%u", (unsigned)port);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

    assert_true(fd >= 0);
    if (bind(fd, (const struct sockaddr *)&name,
             (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)len)) == 0)
        return true;
    close(fd);
    return false;
}

uint16_t free_port(void)
{
    static uint16_t tried;

    for (int i = 0; i < PORT_COUNT; i++) {
        uint16_t port = (uint16_t)(PORT_FIRST + (getpid() + tried++) % PORT_COUNT);
        if (claim(port) && nobody_listens(port))
            return port;
    }
    fail_msg("no port from %d on is free", PORT_FIRST);
    return 0;
}

void server_prepare(struct server *server, const char *name)
{
    memset(server, 0, sizeof *server);
    snprintf(server->folder, sizeof server->folder, "/tmp/frazil-%s-XXXXXX", name);
    assert_non_null(mkdtemp(server->folder));
    server->port = free_port();
}

/* The child: everything it prints goes into its folder. */
static void become(const struct server *server, const char *const *argv)
{
    int log = chdir(server->folder) == 0 ? open("log", O_WRONLY | O_CREAT | O_APPEND, 0600) : -1;

    if (log < 0 || dup2(log, STDOUT_FILENO) < 0 || dup2(log, STDERR_FILENO) < 0)
        _exit(126);
    execvp(argv[0], (char *const *)(uintptr_t)argv);
    _exit(127);
}

void server_run(struct server *server, const char *const *argv, bool (*answers)(const struct server *server))
{
    assert_int_equal(server->pid, 0);
    pid_t parent = getpid();
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        bound_to(parent);
        setpgid(0, 0);
        become(server, argv);
    }
    setpgid(pid, pid);
    server->pid = pid;
    note_running(server);
    for (uint64_t end_ns = patience_end_ns(); !patience_is_over(end_ns); pause_shortly()) {
        if (answers(server))
            return;
        if (waitpid(pid, NULL, WNOHANG) == pid) {
            note_ended(pid);
            server->pid = 0;
            fail_msg("%s ended at once: see %s/log", argv[0], server->folder);
        }
    }
    fail_msg("%s does not answer: see %s/log", argv[0], server->folder);
}

bool server_command(const struct server *server, const char *const *argv)
{
    int status = -1;
    pid_t pid = fork();

    assert_true(pid >= 0);
    if (pid == 0)
        become(server, argv);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    return status == 0;
}

void server_certify(const struct server *server)
{
    static const char *const openssl[] = {
        "openssl", "req",     "-x509", "-newkey", "ec",      "-pkeyopt", "ec_paramgen_curve:prime256v1",
        "-nodes",  "-days",   "2",     "-subj",   "/CN=ids", "-addext",  "subjectAltName=IP:127.0.0.1",
        "-keyout", "ids.key", "-out",  "ids.pem", NULL};
    static const char *const readable[] = {"chmod", "644", "ids.pem", "ids.key", NULL};

    assert_true(server_command(server, openssl));
    assert_true(server_command(server, readable));
}

const struct passwd *server_user(const char *name)
{
    const struct passwd *user = getpwnam(name);

    if (geteuid() != 0)
        return NULL;
    if (user == NULL)
        user = getpwnam("nobody");
    assert_non_null(user);
    return user;
}

void server_as_user(const char *name, const char *end_signal, const char *const *wanted,
                    const char *argv[SERVER_ARGUMENTS_MAX])
{
    static char ids[2][32];
    const struct passwd *user = server_user(name);
    size_t n = 0;

    if (user != NULL) {
        snprintf(ids[0], sizeof ids[0], "--reuid=%u", (unsigned)user->pw_uid);
        snprintf(ids[1], sizeof ids[1], "--regid=%u", (unsigned)user->pw_gid);
        const char *const front[] = {"setpriv", ids[0], ids[1], "--clear-groups", "--pdeathsig", end_signal};
        memcpy(argv, front, sizeof front);
        n = sizeof front / sizeof front[0];
    }
    for (; *wanted != NULL; wanted++) {
        assert_true(n < SERVER_ARGUMENTS_MAX - 1);
        argv[n++] = *wanted;
    }
    argv[n] = NULL;
}

void server_kill(struct server *server)
{
    if (server->pid == 0)
        return;
    end(server->pid);
    note_ended(server->pid);
    server->pid = 0;
}

void server_wipe(struct server *server)
{
    server_kill(server);
    nftw(server->folder, remove_below, 8, FTW_DEPTH | FTW_PHYS);
}

void server_stop(struct server *server)
{
    server_kill(server);
    remove_folder(server->folder);
}
