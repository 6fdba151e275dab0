/* SPDX-License-Identifier: MIT */
/*
 * Taking slots: beside the fast path (take_anchored.c), which asks no clock, and
 * on the slow path (take.c), which looks, plans, swaps and waits.
 */
#ifndef FZ_GENERATOR_TAKE_H
#define FZ_GENERATOR_TAKE_H

#include "anchor.h"
#include "compose.h"
#include "refusal.h"
#include "wait_budget.h"

/*
 * Takes n slots (n >= 1) as the policies allow, waiting at most wait_ns (FRAZIL_WAIT_FOREVER: without a bound).
 * FRAZIL_EFULL, ECLOCK, ELEASE, EEXHAUSTED; then nothing is taken.
 */
FZ_PRIVATE frazil_err fz_take(frazil *gen, uint64_t n, uint64_t wait_ns, struct fz_taken *ret,
                              struct fz_refusal *refusal);

/*
 * Makes a slot that was taken by adding, and turned out to lie past the end of
 * the tick, into one that may be issued, waiting for its tick if need be: that
 * slot or a later one.  Errors as fz_take.
 */
FZ_PRIVATE frazil_err fz_redeem(frazil *gen, uint64_t slot, struct fz_taken *ret, struct fz_refusal *refusal);

/*
 * Makes the id of a slot that was taken by adding, and lies past the end of an anchored tick that leads, without a look
 * at the clock.  False: that is for fz_redeem to do.
 */
FZ_PRIVATE bool fz_move_on(frazil *gen, uint64_t slot, uint64_t *ret_id);

/* Takes n places of the current tick if they are free and known to be current without asking the clock. */
FZ_PRIVATE bool fz_take_anchored(frazil *gen, uint64_t n, struct fz_anchor_view *ret_anchor, uint64_t *ret_nth);

/* Writes count ids of adjacent sequence numbers, which begin at bit `shift`. */
FZ_PRIVATE void fz_fill_ids(uint64_t *ids, uint64_t first_id, uint64_t count, uint8_t shift);

/*
 * n ids (n >= 1) of a generator of that kind, or none: beside the fast path where they fit, or on the slow one, or from
 * the source of slots.  Errors as fz_take and fz_remote_take, and FRAZIL_EINVAL as fz_judge_batch says.
 */
FZ_PRIVATE frazil_err fz_take_ids(frazil *gen, uint64_t *ret_ids, size_t n, uint64_t wait_ns,
                                  struct fz_refusal *refusal);
FZ_PRIVATE frazil_err fz_take_snos(frazil *gen, uint8_t meta, frazil_sno *ret_ids, size_t n, uint64_t wait_ns,
                                   struct fz_refusal *refusal);

/* Nanoseconds until the next id can be taken; 0: it can be now, never will, or nobody here knows. */
FZ_PRIVATE uint64_t fz_next_in_ns(frazil *gen);

/*
 * Waits until the slots first .. last, which are the caller's, may be issued.
 * *ret_stale: their time is over, and others must be taken.  FRAZIL_EFULL, ECLOCK: the
 * policies or the wait budget do not allow it.
 */
FZ_PRIVATE frazil_err fz_await(frazil *gen, uint64_t first, uint64_t last, struct fz_wait_budget *budget,
                               bool *ret_stale, struct fz_refusal *refusal);

#endif
