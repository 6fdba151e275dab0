/* SPDX-License-Identifier: MIT */
/* Goal of this test: connections share a loop, and not a byte or a mistake of each other, however one of them ends. */
#include "client_rig.h"
#include "failing_memory.h"
#include "lib/test.h"

#include <errno.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#define ECHO(text, len) "*2\r\n$4\r\nECHO\r\n$" len "\r\n" text "\r\n"

/* The system: whether it can go on watching a socket. */
static bool watches = true;

#pragma GCC visibility push(default)
int __real_epoll_ctl(int epoll, int op, int fd, struct epoll_event *event);
int __wrap_epoll_ctl(int epoll, int op, int fd, struct epoll_event *event);
#pragma GCC visibility pop

int __wrap_epoll_ctl(int epoll, int op, int fd, struct epoll_event *event)
{
    if (watches || op != EPOLL_CTL_MOD)
        return __real_epoll_ctl(epoll, op, fd, event);
    errno = ENOMEM;
    return -1;
}

static void expect_untouched(struct client client)
{
    expect_answer(client, ECHO("mine", "4"), "$4\r\nmine\r\n");
    expect_answer(client, ECHO("1", "1") ECHO("22", "2"), "$1\r\n1\r\n$2\r\n22\r\n");
}

BEFORE_EACH
{
    open_loop();
}

AFTER_EACH
{
    memory_fails_at(0);
    close_loop();
}

TEST("A reply whose client has gone reaches no other client")
{
    struct client dead = client_new(), neighbour = client_new();

    say(dead, ECHO("100000000000000001", "18"));
    die(dead);
    happens(dead, EPOLLIN);
    assert_false(is_open(dead));
    expect_untouched(neighbour);
    expect_untouched(client_new());
}

enum { LONG_ECHO_SIZE = 2000 };

/* An ECHO of 1900 bytes. */
static void write_long_echo(char text[LONG_ECHO_SIZE])
{
    memset(text, 'x', LONG_ECHO_SIZE);
    memcpy(text, "*2\r\n$4\r\nECHO\r\n$1900\r\n", 21);
    memcpy(text + 21 + 1900, "\r\n", 3);
}

TEST("Neither do replies that were kept until their client read, which it never did")
{
    struct client dead = client_new(), neighbour = client_new();
    char text[LONG_ECHO_SIZE];

    write_long_echo(text);
    while (dead.its->out.len == 0) {
        say(dead, text);
        happens(dead, EPOLLIN);
    }
    say(dead, text);
    die(dead);
    happens(dead, EPOLLIN | EPOLLOUT);
    assert_false(is_open(dead));
    expect_untouched(neighbour);
}

TEST("A reply that finds no memory costs its own connection alone")
{
    struct client poor = client_new(), neighbour = client_new();

    say(poor, ECHO("text", "4"));
    memory_fails_at(1);
    happens(poor, EPOLLIN);
    memory_fails_at(0);
    assert_false(is_open(poor));
    expect_untouched(neighbour);
    expect_untouched(client_new());
}

/* Asks each time without another piece of memory: the connection gets all of the answer, or ends. */
static void expect_all_or_nothing(const char *question, const char *last)
{
    bool all_failed = false;
    char got[4096];

    for (unsigned at = 1; !all_failed; at++) {
        struct client poor = client_new();
        say(poor, question);
        memory_fails_at(at);
        happens(poor, EPOLLIN);
        all_failed = memory_calls() < at;
        memory_fails_at(0);
        ssize_t len = read(poor.fd, got, sizeof got);
        if (is_open(poor)) {
            assert_true(len > (ssize_t)strlen(last));
            assert_memory_equal(got + len - strlen(last), last, strlen(last));
        } else {
            assert_int_equal(len, 0);
        }
        close_loop();
        open_loop();
    }
}

TEST("An answer that lacks a piece for want of memory is not sent")
{
    expect_all_or_nothing("CLIENT INFO\r\n", " lib-ver=\n\r\n");
    expect_all_or_nothing("INFO\r\n", "# Generators\r\n\r\n");
}

TEST("Whichever memory is missing, the others are served as before, and so are those that come later")
{
    bool all_failed = false;

    for (unsigned at = 1; !all_failed; at++) {
        struct client neighbour = client_new(), poor = client_new();
        char byte;
        memory_fails_at(at);
        say(poor, "CLIENT INFO\r\nMULTI\r\nECHO 1\r\nINFO\r\nEXEC\r\nCLIENT SETNAME poor\r\nEC");
        happens(poor, EPOLLIN);
        say(poor, "HO 2\r\nCOMMAND DOCS\r\nCOMMAND DOCS\r\nECHO 3\r\n");
        happens(poor, EPOLLIN);
        while (is_open(poor) && read(poor.fd, &byte, 1) == 1)
            happens(poor, EPOLLOUT);
        all_failed = memory_calls() < at;
        memory_fails_at(0);
        expect_untouched(neighbour);
        expect_untouched(client_new());
        close_loop();
        open_loop(); /* whose first reply needs memory again */
    }
}

TEST("A client whose unfinished command finds no memory is closed, and none of it is lost without a word")
{
    bool all_failed = false;

    expect_untouched(client_new()); /* what the loop keeps for all is there */
    for (unsigned at = 1; !all_failed; at++) {
        struct client poor = client_new();
        say(poor, ECHO("text", "4") "*2\r\n$4\r\nECHO\r\n$8\r\nPI");
        memory_fails_at(at);
        happens(poor, EPOLLIN);
        all_failed = memory_calls() < at;
        memory_fails_at(0);
        if (!is_open(poor))
            continue;
        char got[64];
        assert_int_equal(read(poor.fd, got, sizeof got), strlen("$4\r\ntext\r\n"));
        expect_answer(poor, "NG\r\n12\r\n", "$8\r\nPING\r\n12\r\n");
        die(poor);
        happens(poor, EPOLLIN);
    }
}

TEST("A handshake of TLS that may find no memory is not tried, since it would end the daemon")
{
    struct client greeting = client_new(), neighbour = client_new();
    struct io *io = &greeting.its->io;

    assert_int_equal(gnutls_init(&io->session, GNUTLS_SERVER | GNUTLS_NONBLOCK | GNUTLS_NO_SIGNAL), 0);
    assert_int_equal(gnutls_set_default_priority(io->session), 0);
    gnutls_transport_set_int(io->session, io->fd);
    io->in_handshake = true;
    happens(greeting, EPOLLIN);
    assert_true(is_open(greeting)); /* it waits for the client */
    memory_fails_at(1);
    happens(greeting, EPOLLIN);
    assert_false(is_open(greeting));
    memory_fails_at(0);
    expect_untouched(neighbour);
}

TEST("A connection that the system cannot watch any more is closed, not forgotten")
{
    struct client deaf = client_new(), neighbour = client_new();
    char text[LONG_ECHO_SIZE];

    write_long_echo(text);
    watches = false;
    while (is_open(deaf)) {
        say(deaf, text);
        happens(deaf, EPOLLIN);
    }
    watches = true;
    expect_untouched(neighbour);
}

TEST("A good name that finds no memory is not called a bad one")
{
    struct client poor = client_new();

    expect_answer(poor, "PING\r\n", "+PONG\r\n"); /* the output has its memory */
    say(poor, "CLIENT SETNAME poor\r\n");
    memory_fails_at(1);
    happens(poor, EPOLLIN);
    memory_fails_at(0);
    expect_answer(poor, "", "-TRYAGAIN the daemon is out of memory retry_ms=100\r\n");
    expect_answer(poor, "*3\r\n$6\r\nCLIENT\r\n$7\r\nSETNAME\r\n$1\r\n\x01\r\n",
                  "-ERR Client names cannot contain spaces, newlines or special "
                  "characters, and have at most 64 characters\r\n");
}

/* How many bytes have come to the client, which takes them all. */
static size_t read_all(struct client client)
{
    char got[4096];
    size_t all = 0;

    for (ssize_t n; (n = read(client.fd, got, sizeof got)) > 0;)
        all += (size_t)n;
    return all;
}

/* Runs a connection that is ready, as the loop does. */
static void next_turn(struct client client)
{
    client.its->is_ready = false;
    loop->ready = NULL;
    loop->ready_end = &loop->ready;
    connection_go_on(loop, client.its);
}

#define FAST_COMMANDS 200

TEST("A client that reads as fast as the daemon writes gets its replies in turns, and all of them")
{
    struct client fast = client_new();
    int large = 1 << 20;
    unsigned turns = 1;

    assert_int_equal(setsockopt(fast.its->io.fd, SOL_SOCKET, SO_SNDBUF, &large, sizeof large), 0);
    say(fast, "COMMAND DOCS\r\n");
    happens(fast, EPOLLIN);
    size_t one = read_all(fast);
    for (int i = 0; i < FAST_COMMANDS; i++)
        say(fast, "COMMAND DOCS\r\n");
    happens(fast, EPOLLIN);
    size_t all = read_all(fast);
    assert_true(all < 3 * OUT_BYTES_MAX);
    for (; all < FAST_COMMANDS * one; turns++) {
        assert_true(loop->ready == fast.its); /* others have their turn before it goes on */
        next_turn(fast);
        size_t its = read_all(fast);
        assert_true(its < 3 * OUT_BYTES_MAX);
        all += its;
    }
    assert_int_equal(all, FAST_COMMANDS * one);
    assert_true(turns >= FAST_COMMANDS * one / (3 * OUT_BYTES_MAX));
    assert_null(loop->ready);
}

TEST("A client that wants no replies has its turn, too, and others have theirs")
{
    struct client silent = client_new();
    unsigned turns = 1;

    say(silent, "CLIENT REPLY OFF\r\n");
    for (int i = 0; i < FAST_COMMANDS; i++)
        say(silent, "COMMAND DOCS\r\n");
    say(silent, "CLIENT REPLY ON\r\n");
    happens(silent, EPOLLIN);
    for (; loop->ready == silent.its; turns++) {
        assert_int_equal(read_all(silent), 0);
        next_turn(silent);
    }
    assert_int_equal(read_all(silent), 5); /* of the last command alone */
    assert_true(turns > 4);
}
