/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: on the real clock the time in an id is honest: not before
 * the tick before the one in which the call began, and not after the tick in
 * which it returned.  The clock is read around every single call, so an anchor
 * that is kept beyond its tick is seen.
 */

#include <inttypes.h>
#include <time.h>

#include "frazil.h"
#include "lib/callers.h"
#include "lib/ports.h"
#include "lib/test.h"

enum { CALLS = 3000000 / INSTRUMENT_SLOWDOWN, THREADS = 4 };

static int64_t clock_ms(clockid_t clock)
{
    struct timespec ts;

    clock_gettime(clock, &ts);
    return (int64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

/* How the wall clock lies to the one that never steps. */
static int64_t offset_ms(void)
{
    return clock_ms(CLOCK_REALTIME) - clock_ms(CLOCK_MONOTONIC);
}

/* The ids and times that one caller saw. */
struct witness {
    frazil *gen;
    frazil_local *local; /* NULL: frazil_next */
    frazil_layout layout;
    int64_t calls;
    int64_t tick_ms;
    int64_t behind_ms_max; /* of the tick, to the start of the call's first tick */
    int64_t ahead_ms_max;  /* of the tick, to the call's last */
    frazil_err err;
    pthread_t thread;
};

static void *watch(void *arg)
{
    struct witness *w = arg;
    frazil_fields fields;
    uint64_t id = 0;

    w->behind_ms_max = INT64_MIN;
    w->ahead_ms_max = INT64_MIN;
    for (int64_t i = 0; i < w->calls; i++) {
        int64_t before = clock_ms(CLOCK_REALTIME);
        w->err = w->local != NULL ? frazil_local_next(w->local, &id) : frazil_next(w->gen, &id);
        int64_t after = clock_ms(CLOCK_REALTIME);
        if (w->err == FRAZIL_OK)
            w->err = frazil_id_decompose(&w->layout, id, &fields, NULL);
        if (w->err != FRAZIL_OK)
            break;
        /* Ticks start at the epoch: the tick that an instant lies in begins at most tick_ms - 1 before it. */
        int64_t behind = before - fields.unix_ms;
        int64_t ahead = fields.unix_ms - after;
        w->behind_ms_max = behind > w->behind_ms_max ? behind : w->behind_ms_max;
        w->ahead_ms_max = ahead > w->ahead_ms_max ? ahead : w->ahead_ms_max;
    }
    return NULL;
}

static void assert_honest(const struct witness *w)
{
    assert_int_equal(w->err, FRAZIL_OK);
    if (w->ahead_ms_max > 0)
        fail_msg("an id was stamped %" PRId64 " ms ahead", w->ahead_ms_max);
    if (w->behind_ms_max >= 2 * w->tick_ms)
        fail_msg("an id was stamped %" PRId64 " ms behind, in ticks of %" PRId64, w->behind_ms_max, w->tick_ms);
}

static void run_watch(const char *spec, size_t threads, int64_t calls, bool locals)
{
    struct witness witnesses[THREADS] = {{.gen = NULL}};
    frazil *gen;

    assert_int_equal(frazil_open(&gen, spec, NULL), FRAZIL_OK);
    int64_t offset = offset_ms();
    for (size_t i = 0; i < threads; i++) {
        witnesses[i] = (struct witness){
            .gen = gen, .layout = *layout_of(gen), .calls = calls, .tick_ms = (int64_t)layout_of(gen)->tick_ms};
        if (locals)
            assert_int_equal(frazil_local_open(&witnesses[i].local, gen, NULL), FRAZIL_OK);
        assert_int_equal(pthread_create(&witnesses[i].thread, NULL, watch, &witnesses[i]), 0);
    }
    for (size_t i = 0; i < threads; i++) {
        pthread_join(witnesses[i].thread, NULL);
        frazil_local_close(witnesses[i].local);
    }
    frazil_close(gen);
    if (llabs(offset_ms() - offset) > 1)
        skip(); /* somebody has set the clock meanwhile */
    for (size_t i = 0; i < threads; i++)
        assert_honest(&witnesses[i]);
}

TEST("One caller, where no tick is ever full")
{
    run_watch("layout=41/0/22 worker=fixed:0", 1, CALLS, false);
}

TEST("Callers that overtake each other, also in the middle of a call")
{
    run_watch("layout=41/0/22 worker=fixed:0", THREADS, CALLS / 4, false);
}

TEST("A handle's block does not outlive its tick")
{
    run_watch("layout=41/0/22 worker=fixed:0", 2, CALLS / 4, true);
    run_watch("layout=41/0/22 worker=fixed:0 tick=3ms", 2, CALLS / 4, true);
}

TEST("Ticks that are full: nobody gets an id of a tick to come")
{
    run_watch("layout=41/12/10 worker=fixed:0 max_wait=60s", THREADS, CALLS / 30, false);
    run_watch("layout=41/12/10 worker=fixed:0 behaviour=konayuki start=random", THREADS, CALLS / 60, false);
}
