/* SPDX-License-Identifier: MIT */
/* Taking 64-bit ids. */
#include "core/layout_internal.h"
#include "core/sentence.h"
#include "generator_internal.h"
#include "os/counter.h"
#include "remote.h"

/* One id through the slow path. */
FZ_OUT_OF_LINE static frazil_err next_slow(frazil *gen, uint64_t *ret_id)
{
    struct fz_anchor_view anchor;
    struct fz_refusal refusal;
    struct fz_taken taken;
    uint64_t nth;

    if (fz_is_sno(gen))
        return FRAZIL_EKIND;
    if (gen->remote != NULL)
        return fz_remote_take(gen, ret_id, 1, FRAZIL_WAIT_DEFAULT, &refusal);
    if (gen->fast_path == FZ_FAST_CHECKED && fz_take_anchored(gen, 1, &anchor, &nth)) {
        *ret_id = anchor.first_id + (nth << gen->sequence_shift);
        return FRAZIL_OK;
    }
    frazil_err err = fz_take(gen, 1, FRAZIL_WAIT_DEFAULT, &taken, &refusal);
    if (err == FRAZIL_OK)
        *ret_id = fz_compose_slot(gen, taken.first, taken.worker);
    return err;
}

/* One id for a slot that was taken past the end of its tick. */
FZ_OUT_OF_LINE static frazil_err next_redeemed(frazil *gen, uint64_t slot, uint64_t *ret_id)
{
    struct fz_refusal refusal;
    struct fz_taken taken;
    frazil_err err = fz_redeem(gen, slot, &taken, &refusal);

    if (err == FRAZIL_OK)
        *ret_id = fz_compose_slot(gen, taken.first, taken.worker);
    return err;
}

frazil_err frazil_next(frazil *gen, uint64_t *ret_id)
{
    struct fz_anchor_view anchor;

    if (gen->fast_path != FZ_FAST_ADD_64 || !fz_anchor_read(&gen->private_page->anchor, &anchor) ||
        !fz_counter_is_in(anchor.counter, anchor.range))
        return next_slow(gen, ret_id);

    uint64_t slot = atomic_fetch_add_explicit(gen->word, 1, memory_order_relaxed);
    uint64_t nth = slot - anchor.first_slot;
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
 * Adjacent numbers, eight at a time: of an inner loop whose length they know,
 * compilers make vector instructions.
 */
static void fill_ids(void *ctx, uint64_t first_slot, uint64_t first_id, uint64_t count)
{
    enum { AT_ONCE = 8 };
    (void)first_slot;
    struct id_fill *fill = ctx;
    uint64_t *ids = fill->ids;
    uint64_t offsets[AT_ONCE];

    fill->ids += count;
    if (count >= AT_ONCE) {
        for (uint64_t i = 0; i < AT_ONCE; i++)
            offsets[i] = i << fill->shift;
    }
    for (; count >= AT_ONCE; count -= AT_ONCE, ids += AT_ONCE) {
        for (unsigned i = 0; i < AT_ONCE; i++)
            ids[i] = first_id + offsets[i];
        first_id += (uint64_t)AT_ONCE << fill->shift;
    }
    for (uint64_t i = 0; i < count; i++)
        ids[i] = first_id + (i << fill->shift);
}

static frazil_err take_ids(frazil *gen, uint64_t *ret_ids, size_t n, uint64_t wait_ns, struct fz_refusal *refusal)
{
    struct id_fill fill = {.ids = ret_ids, .shift = gen->sequence_shift};
    struct fz_anchor_view anchor;
    struct fz_taken taken;
    uint64_t nth;

    if (gen->remote != NULL)
        return fz_remote_take(gen, ret_ids, n, wait_ns, refusal);
    if (fz_take_anchored(gen, n, &anchor, &nth)) {
        fill_ids(&fill, anchor.first_slot + nth, anchor.first_id + (nth << gen->sequence_shift), n);
        return FRAZIL_OK;
    }
    frazil_err err = fz_take(gen, n, wait_ns, &taken, refusal);
    if (err == FRAZIL_OK)
        fz_emit_runs(gen, &taken, n, fill_ids, &fill);
    return err;
}

frazil_err frazil_next_n(frazil *gen, uint64_t *ret_ids, size_t n)
{
    struct fz_refusal refusal;

    if (fz_is_sno(gen))
        return FRAZIL_EKIND;
    if (n == 0)
        return FRAZIL_EINVAL;
    return take_ids(gen, ret_ids, n, FRAZIL_WAIT_DEFAULT, &refusal);
}

frazil_err frazil_take(frazil *gen, uint64_t *ret_ids, size_t n, uint64_t wait_ns, frazil_error *reterr)
{
    struct fz_refusal refusal;

    if (fz_is_sno(gen))
        return fz_fail(reterr, FRAZIL_EKIND, "the generator's layout is sno: take its ids with frazil_sno_take");
    if (n == 0)
        return fz_fail(reterr, FRAZIL_EINVAL, "0 ids were asked for: at least 1 can be taken");
    frazil_err err = take_ids(gen, ret_ids, n, wait_ns, &refusal);
    return err == FRAZIL_OK ? err : fz_explain(gen, &refusal, reterr);
}

frazil_err fz_try_error(const frazil *gen, const struct fz_refusal *refusal, uint64_t *ret_retry_ns)
{
    bool passes = refusal->code == FRAZIL_EFULL || refusal->code == FRAZIL_ECLOCK || refusal->code == FRAZIL_EAGAIN;
    bool is_error = (refusal->code == FRAZIL_EFULL && gen->rules.on_full == FZ_FULL_ERROR) ||
                    (refusal->code == FRAZIL_ECLOCK && gen->rules.on_backward == FZ_BACKWARD_ERROR) || !passes;

    if (is_error)
        return refusal->code;
    *ret_retry_ns = refusal->retry_ns;
    return FRAZIL_EAGAIN;
}

frazil_err frazil_try_next(frazil *gen, uint64_t *ret_id, uint64_t *ret_retry_ns)
{
    struct fz_refusal refusal;

    if (fz_is_sno(gen))
        return FRAZIL_EKIND;
    if (take_ids(gen, ret_id, 1, 0, &refusal) == FRAZIL_OK)
        return FRAZIL_OK;
    return fz_try_error(gen, &refusal, ret_retry_ns);
}

uint32_t fz_explicit_sequence(frazil *gen)
{
    uint64_t taken = atomic_fetch_add_explicit(&gen->shared->explicit_taken, 1, memory_order_relaxed);

    return gen->rules.seq_min + (uint32_t)(taken % gen->rules.capacity);
}

frazil_err frazil_next_at(frazil *gen, int64_t unix_ms, uint64_t *ret_id)
{
    frazil_parts parts = {
        .unix_ms = unix_ms, .worker = fz_grant_board_read(&gen->shared->grants).worker, .sequence = gen->rules.seq_min};
    uint64_t ignored;

    /* Checked before a sequence number is used up: a call that fails takes none. */
    frazil_err err = frazil_compose(&gen->layout, &parts, &ignored);
    if (err != FRAZIL_OK)
        return err;
    parts.sequence = fz_explicit_sequence(gen);
    return frazil_compose(&gen->layout, &parts, ret_id);
}
