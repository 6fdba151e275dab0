/* SPDX-License-Identifier: MIT */
#include "monotonic_condition.h"

#include <time.h>

int fz_monotonic_condition_init(pthread_cond_t *ret)
{
    pthread_condattr_t attributes;

    int sys = pthread_condattr_init(&attributes);
    if (sys != 0)
        return sys;
    sys = pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    if (sys == 0)
        sys = pthread_cond_init(ret, &attributes);
    pthread_condattr_destroy(&attributes);
    return sys;
}
