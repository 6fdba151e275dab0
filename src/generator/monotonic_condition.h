/* SPDX-License-Identifier: MIT */
/* Conditions whose waits are timed by the clock that nobody sets: a wall clock that is set back prolongs no wait. */
#ifndef FZ_GENERATOR_MONOTONIC_CONDITION_H
#define FZ_GENERATOR_MONOTONIC_CONDITION_H

#include <pthread.h>

/* Makes a condition for pthread_cond_timedwait with times of CLOCK_MONOTONIC.  0 or an errno.  Any thread. */
FZ_PRIVATE int fz_monotonic_condition_init(pthread_cond_t *ret);

#endif
