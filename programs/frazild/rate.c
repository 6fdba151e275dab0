/* SPDX-License-Identifier: MIT */
#include "rate.h"

#include "clock.h"

static uint64_t cost_of(const struct rate *rate, uint32_t n)
{
    return n * NS_PER_S / rate->per_second;
}

bool rate_take(struct rate *rate, uint32_t n, uint64_t now_ns, uint64_t *ret_retry_ns)
{
    if (rate->per_second == 0)
        return true;
    uint64_t cost_ns = cost_of(rate, n);
    if (n > rate->per_second) {
        *ret_retry_ns = UINT64_MAX;
        return false;
    }
    uint64_t full_ns = atomic_load(&rate->full_ns);
    for (;;) {
        uint64_t next_ns = (full_ns > now_ns ? full_ns : now_ns) + cost_ns;
        if (next_ns > now_ns + NS_PER_S) {
            *ret_retry_ns = next_ns - now_ns - NS_PER_S;
            return false;
        }
        if (atomic_compare_exchange_weak(&rate->full_ns, &full_ns, next_ns))
            return true;
    }
}

void rate_give_back(struct rate *rate, uint32_t n)
{
    if (rate->per_second == 0)
        return;
    uint64_t cost_ns = cost_of(rate, n), full_ns = atomic_load(&rate->full_ns);
    while (!atomic_compare_exchange_weak(&rate->full_ns, &full_ns, full_ns > cost_ns ? full_ns - cost_ns : 0))
        continue;
}
