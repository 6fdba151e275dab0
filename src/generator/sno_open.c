/* SPDX-License-Identifier: MIT */
/* Sno generators that continue from a snapshot. */
#include "core/layout_internal.h"
#include "generator_internal.h"
#include "observation.h"
#include "open.h"

static uint64_t further_of(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/*
 * Sets the word and the sides so that no id of the snapshot's generator can come again: neither of before the snapshot,
 * nor of after it, as far as this process knows.  Opening has left there what that is: a word on the first side, and
 * the free tick of the second.
 */
void fz_continue_from(frazil *gen, const struct fz_snapshot *snapshot)
{
    const struct fz_slot_rules *rules = &gen->rules;
    unsigned side = snapshot->drifts & 1;
    uint32_t used = snapshot->sequence == 0 ? rules->seq_min : snapshot->sequence;
    uint64_t first = fz_slot_first(rules, side, (uint64_t)snapshot->wall_hi);
    uint64_t places = used - rules->seq_min + UINT64_C(1);
    int64_t high_ms = fz_layout_tick_unix_ms(&gen->layout, (uint64_t)snapshot->wall_hi);

    /* A sequence beyond the upper bound was counted by callers that had to wait: the unit is full. */
    uint64_t word = first + (places < rules->capacity ? places : rules->capacity);
    uint64_t other_free = snapshot->wall_safe == 0 ? 0 : (uint64_t)snapshot->wall_safe + 1;
    const uint64_t known[] = {gen->shared->word, fz_slot_first(rules, 1, gen->shared->side_free[1])};
    word = further_of(word, known[side]);
    gen->shared->word = word;
    gen->shared->origin = fz_slot_line(rules, word);
    gen->shared->side_free[side ^ 1] = further_of(other_free, fz_slot_free_tick(rules, known[side ^ 1]));
    atomic_init(&gen->shared->ticktocks, snapshot->drifts);
    fz_raise_i64(&gen->shared->high_us, high_ms * 1000);
}
