/* SPDX-License-Identifier: MIT */
/* Goal of this test: a drain closes a connection together with an answer, or in silence, and never upon a request. */
#include "clock.h"
#include "connection.h"
#include "lib/test.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#define PING "*1\r\n$4\r\nPING\r\n"
#define MULTI "*1\r\n$5\r\nMULTI\r\n"

static struct setup setup;
static struct server server;
static const struct listener listener = {.protocol = PROTOCOL_RESP};
static struct loop *loop;
static int client; /* its end */
static int accepted;

static void on_wake(void *connection)
{
    connection_make_ready(loop, connection);
}

static void on_notify(struct event_thread *event_thread)
{
    (void)event_thread;
}

/* Two ends of a connection by TCP, whose segments the system delivers at once. */
static void connect_both(void)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t len = sizeof address;
    int listening = socket(AF_INET, SOCK_STREAM, 0);

    assert_int_equal(bind(listening, (const struct sockaddr *)&address, len), 0);
    assert_int_equal(listen(listening, 1), 0);
    assert_int_equal(getsockname(listening, (struct sockaddr *)&address, &len), 0);
    client = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(connect(client, (const struct sockaddr *)&address, len), 0);
    accepted = accept(listening, NULL, NULL);
    assert_true(accepted >= 0);
    assert_int_equal(fcntl(accepted, F_SETFL, O_NONBLOCK), 0);
    (void)close(listening);
}

BEFORE_EACH
{
    setup = (struct setup){.settings.daemon = {.request_timeout_ns = 60 * NS_PER_S, .stall_timeout_ns = 60 * NS_PER_S}};
    atomic_init(&setup.holders, 2);
    server = (struct server){.setup = &setup};
    loop = calloc(1, sizeof *loop);
    assert_non_null(loop);
    *loop = (struct loop){.server = &server, .epoll = epoll_create1(EPOLL_CLOEXEC), .input = malloc(INPUT_BYTES)};
    loop->ready_end = &loop->ready;
    loop->event_thread.wake = on_wake;
    loop->event_thread.notify = on_notify;
    loop->event_thread.user_of = connection_user;
    server_open_event_thread(&server, &loop->event_thread);
    loop->event_thread.now_ns = 1000 * NS_PER_S;
    connect_both();
    assert_true(connection_open(loop, accepted, &listener, &(struct peer){0}));
}

AFTER_EACH
{
    while (loop->connections != NULL)
        connection_close(loop, loop->connections);
    (void)close(client);
    (void)close(loop->epoll);
    free(loop->output.at);
    free(loop->input);
    free(loop);
}

static void say(const char *text)
{
    assert_int_equal(write(client, text, strlen(text)), strlen(text));
    connection_on_event(loop, loop->connections, EPOLLIN);
}

/* The drain begins; each connection has its turn. */
static void drain(void)
{
    loop->drains = true;
    connection_go_on(loop, loop->connections);
}

static void pass(uint64_t ns)
{
    loop->event_thread.now_ns += ns;
    connection_check_time(loop, loop->connections);
}

/* Reads that, and then the end, or nothing. */
static void expect(const char *text, bool ends)
{
    char got[64] = "";

    if (text[0] != '\0')
        assert_int_equal(recv(client, got, strlen(text), MSG_WAITALL), strlen(text));
    assert_string_equal(got, text);
    ssize_t more = recv(client, got, 1, ends ? 0 : MSG_DONTWAIT);
    assert_int_equal(more, ends ? 0 : -1);
}

TEST("A client that was heard a moment ago is answered once more, and the end comes with that answer")
{
    say(PING);
    expect("+PONG\r\n", false);
    drain();
    expect("", false);
    say(PING);
    expect("+PONG\r\n", true);
}

TEST("A client that is silent for more than a second is closed")
{
    say(PING);
    expect("+PONG\r\n", false);
    drain();
    pass(NS_PER_S);
    expect("", false);
    pass(1);
    expect("", true);
}

TEST("A request that has come in part is awaited")
{
    say(PING "*1\r\n$4\r\nPI");
    expect("+PONG\r\n", false);
    drain();
    pass(30 * NS_PER_S);
    expect("", false);
    say("NG\r\n");
    expect("+PONG\r\n", true);
}

TEST("The end of a transaction is not awaited: what it has queued has not begun")
{
    say(MULTI PING);
    expect("+OK\r\n+QUEUED\r\n", false);
    drain();
    expect("", false);
    pass(NS_PER_S + 1);
    expect("", true);
}

TEST("A transaction that goes on during a drain ends with its next answer")
{
    say(MULTI);
    expect("+OK\r\n", false);
    drain();
    say(PING);
    expect("+QUEUED\r\n", true);
}

TEST("A transaction that comes in full during a drain is run")
{
    say(PING);
    expect("+PONG\r\n", false);
    drain();
    say(MULTI PING "*1\r\n$4\r\nEXEC\r\n");
    expect("+OK\r\n+QUEUED\r\n*1\r\n+PONG\r\n", true);
}

TEST("Without a drain nobody is closed behind an answer, or for a silence")
{
    say(PING);
    pass(30 * NS_PER_S);
    expect("+PONG\r\n", false);
}
