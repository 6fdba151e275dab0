/* SPDX-License-Identifier: MIT */
#include "other_keeper.h"

#include "core/sentence.h"

static frazil_err none_yet(void *ctx, struct fz_deadline deadline, uint64_t now_tick, struct fz_grant *ret,
                           frazil_error *reterr)
{
    (void)deadline;
    (void)ctx;
    (void)now_tick;
    (void)ret;
    return fz_fail(
        reterr, FRAZIL_EAGAIN,
        "no process of this host holds the lease, and with keeper=other this one does not take it: start the "
        "one that keeps it, with the same spec and another keeper");
}

static frazil_err not_ours(void *ctx, struct fz_deadline deadline, uint64_t now_tick, const struct fz_grant *held,
                           struct fz_grant *ret, frazil_error *reterr)
{
    (void)held;
    return none_yet(ctx, deadline, now_tick, ret, reterr);
}

/* The other process may still live, and goes on with it. */
static frazil_err keep_it(void *ctx, struct fz_deadline deadline, const struct fz_grant *held, uint64_t used_tick)
{
    (void)deadline;
    (void)ctx;
    (void)held;
    (void)used_tick;
    return FRAZIL_OK;
}

static void nothing_to_close(void *ctx)
{
    (void)ctx;
}

struct fz_granter fz_other_keeper(void)
{
    static char presence; /* a granter is there if its context is not NULL */

    return (struct fz_granter){
        .ctx = &presence, .acquire = none_yet, .extend = not_ours, .release = keep_it, .close = nothing_to_close};
}
