/* SPDX-License-Identifier: MIT */
/* Any other processor: no counter, every id reads the clock. */
#ifndef FZ_OS_COUNTER_GENERIC_H
#define FZ_OS_COUNTER_GENERIC_H

#include <stdbool.h>
#include <stdint.h>

static inline uint64_t fz_counter_read(void)
{
    return 0;
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
    return false;
}

#define FZ_COUNTER_CLOCKSOURCES ""

#endif
