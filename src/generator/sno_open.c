/* SPDX-License-Identifier: MIT */
/* Sno generators that continue from a snapshot. */
#include "core/layout_internal.h"
#include "generator_internal.h"
#include "open.h"

/* Sets the word and the sides so that no id of the snapshot's generator can come again. */
void fz_continue_from(frazil *gen, const frazil_sno_snapshot *snapshot)
{
    const struct fz_slot_rules *rules = &gen->rules;
    unsigned side = snapshot->drifts & 1;
    uint32_t used = snapshot->sequence == 0 ? rules->seq_min : snapshot->sequence;
    uint64_t first = fz_slot_first(rules, side, (uint64_t)snapshot->wall_hi);
    uint64_t places = used - rules->seq_min + UINT64_C(1);
    int64_t high_ms = fz_layout_tick_unix_ms(&gen->layout, (uint64_t)snapshot->wall_hi);

    /* A sequence beyond the upper bound was counted by callers that had to wait: the unit is full. */
    uint64_t word = first + (places < rules->capacity ? places : rules->capacity);
    atomic_init(&gen->shared->word, word);
    gen->shared->origin = fz_slot_line(rules, word);
    atomic_init(&gen->shared->side_free[side ^ 1], snapshot->wall_safe == 0 ? 0 : (uint64_t)snapshot->wall_safe + 1);
    atomic_init(&gen->shared->ticktocks, snapshot->drifts);
    atomic_init(&gen->shared->high_us, high_ms * 1000);
}
