/* SPDX-License-Identifier: MIT */
#include "clock.h"

#include <time.h>

enum { NS_PER_MS = 1000000, MS_PER_S = 1000 };
static const uint64_t ns_per_s = 1000000000;

frazil_instant fz_real_now(void)
{
    struct timespec ts;

    clock_gettime(CLOCK_REALTIME, &ts);
    uint32_t ns = (uint32_t)ts.tv_nsec;
    return (frazil_instant){.unix_ms = (int64_t)ts.tv_sec * MS_PER_S + ns / NS_PER_MS, .ns = ns % NS_PER_MS};
}

static frazil_instant real_now(void *ctx)
{
    (void)ctx;
    return fz_real_now();
}

static uint64_t real_monotonic_ns(void *ctx)
{
    struct timespec ts;

    (void)ctx;
    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (uint64_t)ts.tv_sec * ns_per_s + (uint64_t)ts.tv_nsec;
}

/* A signal ends the sleep early, which the port allows: the caller looks at the clock again. */
static void real_sleep_until(void *ctx, uint64_t monotonic_ns)
{
    struct timespec ts = {.tv_sec = (time_t)(monotonic_ns / ns_per_s), .tv_nsec = (long)(monotonic_ns % ns_per_s)};

    (void)ctx;
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &ts, NULL);
}

frazil_clock fz_real_clock(void)
{
    return (frazil_clock){.now = real_now, .monotonic_ns = real_monotonic_ns, .sleep_until = real_sleep_until};
}
