/* SPDX-License-Identifier: MIT */
/* Taking snos. */
#include "compose.h"
#include "core/sentence.h"
#include "core/word.h"
#include "generator_internal.h"
#include "os/counter.h"
#include "take.h"

/* The ten bytes: 39 bits time, tick-tock, metabyte, partition and sequence. */
static void pack(const frazil *gen, uint8_t meta, uint64_t slot, uint64_t low32, frazil_sno *ret)
{
    /* The word has the tick-tock bit at its top, where no carry of the sequence changes it; the bytes have it below the
     * time. */
    uint64_t block = fz_slot_tick(&gen->rules, slot) << 1 | fz_slot_side(&gen->rules, slot);
    uint64_t payload = (uint64_t)meta << 32 | low32;

    ret->bytes[0] = (uint8_t)(block >> 32);
    ret->bytes[1] = (uint8_t)(block >> 24);
    fz_store_be64(ret->bytes + 2, block << 40 | payload);
}

/* For fill_snos: the next place to write to, and what the slots do not say. */
struct sno_fill {
    const frazil *gen;
    frazil_sno *ids;
    uint8_t meta;
};

/* The numbers of a run follow each other in the low 32 bits; the rest is the same for all of them. */
static void fill_snos(void *ctx, uint64_t first_slot, uint64_t first_id, uint64_t count)
{
    struct sno_fill *fill = ctx;

    for (uint64_t i = 0; i < count; i++)
        pack(fill->gen, fill->meta, first_slot, first_id + i, &fill->ids[i]);
    fill->ids += count;
}

frazil_err fz_take_snos(frazil *gen, uint8_t meta, frazil_sno *ret_ids, size_t n, uint64_t wait_ns,
                        struct fz_refusal *refusal)
{
    struct sno_fill fill = {.gen = gen, .ids = ret_ids, .meta = meta};
    struct fz_anchor_view anchor;
    struct fz_taken taken;
    uint64_t nth;

    /* All of them in this tick, or none: a part would have to be given back. */
    if (fz_take_anchored(gen, n, &anchor, &nth)) {
        fill_snos(&fill, anchor.first_slot, anchor.first_id + nth, n);
        return FRAZIL_OK;
    }
    frazil_err err = fz_take(gen, n, wait_ns, &taken, refusal);
    if (err != FRAZIL_OK)
        /* If that many can never be had, it is FRAZIL_EINVAL: a longer wait would not help. */
        return fz_judge_batch(gen, n, wait_ns, refusal);
    fz_emit_runs(gen, &taken, n, fill_snos, &fill);
    return FRAZIL_OK;
}

/* One sno where the fast path has none. */
FZ_OUT_OF_LINE static frazil_err sno_next_slow(frazil *gen, uint8_t meta, frazil_sno *ret_id)
{
    struct fz_refusal refusal;

    return fz_is_sno(gen) ? fz_take_snos(gen, meta, ret_id, 1, FRAZIL_WAIT_DEFAULT, &refusal) : FRAZIL_EKIND;
}

/* One sno for a slot that was taken past the end of its tick. */
FZ_OUT_OF_LINE static frazil_err sno_next_redeemed(frazil *gen, uint8_t meta, uint64_t slot, frazil_sno *ret_id)
{
    struct fz_refusal refusal;
    struct fz_taken taken;
    frazil_err err = fz_redeem(gen, slot, &taken, &refusal);

    if (err == FRAZIL_OK)
        pack(gen, meta, taken.first, fz_compose_slot(gen, taken.first, taken.worker), ret_id);
    return err;
}

frazil_err frazil_sno_next(frazil *gen, uint8_t meta, frazil_sno *id)
{
    struct fz_anchor_view anchor;

    /* As in frazil_next: while the anchor holds, nobody needs the clock.  The anchor's id of a sno lacks the metabyte.
     */
    if (gen->fast_path != FZ_FAST_ADD_SNO || !fz_anchor_read(&gen->private_page->anchor, &anchor) ||
        !fz_counter_is_in(anchor.counter, anchor.range))
        return sno_next_slow(gen, meta, id);

    /* Relaxed: that no two threads get the same number is all that it is for. */
    uint64_t slot = atomic_fetch_add_explicit(gen->word, 1, memory_order_relaxed);
    uint64_t nth = slot - anchor.first_slot;
    /* It cannot be given back, as others have added behind it. */
    if (nth >= gen->capacity)
        return sno_next_redeemed(gen, meta, slot, id);
    pack(gen, meta, anchor.first_slot, anchor.first_id + nth, id);
    return FRAZIL_OK;
}

frazil_err frazil_sno_take(frazil *gen, uint8_t meta, frazil_sno *ret_ids, size_t n, uint64_t wait_ns,
                           frazil_error *reterr)
{
    struct fz_refusal refusal;

    if (!fz_is_sno(gen))
        return fz_fail(reterr, FRAZIL_EKIND, "the generator's layout is not sno: take 64-bit ids from it, not snos");
    frazil_err err = n == 0 ? FRAZIL_OK : fz_take_snos(gen, meta, ret_ids, n, wait_ns, &refusal);
    return err == FRAZIL_OK ? err : fz_explain_wait(gen, &refusal, wait_ns, reterr);
}

frazil_err frazil_sno_next_at(frazil *gen, int64_t unix_ms, uint8_t meta, frazil_sno *ret_id, frazil_error *reterr)
{
    frazil_sno_fields fields = {
        .unix_ms = unix_ms, .meta = meta, .partition = (uint16_t)fz_grant_ring_read(&gen->shared->grants).worker};
    frazil_sno ignored;

    if (!fz_is_sno(gen))
        return fz_fail(reterr, FRAZIL_EKIND, "the generator's layout is not sno: make 64-bit ids with it, not snos");
    if (fz_is_stopped(gen))
        return fz_fail_stopped(reterr);
    /* Checked before a sequence number is used up: a call that fails takes none. */
    frazil_err err = frazil_sno_compose(&fields, &ignored, reterr);
    if (err != FRAZIL_OK)
        return err;
    fields.sequence = (uint16_t)fz_explicit_sequence(gen);
    return frazil_sno_compose(&fields, ret_id, reterr);
}
