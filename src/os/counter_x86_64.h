/* SPDX-License-Identifier: MIT */
/*
 * x86-64: the time-stamp counter.  Read without a fence: being read a few
 * nanoseconds early, by speculation, only makes a reading older by as much.
 */
#ifndef FZ_OS_COUNTER_X86_64_H
#define FZ_OS_COUNTER_X86_64_H

#include <cpuid.h>
#include <stdbool.h>
#include <stdint.h>

static inline uint64_t fz_counter_read(void)
{
    return __builtin_ia32_rdtsc();
}

/*
 * The counter comes in two halves, and they are compared as they come: joined
 * first, they would keep the atomic addition that follows waiting, which starts
 * when all before it is done.
 */
static inline bool fz_counter_halves_in(uint32_t low, uint32_t high, uint64_t start, uint64_t range)
{
    return high == (uint32_t)(start >> 32) && low - (uint32_t)start < (uint32_t)range;
}

static inline bool fz_counter_is_in(uint64_t start, uint64_t range)
{
    uint32_t low, high;

    __asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
    return fz_counter_halves_in(low, high, start, range);
}

/* Up to where the low half starts again, which it does every second or two. */
static inline uint64_t fz_counter_clip(uint64_t start, uint64_t range)
{
    uint64_t most = UINT32_MAX - (uint32_t)start;

    return range < most ? range : most;
}

/* Leaf 8000_0007h, EDX bit 8: "invariant TSC", in every power state. */
static inline bool fz_counter_is_constant(void)
{
    unsigned a, b, c, d;

    return __get_cpuid(0x80000007u, &a, &b, &c, &d) != 0 && (d & (1u << 8)) != 0;
}

/* Names of the kernel's clock sources that are built on this counter, each with a space behind. */
#define FZ_COUNTER_CLOCKSOURCES "tsc kvm-clock hyperv_clocksource_tsc_page "

#endif
