/* SPDX-License-Identifier: MIT */
#include "lib/redis_server.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "lib/asserts.h"
#include "lib/patience.h"

enum { ARGUMENTS_MAX = 32 };

bool redis_server_installed(void)
{
    return server_installed("redis-server");
}

const char *redis_server_socket(const struct server *server)
{
    static char path[sizeof server->folder + 8];

    snprintf(path, sizeof path, "%s/socket", server->folder);
    return path;
}

static bool answers(const struct server *server)
{
    const char *reply = redis_server_ask(server, "PING");

    return strcmp(reply, "PONG") == 0 || strncmp(reply, "-NOAUTH", 7) == 0;
}

void redis_server_restart(struct server *server, const char *const *arguments)
{
    char port[8];
    const char *argv[ARGUMENTS_MAX] = {"redis-server", "--port",       port,
                                       "--bind",       "127.0.0.1",    "--dir",
                                       server->folder, "--unixsocket", redis_server_socket(server)};
    size_t n = 9;

    snprintf(port, sizeof port, "%u", (unsigned)server->port);
    for (; arguments != NULL && *arguments != NULL && n < ARGUMENTS_MAX - 1; arguments++)
        argv[n++] = *arguments;
    server_run(server, argv, answers);
}

void redis_server_start(struct server *server, const char *const *arguments)
{
    server_prepare(server, "redis");
    redis_server_restart(server, arguments);
}

/* Reads until the reply is whole or nothing more comes. */
static size_t receive(int fd, char *buf, size_t size)
{
    size_t len = 0;

    while (len < size - 1) {
        struct pollfd poll_fd = {.fd = fd, .events = POLLIN};
        if (poll(&poll_fd, 1, PATIENCE_MS) <= 0)
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

const char *redis_server_ask(const struct server *server, const char *command)
{
    static char reply[256];
    struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons(server->port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
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
