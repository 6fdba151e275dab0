/* SPDX-License-Identifier: MIT */
/* Opening what options say. */
#include "config/options.h"
#include "open.h"
#include "os/cancel.h"
#include "os/deadline.h"

static frazil_err open_for(frazil **ret, const frazil_options *options, enum fz_opening opening, frazil_error *reterr)
{
    const struct fz_ports ports = {.clock = options->has_clock ? &options->clock : NULL,
                                   .random = options->has_random ? &options->random : NULL,
                                   .granter = options->has_granter ? &options->granter : NULL,
                                   .coordinators = options->coordinators};
    struct fz_decision decision;

    /* A thread that ended in here would leave guards of files locked, which others wait for. */
    int cancel = fz_cancel_off();
    frazil_err err = fz_options_decide(&decision, options, opening, reterr);
    if (err == FRAZIL_OK) {
        err = fz_open_decided(ret, &decision, &ports, fz_deadline_in(decision.open_wait_ns), reterr);
        fz_decision_free(&decision);
    }
    if (err == FRAZIL_OK && options->has_snapshot)
        fz_continue_from(*ret, &options->snapshot);
    fz_cancel_as(cancel);
    return err;
}

frazil_err frazil_open_with(frazil **ret, const frazil_options *options, frazil_error *reterr)
{
    return open_for(ret, options, FZ_OPENING_GENERATOR, reterr);
}

frazil_err fz_open_leased(frazil **ret, const frazil_options *options, frazil_error *reterr)
{
    return open_for(ret, options, FZ_OPENING_LEASE, reterr);
}

frazil_err frazil_open(frazil **ret, const char *spec, frazil_error *reterr)
{
    frazil_options options = {.environment = FRAZIL_ENVIRONMENT_BY_KEY};

    frazil_err err = fz_options_of_spec(&options, spec, reterr);
    if (err == FRAZIL_OK)
        err = frazil_open_with(ret, &options, reterr);
    fz_options_forget(&options);
    return err;
}
