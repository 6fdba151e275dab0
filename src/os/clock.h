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

#include "frazil/clock.h"

/* The real clock.  Its ctx is NULL; any thread, any number of users. */
FZ_PRIVATE frazil_clock fz_real_clock(void);

/* The wall clock, directly. */
FZ_PRIVATE frazil_instant fz_real_now(void);

#endif
