/* SPDX-License-Identifier: MIT */
/* Taking as many ids as there are, without waiting. */
#include "core/sentence.h"
#include "generator_internal.h"
#include "observation.h"
#include "take.h"

/* Where the ids go, and their metabyte. */
struct goal {
    uint64_t *ids;
    frazil_sno *snos; /* NULL: 64-bit ids */
    uint8_t meta;
};

static frazil_err take_now(frazil *gen, const struct goal *goal, size_t n, struct fz_refusal *refusal)
{
    return goal->snos == NULL ? fz_take_ids(gen, goal->ids, n, 0, refusal)
                              : fz_take_snos(gen, goal->meta, goal->snos, n, 0, refusal);
}

/* How many to try: what there seems to be, and one where there is nothing, which then says why. */
static size_t first_try(frazil *gen, size_t n)
{
    if (n == 1)
        return 1;
    struct fz_observation seen = fz_observe(gen);
    uint64_t ready = seen.before_epoch ? 0 : fz_slot_ready(&gen->rules, &seen.view);

    if (gen->remote != NULL) /* at most a tick's; its source knows how many are left of it */
        ready = gen->capacity;
    return ready == 0 ? 1 : ready < n ? (size_t)ready : n;
}

static frazil_err try_take_of(frazil *gen, const struct goal *goal, size_t n, size_t *ret_taken, uint64_t *ret_retry_ns,
                              frazil_error *reterr)
{
    struct fz_refusal refusal;
    size_t wanted = n;

    *ret_taken = 0;
    *ret_retry_ns = 0;
    if (n == 0)
        return FRAZIL_OK;
    /* Others may be faster, so less is tried, but no more often than a number can be halved. */
    for (n = first_try(gen, n); take_now(gen, goal, n, &refusal) != FRAZIL_OK; n /= 2) {
        if (n > 1)
            continue;
        if (reterr != NULL)
            (void)fz_explain_wait(gen, &refusal, 0, reterr);
        return fz_try_error(gen, &refusal, ret_retry_ns);
    }
    *ret_taken = n;
    *ret_retry_ns = n < wanted ? fz_next_in_ns(gen) : 0;
    return FRAZIL_OK;
}

/* Where the anchor does not have them. */
FZ_OUT_OF_LINE static frazil_err try_take_slow(frazil *gen, uint64_t *ret_ids, size_t n, size_t *ret_taken,
                                               uint64_t *ret_retry_ns, frazil_error *reterr)
{
    const struct goal goal = {.ids = ret_ids};

    if (!fz_is_sno(gen))
        return try_take_of(gen, &goal, n, ret_taken, ret_retry_ns, reterr);
    *ret_taken = 0;
    *ret_retry_ns = 0;
    return fz_fail(reterr, FRAZIL_EKIND, "the generator's layout is sno: take snos from it, not 64-bit ids");
}

/*
 * One id costs what it costs by frazil_next.  But no slot is taken by adding: one past the end of a tick could only be
 * redeemed by waiting.
 */
frazil_err frazil_try_take(frazil *gen, uint64_t *ret_ids, size_t n, size_t *ret_taken, uint64_t *ret_retry_ns,
                           frazil_error *reterr)
{
    struct fz_anchor_view anchor;
    uint64_t nth;

    if (n != 1 || fz_is_sno(gen) || !fz_take_anchored(gen, 1, &anchor, &nth))
        return try_take_slow(gen, ret_ids, n, ret_taken, ret_retry_ns, reterr);
    *ret_ids = anchor.first_id + (nth << gen->sequence_shift);
    *ret_taken = 1;
    *ret_retry_ns = 0;
    return FRAZIL_OK;
}

frazil_err frazil_sno_try_take(frazil *gen, uint8_t meta, frazil_sno *ret_ids, size_t n, size_t *ret_taken,
                               uint64_t *ret_retry_ns, frazil_error *reterr)
{
    const struct goal goal = {.snos = ret_ids, .meta = meta};

    if (fz_is_sno(gen))
        return try_take_of(gen, &goal, n, ret_taken, ret_retry_ns, reterr);
    *ret_taken = 0;
    *ret_retry_ns = 0;
    return fz_fail(reterr, FRAZIL_EKIND, "the generator's layout is not sno: take 64-bit ids from it, not snos");
}
