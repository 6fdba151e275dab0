/* SPDX-License-Identifier: MIT */
/* Goal of this test: connections share a loop, and not a byte or a mistake of each other, however one of them ends. */
#include "clock.h"
#include "connection.h"
#include "failing_memory.h"
#include "lib/test.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
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

/* ---- a loop without its thread: the test says which event comes ---------------------------------- */

static struct setup setup;
static struct server server;
static const struct listener listener = {.protocol = PROTOCOL_RESP, .unix_socket.path = "/socket"};
static struct loop *loop;
static int fds[16]; /* of clients */
static size_t fd_count;

struct client {
    int fd;
    struct connection *its;
};

static struct client client_new(void)
{
    int small = 4096, ends[2];

    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends), 0);
    assert_int_equal(setsockopt(ends[0], SOL_SOCKET, SO_SNDBUF, &small, sizeof small), 0);
    assert_true(connection_open(loop, ends[0], &listener, &(struct peer){0}));
    fds[fd_count++] = ends[1];
    return (struct client){ends[1], loop->connections};
}

static bool is_open(struct client client)
{
    const struct connection *at = loop->connections;

    while (at != NULL && at != client.its)
        at = at->next;
    return at != NULL;
}

static void say(struct client client, const char *text)
{
    if (is_open(client))
        assert_int_equal(write(client.fd, text, strlen(text)), strlen(text));
}

static void die(struct client client)
{
    (void)shutdown(client.fd, SHUT_RDWR);
}

static void happens(struct client client, uint32_t events)
{
    if (is_open(client))
        connection_on_event(loop, client.its, events);
}

/* Asks, and gets this answer and no byte more. */
static void expect_answer(struct client client, const char *question, const char *answer)
{
    char got[4096];

    say(client, question);
    happens(client, EPOLLIN);
    assert_true(is_open(client));
    ssize_t len = read(client.fd, got, sizeof got);
    assert_int_equal(len, strlen(answer));
    assert_memory_equal(got, answer, (size_t)len);
}

static void expect_untouched(struct client client)
{
    expect_answer(client, ECHO("mine", "4"), "$4\r\nmine\r\n");
    expect_answer(client, ECHO("1", "1") ECHO("22", "2"), "$1\r\n1\r\n$2\r\n22\r\n");
}

static void open_loop(void)
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

static void close_loop(void)
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

TEST("Neither do replies that were kept until their client read, which it never did")
{
    struct client dead = client_new(), neighbour = client_new();
    char text[2000];

    memset(text, 'x', sizeof text);
    memcpy(text, "*2\r\n$4\r\nECHO\r\n$1900\r\n", 21);
    memcpy(text + 21 + 1900, "\r\n", 3);
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
    char text[2000];

    memset(text, 'x', sizeof text);
    memcpy(text, "*2\r\n$4\r\nECHO\r\n$1900\r\n", 21);
    memcpy(text + 21 + 1900, "\r\n", 3);
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
