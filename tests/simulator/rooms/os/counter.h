/* SPDX-License-Identifier: MIT */
/* The simulated processor's counter, in place of src/os/counter.h. */
#ifndef FZ_OS_COUNTER_H
#define FZ_OS_COUNTER_H

#include <stdbool.h>
#include <stdint.h>

/* Counts since the host was switched on. */
uint64_t fz_counter_read(void);

/* No machine code reads it. */
#define FZ_COUNTER_FORM FRAZIL_FAST_NONE

/* As the real one: whether the counter is in a range now. */
static inline bool fz_counter_is_in(uint64_t first, uint64_t range)
{
    return fz_counter_read() - first < range;
}

/* So much of a range can be asked of at once: all of it. */
static inline uint64_t fz_counter_clip(uint64_t first, uint64_t range)
{
    (void)first;
    return range;
}

/* Whether this simulated host has one. */
bool fz_counter_usable(void);

#endif
