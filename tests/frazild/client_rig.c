/* SPDX-License-Identifier: MIT */
#include "client_rig.h"

#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "lib/test.h"

struct setup setup;
struct loop *loop;

static struct server server;
static const struct listener listener = {.protocol = PROTOCOL_RESP, .unix_socket.path = "/socket"};
static int fds[16]; /* of clients */
static size_t fd_count;

struct client client_new(void)
{
    int small = 4096, ends[2];

    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends), 0);
    assert_int_equal(setsockopt(ends[0], SOL_SOCKET, SO_SNDBUF, &small, sizeof small), 0);
    assert_true(connection_open(loop, ends[0], &listener, &(struct peer){0}));
    fds[fd_count++] = ends[1];
    return (struct client){ends[1], loop->connections};
}

bool is_open(struct client client)
{
    const struct connection *at = loop->connections;

    while (at != NULL && at != client.its)
        at = at->next;
    return at != NULL;
}

void say(struct client client, const char *text)
{
    if (is_open(client))
        assert_int_equal(write(client.fd, text, strlen(text)), strlen(text));
}

void die(struct client client)
{
    (void)shutdown(client.fd, SHUT_RDWR);
}

void happens(struct client client, uint32_t events)
{
    if (is_open(client))
        connection_on_event(loop, client.its, events);
}

void expect_answer(struct client client, const char *question, const char *answer)
{
    char got[4096];

    say(client, question);
    happens(client, EPOLLIN);
    assert_true(is_open(client));
    ssize_t len = read(client.fd, got, sizeof got);
    assert_int_equal(len, strlen(answer));
    assert_memory_equal(got, answer, (size_t)len);
}

void open_loop(void)
{
    setup = (struct setup){.settings.daemon.max_connections = 8};
    server = (struct server){.setup = &setup};
    loop = calloc(1, sizeof *loop);
    assert_non_null(loop);
    loop->server = &server;
    loop->event_thread.setup = &setup;
    loop->event_thread.connections = &server.connections;
    loop->ready_end = &loop->ready;
    loop->epoll = epoll_create1(EPOLL_CLOEXEC);
    loop->input = malloc(INPUT_BYTES);
    assert_non_null(loop->input);
}

void close_loop(void)
{
    while (loop->connections != NULL)
        connection_close(loop, loop->connections);
    while (fd_count > 0)
        (void)close(fds[--fd_count]);
    (void)close(loop->epoll);
    free(loop->output.at);
    free(loop->input);
    free(loop);
}
