/* SPDX-License-Identifier: MIT */
/* Ids that lead go on from tick to tick without the clock; beside take.c, which is compiled for size. */
#include "generator_internal.h"
#include "left_off.h"
#include "take.h"

/*
 * The anchor is read without its counter: the caller has found the counter in the range of this anchor, or of one that
 * this one has replaced since, which it does only while its own range lasts (fz_anchor_publish).
 */
bool fz_move_on(frazil *gen, uint64_t slot, uint64_t *ret_id)
{
    struct fz_anchor *anchor = &gen->private_page->anchor;
    const struct fz_slot_rules *rules = &gen->rules;
    /* The members belong together if this is still the version when the anchor is moved. */
    uint64_t version = atomic_load_explicit(&anchor->version, memory_order_acquire);
    uint64_t end = atomic_load_explicit(&anchor->lead_end, memory_order_relaxed);

    if (slot >= end || fz_slot_in_hole(rules, slot))
        return false;
    uint64_t first_slot = atomic_load_explicit(&anchor->first_slot, memory_order_relaxed);
    if (slot < first_slot)
        return false;
    /* A process that replaces a grant writes to the ring before it raises the word, from which this slot may come. */
    (void)atomic_load_explicit(gen->word, memory_order_acquire);
    if (atomic_load_explicit(&anchor->grant_number, memory_order_relaxed) !=
        atomic_load_explicit(&gen->shared->grants.number, memory_order_relaxed))
        return false;

    uint64_t ticks = (slot - first_slot) >> rules->seq_bits;
    uint64_t first_id =
        atomic_load_explicit(&anchor->first_id, memory_order_relaxed) + (ticks << gen->fixed.time_shift);
    uint64_t lead_us =
        atomic_load_explicit(&anchor->lead_us, memory_order_relaxed) + ticks * gen->layout.tick_ms * 1000;
    first_slot += ticks << rules->seq_bits;
    fz_left_off_use(gen, fz_slot_tick(rules, first_slot));
    if (!fz_anchor_move(anchor, version, first_slot, first_id, lead_us))
        return false;
    /* frazil_stop may have wanted to close the anchor meanwhile. */
    if (fz_is_stopped(gen))
        fz_anchor_close(anchor);
    *ret_id = first_id + ((slot - first_slot) << gen->sequence_shift);
    return true;
}
