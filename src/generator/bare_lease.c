/* SPDX-License-Identifier: MIT */
/*
 * A worker id without ids: a generator that nobody takes an id from, whose keeper holds the grant.  Its word says how
 * far the number was used, so that release, crash and fork are those of generators.
 */
#include <stdlib.h>
#include <string.h>

#include "config/options.h"
#include "core/layout_internal.h"
#include "core/sentence.h"
#include "core/sized.h"
#include "frazil/lease.h"
#include "generator_internal.h"
#include "observation.h"
#include "open.h"
#include "refusal.h"

struct frazil_lease {
    frazil *gen;
};

frazil_err frazil_lease_open_with(frazil_lease **ret, const frazil_options *options, frazil_error *reterr)
{
    frazil_lease *lease = malloc(sizeof *lease);

    if (lease == NULL)
        return fz_fail(reterr, FRAZIL_ENOMEM, "out of memory");
    frazil_err err = fz_open_leased(&lease->gen, options, reterr);
    if (err != FRAZIL_OK) {
        free(lease);
        return err;
    }
    *ret = lease;
    return FRAZIL_OK;
}

frazil_err frazil_lease_open(frazil_lease **ret, const char *spec, frazil_error *reterr)
{
    frazil_options options = {.environment = FRAZIL_ENVIRONMENT_BY_KEY};

    frazil_err err = fz_options_of_spec(&options, spec, reterr);
    if (err == FRAZIL_OK)
        err = frazil_lease_open_with(ret, &options, reterr);
    fz_options_forget(&options);
    return err;
}

/* Why the number is not the program's now. */
static frazil_err check_now(frazil *gen, const struct fz_observation *seen, frazil_error *reterr)
{
    struct fz_refusal refusal = {.now = seen->now,
                                 .now_tick = seen->view.now_tick,
                                 .granted_first = seen->grant.floor,
                                 .granted_last = seen->grant.until};

    if (!seen->before_epoch && fz_has_ended(seen)) {
        refusal.code = FRAZIL_ELEASE;
        return fz_explain(gen, &refusal, reterr);
    }
    if (seen->before_epoch || seen->view.now_tick < seen->grant.floor) {
        refusal.code = FRAZIL_ECLOCK;
        refusal.retry_ns = fz_ns_until(gen, seen->now, seen->grant.floor);
        return fz_explain(gen, &refusal, reterr);
    }
    return FRAZIL_OK;
}

frazil_err frazil_lease_get_info(frazil_lease *lease, frazil_lease_info *ret, size_t size, frazil_error *reterr)
{
    frazil *gen = lease->gen;
    struct fz_observation seen = fz_observe(gen);

    frazil_err err = check_now(gen, &seen, reterr);
    if (err != FRAZIL_OK)
        return err;
    const frazil_lease_info info = {
        .worker = seen.grant.worker,
        .from_unix_ms = fz_layout_tick_unix_ms(&gen->layout, seen.grant.floor),
        /* The start of the last tick and its length: the start of the one after it may be beyond the layout. */
        .end_unix_ms = fz_layout_tick_unix_ms(&gen->layout, seen.grant.until) + (int64_t)gen->layout.tick_ms,
    };
    fz_give_sized(ret, size, &info, sizeof info);
    return FRAZIL_OK;
}

frazil_err frazil_lease_keep(frazil_lease *lease, uint64_t wait_ns, uint64_t *ret_next_ns, frazil_error *reterr)
{
    return frazil_keep(lease->gen, wait_ns, ret_next_ns, reterr);
}

/* Each process notes what it used; the last one releases what lies above all of it. */
static void note_used(frazil *gen, int64_t used_unix_ms)
{
    struct fz_grant held = fz_grant_ring_read(&gen->shared->grants);
    uint64_t tick = held.until;

    if (used_unix_ms < gen->layout.epoch_unix_ms)
        return;
    if (fz_layout_tick_of(&gen->layout, used_unix_ms, &tick, NULL) != FRAZIL_OK || tick > held.until)
        tick = held.until;
    fz_raise_u64(gen->word, fz_slot_first(&gen->rules, 0, tick));
}

void frazil_lease_close(frazil_lease *lease, int64_t used_unix_ms)
{
    if (lease == NULL)
        return;
    note_used(lease->gen, used_unix_ms);
    frazil_close(lease->gen);
    free(lease);
}
