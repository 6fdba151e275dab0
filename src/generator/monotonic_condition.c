/* SPDX-License-Identifier: MIT */
#include "monotonic_condition.h"

#include "core/duration.h"

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

struct timespec fz_monotonic_in(uint64_t ns)
{
    struct timespec at;

    clock_gettime(CLOCK_MONOTONIC, &at);
    uint64_t at_ns = (uint64_t)at.tv_nsec + ns;
    at.tv_sec += (time_t)(at_ns / FZ_NS_PER_S);
    at.tv_nsec = (long)(at_ns % FZ_NS_PER_S);
    return at;
}
