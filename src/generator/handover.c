/* SPDX-License-Identifier: MIT */
#include "handover.h"

#include "generator_internal.h"

/* Lets the grant that was seen reach to the tick at most.  False: others have put another one in force. */
static bool shorten(frazil *gen, struct fz_observation *seen, uint64_t until)
{
    struct fz_grant_ring *ring = &gen->shared->grants;
    struct fz_grant grant = seen->grant;

    grant.until = until < grant.until ? until : grant.until;
    /* Before its floor none of its ticks is left; no grant ends earlier, for a process that finds this one. */
    if (grant.until + 1 < grant.floor)
        grant.until = grant.floor - 1;
    if (!fz_grant_ring_put(ring, seen->grant_number, &grant))
        return false;
    struct fz_grant found = fz_grant_ring_look(ring, &seen->grant_number);
    return found.version == grant.version && found.worker == grant.worker && found.until == grant.until;
}

/* The first tick of which nothing is used.  A word in tick 0 tells nothing of it. */
static uint64_t unused_tick(const frazil *gen, uint64_t word)
{
    uint64_t tick = fz_slot_tick(&gen->rules, word);

    return tick + (tick == 0 || fz_slot_place(&gen->rules, word) > gen->rules.floor);
}

/* Changes the word so that it stands in the tick.  False: meanwhile a slot of that tick, or of a later one, was taken.
 */
static bool move_word(frazil *gen, uint64_t tick)
{
    const struct fz_slot_rules *rules = &gen->rules;
    uint64_t word = atomic_load_explicit(gen->word, memory_order_relaxed);
    uint64_t next;

    do {
        if (unused_tick(gen, word) > tick)
            return false;
        next = fz_slot_first(rules, fz_slot_side(rules, word), tick);
        if (next == word && !fz_slot_advance(rules, word, 1, &next))
            return true; /* the layout's very last slot: no id of the next worker can follow it */
    } while (
        !atomic_compare_exchange_strong_explicit(gen->word, &word, next, memory_order_release, memory_order_relaxed));
    atomic_fetch_add_explicit(&gen->shared->skipped, fz_slot_line(rules, next) - fz_slot_line(rules, word),
                              memory_order_relaxed);
    return true;
}

bool fz_begin_above(frazil *gen, struct fz_observation *seen, struct fz_grant *grant)
{
    uint64_t tick;

    do {
        tick = unused_tick(gen, atomic_load_explicit(gen->word, memory_order_relaxed));
        if (tick > gen->rules.last_tick)
            break;
        if (!shorten(gen, seen, tick - 1))
            return false;
    } while (!move_word(gen, tick));
    tick = tick <= grant->until ? tick : grant->until + 1;
    grant->floor = grant->floor < tick ? tick : grant->floor;
    return true;
}
