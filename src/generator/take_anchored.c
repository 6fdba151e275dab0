/* SPDX-License-Identifier: MIT */
/* The fast path where slots are not taken by adding; beside take.c, which is compiled for size. */
#include "generator_internal.h"
#include "os/counter.h"
#include "take.h"

bool fz_take_anchored(frazil *gen, uint64_t n, struct fz_anchor_view *ret_anchor, uint64_t *ret_nth)
{
    struct fz_anchor_view anchor;

    if (gen->fast_path == FZ_FAST_NONE || !fz_anchor_read(&gen->private_page->anchor, &anchor) ||
        !fz_counter_is_in(anchor.counter, anchor.range))
        return false;
    uint64_t word = atomic_load_explicit(gen->word, memory_order_relaxed);
    uint64_t nth;
    do {
        nth = word - anchor.first_slot;
        /* Also false where the word is before the anchor: then nth wraps, and is larger than any capacity. */
        if (nth > gen->rules.capacity || n > gen->rules.capacity - nth)
            return false;
    } while (
        !atomic_compare_exchange_weak_explicit(gen->word, &word, word + n, memory_order_relaxed, memory_order_relaxed));
    *ret_anchor = anchor;
    *ret_nth = nth;
    return true;
}
