/* SPDX-License-Identifier: MIT */
/* Time that never steps, for timeouts. */
#ifndef FRAZILD_CLOCK_H
#define FRAZILD_CLOCK_H

#include <stdint.h>
#include <time.h>

#define NS_PER_MS UINT64_C(1000000)
#define NS_PER_S UINT64_C(1000000000)

/* Nanoseconds of the monotonic clock. */
static inline uint64_t clock_ns(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
}

#endif
