/* SPDX-License-Identifier: MIT */
/* Taking 64-bit ids. */
#include "compose.h"
#include "core/sentence.h"
#include "generator_internal.h"
#include "os/counter.h"
#include "remote_slots.h"
#include "take.h"

/* One id through the slow path. */
FZ_OUT_OF_LINE static frazil_err next_slow(frazil *gen, uint64_t *ret_id)
{
    struct fz_anchor_view anchor;
    struct fz_refusal refusal;
    struct fz_taken taken;
    uint64_t nth;

    /* Checked here and not in frazil_next: a sno generator has another fast path, so it always comes here. */
    if (fz_is_sno(gen))
        return FRAZIL_EKIND;
    if (gen->remote != NULL)
        return fz_remote_take(gen, ret_id, 1, FRAZIL_WAIT_DEFAULT, &refusal);
    /* Under these policies a call may fail, so a slot past the end of the tick must not be taken to find that out. */
    if (gen->fast_path == FZ_FAST_CHECKED && fz_take_anchored(gen, 1, &anchor, &nth)) {
        *ret_id = anchor.first_id + (nth << gen->sequence_shift);
        return FRAZIL_OK;
    }
    frazil_err err = fz_take(gen, 1, FRAZIL_WAIT_DEFAULT, &taken, &refusal);
    if (err == FRAZIL_OK)
        *ret_id = fz_compose_slot(gen, taken.first, taken.worker);
    return err;
}

/* One id for a slot that only the clock, or a wait, makes an id of. */
FZ_OUT_OF_LINE static frazil_err next_waited(frazil *gen, uint64_t slot, uint64_t *ret_id)
{
    struct fz_refusal refusal;
    struct fz_taken taken;
    frazil_err err = fz_redeem(gen, slot, &taken, &refusal);

    if (err == FRAZIL_OK)
        *ret_id = fz_compose_slot(gen, taken.first, taken.worker);
    return err;
}

/* One id for a slot that was taken past the end of its tick. */
FZ_OUT_OF_LINE static frazil_err next_redeemed(frazil *gen, uint64_t slot, uint64_t *ret_id)
{
    return fz_move_on(gen, slot, ret_id) ? FRAZIL_OK : next_waited(gen, slot, ret_id);
}

frazil_err frazil_next(frazil *gen, uint64_t *ret_id)
{
    struct fz_anchor_view anchor;

    /*
     * The anchor says which slot the tick began with, and up to which count of the processor it is the current one: as
     * long as that holds nobody needs the clock.
     */
    if (gen->fast_path != FZ_FAST_ADD_64 || !fz_anchor_read(&gen->private_page->anchor, &anchor) ||
        !fz_counter_is_in(anchor.counter, anchor.range))
        return next_slow(gen, ret_id);

    /* Relaxed: that no two threads get the same number is all that it is for, and it publishes nothing else. */
    uint64_t slot = atomic_fetch_add_explicit(gen->word, 1, memory_order_relaxed);
    uint64_t nth = slot - anchor.first_slot;
    /*
     * The slot is taken, and no other thread can have it.  It is redeemed instead of given back,
     * because by now others have added behind it.
     */
    if (nth >= gen->capacity)
        return next_redeemed(gen, slot, ret_id);
    *ret_id = anchor.first_id + (nth << gen->sequence_shift);
    return FRAZIL_OK;
}

struct id_fill {
    uint64_t *ids;
    uint8_t shift;
};

/*
 * Adjacent numbers: first the remainder of a division by four, then four at a time.  The speed of an inner loop would
 * depend on the address of its code.
 */
void fz_fill_ids(uint64_t *ids, uint64_t first_id, uint64_t count, uint8_t shift)
{
    enum { AT_ONCE = 4 };
    const uint64_t one = UINT64_C(1) << shift, two = one + one, three = two + one;

    for (; count % AT_ONCE != 0; count--, first_id += one)
        *ids++ = first_id;
    for (; count > 0; count -= AT_ONCE, ids += AT_ONCE, first_id += two + two) {
        ids[0] = first_id;
        ids[1] = first_id + one;
        ids[2] = first_id + two;
        ids[3] = first_id + three;
    }
}

static void fill_ids(void *ctx, uint64_t first_slot, uint64_t first_id, uint64_t count)
{
    struct id_fill *fill = ctx;

    (void)first_slot;
    fz_fill_ids(fill->ids, first_id, count, fill->shift);
    fill->ids += count;
}

frazil_err fz_take_ids(frazil *gen, uint64_t *ret_ids, size_t n, uint64_t wait_ns, struct fz_refusal *refusal)
{
    struct id_fill fill = {.ids = ret_ids, .shift = gen->sequence_shift};
    struct fz_anchor_view anchor;
    struct fz_taken taken;
    frazil_err err;
    uint64_t nth;

    if (gen->remote != NULL) {
        err = fz_remote_take(gen, ret_ids, n, wait_ns, refusal);
        return err == FRAZIL_OK ? err : fz_judge_batch(gen, n, wait_ns, refusal);
    }
    /* All of them in this tick, or none: a part would have to be given back. */
    if (fz_take_anchored(gen, n, &anchor, &nth)) {
        fill_ids(&fill, anchor.first_slot + nth, anchor.first_id + (nth << gen->sequence_shift), n);
        return FRAZIL_OK;
    }
    err = fz_take(gen, n, wait_ns, &taken, refusal);
    if (err != FRAZIL_OK)
        return fz_judge_batch(gen, n, wait_ns, refusal);
    fz_emit_runs(gen, &taken, n, fill_ids, &fill);
    return FRAZIL_OK;
}

frazil_err frazil_take(frazil *gen, uint64_t *ret_ids, size_t n, uint64_t wait_ns, frazil_error *reterr)
{
    struct fz_refusal refusal;

    if (fz_is_sno(gen))
        return fz_fail(reterr, FRAZIL_EKIND, "the generator's layout is sno: take snos from it, not 64-bit ids");
    frazil_err err = n == 0 ? FRAZIL_OK : fz_take_ids(gen, ret_ids, n, wait_ns, &refusal);
    return err == FRAZIL_OK ? err : fz_explain_wait(gen, &refusal, wait_ns, reterr);
}

frazil_err frazil_next_at(frazil *gen, int64_t unix_ms, uint64_t *ret_id, frazil_error *reterr)
{
    frazil_fields fields = {
        .unix_ms = unix_ms, .worker = fz_grant_ring_read(&gen->shared->grants).worker, .sequence = gen->rules.seq_min};
    uint64_t ignored;

    if (fz_is_stopped(gen))
        return fz_fail_stopped(reterr);
    /* Checked before a sequence number is used up: a call that fails takes none. */
    frazil_err err = frazil_id_compose(&gen->layout, &fields, &ignored, reterr);
    if (err != FRAZIL_OK)
        return err;
    fields.sequence = fz_explicit_sequence(gen);
    return frazil_id_compose(&gen->layout, &fields, ret_id, reterr);
}
