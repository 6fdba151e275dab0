/* SPDX-License-Identifier: MIT */
/*
 * The processor's time-stamp counter: runs at a constant rate, costs a fraction
 * of a clock reading.  One header a processor; the generic one has none.
 */
#ifndef FZ_OS_COUNTER_H
#define FZ_OS_COUNTER_H

#include <stdbool.h>
#include <stdint.h>

#if defined(__x86_64__)
#include "counter_x86_64.h"
#elif defined(__aarch64__)
#include "counter_aarch64.h"
#else
#include "counter_generic.h"
#endif

/*
 * fz_counter_read() is the counter.
 *
 * fz_counter_is_in(start, range) reads it and says whether it is one of the
 * `range` counts from start on; one that has run backward is not.  It may be
 * asked only of a range that is not longer than fz_counter_clip(start, range),
 * which is as much of it as can be asked of at once.
 */

/*
 * Whether fz_counter_read can be trusted on this machine: the processor says
 * that the rate is constant, and the kernel tells time by the same counter,
 * which it stops doing as soon as it sees it misbehave.  Reads one small file.
 */
FZ_PRIVATE bool fz_counter_usable(void);

#endif
