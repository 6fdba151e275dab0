/* SPDX-License-Identifier: MIT */
/* How long a process waits for others that look at claims. */
#include "claim.h"

#include <time.h>

#include "deadline.h"
#include "waits.h"

/* A look takes less than a pause, unless it is stopped; a pause is longer each time. */
enum {
    CLAIM_WAIT_NS = 250000000,
    CLAIM_PAUSE_NS = 1000000,
    CLAIM_PAUSE_NS_MAX = 16000000,
    CLAIM_POOL_PAUSE_NS_MAX = 256000000
};

struct fz_claim_patience fz_claim_patience(struct fz_deadline deadline, bool is_of_pool)
{
    return (struct fz_claim_patience){.deadline = deadline,
                                      .left_ns = is_of_pool ? UINT64_MAX : CLAIM_WAIT_NS,
                                      .next_ns = CLAIM_PAUSE_NS,
                                      .longest_ns = is_of_pool ? CLAIM_POOL_PAUSE_NS_MAX : CLAIM_PAUSE_NS_MAX};
}

static uint64_t lesser_of(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

bool fz_claim_pause(struct fz_claim_patience *patience)
{
    const uint64_t pause_ns =
        lesser_of(lesser_of(patience->next_ns, patience->left_ns), fz_deadline_left_ns(patience->deadline));
    const struct timespec pause = {.tv_nsec = (long)pause_ns};

    if (pause_ns == 0 || fz_waits_ended())
        return false;
    clock_nanosleep(CLOCK_MONOTONIC, 0, &pause, NULL);
    patience->left_ns -= pause_ns;
    patience->next_ns = lesser_of(2 * pause_ns, patience->longest_ns);
    return true;
}
