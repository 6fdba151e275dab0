/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: no wake-up is lost.  A reader that has seen the last event waits for the descriptor, while four
 * writers tell others, and each waits until its own was read: a wake-up that is lost leaves all of them waiting.
 */
#include <poll.h>
#include <pthread.h>
#include <sched.h>

#include "generator/generator_internal.h"
#include "lib/callers.h"
#include "lib/rig.h"
#include "lib/test.h"

enum { WRITERS = 4, EACH = 20000 / INSTRUMENT_SLOWDOWN, HANGS_MS = 120000 };

static struct rig rig;
static _Atomic uint64_t told;
static _Atomic uint64_t read_so_far;
static atomic_bool gives_up;

static void *tell_each(void *arg)
{
    (void)arg;
    for (uint64_t i = 0; i < EACH; i++) {
        fz_events_tell(rig.gen, FRAZIL_EVENT_CLOCK_BACK, FRAZIL_OK, RIG_NOW, i);
        uint64_t mine = atomic_fetch_add(&told, 1) + 1;
        while (atomic_load(&read_so_far) < mine) {
            if (atomic_load(&gives_up))
                return NULL;
            sched_yield();
        }
    }
    return NULL;
}

/* Waits for an event and reads to the end.  False: nothing woke it. */
static bool read_some(int fd, uint64_t *cursor)
{
    struct pollfd waiting = {.fd = fd, .events = POLLIN};
    frazil_event event;

    if (poll(&waiting, 1, HANGS_MS) != 1)
        return false;
    while (frazil_next_event(rig.gen, cursor, &event, sizeof event))
        atomic_fetch_add(&read_so_far, 1 + event.missed);
    return true;
}

TEST("Four writers wake a reader for each event, however the last look and the next event meet")
{
    pthread_t writers[WRITERS];
    uint64_t cursor = 0;
    bool woken = true;
    frazil_event event;
    int fd;

    rig = (struct rig){.random_state = 1};
    rig_open(&rig, "layout=41/10/4 worker=fixed:9 state=memory", RIG_NOW);
    while (frazil_next_event(rig.gen, &cursor, &event, sizeof event))
        ;
    assert_int_equal(frazil_event_fd(rig.gen, &fd, NULL), FRAZIL_OK);
    for (size_t i = 0; i < WRITERS; i++)
        assert_int_equal(pthread_create(&writers[i], NULL, tell_each, NULL), 0);
    while (woken && atomic_load(&read_so_far) < (uint64_t)WRITERS * EACH)
        woken = read_some(fd, &cursor);
    atomic_store(&gives_up, true);
    for (size_t i = 0; i < WRITERS; i++)
        pthread_join(writers[i], NULL);
    assert_true(woken);
    rig_close(&rig);
}
