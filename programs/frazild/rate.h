/* SPDX-License-Identifier: MIT */
/*
 * Limits of ids a second, shared by all threads without a lock: a bucket that holds one second's ids.
 */
#ifndef FRAZILD_RATE_H
#define FRAZILD_RATE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct rate {
    uint32_t per_second;      /* 0: no limit */
    _Atomic uint64_t full_ns; /* when the bucket is full again */
};

/*
 * Takes n ids' worth out of the bucket.  False: there is not so much in it, nothing was taken, and *ret_retry_ns says
 * when there will be; UINT64_MAX if n is more than the bucket ever holds.  Any thread.
 */
bool rate_take(struct rate *rate, uint32_t n, uint64_t now_ns, uint64_t *ret_retry_ns);

/* Puts n ids' worth back that were taken for nothing.  Any thread. */
void rate_give_back(struct rate *rate, uint32_t n);

#endif
