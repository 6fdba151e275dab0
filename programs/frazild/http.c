/* SPDX-License-Identifier: MIT */
#include "http.h"

#include "alarm.h"
#include "clock.h"
#include "errands.h"
#include "http_exchange.h"
#include "log.h"

#include <errno.h>
#include <fcntl.h>
#include <gnutls/abstract.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#define EVENTS 16
#define TURN_MS 1000
#define IDLE_NS (75 * NS_PER_S)
#define IDLE_S 75U
#define SPARE_CONNECTIONS 64U                   /* that are closed, and not cleared away: may_connect() is to decide */
#define MEMORY_OF_CONNECTION ((size_t)20 << 10) /* the head, and what is being sent */

/* A listener's daemon of libmicrohttpd. */
struct door {
    struct MHD_Daemon *daemon;
    int epoll; /* readable when it has something to do */
};

struct http {
    struct http_lane lane; /* the first: its requests know it alone */
    pthread_t thread;
    int epoll;
    int event;          /* an eventfd: look around */
    struct alarm alarm; /* requests for ids are due */
    struct door *doors;
    size_t count;
    struct http_socket *sockets;
    bool drains;
};

/* ---- connections ------------------------------------------------------------------------- */

/* Gives a connection of HTTPS the certificate of now: it keeps that one, whatever a reload brings. */
static void give_tls(const struct http *http, struct MHD_Connection *connection, struct http_socket *opened)
{
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_GNUTLS_SESSION);
    struct tls *tls = http->lane.lane.setup->tls[PROTOCOL_HTTPS];

    if (info == NULL || info->tls_session == NULL)
        return;
    opened->session = info->tls_session;
    opened->greets = true;
    if (tls != NULL && tls_give(tls, info->tls_session))
        opened->tls = tls_hold(tls);
}

/* Counts a handshake that is over.  libmicrohttpd does not tell: it is looked for now and then, and at a request. */
static void note_greeting(struct http *http, struct http_socket *its)
{
    if (!its->greets || !tls_has_greeted(its->session))
        return;
    its->greets = false;
    count(&http->lane.lane.counters.tls_handshakes, 1);
}

/* Whether another connection may come; libmicrohttpd closes it if not. */
static enum MHD_Result may_connect(void *cls, const struct sockaddr *from, socklen_t len)
{
    struct http *http = cls;

    (void)from, (void)len;
    if (atomic_load(&http->lane.shared->connections) < http->lane.lane.setup->settings.daemon.max_connections)
        return MHD_YES;
    count(&http->lane.lane.counters.refused_full, 1);
    log_line(LOG_CLIENT, "HTTP: a connection was refused: there are max_connections already");
    return MHD_NO;
}

static void open_socket(struct http *http, struct MHD_Connection *connection, void **ret)
{
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    struct http_socket *opened = calloc(1, sizeof *opened);

    *ret = opened;
    if (opened == NULL)
        return; /* its requests are refused */
    opened->fd = info->connect_fd;
    opened->since_ns = http->lane.lane.now_ns;
    opened->next = http->sockets;
    if (opened->next != NULL)
        opened->next->previous = opened;
    http->sockets = opened;
    give_tls(http, connection, opened);
    count(&http->lane.lane.counters.accepted, 1);
    (void)atomic_fetch_add(&http->lane.shared->connections, 1);
}

static void close_socket(struct http *http, struct http_socket *closed)
{
    if (closed == NULL)
        return;
    if (closed->next != NULL)
        closed->next->previous = closed->previous;
    if (closed->previous != NULL)
        closed->previous->next = closed->next;
    else
        http->sockets = closed->next;
    (void)atomic_fetch_sub(&http->lane.shared->connections, 1);
    if (closed->greets) /* nor was anything asked; its session is no more */
        count(&http->lane.lane.counters.tls_failures, 1);
    tls_release(closed->tls);
    free(closed);
}

static void on_connection(void *cls, struct MHD_Connection *connection, void **socket_context,
                          enum MHD_ConnectionNotificationCode what)
{
    if (what == MHD_CONNECTION_NOTIFY_STARTED)
        open_socket(cls, connection, socket_context);
    else
        close_socket(cls, *socket_context);
}

/* The first line of a request is there: the rest of its head has request_timeout. */
static void *on_first_line(void *cls, const char *uri, struct MHD_Connection *connection)
{
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    struct http *http = cls;
    struct http_socket *its = info->socket_context;

    (void)uri;
    if (its != NULL) {
        note_greeting(http, its);
        its->has_begun = true;
        its->since_ns = http->lane.lane.now_ns;
    }
    return NULL;
}

/*
 * How long a connection may send nothing, or a byte now and then: libmicrohttpd sees the silence alone.  A new one has
 * the time of a request, for a handshake of TLS as well, and also while the daemon drains, as it was told nothing else.
 */
static uint64_t patience_ns(const struct http *http, const struct http_socket *its)
{
    if (its->has_begun || !its->has_served)
        return http->lane.lane.setup->settings.daemon.request_timeout_ns;
    return http->drains ? 0 : IDLE_NS;
}

/* Cuts who is too slow; a connection whose request is being answered is left alone. */
static void sweep(struct http *http)
{
    uint64_t now_ns = http->lane.lane.now_ns;

    for (struct http_socket *at = http->sockets; at != NULL; at = at->next) {
        note_greeting(http, at);
        if (at->is_busy || now_ns - at->since_ns < patience_ns(http, at))
            continue;
        if (at->has_begun)
            count(&http->lane.lane.counters.cut_slow, 1);
        (void)shutdown(at->fd, SHUT_RDWR);
    }
}

/* ---- orders of the daemon ------------------------------------------------------------------ */

static void look_around(struct http *http)
{
    struct setup *before;
    uint64_t ignored;

    if (read(http->event, &ignored, sizeof ignored) < 0)
        return;
    errands_collect(&http->lane.lane);
    before = shared_renew(http->lane.shared, &http->lane.lane);
    if (before != NULL)
        setup_release(before);
    if (!atomic_load(&http->lane.shared->draining) || http->drains)
        return;
    http->drains = true;
    for (size_t i = 0; i < http->count; i++)
        (void)close(MHD_quiesce_daemon(http->doors[i].daemon));
}

/* ---- running --------------------------------------------------------------------------------- */

/* How long libmicrohttpd can be left alone, in milliseconds. */
static int patience_ms(const struct http *http)
{
    MHD_UNSIGNED_LONG_LONG ms, least = TURN_MS;

    for (size_t i = 0; i < http->count; i++) {
        if (MHD_get_timeout(http->doors[i].daemon, &ms) == MHD_YES && ms < least)
            least = ms;
    }
    return (int)least;
}

static void turn(struct http *http)
{
    struct lane *lane = &http->lane.lane;
    struct epoll_event events[EVENTS];

    alarm_set(&http->alarm, taker_due_ns(&lane->taker));
    int n = epoll_wait(http->epoll, events, EVENTS, patience_ms(http));
    lane->now_ns = clock_ns();
    atomic_store_explicit(&lane->seen_ns, lane->now_ns, memory_order_relaxed);
    for (int i = 0; i < n; i++) {
        if (events[i].data.ptr == &http->event)
            look_around(http);
        else if (events[i].data.ptr == &http->alarm)
            alarm_take(&http->alarm);
    }
    taker_run(&lane->taker, lane->now_ns);
    for (size_t i = 0; i < http->count; i++)
        (void)MHD_run(http->doors[i].daemon);
}

static bool is_over(const struct http *http)
{
    return atomic_load(&http->lane.shared->cutting) || (http->drains && http->sockets == NULL);
}

static void *run(void *arg)
{
    struct http *http = arg;
    uint64_t swept_ns = clock_ns();

    while (!is_over(http)) {
        turn(http);
        if (http->lane.lane.now_ns - swept_ns >= TURN_MS * NS_PER_MS || http->drains) {
            swept_ns = http->lane.lane.now_ns;
            sweep(http);
        }
    }
    http_exchange_cut(&http->lane);
    for (size_t i = 0; i < http->count; i++)
        (void)MHD_run(http->doors[i].daemon);
    return NULL;
}

/* ---- starting and ending ------------------------------------------------------------------------ */

static void log_it(void *cls, const char *fmt, va_list args) __attribute__((format(printf, 2, 0)));

static void log_it(void *cls, const char *fmt, va_list args)
{
    char line[256];

    (void)cls;
    int len = vsnprintf(line, sizeof line, fmt, args);
    while (len > 0 && (size_t)len < sizeof line && line[len - 1] == '\n')
        line[--len] = '\0';
    log_line(LOG_CLIENT, "HTTP: %s", line);
}

static bool watch(const struct http *http, int fd, const void *tag)
{
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = (void *)(uintptr_t)tag};

    return epoll_ctl(http->epoll, EPOLL_CTL_ADD, fd, &event) == 0;
}

/* libmicrohttpd wants a certificate or this to start; give_tls() gives each connection its own. */
static int no_certificate(gnutls_session_t session, const gnutls_datum_t *names, int count_of_names,
                          const gnutls_pk_algorithm_t *algorithms, int count_of_algorithms, gnutls_pcert_st **ret,
                          unsigned *ret_count, gnutls_privkey_t *ret_key)
{
    (void)session, (void)names, (void)count_of_names, (void)algorithms, (void)count_of_algorithms;
    (void)ret, (void)ret_count, (void)ret_key;
    return -1;
}

static bool open_door(struct http *http, const struct listener *listener)
{
    const struct daemon_settings *settings = &http->lane.lane.setup->settings.daemon;
    struct door *door = &http->doors[http->count];
    bool has_tls = protocol_has_tls(listener->protocol);
    struct MHD_OptionItem tls[] = {
        {has_tls ? MHD_OPTION_HTTPS_CERT_CALLBACK : MHD_OPTION_END, 0, (void *)(intptr_t)no_certificate},
        {MHD_OPTION_END, 0, NULL}};
    int fd = fcntl(listener->fd, F_DUPFD_CLOEXEC, 3); /* libmicrohttpd closes it */

    if (fd < 0)
        return false;
    door->daemon =
        MHD_start_daemon(MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ERROR_LOG | (has_tls ? MHD_USE_TLS : 0U), 0,
                         may_connect, http, http_exchange_run, &http->lane, MHD_OPTION_EXTERNAL_LOGGER, log_it, NULL,
                         MHD_OPTION_LISTEN_SOCKET, fd, MHD_OPTION_STRICT_FOR_CLIENT, 1, MHD_OPTION_CONNECTION_LIMIT,
                         (unsigned)settings->max_connections + SPARE_CONNECTIONS, MHD_OPTION_CONNECTION_TIMEOUT, IDLE_S,
                         MHD_OPTION_CONNECTION_MEMORY_LIMIT, MEMORY_OF_CONNECTION, MHD_OPTION_NOTIFY_COMPLETED,
                         http_exchange_end, &http->lane, MHD_OPTION_NOTIFY_CONNECTION, on_connection, http,
                         MHD_OPTION_URI_LOG_CALLBACK, on_first_line, http, MHD_OPTION_ARRAY, tls, MHD_OPTION_END);
    if (door->daemon == NULL) {
        (void)close(fd);
        return false;
    }
    http->count++;
    door->epoll = MHD_get_daemon_info(door->daemon, MHD_DAEMON_INFO_EPOLL_FD)->epoll_fd;
    return watch(http, door->epoll, door);
}

static bool open_all(struct http *http, const struct listeners *listeners)
{
    http->epoll = epoll_create1(EPOLL_CLOEXEC);
    http->event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    http->doors = calloc(listeners->count, sizeof *http->doors);
    if (http->epoll < 0 || http->event < 0 || !alarm_open(&http->alarm) || http->doors == NULL ||
        !watch(http, http->event, &http->event) || !watch(http, http->alarm.fd, &http->alarm))
        return false;
    for (size_t i = 0; i < listeners->count; i++) {
        if (protocol_is_http(listeners->rows[i].protocol) && !open_door(http, &listeners->rows[i]))
            return false;
    }
    return pthread_create(&http->thread, NULL, run, http) == 0;
}

static void free_http(struct http *http)
{
    for (size_t i = 0; i < http->count; i++)
        MHD_stop_daemon(http->doors[i].daemon);
    (void)close(http->epoll);
    (void)close(http->event);
    alarm_close(&http->alarm);
    setup_release(http->lane.lane.setup);
    free(http->doors);
    free(http);
}

static void on_notify(struct lane *lane)
{
    http_wake((struct http *)lane);
}

bool http_start(struct http **ret, struct shared *shared, struct bytes *errors)
{
    const struct listen_settings *listen = shared->setup->settings.listen;
    struct http *http;

    *ret = NULL;
    if (!listen[PROTOCOL_HTTP].given && !listen[PROTOCOL_HTTPS].given)
        return true;
    http = calloc(1, sizeof *http);
    if (http == NULL) {
        bytes_add_text(errors, "out of memory\n");
        return false;
    }
    http->alarm.fd = -1;
    http->lane.shared = shared;
    http->lane.lane.notify = on_notify;
    shared_open_lane(shared, &http->lane.lane, PROTOCOL_HTTP);
    if (open_all(http, shared->listeners)) {
        *ret = http;
        return true;
    }
    bytes_format(errors, "HTTP cannot be served: %s\n", strerror(errno));
    shared->lane_count--;
    free_http(http);
    return false;
}

void http_wake(struct http *http)
{
    uint64_t one = 1;

    if (http == NULL)
        return;
    ssize_t ignored = write(http->event, &one, sizeof one); /* it is full only if it is woken anyway */
    (void)ignored;
}

void http_join(struct http *http)
{
    if (http == NULL)
        return;
    (void)pthread_join(http->thread, NULL);
    free_http(http);
}
