/* SPDX-License-Identifier: MIT */
/*
 * The real clock behind the clock port: CLOCK_REALTIME for ids, CLOCK_MONOTONIC
 * for waits.
 *
 * Sleeping is bounded by monotonic time and not by an absolute sleep on the wall
 * clock, because a wall clock that is set back would stretch such a sleep by the
 * whole step, beyond any max_wait.
 */
#ifndef FZ_OS_CLOCK_H
#define FZ_OS_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "frazil/clock.h"

/* The real clock.  Its ctx is NULL; any thread, any number of users. */
FZ_PRIVATE frazil_clock fz_real_clock(void);

/* The wall clock, directly. */
FZ_PRIVATE frazil_instant fz_real_now(void);

/* The real clock's monotonic time. */
static inline uint64_t fz_real_monotonic_ns(void)
{
    const frazil_clock clock = fz_real_clock();

    return clock.monotonic_ns(clock.ctx);
}

/* ---- how far the clock can be believed, as the kernel knows it ------------------ */

/* Bytes of the name of a clock source, terminator included. */
#define FZ_CLOCK_SOURCE_SIZE 64

struct fz_kernel_clock {
    bool synchronised;    /* somebody (chronyd, ntpd, timesyncd) keeps it right */
    int64_t max_error_us; /* the kernel's own bound; grows by half a millisecond a second while nobody does */
};

/* 0 or an errno: a sandbox may forbid it; ENOTSUP in the portable build. */
FZ_PRIVATE int fz_kernel_clock_read(struct fz_kernel_clock *ret);

/* The name of the source by which the kernel counts time: "tsc".  0 or an errno; ENOTSUP in the portable build. */
FZ_PRIVATE int fz_clock_source(char ret[FZ_CLOCK_SOURCE_SIZE]);

/*
 * The wall clock minus the time since the boot, in microseconds: both are slewed
 * alike, so this changes when the wall clock is stepped, and only then.  Exact to
 * a few microseconds unless the machine is very busy.  -1: not known, as in the
 * portable build.
 */
FZ_PRIVATE int64_t fz_clock_since_boot_us(void);

#endif
