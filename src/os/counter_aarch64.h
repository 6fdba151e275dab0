/* SPDX-License-Identifier: MIT */
/*
 * aarch64: the virtual counter of the generic timer, constant by definition.
 */
#ifndef FZ_OS_COUNTER_AARCH64_H
#define FZ_OS_COUNTER_AARCH64_H

#include <stdbool.h>
#include <stdint.h>

static inline uint64_t fz_counter_read(void)
{
    uint64_t value;

    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(value));
    return value;
}

static inline bool fz_counter_is_in(uint64_t start, uint64_t range)
{
    return fz_counter_read() - start < range;
}

static inline uint64_t fz_counter_clip(uint64_t start, uint64_t range)
{
    (void)start;
    return range;
}

static inline bool fz_counter_is_constant(void)
{
    return true;
}

#define FZ_COUNTER_CLOCKSOURCES "arch_sys_counter "

#endif
