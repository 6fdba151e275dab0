/* SPDX-License-Identifier: MIT */
#include "shared.h"

#include "clock.h"

#include <time.h>

void shared_wake_event_threads(const struct shared *shared)
{
    for (unsigned i = 0; i < shared->event_thread_count; i++)
        shared->event_threads[i]->notify(shared->event_threads[i]);
}

void shared_note_setup(struct shared *shared)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_REALTIME, &now);
    atomic_store(&shared->read_unix_s, now.tv_sec);
}

struct setup *shared_hold_setup(struct shared *shared)
{
    (void)pthread_mutex_lock(&shared->lock);
    struct setup *setup = shared->setup;
    setup_hold(setup);
    (void)pthread_mutex_unlock(&shared->lock);
    return setup;
}

void shared_open_event_thread(struct shared *shared, struct event_thread *event_thread)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_REALTIME, &now);
    event_thread->shared = shared;
    event_thread->started_unix_s = now.tv_sec;
    event_thread->now_ns = clock_ns();
    atomic_init(&event_thread->seen_ns, event_thread->now_ns);
    event_thread->jobs = shared->jobs;
    event_thread->connections = &shared->connections;
    event_thread->setup = shared->setup;
    setup_hold(event_thread->setup);
    event_thread->dispatcher.next_engine = shared->event_thread_count; /* not all of them begin with the same engine */
    shared->event_threads[shared->event_thread_count++] = event_thread;
}

struct setup *shared_renew(struct shared *shared, struct event_thread *event_thread)
{
    struct setup *before = event_thread->setup;

    (void)pthread_mutex_lock(&shared->lock);
    struct setup *now = shared->setup;
    if (now != before)
        setup_hold(now);
    (void)pthread_mutex_unlock(&shared->lock);
    event_thread->setup = now;
    return now != before ? before : NULL;
}
