/* SPDX-License-Identifier: MIT */
#include "shared.h"

#include "clock.h"

#include <time.h>

void shared_wake_lanes(const struct shared *shared)
{
    for (unsigned i = 0; i < shared->lane_count; i++)
        shared->lanes[i]->notify(shared->lanes[i]);
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

void shared_open_lane(struct shared *shared, struct lane *lane)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_REALTIME, &now);
    lane->shared = shared;
    lane->started_unix_s = now.tv_sec;
    lane->now_ns = clock_ns();
    atomic_init(&lane->seen_ns, lane->now_ns);
    lane->jobs = shared->jobs;
    lane->connections = &shared->connections;
    lane->setup = shared->setup;
    setup_hold(lane->setup);
    lane->taker.turn = shared->lane_count; /* not all of them begin with the same engine */
    shared->lanes[shared->lane_count++] = lane;
}

struct setup *shared_renew(struct shared *shared, struct lane *lane)
{
    struct setup *before = lane->setup;

    (void)pthread_mutex_lock(&shared->lock);
    struct setup *now = shared->setup;
    if (now != before)
        setup_hold(now);
    (void)pthread_mutex_unlock(&shared->lock);
    lane->setup = now;
    return now != before ? before : NULL;
}
