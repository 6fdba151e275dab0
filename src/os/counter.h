/* SPDX-License-Identifier: MIT */
/*
 * The processor's time-stamp counter: runs at a constant rate, costs a fraction
 * of a clock reading.  A processor that is not named here has none.
 */
#ifndef FZ_OS_COUNTER_H
#define FZ_OS_COUNTER_H

#ifdef __x86_64__
#include <cpuid.h>
#endif
#include <stdbool.h>
#include <stdint.h>

/*
 * Each processor has these, and FZ_COUNTER_CLOCKSOURCES: the names of the kernel's
 * clock sources that are built on its counter, each with a space behind.  And
 * FZ_COUNTER_FORM: how others than this header read it, a frazil_fast_form.
 *
 * A range of `range` counts from `start` on must not be longer than
 * fz_counter_clip(start, range), which is as much of it as can be asked of at once.
 * A counter that has run backward is in no range that has begun.
 * fz_counter_is_constant() says whether the processor promises a constant rate.
 */

#ifdef __x86_64__
/*
 * x86-64: the time-stamp counter.  Read without a fence: being read a few
 * nanoseconds early, by speculation, only makes a reading older by as much.
 */
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

/* Whether the counter is in the range now. */
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

#define FZ_COUNTER_FORM FRAZIL_FAST_X86_TSC
#define FZ_COUNTER_CLOCKSOURCES "tsc kvm-clock hyperv_clocksource_tsc_page "

#else

#ifdef __aarch64__
/* aarch64: the virtual counter of the generic timer. */
static inline uint64_t fz_counter_read(void)
{
    uint64_t value;

    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(value));
    return value;
}

/* By definition. */
static inline bool fz_counter_is_constant(void)
{
    return true;
}

#define FZ_COUNTER_FORM FRAZIL_FAST_ARM_CNTVCT
#define FZ_COUNTER_CLOCKSOURCES "arch_sys_counter "
#else
/* Any other processor: no counter, every id reads the clock. */
static inline uint64_t fz_counter_read(void)
{
    return 0;
}

/* There is none. */
static inline bool fz_counter_is_constant(void)
{
    return false;
}

#define FZ_COUNTER_FORM FRAZIL_FAST_NONE
#define FZ_COUNTER_CLOCKSOURCES ""
#endif

/* Whether the counter is in the range now. */
static inline bool fz_counter_is_in(uint64_t start, uint64_t range)
{
    return fz_counter_read() - start < range;
}

/* All of it. */
static inline uint64_t fz_counter_clip(uint64_t start, uint64_t range)
{
    (void)start;
    return range;
}
#endif

/* Whether the counter is constant and the clock source of that name, as the kernel writes it, is built on it. */
FZ_PRIVATE bool fz_counter_drives(const char *clock_source);

/*
 * Whether fz_counter_read can be trusted on this machine: the processor says
 * that the rate is constant, and the kernel tells time by the same counter,
 * which it stops doing as soon as it sees it misbehave.  Reads one small file.
 */
FZ_PRIVATE bool fz_counter_usable(void);

#endif
