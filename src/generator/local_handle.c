/* SPDX-License-Identifier: MIT */
/*
 * Per-thread handles.  A handle's block lies on a page that the kernel wipes in
 * a child, so parent and child can never both issue it.  Where the kernel does
 * not do that, or there is no counter to tell when the tick is over, a handle
 * holds no block and each id comes from the generator.
 */
#include <stdlib.h>

#include "core/sentence.h"
#include "generator_internal.h"
#include "os/counter.h"
#include "os/memory.h"
#include "take.h"

enum { LARGEST_BLOCK = 1024, BLOCKS_PER_TICK = 16 };

/* Slots of one tick that belong to the thread.  All zero: none. */
struct block {
    uint64_t left;
    uint64_t next_id;
    uint64_t counter; /* the range of the counter in which the tick is current */
    uint64_t range;
    uint64_t first_slot; /* of the tick */
    uint64_t size;       /* of the last block that was taken */
};

struct frazil_local {
    struct block *block; /* on a wiped page */
    uint64_t step;       /* from one id to the next */
    uint64_t largest;    /* block; 0: take none */
    frazil *gen;
};

/* Blocks start at one id and double within a tick, so that a thread in little use wastes little. */
static uint64_t next_size(const frazil_local *local, const struct fz_anchor_view *anchor)
{
    const struct block *block = local->block;

    /* The first tick of a layout starts at slot 0, as a page without a block says too. */
    if (block->size == 0 || block->first_slot != anchor->first_slot)
        return 1;
    return block->size * 2 < local->largest ? block->size * 2 : local->largest;
}

static void drop_block(frazil_local *local)
{
    atomic_fetch_add_explicit(&local->gen->shared->skipped, local->block->left, memory_order_relaxed);
    local->block->left = 0;
}

/* Takes a block of the current tick, of n or more; false if that is impossible without asking the clock. */
static bool refill(frazil_local *local, size_t n)
{
    struct fz_anchor_view anchor;
    struct block *block = local->block;
    uint64_t nth;

    if (local->largest == 0 || n > local->largest || !fz_anchor_read(&local->gen->private_page->anchor, &anchor))
        return false;
    uint64_t size = next_size(local, &anchor);
    size = n > size ? n : size;
    if (!fz_take_anchored(local->gen, size, &anchor, &nth))
        return false;
    block->counter = anchor.counter;
    block->range = anchor.range;
    block->first_slot = anchor.first_slot;
    block->size = size;
    block->next_id = anchor.first_id + nth * local->step;
    block->left = size;
    return true;
}

FZ_OUT_OF_LINE static frazil_err local_next_slow(frazil_local *local, uint64_t *ret_id)
{
    struct block *block = local->block;

    drop_block(local);
    if (!refill(local, 1))
        return frazil_next(local->gen, ret_id);
    *ret_id = block->next_id;
    block->next_id += local->step;
    block->left--;
    return FRAZIL_OK;
}

frazil_err frazil_local_next(frazil_local *local, uint64_t *ret_id)
{
    struct block *block = local->block;

    if (block->left == 0 || !fz_counter_is_in(block->counter, block->range))
        return local_next_slow(local, ret_id);
    *ret_id = block->next_id;
    block->next_id += local->step;
    block->left--;
    return FRAZIL_OK;
}

static void take_from_block(frazil_local *local, uint64_t *ret_ids, size_t n)
{
    struct block *block = local->block;

    fz_fill_ids(ret_ids, block->next_id, n, local->gen->sequence_shift);
    block->next_id += n * local->step;
    block->left -= n;
}

/* Whether the block of the current tick has n, which may be a new one; false: there is no block any more. */
static bool block_has(frazil_local *local, size_t n)
{
    const struct block *block = local->block;

    if (block->left >= n && fz_counter_is_in(block->counter, block->range))
        return true;
    /* Its ids would be below those that are taken now. */
    drop_block(local);
    return refill(local, n);
}

frazil_err frazil_local_take(frazil_local *local, uint64_t *ret_ids, size_t n, uint64_t wait_ns, frazil_error *reterr)
{
    if (n == 0 || !block_has(local, n))
        return frazil_take(local->gen, ret_ids, n, wait_ns, reterr);
    take_from_block(local, ret_ids, n);
    return FRAZIL_OK;
}

frazil_err frazil_local_try_take(frazil_local *local, uint64_t *ret_ids, size_t n, size_t *ret_taken,
                                 uint64_t *ret_retry_ns, frazil_error *reterr)
{
    const struct block *block = local->block;

    /* The rest of a block comes first: the other ids can follow at once. */
    if (n > block->left && block->left > 0 && fz_counter_is_in(block->counter, block->range))
        n = (size_t)block->left;
    if (n == 0 || !block_has(local, n))
        return frazil_try_take(local->gen, ret_ids, n, ret_taken, ret_retry_ns, reterr);
    take_from_block(local, ret_ids, n);
    *ret_taken = n;
    *ret_retry_ns = 0;
    return FRAZIL_OK;
}

frazil_err frazil_local_open(frazil_local **ret, frazil *gen, frazil_error *reterr)
{
    bool wiped = false;

    if (fz_is_sno(gen))
        return fz_fail(reterr, FRAZIL_EKIND, "the generator's layout is sno: handles are for 64-bit ids");
    frazil_local *local = calloc(1, sizeof *local);
    struct block *block = local == NULL ? NULL : fz_map_wiped(sizeof *block, &wiped);
    if (block == NULL) {
        free(local);
        return fz_fail(reterr, FRAZIL_ENOMEM, "no memory for a handle");
    }
    local->block = block;
    uint64_t share = gen->rules.capacity / BLOCKS_PER_TICK;
    if (wiped && gen->fast_path != FZ_FAST_NONE)
        local->largest = share < LARGEST_BLOCK ? share : LARGEST_BLOCK;
    local->step = UINT64_C(1) << gen->sequence_shift;
    local->gen = gen;
    *ret = local;
    return FRAZIL_OK;
}

void frazil_local_close(frazil_local *local)
{
    if (local == NULL)
        return;
    drop_block(local);
    fz_unmap(local->block, sizeof *local->block);
    free(local);
}
