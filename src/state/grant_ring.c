/* SPDX-License-Identifier: MIT */
#include "grant_ring.h"

enum { PART_BITS = 32, PARTS_MAX = 13 };

_Static_assert(FZ_GRANT_PARTS <= PARTS_MAX, "an entry has a place for each part");

static uint64_t joined(uint64_t high, uint64_t low)
{
    return high << PART_BITS | (uint32_t)low;
}

struct fz_grant fz_grant_ring_look(const struct fz_grant_ring *ring, uint64_t *ret_number)
{
    uint64_t parts[PARTS_MAX] = {0};
    uint64_t number;

    /* The entry in force is never written to, so it is whole if it was in force all the time. */
    do {
        number = atomic_load_explicit(&ring->number, memory_order_acquire);
        unsigned entry = (unsigned)(number % FZ_GRANT_ENTRIES);
        for (unsigned i = 0; i < FZ_GRANT_PARTS; i++)
            parts[i] = atomic_load_explicit(&ring->entries[entry].parts[i], memory_order_acquire);
    } while (atomic_load_explicit(&ring->number, memory_order_relaxed) != number);
    *ret_number = number;
    return (struct fz_grant){.worker = (uint32_t)parts[0],
                             .floor = joined(parts[1], parts[2]),
                             .until = joined(parts[3], parts[4]),
                             .version = joined(parts[5], parts[6]),
                             .space = {.token_high = joined(parts[7], parts[8]),
                                       .token_low = joined(parts[9], parts[10]),
                                       .horizon_ms = (uint32_t)parts[11],
                                       .max_skew_ms = (uint32_t)parts[12]}};
}

struct fz_grant fz_grant_ring_read(const struct fz_grant_ring *ring)
{
    uint64_t ignored;

    return fz_grant_ring_look(ring, &ignored);
}

/* False: a later claim has written there. */
static bool write_part(_Atomic uint64_t *part, uint32_t claim, uint64_t value)
{
    uint64_t seen = atomic_load_explicit(part, memory_order_relaxed);

    do {
        /* Claims may wrap around; no writer is 2^31 of them late. */
        if ((int32_t)(claim - (uint32_t)(seen >> PART_BITS)) < 0)
            return false;
    } while (!atomic_compare_exchange_strong_explicit(part, &seen, joined(claim, value), memory_order_release,
                                                      memory_order_relaxed));
    return true;
}

/* Shuts out all processes that have looked at the ring before. */
static bool claim(struct fz_grant_ring *ring, uint64_t number)
{
    return atomic_compare_exchange_strong_explicit(&ring->number, &number, number + FZ_GRANT_ENTRIES,
                                                   memory_order_relaxed, memory_order_relaxed);
}

/* Puts the next entry in force, if nobody has claimed the ring since. */
static bool publish(struct fz_grant_ring *ring, uint64_t claimed)
{
    uint64_t entry = claimed % FZ_GRANT_ENTRIES;
    uint64_t next = claimed - entry + (entry + 1) % FZ_GRANT_ENTRIES;

    return atomic_compare_exchange_strong_explicit(&ring->number, &claimed, next, memory_order_release,
                                                   memory_order_relaxed);
}

bool fz_grant_ring_put(struct fz_grant_ring *ring, uint64_t number, const struct fz_grant *grant)
{
    const struct fz_grant_space *space = &grant->space;
    const uint64_t parts[PARTS_MAX] = {
        grant->worker,     grant->floor >> PART_BITS,     grant->floor,     grant->until >> PART_BITS,
        grant->until,      grant->version >> PART_BITS,   grant->version,   space->token_high >> PART_BITS,
        space->token_high, space->token_low >> PART_BITS, space->token_low, space->horizon_ms,
        space->max_skew_ms};
    uint64_t claimed = number + FZ_GRANT_ENTRIES;
    uint64_t next = (number + 1) % FZ_GRANT_ENTRIES;

    if (!claim(ring, number))
        return false;
    for (unsigned i = 0; i < FZ_GRANT_PARTS; i++) {
        if (!write_part(&ring->entries[next].parts[i], (uint32_t)(claimed / FZ_GRANT_ENTRIES), parts[i]))
            return false;
    }
    return publish(ring, claimed);
}
