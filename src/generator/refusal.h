/* SPDX-License-Identifier: MIT */
/* Refusals: why a call gets no id.  They are made in numbers, because most callers only want the code. */
#ifndef FZ_GENERATOR_REFUSAL_H
#define FZ_GENERATOR_REFUSAL_H

#include <stdbool.h>
#include <stdint.h>

#include "frazil/generator.h"

struct fz_observation;

/* Why no slot was taken, in numbers; explained in words only on request. */
struct fz_refusal {
    frazil_err code;
    int64_t behind_us; /* the clock, behind the highest time seen */
    uint64_t retry_ns; /* when it could succeed; 0: never */
    uint64_t early_ns; /* for so much of that the next call would have to wait itself */
    frazil_instant now;
    uint64_t now_tick;
    uint64_t granted_first; /* the ticks of the grant in force */
    uint64_t granted_last;
    uint64_t largest; /* FRAZIL_EINVAL: the most ids that such a call can ever be given */
    bool fenced;      /* FRAZIL_EFULL: what is taken ends with the grant, not with the tick */
    bool is_queued;   /* behind another thread, which is asking the source of slots */
    bool is_unasked;  /* there was no time left to ask it */
    /* Says why in the words of that source, and returns the code; NULL: it is the generator that refuses. */
    frazil_err (*explain)(frazil *gen, const struct fz_refusal *refusal, frazil_error *reterr);
};

/* Says why nothing was taken; returns the code. */
FZ_PRIVATE frazil_err fz_refuse(struct fz_refusal *refusal, const struct fz_observation *seen, frazil_err code,
                                uint64_t retry_ns);

/*
 * The result of a call that got no id: FRAZIL_ESTOPPED in place of whatever a stopped generator has refused with,
 * because its waits ended early.
 */
FZ_PRIVATE frazil_err fz_refuse_stopped(const frazil *gen, struct fz_refusal *refusal, frazil_err err);

/* Fails with FRAZIL_ESTOPPED. */
FZ_PRIVATE frazil_err fz_fail_stopped(frazil_error *reterr);

/* Says in words why fz_take or fz_redeem failed; returns the code. */
FZ_PRIVATE frazil_err fz_explain(frazil *gen, const struct fz_refusal *refusal, frazil_error *reterr);

/* Says so of remote slots that were waited for in vain, where it is not their source that failed. */
FZ_PRIVATE frazil_err fz_explain_in_vain(frazil *gen, const struct fz_refusal *refusal, frazil_error *reterr);

/*
 * Judges why n ids were refused to a call that may wait wait_ns: FRAZIL_EINVAL if n can never be had, as trying
 * again would not help, but fewer can; otherwise the code that the refusal has.
 */
FZ_PRIVATE frazil_err fz_judge_batch(frazil *gen, uint64_t n, uint64_t wait_ns, struct fz_refusal *refusal);

/* fz_explain for a call that may wait wait_ns: with 0 the code is that of fz_try_error. */
FZ_PRIVATE frazil_err fz_explain_wait(frazil *gen, const struct fz_refusal *refusal, uint64_t wait_ns,
                                      frazil_error *reterr);

/* Turns a refusal into the result of a call that never waits: the policy's error, or FRAZIL_EAGAIN and when to retry.
 */
FZ_PRIVATE frazil_err fz_try_error(const frazil *gen, const struct fz_refusal *refusal, uint64_t *ret_retry_ns);

#endif
