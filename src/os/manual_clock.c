/* SPDX-License-Identifier: MIT */
/*
 * The manual and the frozen clock: the clock port over two numbers.  A lock
 * rather than two atomics, so that wall and monotonic time move together.
 */
#include <pthread.h>
#include <stdlib.h>

#include "core/duration.h"
#include "core/sentence.h"
#include "core/sized.h"
#include "frazil/clock.h"

struct frazil_manual_clock {
    pthread_mutex_t lock;
    frazil_instant now;
    uint64_t monotonic_ns;
    bool frozen; /* sleeping does not move the wall time */
};

static void pass_wall_time(frazil_manual_clock *clock, uint64_t ns)
{
    uint64_t ms = ns / FZ_NS_PER_MS;
    uint64_t rest = clock->now.ns + ns % FZ_NS_PER_MS;

    ms += rest / FZ_NS_PER_MS;
    /* The difference of any two times fits without a sign. */
    if (ms > (uint64_t)INT64_MAX - (uint64_t)clock->now.unix_ms)
        clock->now = (frazil_instant){.unix_ms = INT64_MAX, .ns = FZ_NS_PER_MS - 1};
    else
        clock->now = (frazil_instant){.unix_ms = (int64_t)((uint64_t)clock->now.unix_ms + ms),
                                      .ns = (uint32_t)(rest % FZ_NS_PER_MS)};
}

static void manual_now(void *ctx, frazil_instant *ret)
{
    frazil_manual_clock *clock = ctx;

    pthread_mutex_lock(&clock->lock);
    frazil_instant now = clock->now;
    pthread_mutex_unlock(&clock->lock);
    *ret = now;
}

static uint64_t manual_monotonic_ns(void *ctx)
{
    frazil_manual_clock *clock = ctx;

    pthread_mutex_lock(&clock->lock);
    uint64_t ns = clock->monotonic_ns;
    pthread_mutex_unlock(&clock->lock);
    return ns;
}

static void manual_sleep_until(void *ctx, uint64_t monotonic_ns)
{
    frazil_manual_clock *clock = ctx;

    pthread_mutex_lock(&clock->lock);
    if (monotonic_ns > clock->monotonic_ns) {
        if (!clock->frozen)
            pass_wall_time(clock, monotonic_ns - clock->monotonic_ns);
        clock->monotonic_ns = monotonic_ns;
    }
    pthread_mutex_unlock(&clock->lock);
}

frazil_err frazil_manual_clock_open(frazil_manual_clock **ret, int64_t unix_ms, uint32_t flags, frazil_error *reterr)
{
    if ((flags & ~FRAZIL_CLOCK_FROZEN) != 0)
        return fz_fail(reterr, FRAZIL_EINVAL, "the flags %u are not all known", (uint64_t)flags);
    frazil_manual_clock *clock = calloc(1, sizeof *clock);
    if (clock == NULL || pthread_mutex_init(&clock->lock, NULL) != 0) {
        free(clock);
        return fz_fail(reterr, FRAZIL_ENOMEM, "out of memory");
    }
    clock->now.unix_ms = unix_ms;
    clock->frozen = (flags & FRAZIL_CLOCK_FROZEN) != 0;
    *ret = clock;
    return FRAZIL_OK;
}

void frazil_manual_clock_close(frazil_manual_clock *clock)
{
    if (clock == NULL)
        return;
    pthread_mutex_destroy(&clock->lock);
    free(clock);
}

void frazil_manual_clock_set(frazil_manual_clock *clock, int64_t unix_ms)
{
    pthread_mutex_lock(&clock->lock);
    clock->now = (frazil_instant){.unix_ms = unix_ms, .ns = 0};
    pthread_mutex_unlock(&clock->lock);
}

void frazil_manual_clock_advance(frazil_manual_clock *clock, uint64_t ns)
{
    pthread_mutex_lock(&clock->lock);
    pass_wall_time(clock, ns);
    clock->monotonic_ns += ns;
    pthread_mutex_unlock(&clock->lock);
}

void frazil_manual_clock_port(frazil_manual_clock *clock, frazil_clock *ret, size_t size)
{
    const frazil_clock port = {.size = size < sizeof port ? size : sizeof port,
                               .ctx = clock,
                               .now = manual_now,
                               .monotonic_ns = manual_monotonic_ns,
                               .sleep_until = manual_sleep_until};

    fz_give_sized(ret, size, &port, sizeof port);
}
