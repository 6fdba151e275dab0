/* SPDX-License-Identifier: MIT */
#include "pair.h"

/* Relaxed throughout: it publishes no other memory, and a mistake would cost a worker id, not an id. */

enum { HALF_BITS = 32, HALVES = 2 };

/* A half stands for a worker id: its number plus one, which fits, as FZ_NAMESPACE is no worker id. */
static uint32_t half_of(uint64_t both, unsigned half)
{
    return (uint32_t)(both >> half * HALF_BITS);
}

static uint64_t with_half(uint64_t both, unsigned half, uint32_t value)
{
    uint64_t rest = both & (uint64_t)UINT32_MAX << (HALVES - 1 - half) * HALF_BITS;

    return rest | (uint64_t)value << half * HALF_BITS;
}

/* Which half has this value; HALVES: none. */
static unsigned find_half(uint64_t both, uint32_t value)
{
    unsigned half = 0;

    while (half < HALVES && half_of(both, half) != value)
        half++;
    return half;
}

struct fz_pair_view fz_pair_look(const struct fz_lease_pair *pair)
{
    return (struct fz_pair_view){.both = atomic_load_explicit(&pair->both, memory_order_relaxed),
                                 .asked = atomic_load_explicit(&pair->asked, memory_order_relaxed)};
}

size_t fz_pair_workers(const struct fz_pair_view *seen, uint32_t ret[2])
{
    size_t n = 0;

    for (unsigned half = 0; half < HALVES; half++) {
        if (half_of(seen->both, half) != 0)
            ret[n++] = half_of(seen->both, half) - 1;
    }
    return n;
}

bool fz_pair_has(const struct fz_pair_view *seen, uint32_t worker)
{
    return find_half(seen->both, worker + 1) < HALVES;
}

void fz_pair_ask(struct fz_lease_pair *pair, uint64_t until)
{
    uint64_t asked = atomic_load_explicit(&pair->asked, memory_order_relaxed);

    while (asked < until) {
        if (atomic_compare_exchange_weak_explicit(&pair->asked, &asked, until, memory_order_relaxed,
                                                  memory_order_relaxed))
            return;
    }
}

bool fz_pair_asked(const struct fz_lease_pair *pair, uint64_t until)
{
    return until <= atomic_load_explicit(&pair->asked, memory_order_relaxed);
}

bool fz_pair_add(struct fz_lease_pair *pair, uint32_t worker)
{
    uint64_t both = atomic_load_explicit(&pair->both, memory_order_relaxed);

    while (find_half(both, worker + 1) == HALVES) {
        unsigned half = find_half(both, 0);
        if (half == HALVES)
            return false;
        if (atomic_compare_exchange_strong_explicit(&pair->both, &both, with_half(both, half, worker + 1),
                                                    memory_order_relaxed, memory_order_relaxed))
            return true;
    }
    return true;
}

void fz_pair_drop(struct fz_lease_pair *pair, const struct fz_pair_view *seen, uint32_t worker)
{
    uint64_t both = seen->both;
    unsigned half = find_half(both, worker + 1);

    if (half == HALVES || !atomic_compare_exchange_strong_explicit(&pair->both, &both, with_half(both, half, 0),
                                                                   memory_order_relaxed, memory_order_relaxed))
        return;
    /* The pair does not change when a worker id of it is taken once more, so that can have happened since. */
    if (atomic_load_explicit(&pair->asked, memory_order_relaxed) != seen->asked)
        (void)fz_pair_add(pair, worker);
}
