/* SPDX-License-Identifier: MIT */
#include "server.h"

#include "clock.h"

#include <time.h>

#define STUCK_NS (10 * NS_PER_S) /* an event thread wakes up each second */

void server_wake_event_threads(const struct server *server)
{
    for (unsigned i = 0; i < server->event_thread_count; i++)
        server->event_threads[i]->notify(server->event_threads[i]);
}

bool server_is_alive(const struct server *server)
{
    uint64_t now_ns = clock_ns();

    for (unsigned i = 0; i < server->event_thread_count; i++) {
        if (now_ns > atomic_load_explicit(&server->event_threads[i]->seen_ns, memory_order_relaxed) + STUCK_NS)
            return false;
    }
    return true;
}

void server_note_setup(struct server *server)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_REALTIME, &now);
    atomic_store(&server->read_unix_s, now.tv_sec);
}

struct setup *server_hold_setup(struct server *server)
{
    (void)pthread_mutex_lock(&server->lock);
    struct setup *setup = server->setup;
    setup_hold(setup);
    (void)pthread_mutex_unlock(&server->lock);
    return setup;
}

void server_open_event_thread(struct server *server, struct event_thread *event_thread)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_REALTIME, &now);
    event_thread->server = server;
    event_thread->started_unix_s = now.tv_sec;
    event_thread->now_ns = clock_ns();
    atomic_init(&event_thread->seen_ns, event_thread->now_ns);
    event_thread->lease_threads = server->lease_threads;
    event_thread->connections = &server->connections;
    event_thread->setup = server->setup;
    setup_hold(event_thread->setup);
    event_thread->dispatcher.next_engine = server->event_thread_count; /* not all of them begin with the same engine */
    server->event_threads[server->event_thread_count++] = event_thread;
}

struct setup *server_renew(struct server *server, struct event_thread *event_thread)
{
    struct setup *before = event_thread->setup;

    (void)pthread_mutex_lock(&server->lock);
    struct setup *now = server->setup;
    if (now != before)
        setup_hold(now);
    (void)pthread_mutex_unlock(&server->lock);
    event_thread->setup = now;
    return now != before ? before : NULL;
}
