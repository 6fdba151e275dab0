/* SPDX-License-Identifier: MIT */
#include "deadline.h"

#include "clock.h"

struct fz_deadline fz_deadline_in(uint64_t ns)
{
    uint64_t now_ns = fz_real_monotonic_ns();

    return ns > UINT64_MAX - now_ns ? FZ_DEADLINE_NONE : (struct fz_deadline){now_ns + ns};
}

uint64_t fz_deadline_left_ns(struct fz_deadline deadline)
{
    if (deadline.at_ns == UINT64_MAX)
        return UINT64_MAX;
    uint64_t now_ns = fz_real_monotonic_ns();
    return now_ns >= deadline.at_ns ? 0 : deadline.at_ns - now_ns;
}

struct fz_deadline fz_deadline_earlier(struct fz_deadline deadline, struct fz_deadline other)
{
    return deadline.at_ns < other.at_ns ? deadline : other;
}
