/* SPDX-License-Identifier: MIT */
#define _XOPEN_SOURCE 700 /* nftw */
#include "lib/redis_server.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <netinet/in.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

enum { SERVERS_MAX = 64, ARGUMENTS_MAX = 32, TRIES = 1000, PAUSE_NS = 5000000 };

/* Those that run: a test that fails goes on to the next one, and leaves its own behind. */
static struct {
    pid_t pid;
    char folder[sizeof((struct redis_server *)0)->folder];
} running[SERVERS_MAX];

static int remove_one(const char *path, const struct stat *info, int kind, struct FTW *where)
{
    (void)info;
    (void)kind;
    (void)where;
    return remove(path);
}

static void kill_running(void)
{
    for (size_t i = 0; i < SERVERS_MAX; i++) {
        if (running[i].pid == 0)
            continue;
        kill(running[i].pid, SIGKILL);
        waitpid(running[i].pid, NULL, 0);
        nftw(running[i].folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
    }
}

static void note_running(const struct redis_server *server)
{
    static bool registered;
    size_t i = 0;

    if (!registered)
        registered = atexit(kill_running) == 0;
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

static void pause_shortly(void)
{
    const struct timespec pause = {.tv_nsec = PAUSE_NS};

    clock_nanosleep(CLOCK_MONOTONIC, 0, &pause, NULL);
}

bool redis_server_installed(void)
{
    const char *path = getenv("PATH");

    while (path != NULL && *path != '\0') {
        char name[512];
        size_t len = strcspn(path, ":");
        snprintf(name, sizeof name, "%.*s/redis-server", (int)len, path);
        if (access(name, X_OK) == 0)
            return true;
        path += len + (path[len] == ':');
    }
    if (getenv("FRAZIL_SKIP_NOTHING") != NULL)
        fail_msg("redis-server is not installed, and nothing may be skipped");
    print_message("SKIPPED: redis-server is not installed\n");
    return false;
}

static struct sockaddr_in loopback(uint16_t port)
{
    return (struct sockaddr_in){
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
}

uint16_t free_port(void)
{
    struct sockaddr_in address = loopback(0);
    socklen_t len = sizeof address;
    int fd = socket(AF_INET, SOCK_STREAM, 0);

    assert_true(fd >= 0);
    assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof address), 0);
    assert_int_equal(getsockname(fd, (struct sockaddr *)&address, &len), 0);
    close(fd);
    return ntohs(address.sin_port);
}

/* The child: everything it prints goes into its folder. */
static void become_server(const struct redis_server *server, const char *const *arguments)
{
    char port[8];
    const char *argv[ARGUMENTS_MAX] = {"redis-server", "--port",       port,           "--bind",      "127.0.0.1",
                                       "--dir",        server->folder, "--unixsocket", server->socket};
    size_t n = 9;

    snprintf(port, sizeof port, "%u", (unsigned)server->port);
    for (; arguments != NULL && *arguments != NULL && n < ARGUMENTS_MAX - 1; arguments++)
        argv[n++] = *arguments;
    int log = chdir(server->folder) == 0 ? open("log", O_WRONLY | O_CREAT | O_APPEND, 0600) : -1;
    if (log < 0 || dup2(log, STDOUT_FILENO) < 0 || dup2(log, STDERR_FILENO) < 0)
        _exit(126);
    execvp(argv[0], (char *const *)(uintptr_t)argv);
    _exit(127);
}

static bool answers(const struct redis_server *server)
{
    const char *reply = redis_server_ask(server, "PING");

    return strcmp(reply, "PONG") == 0 || strncmp(reply, "-NOAUTH", 7) == 0;
}

void redis_server_restart(struct redis_server *server, const char *const *arguments)
{
    assert_int_equal(server->pid, 0);
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0)
        become_server(server, arguments);
    server->pid = pid;
    note_running(server);
    for (int tries = 0; tries < TRIES; tries++) {
        if (answers(server))
            return;
        if (waitpid(pid, NULL, WNOHANG) == pid) {
            note_ended(pid);
            server->pid = 0;
            fail_msg("redis-server ended at once: see %s/log", server->folder);
        }
        pause_shortly();
    }
    fail_msg("redis-server does not answer: see %s/log", server->folder);
}

void redis_server_start(struct redis_server *server, const char *const *arguments)
{
    memset(server, 0, sizeof *server);
    snprintf(server->folder, sizeof server->folder, "/tmp/frazil-redis-XXXXXX");
    assert_non_null(mkdtemp(server->folder));
    snprintf(server->socket, sizeof server->socket, "%s/socket", server->folder);
    server->port = free_port();
    redis_server_restart(server, arguments);
}

void redis_server_kill(struct redis_server *server)
{
    if (server->pid == 0)
        return;
    kill(server->pid, SIGKILL);
    assert_int_equal(waitpid(server->pid, NULL, 0), server->pid);
    note_ended(server->pid);
    server->pid = 0;
}

void redis_server_stop(struct redis_server *server)
{
    redis_server_kill(server);
    nftw(server->folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

/* Reads until the reply is whole or nothing more comes. */
static size_t receive(int fd, char *buf, size_t size)
{
    size_t len = 0;

    while (len < size - 1) {
        struct pollfd poll_fd = {.fd = fd, .events = POLLIN};
        if (poll(&poll_fd, 1, 5000) <= 0)
            break;
        ssize_t got = read(fd, buf + len, size - 1 - len);
        if (got <= 0)
            break;
        len += (size_t)got;
        /* One line, or a bulk: its length's line and its own. */
        char *line = memchr(buf, '\n', len);
        if (line != NULL && (buf[0] != '$' || strncmp(buf, "$-1", 3) == 0 ||
                             memchr(line + 1, '\n', len - (size_t)(line + 1 - buf)) != NULL))
            break;
    }
    buf[len] = '\0';
    return len;
}

const char *redis_server_ask(const struct redis_server *server, const char *command)
{
    static char reply[256];
    struct sockaddr_in address = loopback(server->port);
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    char line[256];

    assert_true(fd >= 0);
    snprintf(line, sizeof line, "%s\r\n", command);
    reply[0] = '\0';
    if (connect(fd, (struct sockaddr *)&address, sizeof address) == 0 &&
        send(fd, line, strlen(line), MSG_NOSIGNAL) == (ssize_t)strlen(line))
        receive(fd, reply, sizeof reply);
    close(fd);
    if (reply[0] == '$') {
        char *start = strchr(reply, '\n');
        memmove(reply, start == NULL ? reply : start + 1, strlen(start == NULL ? reply : start + 1) + 1);
    } else if (reply[0] == '+' || reply[0] == ':') {
        memmove(reply, reply + 1, strlen(reply));
    }
    reply[strcspn(reply, "\r\n")] = '\0';
    return reply;
}
