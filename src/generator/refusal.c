/* SPDX-License-Identifier: MIT */
#include "refusal.h"

#include <string.h>

#include "core/duration.h"
#include "core/layout_internal.h"
#include "core/sentence.h"
#include "generator_internal.h"
#include "observation.h"
#include "wait_budget.h"

frazil_err fz_refuse(struct fz_refusal *refusal, const struct fz_observation *seen, frazil_err code, uint64_t retry_ns)
{
    int64_t now_us = fz_unix_us(seen->now);

    *refusal = (struct fz_refusal){
        .code = code,
        .retry_ns = retry_ns,
        .now = seen->now,
        .now_tick = seen->view.now_tick,
        .granted_first = seen->grant.floor,
        .granted_last = seen->grant.until,
    };
    /* The difference of two times may exceed an int64_t, so it is taken without a sign. */
    if (code == FRAZIL_ECLOCK && seen->high_us > now_us) {
        uint64_t behind_us = (uint64_t)seen->high_us - (uint64_t)now_us;
        refusal->behind_us = behind_us > INT64_MAX ? INT64_MAX : (int64_t)behind_us;
    }
    return code;
}

frazil_err fz_refuse_stopped(const frazil *gen, struct fz_refusal *refusal, frazil_err err)
{
    if (err == FRAZIL_OK || !fz_is_stopped(gen))
        return err;
    *refusal = (struct fz_refusal){.code = FRAZIL_ESTOPPED};
    return FRAZIL_ESTOPPED;
}

frazil_err fz_fail_stopped(frazil_error *reterr)
{
    return fz_fail(reterr, FRAZIL_ESTOPPED, "the program has stopped this generator: open another one");
}

/* Why a grant has ended without a failed extension: whose turn it is. */
static void name_the_missing(const frazil *gen, char ret[FZ_SHARED_MESSAGE_SIZE])
{
    struct fz_sentence why = fz_sentence_in(ret, FZ_SHARED_MESSAGE_SIZE);

    if (atomic_load_explicit(&gen->keeper.lacks_thread, memory_order_relaxed)) {
        fz_sentence_str(&why, gen->keeper.granter_name);
        fz_sentence_str(&why, FZ_NO_KEEPER_THREAD);
    } else if (gen->keeper.mode == FZ_KEEPER_HOOK) {
        fz_sentence_str(&why, "with keeper=hook the program extends it by calling frazil_keep, and has not done so");
    } else if (gen->keeper.mode == FZ_KEEPER_OTHER) {
        fz_sentence_str(
            &why, "with keeper=other another process of this host extends it, and has not done so: check that it runs");
    } else {
        fz_sentence_str(&why, gen->keeper.granter_name);
        fz_sentence_str(&why, " has not answered yet");
    }
}

static void explain_lease(const frazil *gen, const struct fz_refusal *refusal, frazil_error *reterr)
{
    char why[FZ_SHARED_MESSAGE_SIZE];

    /* The try that failed was made by a keeper, perhaps of another process, so its reason is read from the shared page.
     */
    fz_shared_message_read(&gen->shared->keeper.failure, why);
    bool has_failed = why[0] != '\0';
    if (!has_failed)
        name_the_missing(gen, why);
    if (refusal->granted_first > refusal->granted_last)
        fz_fail(reterr, FRAZIL_ELEASE, "the worker id is lost%s: %s",
                has_failed ? "" : ", as another owner may have it, and no other is granted yet", why);
    else
        fz_fail(reterr, FRAZIL_ELEASE, "the grant of the worker id has ended at %t and %s: %s",
                fz_layout_tick_unix_ms(&gen->layout, refusal->granted_last),
                has_failed ? "could not be extended" : "is not extended yet", why);
}

/* A wait that is longer is none: the clock was ahead, or is wrong. */
#define FAR_US UINT64_C(60000000)

enum { ADVICE_SIZE = 256 + FZ_CLAIM_PATH_SIZE };

/*
 * Says what helps where ids of a far time were made with the files of this host.  If the grant file was lost, the claim
 * alone still knows their time, and would refuse the number to the new files.  The claim is not asked here: the keeper
 * may be mapping another one, and each grant raises it before the grant is in force.
 */
static const char *advice_on_far_time(const frazil *gen, const struct fz_refusal *r, char buf[ADVICE_SIZE])
{
    struct fz_sentence s = fz_sentence_in(buf, ADVICE_SIZE);
    const char *path = gen->store.claim.path;
    bool is_lost = gen->store.claimed_until > r->granted_last;

    fz_sentence_str(&s, "correct the clock if it was set back; else take another worker id, or ");
    if (is_lost)
        fz_sentence_str(&s, "(if the ids of that time were discarded) ");
    fz_sentence_str(&s, "stop all that use this one, and run `frazil state init --all` with their spec");
    /* The path comes last: a sentence that is too long loses its end. */
    if (is_lost) {
        fz_sentence_str(&s, " after removing ");
        fz_sentence_quoted(&s, path, strlen(path));
    }
    return buf;
}

/* The clock is before a time from which ids can come. */
static void explain_clock(const frazil *gen, const struct fz_refusal *r, uint64_t retry_us, frazil_error *reterr)
{
    const int64_t first_ms = fz_layout_tick_unix_ms(&gen->layout, r->granted_first);
    const bool is_far = retry_us > FAR_US && (gen->store.kind == FZ_STORE_FILE || gen->store.kind == FZ_STORE_LEASE);
    char advice[ADVICE_SIZE];

    if (r->now_tick < r->granted_first &&
        r->granted_first == atomic_load_explicit(&gen->keeper.new_tick, memory_order_relaxed))
        fz_fail(reterr, r->code,
                "the namespace was created without --never-used, or its records may have been lost: its first ids come "
                "at %t, in %D, which is longer than the call may wait: wait for that long, or raise max_wait",
                first_ms, retry_us);
    /* Tick 0 is nobody's, so that the records of worker ids can say that there was none. */
    else if (r->now_tick == 0 && r->granted_first == 1 && gen->keeper.granter.ctx != NULL && !gen->keeper.asks_program)
        fz_fail(reterr, r->code,
                "the first tick after the layout's epoch is never granted: the first ids come at %t, in "
                "%D, which is longer than the call may wait: wait for that long, or raise max_wait",
                first_ms, retry_us);
    /* Before the grant the clock did not go back in this process: others were granted the time until then. */
    else if (r->now_tick < r->granted_first)
        fz_fail(reterr, r->code,
                "the clock shows %t, and ids before %t may have been issued already, by a process that was killed or "
                "another owner of the worker id.  The next can follow in %D, which is longer than the call may wait: "
                "%s",
                r->now.unix_ms, first_ms, retry_us,
                is_far ? advice_on_far_time(gen, r, advice)
                       : "wait for that long, raise max_wait, or correct the clock if it was set back");
    /* Not behind anything that was seen: the clock is before the epoch. */
    else if (r->behind_us == 0)
        fz_fail(reterr, r->code,
                "the clock shows %t, which is before the layout's epoch %t: set the clock, or choose an earlier epoch",
                r->now.unix_ms, gen->layout.epoch_unix_ms);
    else
        fz_fail(reterr, r->code,
                "the clock went back by %D and shows %t; ids can follow in %D, which is longer than the call "
                "may wait: %s",
                (uint64_t)r->behind_us, r->now.unix_ms, retry_us,
                is_far ? advice_on_far_time(gen, r, advice) : "correct the clock, or raise max_wait");
}

frazil_err fz_explain(frazil *gen, const struct fz_refusal *refusal, frazil_error *reterr)
{
    const struct fz_refusal r = *refusal;
    const uint64_t retry_us = r.retry_ns / 1000 + (r.retry_ns % 1000 != 0);

    if (r.explain != NULL)
        return r.explain(gen, refusal, reterr);
    if (r.code == FRAZIL_ESTOPPED)
        return fz_fail_stopped(reterr);
    if (r.code == FRAZIL_ELEASE)
        explain_lease(gen, refusal, reterr);
    else if (r.code == FRAZIL_EEXHAUSTED)
        fz_fail(reterr, r.code,
                "the layout's last tick, %t, is used up; no id will ever follow: a new layout is needed",
                fz_layout_tick_unix_ms(&gen->layout, gen->rules.last_tick));
    /* No clock reading will ever help: the number of ids is wrong, not the time. */
    else if (r.code == FRAZIL_EINVAL)
        fz_fail(reterr, r.code,
                "one call can take at most %u id%s, given its wait, on_full, max_lead, the grant of the worker id and "
                "the layout's life: take fewer at a time",
                r.largest, r.largest == 1 ? "" : "s");
    else if (r.code == FRAZIL_EFULL && r.fenced)
        fz_fail(reterr, r.code,
                "too little is left of the grant of the worker id, which ends at %t; more is due in %D, which is "
                "longer than the call may wait: raise max_wait, or take fewer at a time",
                fz_layout_tick_unix_ms(&gen->layout, r.granted_last), retry_us);
    /* Waiting is the wrong advice for a clock that stands still. */
    else if (r.code == FRAZIL_EFULL && gen->own.frozen_clock != NULL)
        fz_fail(
            reterr, r.code,
            "all %u ids of this tick are taken, and a frozen clock never comes to the next: take fewer, or freeze it "
            "at another time",
            gen->rules.capacity);
    else if (r.code == FRAZIL_EFULL)
        fz_fail(reterr, r.code,
                "all %u ids of this tick are taken and the next are free in %D, which is longer than the call "
                "may wait: take %sa larger max_wait, or fewer ids at a time",
                gen->rules.capacity, retry_us, gen->rules.on_full == FZ_FULL_ERROR ? "on_full=wait and " : "");
    else
        explain_clock(gen, &r, retry_us, reterr);
    if (reterr != NULL) {
        reterr->behind_us = r.behind_us;
        reterr->retry_ns = r.retry_ns - r.early_ns;
    }
    return r.code;
}

frazil_err fz_explain_in_vain(frazil *gen, const struct fz_refusal *refusal, frazil_error *reterr)
{
    (void)gen;
    fz_fail(reterr, refusal->code,
            "no remote slot: those of the next %D are taken, by others that share the worker id or before the "
            "coordinator restarted, and the call may wait no longer: raise max_wait, or let fewer processes share it",
            refusal->retry_ns / 1000 + (refusal->retry_ns % 1000 != 0));
    if (reterr != NULL)
        reterr->retry_ns = refusal->retry_ns;
    return refusal->code;
}

static uint64_t sum_of(uint64_t a, uint64_t b)
{
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

/* How many ticks one call can take ids of at best, when it begins at the very end of a tick of which none is taken. */
static uint64_t most_ticks(const frazil *gen, uint64_t wait_ns)
{
    const struct fz_slot_rules *rules = &gen->rules;
    uint64_t tick_ns = gen->layout.tick_ms * FZ_NS_PER_MS;

    if (rules->on_full == FZ_FULL_ERROR)
        return 1;
    uint64_t waited = wait_ns == 0 ? 0 : wait_ns == FRAZIL_WAIT_FOREVER ? UINT64_MAX : (wait_ns - 1) / tick_ns + 1;
    uint64_t ticks = sum_of(1, sum_of(waited, rules->on_full == FZ_FULL_LEAD ? rules->max_lead : 0));
    uint64_t granted = fz_horizon_ns(gen) / tick_ns;
    return granted != 0 && granted < ticks ? granted : ticks;
}

/* The most ids that one call can be given, when it may wait so long and `left` are left for ever. */
static uint64_t most_ids(const frazil *gen, uint64_t wait_ns, uint64_t left)
{
    uint64_t ticks = most_ticks(gen, wait_ns);

    return ticks > left / gen->capacity ? left : ticks * gen->capacity;
}

/*
 * If the ids would not fit into a new tick either, the next call must begin so early that it can wait for the last of
 * them; but no earlier than a call may wait, which none may before the epoch, nor under on_backward=error while the
 * clock is behind.  The other side of the tick-tock begins with a new tick.
 */
static uint64_t early_ns(const frazil *gen, const struct fz_observation *seen, uint64_t n, uint64_t wait_ns,
                         const struct fz_refusal *refusal)
{
    bool is_behind = refusal->code == FRAZIL_ECLOCK;

    if (n <= gen->capacity || refusal->retry_ns == 0 || (is_behind && gen->rules.on_backward == FZ_BACKWARD_TICKTOCK))
        return 0;
    uint64_t waitable_tick = is_behind && gen->rules.on_backward == FZ_BACKWARD_ERROR ? seen->view.high_tick : 0;
    uint64_t forbidden_ns = fz_ns_until(gen, refusal->now, waitable_tick);
    forbidden_ns = forbidden_ns == 0 ? 1 : forbidden_ns; /* it was refused just now */
    uint64_t most_ns = refusal->retry_ns > forbidden_ns ? refusal->retry_ns - forbidden_ns : 0;
    return wait_ns < most_ns ? wait_ns : most_ns;
}

frazil_err fz_judge_batch(frazil *gen, uint64_t n, uint64_t wait_ns, struct fz_refusal *refusal)
{
    bool is_too_many =
        refusal->code == FRAZIL_EINVAL || (refusal->code == FRAZIL_EEXHAUSTED && n > 1 && gen->remote == NULL);

    if (!is_too_many && frazil_err_classify(refusal->code) != FRAZIL_CLASS_RETRY)
        return refusal->code;
    struct fz_observation seen = fz_observe(gen);
    uint64_t left = fz_slot_left(&gen->rules, &seen.view);
    /* A frozen clock never comes to the next tick. */
    wait_ns = gen->own.frozen_clock != NULL ? 0 : fz_wait_budget_of(gen, wait_ns).wait_ns;
    uint64_t largest = most_ids(gen, wait_ns, left);
    if (left != 0 && (is_too_many || n > largest))
        *refusal = (struct fz_refusal){.code = FRAZIL_EINVAL, .largest = largest};
    else
        refusal->early_ns = early_ns(gen, &seen, n, wait_ns, refusal);
    return refusal->code;
}

frazil_err fz_explain_wait(frazil *gen, const struct fz_refusal *refusal, uint64_t wait_ns, frazil_error *reterr)
{
    uint64_t ignored;
    frazil_err err = fz_explain(gen, refusal, reterr);

    if (wait_ns != 0)
        return err;
    err = fz_try_error(gen, refusal, &ignored);
    if (reterr != NULL) {
        reterr->code = err;
        reterr->err_class = (int32_t)frazil_err_classify(err);
    }
    return err;
}

frazil_err fz_try_error(const frazil *gen, const struct fz_refusal *refusal, uint64_t *ret_retry_ns)
{
    /* Errors that time does not fix are returned as they are: the caller must not retry for ever. */
    bool passes = frazil_err_classify(refusal->code) == FRAZIL_CLASS_RETRY;
    bool is_error = (refusal->code == FRAZIL_EFULL && gen->rules.on_full == FZ_FULL_ERROR) ||
                    (refusal->code == FRAZIL_ECLOCK && gen->rules.on_backward == FZ_BACKWARD_ERROR) || !passes;

    if (passes)
        *ret_retry_ns = refusal->retry_ns;
    return is_error ? refusal->code : FRAZIL_EAGAIN;
}
