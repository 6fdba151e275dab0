/* SPDX-License-Identifier: MIT */
/* What a measurement reads: the clock, and the processor's counter where there is one. */
#ifndef BENCH_CLOCK_H
#define BENCH_CLOCK_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

/* Nanoseconds of a clock: CLOCK_MONOTONIC, CLOCK_THREAD_CPUTIME_ID. */
static inline double bench_clock_ns(clockid_t clock)
{
    struct timespec now = {0, 0};

    (void)clock_gettime(clock, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

/* Now, in nanoseconds since some time or other. */
static inline double bench_now_ns(void)
{
    return bench_clock_ns(CLOCK_MONOTONIC);
}

/* What this thread has run so far, in nanoseconds: what others do on the machine meanwhile does not add to it. */
static inline double bench_worked_ns(void)
{
    return bench_clock_ns(CLOCK_THREAD_CPUTIME_ID);
}

/* The counter; 0 where there is none.  Also what a bare read of it costs is measured with this. */
static inline uint64_t bench_counter(void)
{
#if defined(__x86_64__)
    return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
    uint64_t value;

    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(value));
    return value;
#else
    return 0;
#endif
}

#if defined(__x86_64__) || defined(__aarch64__)
#define BENCH_HAS_COUNTER true
#else
#define BENCH_HAS_COUNTER false
#endif

/* Keeps the compiler from leaving out what a loop computes. */
#define BENCH_KEEP(value) __asm__ volatile("" : : "r"(value) : "memory")

#endif
