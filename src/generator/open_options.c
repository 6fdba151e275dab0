/* SPDX-License-Identifier: MIT */
/* Opening what options say. */
#include "config/options.h"
#include "open.h"

static frazil_err open_for(frazil **ret, const frazil_options *options, enum fz_opening opening, frazil_error *reterr)
{
    const struct fz_ports ports = {.clock = options->has_clock ? &options->clock : NULL,
                                   .random = options->has_random ? &options->random : NULL,
                                   .granter = options->has_granter ? &options->granter : NULL,
                                   .coordinators = options->coordinators};
    struct fz_decision decision;
    frazil *gen;

    frazil_err err = fz_options_decide(&decision, options, opening, reterr);
    if (err != FRAZIL_OK)
        return err;
    err = fz_open_decided(&gen, &decision, &ports, reterr);
    fz_decision_free(&decision);
    if (err != FRAZIL_OK)
        return err;
    if (options->has_snapshot)
        fz_continue_from(gen, &options->snapshot);
    *ret = gen;
    return FRAZIL_OK;
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
