/* SPDX-License-Identifier: MIT */
#include "connection.h"

#include "clock.h"
#include "log.h"
#include "session.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define LINGER_NS (2 * NS_PER_S)
#define HANDSHAKE_NS (5 * NS_PER_S) /* of TLS */
#define SILENT_NS (1 * NS_PER_S)    /* a client that was heard within that time may be asking right now */
#define LOOK_NS (1 * NS_PER_S)
#define LOOK_LEAST_NS (50 * NS_PER_MS) /* thousands of connections are looked at */
#define KEEPALIVE_IDLE_S 300           /* as Redis does; then it is asked KEEPALIVE_TRIES times, and closed */
#define KEEPALIVE_STEP_S 60
#define KEEPALIVE_TRIES 5
#define READ_LEAST ((size_t)512)
#define TURN_BYTES_MAX (2 * OUT_BYTES_MAX) /* of replies; then other connections have their turn */

_Static_assert(sizeof(struct connection) <= 512, "an idle connection takes at most 512 bytes");

/* Tells the operator whose connection ends before its client wants that, and why. */
static void log_cut(const struct connection *connection, enum log_kind kind, const char *why)
{
    const struct user *user = connection->session.user;
    char peer[ADDRESS_TEXT_SIZE];

    peer_write(&connection->session.peer, peer);
    log_line(kind, "connection %llu, %s%s%s, is cut: %s", (unsigned long long)connection->session.id, peer,
             user != NULL ? ", user " : "", user != NULL ? user->name : "", why);
}

/* The same where its session says why. */
static void log_broken(struct connection *connection)
{
    struct session *session = &connection->session;

    if (session->broken != NULL)
        log_cut(connection, session->is_revoked ? LOG_CUT : LOG_BROKEN, session->broken);
    session->broken = NULL;
}

/*
 * Tells epoll which events matter now.  TLS may have read bytes already, of which epoll knows nothing.  A turn ends
 * with this call: it closes the connection if epoll refuses, since no event would ever come for it.
 */
static void watch(struct loop *loop, struct connection *connection)
{
    uint32_t events = 0;

    if (connection->out.len > 0 || io_reads_by_writing(&connection->io))
        events |= EPOLLOUT;
    else if ((connection->reads || connection->lingers) && !connection->ended)
        events |= EPOLLIN;
    if (events == EPOLLIN && !connection->lingers && io_has_more(&connection->io))
        connection_make_ready(loop, connection);
    if (events == connection->events)
        return;
    struct epoll_event event = {.events = events, .data.ptr = connection};
    connection->events = events;
    if (epoll_ctl(loop->epoll, EPOLL_CTL_MOD, connection->io.fd, &event) == 0)
        return;
    log_cut(connection, LOG_CUT, "the system cannot watch it");
    connection_close(loop, connection);
}

/* A client whose host or network is gone says nothing: the system asks whether it is there. */
static void set_options(int fd)
{
    int on = 1, idle_s = KEEPALIVE_IDLE_S, step_s = KEEPALIVE_STEP_S, tries = KEEPALIVE_TRIES;

    (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    (void)setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &idle_s, sizeof idle_s);
    (void)setsockopt(fd, IPPROTO_TCP, TCP_KEEPINTVL, &step_s, sizeof step_s);
    (void)setsockopt(fd, IPPROTO_TCP, TCP_KEEPCNT, &tries, sizeof tries);
    (void)setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
}

bool connection_open(struct loop *loop, int fd, const struct listener *listener, const struct peer *peer)
{
    struct tls *tls = loop->event_thread.setup->tls[listener->protocol];
    struct connection *connection = calloc(1, sizeof *connection);
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = connection};

    if (connection == NULL || !io_open(&connection->io, fd, tls)) {
        (void)close(fd);
        free(connection);
        return false;
    }
    if (epoll_ctl(loop->epoll, EPOLL_CTL_ADD, fd, &event) != 0) {
        io_close(&connection->io);
        free(connection);
        return false;
    }
    if (listener->unix_socket.path[0] == '\0')
        set_options(fd);
    connection->events = EPOLLIN;
    connection->reads = true;
    connection->active_ns = loop->event_thread.now_ns;
    connection->next = loop->connections;
    if (loop->connections != NULL)
        loop->connections->previous = connection;
    loop->connections = connection;
    session_open(&connection->session, &loop->event_thread, connection,
                 atomic_fetch_add(&loop->server->last_id, 1) + 1);
    connection->session.peer = *peer;
    connection->session.has_tls = tls != NULL;
    connection->session.is_http = protocol_is_http(listener->protocol);
    (void)atomic_fetch_add(&loop->server->connections, 1);
    return true;
}

void connection_close(struct loop *loop, struct connection *connection)
{
    session_close(&connection->session);
    io_close(&connection->io);
    bytes_free(&connection->in);
    bytes_free(&connection->out);
    if (connection->next != NULL)
        connection->next->previous = connection->previous;
    if (connection->previous != NULL)
        connection->previous->next = connection->next;
    else
        loop->connections = connection->next;
    (void)atomic_fetch_sub(&loop->server->connections, 1);
    if (!connection->is_ready) /* else the list of the loop frees it */
        free(connection);
}

void connection_make_ready(struct loop *loop, struct connection *connection)
{
    if (connection->is_ready)
        return;
    connection->is_ready = true;
    connection->next_ready = NULL;
    *loop->ready_end = connection;
    loop->ready_end = &connection->next_ready;
}

/* Sends as much as the socket takes.  False: the connection is broken. */
static bool send_bytes(struct loop *loop, struct connection *connection, const struct bytes *bytes, size_t *ret_sent)
{
    size_t sent = 0;

    while (sent < bytes->len) {
        ssize_t n = io_write(&connection->io, bytes->at + sent, bytes->len - sent);
        if (n == IO_BROKEN)
            return false;
        if (n == IO_AGAIN)
            break;
        sent += (size_t)n;
    }
    count(&loop->event_thread.counters.bytes_out, sent);
    *ret_sent = sent;
    return true;
}

/* Sends what the session has written; what the socket does not take is kept.  False: the connection is broken. */
static bool send_output(struct loop *loop, struct connection *connection, struct bytes *output)
{
    size_t sent = 0;

    if (output->failed || (connection->out.len == 0 && !send_bytes(loop, connection, output, &sent)))
        return false;
    if (sent < output->len) {
        if (connection->out.len == 0)
            connection->stalled_ns = loop->event_thread.now_ns;
        bytes_add(&connection->out, output->at + sent, output->len - sent);
    }
    output->len = 0;
    return !connection->out.failed;
}

/* Sends what was kept.  False: the connection is broken. */
static bool send_kept(struct loop *loop, struct connection *connection)
{
    size_t sent = 0;

    if (!send_bytes(loop, connection, &connection->out, &sent))
        return false;
    if (sent > 0)
        connection->stalled_ns = loop->event_thread.now_ns;
    bytes_drop(&connection->out, sent);
    if (connection->out.len == 0) {
        bytes_free(&connection->out);
        connection->stalled_ns = 0;
        if (connection->begun_ns > 0) /* only now its client can send the rest of a command */
            connection->begun_ns = loop->event_thread.now_ns;
    }
    return true;
}

void connection_cut(struct loop *loop, struct connection *connection)
{
    struct bytes output = bytes_take(&loop->output);

    session_cut(&connection->session, &output);
    (void)send_output(loop, connection, &output);
    bytes_give_back(&output, &loop->output);
    connection_close(loop, connection);
}

/*
 * Ends the output, and reads on for LINGER_NS: the system resets a connection that is closed with unread bytes, and its
 * client loses replies that are on their way.
 */
static void end(struct loop *loop, struct connection *connection)
{
    if (connection->ended) {
        connection_close(loop, connection);
        return;
    }
    io_end(&connection->io);
    connection->lingers = true;
    connection->active_ns = loop->event_thread.now_ns;
    bytes_free(&connection->in);
    watch(loop, connection);
}

/* Keeps what the session has not used of the bytes. */
static bool keep_rest(struct connection *connection, const char *at, size_t len, size_t used)
{
    if (at == connection->in.at)
        bytes_drop(&connection->in, used);
    else if (used < len)
        bytes_add(&connection->in, at + used, len - used);
    bool good = !connection->in.failed; /* which bytes_free forgets */
    if (connection->in.len == 0)
        bytes_free(&connection->in);
    return good;
}

/*
 * Notes since when a command is unfinished: a client that sends it byte by byte gets no more time, but time in which
 * nothing was read of it does not count (was_deaf).  Nor do the commands of an unknown client give it more time to
 * authenticate; that of one that RESET has made unknown (was_known) begins now.
 */
static void note_progress(const struct loop *loop, struct connection *connection, size_t used, bool was_deaf,
                          bool was_known)
{
    if (used > 0) {
        if (was_known || session_is_known(&connection->session))
            connection->active_ns = loop->event_thread.now_ns;
        connection->begun_ns = 0;
        connection->parted = loop->drains;
    }
    if (connection->in.len == 0)
        connection->begun_ns = 0;
    else if (connection->begun_ns == 0 || was_deaf)
        connection->begun_ns = loop->event_thread.now_ns;
}

/*
 * Whether a drain can close a connection.  A close that meets a request on its way leaves it without an answer.  So it
 * goes with an answer, or comes when the client has been silent for a while.
 */
static bool is_drained(const struct loop *loop, const struct connection *connection)
{
    bool is_silent = loop->event_thread.now_ns - connection->active_ns > SILENT_NS;

    return loop->drains && (connection->parted || is_silent) &&
           session_may_end(&connection->session, connection->in.len);
}

/* Whether a connection can be closed although its client did not ask for it. */
static bool is_over(const struct loop *loop, const struct connection *connection)
{
    return (connection->ended || is_drained(loop, connection)) && connection->reads && connection->out.len == 0;
}

/*
 * Runs the session over len bytes, as far as it goes, and sends what it says.  Its output begins empty and ends here,
 * sent or kept or lost with its connection.  A client that reads as fast as this writes never fills its socket: it has
 * its turn as others have theirs.  False: the connection is broken.
 */
static bool converse(struct loop *loop, struct connection *connection, const char *at, size_t len, size_t *ret_used,
                     enum session_state *ret_state)
{
    struct bytes output = bytes_take(&loop->output);
    size_t used, made = 0;
    bool good, is_more;

    *ret_used = 0;
    do {
        *ret_state =
            session_run(&connection->session, at + *ret_used, len - *ret_used, &used, &connection->need, &output);
        *ret_used += used;
        made += output.len + connection->session.hidden_work;
        good = send_output(loop, connection, &output);
        is_more = good && *ret_state == SESSION_FULL && connection->out.len == 0;
    } while (is_more && made <= TURN_BYTES_MAX);
    if (is_more)
        *ret_state = SESSION_YIELD;
    bytes_give_back(&output, &loop->output);
    return good;
}

static void work(struct loop *loop, struct connection *connection, const char *at, size_t len)
{
    const bool waited = !connection->reads, was_known = session_is_known(&connection->session);
    enum session_state state;
    size_t used;

    if (loop->drains) /* the close goes with the answer: a client that has it knows that it is the last */
        io_hold_back(&connection->io, true);
    bool good = converse(loop, connection, at, len, &used, &state);
    log_broken(connection);
    if (!good || !keep_rest(connection, at, len, used)) {
        connection_close(loop, connection);
        return;
    }
    note_progress(loop, connection, used, waited, was_known);
    if (waited && session_is_known(&connection->session)) /* it is silent from its answer on */
        connection->active_ns = loop->event_thread.now_ns;
    connection->reads = state == SESSION_READ;
    if (state == SESSION_YIELD)
        connection_make_ready(loop, connection);
    if ((state == SESSION_CLOSE && connection->out.len == 0) || is_over(loop, connection)) {
        end(loop, connection);
        return;
    }
    if (loop->drains)
        io_hold_back(&connection->io, false);
    watch(loop, connection);
}

struct user *connection_user(void *connection)
{
    const struct connection *its = connection;

    return users_by_certificate(&its->session.event_thread->setup->users, its->io.session);
}

/* The handshake is over: a client with a certificate need not log in. */
static void end_handshake(struct loop *loop, struct connection *connection)
{
    struct user *user = connection_user(connection);
    int64_t end_unix_s = tls_client_end_unix_s(connection->io.session);

    connection->client_end_unix_s = end_unix_s != INT64_MAX ? end_unix_s : 0;
    count(&loop->event_thread.counters.tls_handshakes, 1);
    if (user != NULL && !session_login(&connection->session, user))
        connection->session.closing = true;
}

/* Reads, and counts how the handshake of TLS ends. */
static ssize_t receive(struct loop *loop, struct connection *connection, void *to, size_t size)
{
    bool was_in_handshake = connection->io.in_handshake;
    ssize_t n = io_read(&connection->io, to, size);

    if (was_in_handshake && !connection->io.in_handshake)
        end_handshake(loop, connection);
    if (connection->io.in_handshake && n == IO_BROKEN) {
        count(&loop->event_thread.counters.tls_failures, 1);
        char peer[ADDRESS_TEXT_SIZE];
        peer_write(&connection->session.peer, peer);
        log_line(LOG_TLS, "the TLS handshake of connection %llu, %s, failed: %s",
                 (unsigned long long)connection->session.id, peer, connection->io.why);
    }
    return n;
}

/* Reads what there is, where the rest of a command is already, or into the loop's own memory. */
static void read_more(struct loop *loop, struct connection *connection)
{
    bool appends = connection->in.len > 0;
    size_t size = INPUT_BYTES;
    char *to = loop->input;

    if (appends) {
        size = connection->need > connection->in.len ? connection->need - connection->in.len : 0;
        size = size < READ_LEAST ? READ_LEAST : size;
        to = bytes_room(&connection->in, size);
    }
    ssize_t n = to != NULL ? receive(loop, connection, to, size) : IO_BROKEN;
    if (n == IO_BROKEN) {
        connection_close(loop, connection);
        return;
    }
    if (n == IO_AGAIN) {
        if (is_over(loop, connection))
            end(loop, connection);
        else
            watch(loop, connection);
        return;
    }
    count(&loop->event_thread.counters.bytes_in, (uint64_t)n);
    if (n == 0) {
        connection->ended = true;
        end(loop, connection);
    } else if (!appends) {
        work(loop, connection, to, (size_t)n);
    } else {
        connection->in.len += (size_t)n;
        if (connection->in.len >= connection->need)
            work(loop, connection, connection->in.at, connection->in.len);
        else
            watch(loop, connection);
    }
}

static void throw_away(struct loop *loop, struct connection *connection)
{
    ssize_t n = io_read(&connection->io, loop->input, INPUT_BYTES);

    if (n == 0 || n == IO_BROKEN)
        connection_close(loop, connection);
}

/* Cuts a connection whose client has a certificate that is no longer valid, as the handshake would. */
static bool cut_ended(struct loop *loop, struct connection *connection)
{
    struct timespec now;

    if (connection->client_end_unix_s == 0)
        return false;
    (void)clock_gettime(CLOCK_REALTIME, &now);
    if (!connection->distrusted && now.tv_sec <= connection->client_end_unix_s)
        return false;
    count(&loop->event_thread.counters.cut_revoked, 1);
    log_cut(connection, LOG_CUT,
            connection->distrusted ? "the certificate of its client is not signed by tls_client_ca"
                                   : "the certificate of its client has expired");
    connection_close(loop, connection);
    return true;
}

void connection_renew(struct loop *loop, struct connection *connection)
{
    const struct setup *setup = loop->event_thread.setup;
    const struct tls *tls = setup->tls[connection->session.is_http ? PROTOCOL_HTTPS : PROTOCOL_RESPS];

    (void)session_user(&connection->session);
    /* The new setup may be the first one with users: its clients have time to log in. */
    if (connection->session.has_asked && !session_is_known(&connection->session))
        connection->active_ns = loop->event_thread.now_ns;
    if (connection->session.broken != NULL)
        connection_make_ready(loop, connection);
    if (connection->client_end_unix_s == 0 || tls_trusts_client(tls, connection->io.tls, connection->io.session))
        return;
    connection->distrusted = true;
    connection_make_ready(loop, connection);
}

void connection_go_on(struct loop *loop, struct connection *connection)
{
    if (connection->lingers || cut_ended(loop, connection))
        return;
    if (connection->out.len > 0) {
        watch(loop, connection);
        return;
    }
    if (connection->reads && connection->session.broken != NULL) { /* by a reload: it is asked no more */
        log_broken(connection);
        end(loop, connection);
        return;
    }
    if (connection->reads && !connection->ended)
        read_more(loop, connection);
    else if (connection->in.len > 0)
        work(loop, connection, connection->in.at, connection->in.len);
    else
        work(loop, connection, "", 0);
}

void connection_on_event(struct loop *loop, struct connection *connection, uint32_t events)
{
    if (connection->lingers) {
        throw_away(loop, connection);
        return;
    }
    if ((events & (EPOLLHUP | EPOLLERR)) != 0 && (events & EPOLLIN) == 0) {
        connection_close(loop, connection);
        return;
    }
    if (connection->out.len > 0 && !send_kept(loop, connection)) {
        connection_close(loop, connection);
        return;
    }
    connection_go_on(loop, connection);
}

/* Why a connection is to be cut now, and the kind of that; NULL: it is not. */
static const char *late(struct loop *loop, struct connection *connection, enum log_kind *ret)
{
    const struct daemon_settings *settings = &loop->event_thread.setup->settings.daemon;
    uint64_t now_ns = loop->event_thread.now_ns;
    struct counters *counters = &loop->event_thread.counters;
    uint64_t silent_ns = now_ns - connection->active_ns;

    if (connection->stalled_ns > 0 && now_ns - connection->stalled_ns > settings->stall_timeout_ns) {
        count(&counters->cut_stalled, 1);
        *ret = LOG_CUT;
        return "it does not read its replies (stall_timeout)";
    }
    *ret = LOG_SLOW;
    bool listens = connection->reads && connection->out.len == 0;
    if (listens && connection->begun_ns > 0 && now_ns - connection->begun_ns > settings->request_timeout_ns) {
        count(&counters->cut_slow, 1);
        return "its command did not arrive in full (request_timeout)";
    }
    if (connection->io.in_handshake && silent_ns > HANDSHAKE_NS) {
        count(&counters->cut_slow, 1);
        return "its TLS handshake did not end within 5 s";
    }
    if (!session_is_known(&connection->session) && silent_ns > settings->request_timeout_ns) {
        count(&counters->cut_slow, 1);
        return "it sent no request, or did not authenticate (request_timeout)";
    }
    return NULL;
}

uint64_t connection_look_ns(const struct daemon_settings *settings)
{
    uint64_t wanted_ns = settings->request_timeout_ns; /* no other time can be shorter than LOOK_NS */

    if (wanted_ns >= LOOK_NS)
        return LOOK_NS;
    return wanted_ns > LOOK_LEAST_NS ? wanted_ns : LOOK_LEAST_NS;
}

void connection_excuse(struct connection *connection, uint64_t missed_ns)
{
    connection->active_ns += missed_ns;
    if (connection->begun_ns > 0)
        connection->begun_ns += missed_ns;
    if (connection->stalled_ns > 0)
        connection->stalled_ns += missed_ns;
}

void connection_check_time(struct loop *loop, struct connection *connection)
{
    uint64_t idle_ns = session_idle_ns(&connection->session);
    uint64_t since_ns = loop->event_thread.now_ns - connection->active_ns;
    enum log_kind kind;

    if (connection->lingers) {
        if (since_ns > LINGER_NS)
            connection_close(loop, connection);
        return;
    }
    if (cut_ended(loop, connection))
        return;
    if (session_is_late(&connection->session))
        connection_make_ready(loop, connection);
    const char *why = late(loop, connection, &kind);
    if (why != NULL) {
        if (connection->io.in_handshake)
            count(&loop->event_thread.counters.tls_failures, 1);
        log_cut(connection, kind, why);
        connection_close(loop, connection);
        return;
    }
    bool is_idle =
        idle_ns > 0 && since_ns > idle_ns && connection->reads && connection->in.len == 0 && connection->out.len == 0;
    if (is_idle && !connection->session.is_http) { /* HTTP ends its connections so: there it is no news */
        count(&loop->event_thread.counters.cut_idle, 1);
        log_cut(connection, LOG_CUT, "it was idle for too long (idle_timeout)");
    }
    if (is_idle || is_over(loop, connection))
        end(loop, connection);
}
