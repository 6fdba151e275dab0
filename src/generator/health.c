/* SPDX-License-Identifier: MIT */
/*
 * The health of a generator.  All of it is read from memory that its processes share, so it never waits for a thread
 * that waits for a disk or a coordinator.
 */
#include "core/layout_internal.h"
#include "core/sentence.h"
#include "core/sized.h"
#include "frazil/observe.h"
#include "generator_internal.h"
#include "observation.h"

static frazil_health_state state_of(const frazil *gen, const struct fz_observation *seen)
{
    uint64_t now_tick = seen->view.now_tick;

    if (fz_is_stopped(gen))
        return FRAZIL_HEALTH_STOPPED;
    if (now_tick > gen->rules.last_tick)
        return FRAZIL_HEALTH_EXHAUSTED;
    if (now_tick > seen->grant.until)
        return FRAZIL_HEALTH_FENCED;
    if (seen->before_epoch || now_tick < seen->grant.floor)
        return FRAZIL_HEALTH_BEHIND;
    /* Slots from a coordinator are in no word of this host. */
    if (gen->remote == NULL) {
        const struct fz_slot_plan next = fz_slot_plan(&gen->rules, &seen->view, 1, 0);
        if (next.reason == FZ_SLOT_EXHAUSTED)
            return FRAZIL_HEALTH_EXHAUSTED;
        if (next.reason == FZ_SLOT_BACKWARD && (!next.allowed || next.due_tick > now_tick))
            return FRAZIL_HEALTH_BEHIND;
    }
    return fz_keeper_is_due(gen, &seen->grant, now_tick) ? FRAZIL_HEALTH_NEEDS_GRANT : FRAZIL_HEALTH_SERVING;
}

static uint64_t failures_of(const frazil *gen)
{
    return atomic_load_explicit(&gen->shared->keeper.failures, memory_order_relaxed);
}

static frazil_err last_code_of(const frazil *gen)
{
    return failures_of(gen) == 0
               ? FRAZIL_OK
               : (frazil_err)atomic_load_explicit(&gen->shared->keeper.failure_code, memory_order_relaxed);
}

/* How long until this process is to extend the grant. */
static uint64_t next_keep_ns(const frazil *gen, const struct fz_observation *seen)
{
    uint64_t beyond = seen->grant.until + 1;
    uint64_t due_tick;

    if (gen->keeper.mode == FZ_KEEPER_OTHER || fz_is_stopped(gen))
        return FRAZIL_WAIT_FOREVER;
    (void)fz_keeper_can_reach(gen, &seen->grant, beyond, beyond, &due_tick);
    uint64_t due_ns = fz_ns_until(gen, seen->now, due_tick);
    uint64_t retry_ns = failures_of(gen) == 0 ? 0 : fz_keeper_retry_in_ns(gen);
    return due_ns > retry_ns ? due_ns : retry_ns;
}

/* The sentence of a failure to extend the grant, and when the next try is due. */
static void explain_failure(const frazil *gen, frazil_err code, frazil_error *ret)
{
    char failure[FZ_SHARED_MESSAGE_SIZE];

    fz_shared_message_read(&gen->shared->keeper.failure, failure);
    (void)fz_fail(ret, code, "%s", failure[0] != '\0' ? failure : frazil_strerror(code));
    ret->retry_ns = fz_keeper_retry_in_ns(gen);
}

void frazil_get_health(frazil *gen, frazil_health *ret, size_t size, frazil_error *ret_failure)
{
    const struct fz_observation seen = fz_observe(gen);
    const frazil_err last_code = last_code_of(gen);
    frazil_health health = {
        .state = (int32_t)state_of(gen, &seen),
        .last_code = last_code,
        .worker = seen.grant.worker,
        .grant_end_unix_ms = INT64_MAX,
        .next_keep_ns = FRAZIL_WAIT_FOREVER,
        .failures = failures_of(gen),
    };

    if (gen->keeper.granter.ctx != NULL) {
        health.needs_grant = 1;
        /* The start of the last tick and its length: the start of the one after it may be beyond the layout. */
        health.grant_end_unix_ms =
            fz_layout_tick_unix_ms(&gen->layout, seen.grant.until) + (int64_t)gen->layout.tick_ms;
        health.horizon_ns = fz_horizon_ns(gen);
        health.next_keep_ns = next_keep_ns(gen, &seen);
    }
    if (ret_failure != NULL && last_code != FRAZIL_OK)
        explain_failure(gen, last_code, ret_failure);
    fz_give_sized(ret, size, &health, sizeof health);
}
