/* SPDX-License-Identifier: MIT */
/* The simulated hosts behind the headers of src/os: clock and counter. */
#include "faults.h"
#include "host.h"
#include "os/clock.h"
#include "os/counter.h"
#include "os/guard.h"
#include "process.h"
#include "world.h"

frazil_instant fz_real_now(void)
{
    faults_call(30);
    int64_t ns = host_clock_ns(self()->host);
    self()->threads[self_thread()].readings++;
    self()->threads[self_thread()].read_ns = world_now();
    int64_t ms = ns / (int64_t)MS - (ns % (int64_t)MS < 0);

    return (frazil_instant){.unix_ms = TRUE_UNIX_MS + ms, .ns = (uint32_t)(ns - ms * (int64_t)MS)};
}

static void real_now(void *ctx, frazil_instant *ret)
{
    (void)ctx;
    *ret = fz_real_now();
}

static uint64_t real_monotonic_ns(void *ctx)
{
    (void)ctx;
    faults_call(30);
    return host_monotonic_ns(self()->host);
}

/* It may return early, and late. */
static void real_sleep_until(void *ctx, uint64_t monotonic_ns)
{
    (void)ctx;
    uint64_t now_ns = host_monotonic_ns(self()->host);
    uint64_t ns = monotonic_ns > now_ns ? monotonic_ns - now_ns : 0;

    if (once_in(50))
        ns = pick(ns + 1);
    self()->threads[self_thread()].slept_ns += ns;
    self()->threads[self_thread()].read_before_sleep_ns = self()->threads[self_thread()].read_ns;
    faults_call(ns + pick(60 * US));
}

frazil_clock fz_real_clock(void)
{
    return (frazil_clock){.size = sizeof(frazil_clock),
                          .now = real_now,
                          .monotonic_ns = real_monotonic_ns,
                          .sleep_until = real_sleep_until};
}

bool fz_counter_usable(void)
{
    return self()->host->has_counter;
}

uint64_t fz_counter_read(void)
{
    faults_step();
    return host_counter(self()->host);
}

struct fz_deadline fz_guard_deadline(void)
{
    return fz_deadline_in(2 * SECOND);
}
