/* SPDX-License-Identifier: MIT */
#include "monotonic_condition.h"

#include "core/duration.h"
#include "os/deadline.h"

static const uint64_t longest_look_apart_ns = 100000000;

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

bool fz_monotonic_condition_look(pthread_cond_t *cond, pthread_mutex_t *lock, struct fz_deadline deadline)
{
    const uint64_t left_ns = fz_deadline_left_ns(deadline);
    struct timespec until = fz_monotonic_in(left_ns < longest_look_apart_ns ? left_ns : longest_look_apart_ns);

    if (left_ns > 0)
        (void)pthread_cond_timedwait(cond, lock, &until);
    return left_ns > 0;
}
