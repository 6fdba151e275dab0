/* SPDX-License-Identifier: MIT */
/* Why no slot was taken, in words. */
#include "core/layout_internal.h"
#include "core/sentence.h"
#include "generator_internal.h"
#include "remote.h"

static void explain_lease(const frazil *gen, const struct fz_refusal *refusal, frazil_error *reterr)
{
    char failure[FZ_SHARED_NOTE_SIZE];

    fz_shared_note_read(&gen->shared->keeper.failure, failure);
    fz_fail(reterr, FRAZIL_ELEASE, "the grant of the worker id has ended at %t and could not be extended: %s",
            fz_layout_tick_unix_ms(&gen->layout, refusal->granted_last),
            failure[0] != '\0' ? failure
                               : "the state directory or the coordinator does not answer, or another owner has the id");
}

frazil_err fz_explain(frazil *gen, const struct fz_refusal *refusal, frazil_error *reterr)
{
    const struct fz_refusal r = *refusal;

    if (r.said_by_source)
        return fz_remote_explain(gen, refusal, reterr);
    if (r.code == FRAZIL_ELEASE)
        explain_lease(gen, refusal, reterr);
    else if (r.code == FRAZIL_EEXHAUSTED)
        fz_fail(reterr, r.code,
                "the layout's last tick, %t, is used up; no id will ever follow: a new layout is needed",
                fz_layout_tick_unix_ms(&gen->layout, gen->rules.last_tick));
    else if (r.code == FRAZIL_EFULL && r.fenced && r.retry_ns == 0)
        fz_fail(reterr, r.code, "so many ids take more ticks than a grant of the worker id has: take fewer at a time");
    else if (r.code == FRAZIL_EFULL && r.fenced)
        fz_fail(reterr, r.code,
                "too little is left of the grant of the worker id, which ends at %t; more is due in %u us, which is "
                "longer than the call may wait",
                fz_layout_tick_unix_ms(&gen->layout, r.granted_last), (r.retry_ns + 999) / 1000);
    else if (r.code == FRAZIL_EFULL && gen->frozen_clock != NULL)
        fz_fail(
            reterr, r.code,
            "all %u ids of this tick are taken, and a frozen clock never comes to the next: take fewer, or freeze it "
            "at another time",
            gen->rules.capacity);
    else if (r.code == FRAZIL_EFULL)
        fz_fail(reterr, r.code,
                "all %u ids of this tick are taken and the next are free in %u us, which is longer than the call "
                "may wait",
                gen->rules.capacity, (r.retry_ns + 999) / 1000);
    else if (r.now_tick < r.granted_first)
        fz_fail(reterr, r.code,
                "the clock shows %t, and ids before %t may have been issued already; the next can follow in %u us, "
                "which is longer than the call may wait",
                r.now.unix_ms, fz_layout_tick_unix_ms(&gen->layout, r.granted_first), (r.retry_ns + 999) / 1000);
    else if (r.behind_us == 0)
        fz_fail(reterr, r.code,
                "the clock shows %t, which is before the layout's epoch %t: set the clock, or choose an earlier epoch",
                r.now.unix_ms, gen->layout.epoch_unix_ms);
    else
        fz_fail(reterr, r.code,
                "the clock went back by %u us and shows %t; ids can follow in %u us, which is longer than the call "
                "may wait",
                (uint64_t)r.behind_us, r.now.unix_ms, (r.retry_ns + 999) / 1000);
    if (reterr != NULL) {
        reterr->behind_us = r.behind_us;
        reterr->retry_ns = r.retry_ns;
    }
    return r.code;
}
