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

/* Leaf 8000_0007h, EDX bit 8: "invariant TSC", in every power state. */
static inline bool fz_counter_is_constant(void)
{
    unsigned a, b, c, d;

    return __get_cpuid(0x80000007u, &a, &b, &c, &d) != 0 && (d & (1u << 8)) != 0;
}

/* Names of the kernel's clock sources that are built on this counter, each with a space behind. */
#define FZ_COUNTER_CLOCKSOURCES "tsc kvm-clock hyperv_clocksource_tsc_page "

#endif
