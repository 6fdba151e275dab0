/* SPDX-License-Identifier: MIT */
#include "lib/state_repair.h"

#include "config/decide.h"

frazil_err state_repair(const char *spec, bool all, void (*visit)(void *ctx, const frazil_admin_kept *kept), void *ctx,
                        frazil_error *reterr)
{
    frazil_admin_state *state;
    frazil_admin_kept kept;

    frazil_err err = frazil_admin_state_open(&state, spec, reterr);
    if (err != FRAZIL_OK)
        return err;
    for (size_t i = 0; err == FRAZIL_OK && frazil_admin_state_row(state, i, &kept, sizeof kept) == FRAZIL_OK; i++) {
        if (!all && !kept.is_wrong)
            continue;
        err = frazil_admin_state_renew(state, i, all ? FRAZIL_ADMIN_ALL : 0, reterr);
        if (err == FRAZIL_OK)
            visit(ctx, &kept);
    }
    frazil_admin_state_close(state);
    return err;
}

frazil_err state_look(const char *spec, struct fz_state *ret, frazil_error *reterr)
{
    struct fz_decision decision;

    frazil_err err = fz_state_decide(&decision, spec, reterr);
    if (err != FRAZIL_OK)
        return err;
    err = fz_state_look(&decision, ret, reterr);
    fz_decision_free(&decision);
    return err;
}
