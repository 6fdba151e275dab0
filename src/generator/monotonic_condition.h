/* SPDX-License-Identifier: MIT */
/* Conditions whose waits are timed by the clock that nobody sets: a wall clock that is set back prolongs no wait. */
#ifndef FZ_GENERATOR_MONOTONIC_CONDITION_H
#define FZ_GENERATOR_MONOTONIC_CONDITION_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "core/deadline.h"

/* Makes a condition for pthread_cond_timedwait with times of CLOCK_MONOTONIC.  0 or an errno.  Any thread. */
FZ_PRIVATE int fz_monotonic_condition_init(pthread_cond_t *ret);

/* The time in ns nanoseconds, at most a second, for such a wait.  Any thread. */
FZ_PRIVATE struct timespec fz_monotonic_in(uint64_t ns);

/*
 * Waits under the lock, a mutex of the caller's, until it is signalled or the deadline is over, and for 0.1 s at most:
 * a caller looks again whether what it waits for has come, or a reason to end the wait that signals nothing.  False:
 * the deadline was over before.  A point of cancellation.  Any thread.
 */
FZ_PRIVATE bool fz_monotonic_condition_look(pthread_cond_t *cond, pthread_mutex_t *lock, struct fz_deadline deadline);

#endif
