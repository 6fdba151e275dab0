/* SPDX-License-Identifier: MIT */
#include "lib/flood.h"

#include <assert.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/asserts.h"
#include "lib/bound.h"
#include "lib/patience.h"
#include "lib/server.h"

enum { CHUNK = 65536 };

static bool say(int fd, const char *bytes, size_t len)
{
    while (len > 0) {
        ssize_t put = send(fd, bytes, len, MSG_NOSIGNAL);
        if (put <= 0)
            return false;
        bytes += put;
        len -= (size_t)put;
    }
    return true;
}

static bool hear(int fd)
{
    char heard[16384];

    return recv(fd, heard, sizeof heard, 0) > 0;
}

/* Hears until these words have come. */
static bool hear_words(int fd, const char *words)
{
    size_t matched = 0;
    char byte;

    while (words[matched] != '\0') {
        if (recv(fd, &byte, 1, 0) <= 0)
            return false;
        matched = byte == words[matched] ? matched + 1 : byte == words[0];
    }
    return true;
}

static void hear_all(int fd)
{
    while (hear(fd))
        continue;
}

/* Whole pieces, as many as fit. */
static size_t fill(const struct flood *flood, char chunk[CHUNK])
{
    size_t len = 0;

    assert(flood->piece_len >= 1 && flood->piece_len <= CHUNK);
    do {
        memcpy(chunk + len, flood->piece, flood->piece_len);
        len += flood->piece_len;
    } while (len + flood->piece_len <= CHUNK);
    return len;
}

static void serve(const struct flood *flood, const char *cue, int fd)
{
    static char chunk[CHUNK];
    size_t len = fill(flood, chunk);
    bool is_first = (flood->pace & FLOOD_FIRST) != 0;
    unsigned pace = flood->pace & ~(unsigned)FLOOD_FIRST;
    bool greets = flood->greeting != NULL && (pace != FLOOD_SILENT || is_first);

    if (!is_first && !hear(fd))
        return;
    if (greets && (!say(fd, flood->greeting, flood->greeting_len) || !hear(fd)))
        return;
    if (pace == FLOOD_SILENT) {
        hear_all(fd);
        return;
    }
    if (!say(fd, flood->head, flood->head_len))
        return;
    if (cue != NULL) {
        if (hear_words(fd, cue) && say(fd, flood->piece, flood->piece_len))
            hear_all(fd);
        return;
    }
    if (pace == FLOOD_FAST) {
        while (say(fd, chunk, len))
            continue;
    }
    for (size_t i = 0; say(fd, &chunk[i], 1); i = (i + 1) % len)
        pause_shortly();
}

pid_t flood_start(const struct flood *flood, uint16_t *ret_port)
{
    return flood_start_cued(flood, NULL, ret_port);
}

pid_t flood_start_cued(const struct flood *flood, const char *cue, uint16_t *ret_port)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t len = sizeof address;
    int fd = socket(AF_INET, SOCK_STREAM, 0);

    assert_true(fd >= 0);
    assert_int_equal(bind(fd, (const struct sockaddr *)&address, sizeof address), 0);
    assert_int_equal(listen(fd, 64), 0);
    assert_int_equal(getsockname(fd, (struct sockaddr *)&address, &len), 0);
    pid_t pid = bound_fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        /* A process for each connection: one that is silent must not keep others waiting. */
        signal(SIGCHLD, SIG_IGN);
        for (;;) {
            int connection = accept(fd, NULL, NULL);
            if (connection < 0)
                _exit(1);
            if (bound_fork() == 0) {
                close(fd);
                serve(flood, cue, connection);
                _exit(0);
            }
            close(connection);
        }
    }
    close(fd);
    *ret_port = ntohs(address.sin_port);
    return pid;
}

void flood_stop(pid_t pid)
{
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
}
