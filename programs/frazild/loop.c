/* SPDX-License-Identifier: MIT */
#include "loop.h"

#include "clock.h"
#include "connection.h"
#include "lease_thread.h"
#include "log.h"
#include "turns.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#define ACCEPTS 64 /* at a time, so that present clients get on */

static void on_wake(void *connection)
{
    struct connection *woken = connection;
    struct loop *loop = (struct loop *)woken->session.event_thread;

    connection_make_ready(loop, woken);
}

/* Wakes the loop from any thread: there is a new setup, a background job is done, or the daemon ends. */
static void on_notify(struct event_thread *event_thread)
{
    const struct loop *loop = (const struct loop *)event_thread;
    uint64_t one = 1;
    ssize_t ignored = write(loop->event, &one, sizeof one); /* it fails only if the loop is to wake already */

    (void)ignored;
}

/* ---- accepting --------------------------------------------------------------------- */

/* The one reply of HTTP that http_reply.c does not write.  Before a handshake of TLS no error can be said. */
static void refuse(const struct listener *listener, int fd, const char *why)
{
    static const char problem[] = "{\"type\":\"about:blank\",\"title\":\"Service Unavailable\",\"status\":503,"
                                  "\"code\":\"ERR\",\"detail\":\"";
    static const char rest[] = "\",\"retry_ms\":1000}\n";
    char text[512];
    int len = protocol_is_http(listener->protocol)
                  ? snprintf(text, sizeof text,
                             "HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/problem+json\r\n"
                             "Connection: close\r\nRetry-After: 1\r\nContent-Length: %zu\r\n\r\n%s%s%s",
                             sizeof problem - 1 + strlen(why) + sizeof rest - 1, problem, why, rest)
                  : snprintf(text, sizeof text, "-ERR %s\r\n", why);
    ssize_t ignored =
        protocol_has_tls(listener->protocol) ? 0 : send(fd, text, (size_t)len, MSG_NOSIGNAL | MSG_DONTWAIT);

    (void)ignored;
    (void)close(fd);
}

static bool watch(const struct loop *loop, int fd, const void *tag, uint32_t events)
{
    struct epoll_event event = {.events = events, .data.ptr = (void *)(uintptr_t)tag};

    return epoll_ctl(loop->epoll, EPOLL_CTL_ADD, fd, &event) == 0;
}

static bool watch_listeners(const struct loop *loop)
{
    const struct listeners *listeners = loop->server->listeners;
    bool good = true;

    for (size_t i = 0; i < listeners->count; i++) {
        /* EEXIST: an earlier attempt to watch all listeners reached this one. */
        good &= watch(loop, listeners->rows[i].fd, &listeners->rows[i], EPOLLIN | EPOLLEXCLUSIVE) || errno == EEXIST;
    }
    return good;
}

static void forget_listeners(const struct loop *loop)
{
    const struct listeners *listeners = loop->server->listeners;

    for (size_t i = 0; i < listeners->count; i++)
        (void)epoll_ctl(loop->epoll, EPOLL_CTL_DEL, listeners->rows[i].fd, NULL);
}

static bool has_reserve(struct loop *loop)
{
    if (loop->reserve < 0)
        loop->reserve = eventfd(0, EFD_CLOEXEC); /* it costs a descriptor, and opens no file */
    return loop->reserve >= 0;
}

/* Without a reserve nobody can be refused, and epoll would report the same connection again and again: listening
 * pauses until a sweep in which there is one, and memory to watch the listeners. */
static void pause_accepting(struct loop *loop)
{
    loop->pauses = true;
    forget_listeners(loop);
    log_line(LOG_REFUSED, "connections wait: no descriptor is left, not even to refuse them");
}

static void resume_accepting(struct loop *loop)
{
    if (!loop->pauses || loop->drains || !has_reserve(loop))
        return;
    loop->pauses = !watch_listeners(loop);
}

/* Accepts a connection, and tells its peer; -1 and errno: there is none. */
static int accept_from(const struct listener *listener, struct peer *ret)
{
    socklen_t len = sizeof *ret;

    *ret = (struct peer){0};
    return accept4(listener->fd, &ret->its.any, &len, SOCK_CLOEXEC | SOCK_NONBLOCK);
}

static void log_refusal(const struct peer *peer, const char *why)
{
    char text[ADDRESS_TEXT_SIZE];

    peer_write(peer, text);
    log_line(LOG_REFUSED, "a connection was refused, %s: %s", text, why);
}

/* No descriptor is free: the reserve accepts the connection to refuse it. */
static void refuse_for_files(struct loop *loop, const struct listener *listener)
{
    struct peer peer;

    if (has_reserve(loop))
        (void)close(loop->reserve);
    loop->reserve = -1;
    int fd = accept_from(listener, &peer);
    if (fd >= 0) {
        refuse(listener, fd, "the daemon has no descriptor left");
        count(&loop->event_thread.counters.refused_files, 1);
        log_refusal(&peer, "no descriptor is left (raise LimitNOFILE= or ulimit -n)");
    }
    if (!has_reserve(loop))
        pause_accepting(loop);
}

static bool is_shortage(int error)
{
    return error == EMFILE || error == ENFILE || error == ENOBUFS || error == ENOMEM;
}

static bool accept_one(struct loop *loop, const struct listener *listener)
{
    struct peer peer;
    int fd = accept_from(listener, &peer);

    if (fd < 0) {
        if (is_shortage(errno))
            refuse_for_files(loop, listener);
        return false;
    }
    if (atomic_load(&loop->server->connections) >= loop->event_thread.setup->settings.daemon.max_connections) {
        count(&loop->event_thread.counters.refused_full, 1);
        log_refusal(&peer, "there are max_connections already");
        refuse(listener, fd, "max number of clients reached");
        return true;
    }
    if (connection_open(loop, fd, listener, &peer)) {
        count(&loop->event_thread.counters.accepted, 1);
        return true;
    }
    count(&loop->event_thread.counters.refused_memory, 1);
    log_refusal(&peer, "out of memory");
    return true;
}

/* The listener of that event; NULL: it is none. */
static const struct listener *listener_of(const struct loop *loop, const void *tag)
{
    const struct listeners *listeners = loop->server->listeners;

    for (size_t i = 0; i < listeners->count; i++) {
        if (tag == &listeners->rows[i])
            return &listeners->rows[i];
    }
    return NULL;
}

/* ---- orders of the daemon ------------------------------------------------------------- */

static void take_setup(struct loop *loop)
{
    struct setup *before = server_renew(loop->server, &loop->event_thread);

    if (before == NULL)
        return;
    for (struct connection *at = loop->connections; at != NULL; at = at->next)
        connection_renew(loop, at); /* while the old users are still there to be compared with */
    setup_release(before);
}

/*
 * Clients that the system has let in already get their answers, and the next one is refused at once.  A socket that the
 * manager of services has, too, goes on listening: new clients wait there for the next daemon.
 */
static void stop_listening(struct loop *loop, const struct listener *listener)
{
    (void)epoll_ctl(loop->epoll, EPOLL_CTL_DEL, listener->fd, NULL);
    if (listener->is_shared)
        return;
    for (int i = 0; i < BACKLOG && accept_one(loop, listener); i++)
        continue;
    (void)shutdown(listener->fd, SHUT_RDWR);
}

static void start_draining(struct loop *loop)
{
    const struct listeners *listeners = loop->server->listeners;

    loop->drains = true;
    for (size_t i = 0; i < listeners->count; i++)
        stop_listening(loop, &listeners->rows[i]);
    for (struct connection *at = loop->connections; at != NULL; at = at->next)
        connection_make_ready(loop, at);
}

static void look_around(struct loop *loop)
{
    uint64_t ignored;

    if (read(loop->event, &ignored, sizeof ignored) < 0)
        return;
    take_setup(loop);
    lease_jobs_collect(&loop->event_thread);
    dispatcher_collect(&loop->event_thread.dispatcher);
    if (atomic_load(&loop->server->draining) && !loop->drains)
        start_draining(loop);
}

/* ---- running -------------------------------------------------------------------------------- */

static void on_event(struct loop *loop, const struct epoll_event *event)
{
    const struct listener *listener = listener_of(loop, event->data.ptr);

    if (event->data.ptr == &loop->event) {
        look_around(loop);
    } else if (event->data.ptr == &loop->alarm) {
        alarm_take(&loop->alarm);
    } else if (listener != NULL) {
        for (int i = 0; i < ACCEPTS && accept_one(loop, listener); i++)
            continue;
    } else {
        connection_on_event(loop, event->data.ptr, event->events);
    }
}

static void run_ready(struct loop *loop)
{
    struct connection *next = loop->ready;

    loop->ready = NULL;
    loop->ready_end = &loop->ready;
    while (next != NULL) {
        struct connection *connection = next;
        next = connection->next_ready;
        connection->is_ready = false;
        if (connection->io.fd < 0)
            free(connection); /* it was closed while it stood here */
        else
            connection_go_on(loop, connection);
    }
}

static void sweep(struct loop *loop)
{
    resume_accepting(loop);
    for (struct connection *at = loop->connections, *next; at != NULL; at = next) {
        next = at->next;
        connection_check_time(loop, at);
    }
}

/* The clients have waited for a process that did not run. */
static void excuse(const struct loop *loop, uint64_t missed_ns)
{
    for (struct connection *at = loop->connections; at != NULL; at = at->next)
        connection_excuse(at, missed_ns);
}

static bool is_over(const struct loop *loop)
{
    return atomic_load(&loop->server->cutting) || (loop->drains && loop->connections == NULL);
}

static void *run(void *arg)
{
    struct loop *loop = arg;
    struct epoll_event events[EVENTS_MAX];
    struct turns turns = {.before_ns = clock_ns(), .swept_ns = clock_ns()};

    while (!is_over(loop)) {
        alarm_set(&loop->alarm, dispatcher_due_ns(&loop->event_thread.dispatcher));
        uint64_t sleep_ns = connection_look_ns(&loop->event_thread.setup->settings.daemon);
        int n = epoll_wait(loop->epoll, events, EVENTS_MAX, loop->ready != NULL ? 0 : (int)(sleep_ns / NS_PER_MS));
        loop->event_thread.now_ns = clock_ns();
        uint64_t missed_ns = turns_begin(&turns, loop->event_thread.now_ns, sleep_ns);
        if (missed_ns > 0)
            excuse(loop, missed_ns);
        atomic_store_explicit(&loop->event_thread.seen_ns, loop->event_thread.now_ns, memory_order_relaxed);
        for (int i = 0; i < n; i++)
            on_event(loop, &events[i]);
        dispatcher_run(&loop->event_thread.dispatcher, loop->event_thread.now_ns);
        run_ready(loop);
        if (turns_may_sweep(&turns, sleep_ns, n, atomic_load(&loop->server->connections)))
            sweep(loop);
    }
    while (loop->connections != NULL)
        connection_cut(loop, loop->connections);
    run_ready(loop);
    (void)atomic_fetch_sub(&loop->server->running, 1);
    return NULL;
}

static bool prepare(struct loop *loop)
{
    loop->epoll = epoll_create1(EPOLL_CLOEXEC);
    loop->event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    loop->input = malloc(INPUT_BYTES);
    loop->event_thread.ids = malloc(MAX_BATCH_MAX * sizeof(frazil_sno));
    if (loop->epoll < 0 || !has_reserve(loop) || loop->event < 0 || !alarm_open(&loop->alarm) || loop->input == NULL ||
        loop->event_thread.ids == NULL || !watch(loop, loop->event, &loop->event, EPOLLIN) ||
        !watch(loop, loop->alarm.fd, &loop->alarm, EPOLLIN))
        return false;
    return watch_listeners(loop);
}

bool loop_open(struct loop *loop, struct server *server)
{
    *loop = (struct loop){.server = server, .epoll = -1, .event = -1, .reserve = -1, .alarm = {.fd = -1}};
    loop->ready_end = &loop->ready;
    loop->event_thread.wake = on_wake;
    loop->event_thread.notify = on_notify;
    loop->event_thread.user_of = connection_user;
    loop->event_thread.dispatcher.event_thread = &loop->event_thread;
    loop->event_thread.dispatcher.notify = on_notify;
    server_open_event_thread(server, &loop->event_thread);
    return prepare(loop);
}

bool loop_start(struct loop *loop)
{
    (void)atomic_fetch_add(&loop->server->running, 1);
    errno = pthread_create(&loop->thread, NULL, run, loop);
    loop->is_started = errno == 0;
    if (!loop->is_started)
        (void)atomic_fetch_sub(&loop->server->running, 1);
    return loop->is_started;
}

void loop_join(struct loop *loop)
{
    if (loop->is_started)
        (void)pthread_join(loop->thread, NULL);
    (void)close(loop->epoll);
    alarm_close(&loop->alarm);
    if (loop->reserve >= 0)
        (void)close(loop->reserve);
    setup_release(loop->event_thread.setup);
}

void loop_close(struct loop *loop)
{
    (void)close(loop->event);
    free(loop->input);
    free(loop->event_thread.ids);
    free(loop->output.at);
}
