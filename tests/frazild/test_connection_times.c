/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: a connection has its time for each thing that it may wait for, whole and once, and is cut or ended
 * after it, so that clients who are silent, slow or dead do not add up.
 */
#include "client_rig.h"
#include "clock.h"
#include "lib/test.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

BEFORE_EACH
{
    open_loop();
}

AFTER_EACH
{
    close_loop();
}

/* Talks once a second for so many seconds; whether the connection is still open then. */
static bool stays_open(struct client client, const char *text, unsigned seconds)
{
    char got[4096];

    for (unsigned i = 0; i < seconds; i++) {
        loop->event_thread.now_ns += NS_PER_S;
        say(client, text);
        happens(client, EPOLLIN);
        ssize_t ignored = read(client.fd, got, sizeof got);
        (void)ignored;
        if (is_open(client))
            connection_check_time(loop, client.its);
    }
    return is_open(client);
}

TEST("A client that nobody knows is cut in time, however much it says")
{
    struct user user = {.name = "shop", .allow = "*:*"};

    setup.users = (struct users){.rows = &user, .count = 1};
    setup.settings.daemon.request_timeout_ns = 10 * NS_PER_S;
    assert_true(stays_open(client_new(), "PING\r\n", 10));
    assert_false(stays_open(client_new(), "PING\r\n", 11));
    assert_int_equal(atomic_load(&loop->event_thread.counters.cut_slow), 1);
    struct client known = client_new();
    assert_true(session_login(&known.its->session, &user));
    assert_true(stays_open(known, "PING\r\n", 30));
    assert_true(stays_open(known, "", 30));
    setup.users = (struct users){0};
}

/* Whether a connection is open after so many seconds more. */
static bool is_open_after(struct client client, unsigned seconds)
{
    loop->event_thread.now_ns += seconds * NS_PER_S;
    connection_check_time(loop, client.its);
    return is_open(client);
}

TEST("A client that RESET or a reload makes unknown has all of its time to log in, however long it was silent before")
{
    struct user user = {.name = "shop", .allow = "*:*"};
    struct client known = client_new(), other = client_new();

    expect_answer(other, "PING\r\n", "+PONG\r\n");
    assert_true(is_open_after(other, 100));
    setup.users = (struct users){.rows = &user, .count = 1};
    setup.settings.daemon.request_timeout_ns = 10 * NS_PER_S;
    connection_renew(loop, other.its);
    assert_true(is_open_after(other, 10));
    assert_false(is_open_after(other, 1));
    assert_true(session_login(&known.its->session, &user));
    expect_answer(known, "PING\r\n", "+PONG\r\n");
    assert_true(is_open_after(known, 100));
    expect_answer(known, "RESET\r\n", "+RESET\r\n");
    assert_true(is_open_after(known, 10));
    expect_answer(known, "RESET\r\n", "+RESET\r\n"); /* which gives it no more time */
    assert_false(is_open_after(known, 1));
    setup.users = (struct users){0};
}

TEST("A client whose commands end is spared, although one of them is always unfinished")
{
    setup.settings.daemon.request_timeout_ns = 10 * NS_PER_S;
    assert_true(stays_open(client_new(), "1\r\nECHO ", 30));
    assert_false(stays_open(client_new(), "1", 12));
    assert_int_equal(atomic_load(&loop->event_thread.counters.cut_slow), 1);
}

static int option_of(const struct connection *its, int level, int option)
{
    int value = 0;
    socklen_t len = sizeof value;

    assert_int_equal(getsockopt(its->io.fd, level, option, &value, &len), 0);
    return value;
}

TEST("The system asks whether a silent client of TCP is still there, so that dead ones do not add up")
{
    const struct listener tcp = {.protocol = PROTOCOL_RESP};
    int fd = socket(AF_INET, SOCK_STREAM, 0);

    assert_true(connection_open(loop, fd, &tcp, &(struct peer){0}));
    const struct connection *its = loop->connections;
    assert_true(option_of(its, SOL_SOCKET, SO_KEEPALIVE));
    assert_int_equal(option_of(its, IPPROTO_TCP, TCP_KEEPIDLE), 300);
    assert_int_equal(option_of(its, IPPROTO_TCP, TCP_KEEPINTVL), 60);
    assert_int_equal(option_of(its, IPPROTO_TCP, TCP_KEEPCNT), 5);
    assert_true(option_of(its, IPPROTO_TCP, TCP_NODELAY));
}

/* Whether a connection is being ended after so many seconds more. */
static bool ends_in(struct client client, unsigned seconds)
{
    loop->event_thread.now_ns += seconds * NS_PER_S;
    connection_check_time(loop, client.its);
    return client.its->lingers;
}

TEST("A client that waits for an answer is not idle, and has its whole idle_timeout after it")
{
    struct client waits = client_new();

    setup.settings.daemon.idle_timeout_ns = 10 * NS_PER_S;
    waits.its->session.has_asked = true;
    waits.its->reads = false;
    assert_false(ends_in(waits, 20));
    connection_go_on(loop, waits.its); /* the answer */
    assert_false(ends_in(waits, 10));
    assert_true(ends_in(waits, 1));
}

TEST("A connection of HTTP may rest for a time of its own, whatever idle_timeout= is")
{
    struct client http = client_new();

    http.its->session.is_http = http.its->session.has_asked = true;
    setup.settings.daemon.idle_timeout_ns = 10 * NS_PER_S;
    assert_false(ends_in(http, 75));
    assert_true(ends_in(http, 1));
    struct client other = client_new();
    other.its->session.has_asked = true;
    assert_false(ends_in(other, 10));
    assert_true(ends_in(other, 1));
}

TEST("A client that has said good-bye has two seconds to read the rest, and is closed then")
{
    struct client leaves = client_new();

    expect_answer(leaves, "QUIT\r\n", "+OK\r\n");
    assert_true(ends_in(leaves, 0));
    happens(leaves, EPOLLIN); /* there is nothing to read yet */
    assert_true(ends_in(leaves, 2));
    assert_true(is_open(leaves));
    loop->event_thread.now_ns++;
    connection_check_time(loop, leaves.its);
    assert_false(is_open(leaves));
    struct client goes = client_new();
    expect_answer(goes, "QUIT\r\n", "+OK\r\n");
    die(goes);
    happens(goes, EPOLLIN); /* it has read all, and its descriptor is free at once */
    assert_false(is_open(goes));
}

/* A client that has asked for a reply of 60,000 bytes, and has read nothing of it. */
static struct client slow_reader(void)
{
    static char text[60025] = "*2\r\n$4\r\nECHO\r\n$60000\r\n";
    struct client slow = client_new();

    memset(text + 22, 'x', 60000);
    memcpy(text + 60022, "\r\n", 2);
    say(slow, text);
    happens(slow, EPOLLIN);
    return slow;
}

/* Lets the client read until the daemon has sent all that it has for it. */
static void let_read(struct client client)
{
    char got[4096];

    while (client.its->out.len > 0) {
        assert_true(read(client.fd, got, sizeof got) > 0);
        happens(client, EPOLLOUT);
    }
}

TEST("A reader that gets on is spared, and one that stops is cut")
{
    struct client slow = slow_reader();
    unsigned pieces = 0;
    char got[600];

    setup.settings.daemon.stall_timeout_ns = 30 * NS_PER_S;
    setup.settings.daemon.request_timeout_ns = 10 * NS_PER_S;
    for (size_t before = slow.its->out.len; before > 4096; before = slow.its->out.len, pieces++) {
        assert_true(is_open_after(slow, 25));
        while (slow.its->out.len == before) {
            assert_true(read(slow.fd, got, sizeof got) > 0);
            happens(slow, EPOLLOUT);
        }
        assert_true(is_open_after(slow, 0));
    }
    assert_true(pieces > 1);
    struct client reads_all = slow_reader();
    let_read(reads_all);
    assert_true(is_open_after(reads_all, 31)); /* there is no reply that it has not read */
    assert_false(is_open_after(slow, 0));
    assert_int_equal(atomic_load(&loop->event_thread.counters.cut_stalled), 1);
}

TEST("While the daemon reads nothing of a client, its unfinished command is not late")
{
    static char text[60030] = "*2\r\n$4\r\nECHO\r\n$60000\r\n";

    loop->event_thread.now_ns = NS_PER_S;
    struct client reads = client_new(), waits = client_new();
    setup.settings.daemon.stall_timeout_ns = 30 * NS_PER_S;
    setup.settings.daemon.request_timeout_ns = 10 * NS_PER_S;
    memset(text + 22, 'x', 60000);
    memcpy(text + 60022, "\r\nECHO ", 8);
    say(reads, text);
    happens(reads, EPOLLIN);
    assert_true(reads.its->in.len > 0 && reads.its->out.len > 0);
    assert_true(is_open_after(reads, 25)); /* it has the rest of its stall_timeout */
    let_read(reads);
    assert_true(is_open_after(reads, 10));
    assert_false(is_open_after(reads, 1));
    say(waits, "ECHO ");
    happens(waits, EPOLLIN);
    waits.its->reads = false; /* as if it waited for ids */
    waits.its->session.has_asked = true;
    assert_true(is_open_after(waits, 25));
    connection_go_on(loop, waits.its);
    assert_true(is_open_after(waits, 10));
    assert_false(is_open_after(waits, 1));
}

/* Whether a connection is cut or ended once so many seconds more have passed, of which the process ran in none. */
static bool ends_in_a_stop(struct client client, unsigned seconds)
{
    loop->event_thread.now_ns += seconds * NS_PER_S;
    connection_excuse(client.its, seconds * NS_PER_S);
    connection_check_time(loop, client.its);
    return !is_open(client) || client.its->lingers;
}

TEST("A stop of the process counts towards no timeout, and what was left of each is left after it")
{
    setup.settings.daemon.request_timeout_ns = setup.settings.daemon.idle_timeout_ns = 10 * NS_PER_S;
    setup.settings.daemon.stall_timeout_ns = 10 * NS_PER_S;
    for (unsigned kind = 0; kind < 3; kind++) { /* idle, in the middle of a command, and one that does not read */
        struct client client = kind == 2 ? slow_reader() : client_new();
        if (kind == 1)
            say(client, "ECHO ");
        happens(client, EPOLLIN);
        loop->event_thread.now_ns += 9 * NS_PER_S;
        assert_false(ends_in_a_stop(client, 100));
        loop->event_thread.now_ns += NS_PER_S;
        connection_check_time(loop, client.its);
        assert_true(is_open(client) && !client.its->lingers);
        loop->event_thread.now_ns++;
        connection_check_time(loop, client.its);
        assert_true(!is_open(client) || client.its->lingers);
    }
}

TEST("Timeouts are looked at once a second, and more often where a request has less time, but not all the time")
{
    static const struct {
        uint64_t request_timeout_ns, look_ns;
    } rows[] = {{10 * NS_PER_S, NS_PER_S},        {NS_PER_S, NS_PER_S},
                {NS_PER_S - 1, NS_PER_S - 1},     {300 * NS_PER_MS, 300 * NS_PER_MS},
                {50 * NS_PER_MS, 50 * NS_PER_MS}, {1 * NS_PER_MS, 50 * NS_PER_MS}};

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct daemon_settings settings = {.request_timeout_ns = rows[i].request_timeout_ns};
        assert_int_equal(connection_look_ns(&settings), rows[i].look_ns);
    }
}
