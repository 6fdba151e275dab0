/* SPDX-License-Identifier: MIT */
#include "clock.h"

#include <time.h>

#include "core/duration.h"

enum { MS_PER_S = 1000 };

frazil_instant fz_real_now(void)
{
    struct timespec ts;

    clock_gettime(CLOCK_REALTIME, &ts);
    uint64_t ns = (uint64_t)ts.tv_nsec;
    return (frazil_instant){.unix_ms = (int64_t)ts.tv_sec * MS_PER_S + (int64_t)(ns / FZ_NS_PER_MS),
                            .ns = (uint32_t)(ns % FZ_NS_PER_MS)};
}

static void real_now(void *ctx, frazil_instant *ret)
{
    (void)ctx;
    *ret = fz_real_now();
}

static uint64_t real_monotonic_ns(void *ctx)
{
    struct timespec ts;

    (void)ctx;
    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (uint64_t)ts.tv_sec * FZ_NS_PER_S + (uint64_t)ts.tv_nsec;
}

/* A signal ends the sleep early, which the port allows: the caller looks at the clock again. */
static void real_sleep_until(void *ctx, uint64_t monotonic_ns)
{
    struct timespec ts = {.tv_sec = (time_t)(monotonic_ns / FZ_NS_PER_S),
                          .tv_nsec = (long)(monotonic_ns % FZ_NS_PER_S)};

    (void)ctx;
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &ts, NULL);
}

frazil_clock fz_real_clock(void)
{
    return (frazil_clock){.size = sizeof(frazil_clock),
                          .now = real_now,
                          .monotonic_ns = real_monotonic_ns,
                          .sleep_until = real_sleep_until};
}
