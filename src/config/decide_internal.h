/* SPDX-License-Identifier: MIT */
/* The steps of fz_decide, also for callers that have the settings in another form than a spec. */
#ifndef FZ_CONFIG_DECIDE_INTERNAL_H
#define FZ_CONFIG_DECIDE_INTERNAL_H

#include "decide.h"
#include "decision.h"
#include "frazil/options.h"
#include "settings.h"
#include "values.h"

/* Decides from the program's settings, which do not change, completed from the environment and the config file. */
FZ_PRIVATE frazil_err fz_decide_given(struct fz_decision *ret, const struct fz_settings *given,
                                      frazil_environment environment, const struct fz_occasion *occasion,
                                      frazil_error *reterr);

/* Decides what settings mean, and takes from them the texts that the decision keeps.  Otherwise as fz_decide. */
FZ_PRIVATE frazil_err fz_decide_settings(struct fz_decision *ret, struct fz_settings *settings,
                                         const struct fz_occasion *occasion, frazil_error *reterr);

/* ---- layout, behaviour, bounds, clock: which slots there are, how they are taken ---- */

/* Sets layout, rules, bounds and clock: the behaviour, and the keys that override it.  FRAZIL_ESPEC, ERANGE. */
FZ_PRIVATE frazil_err fz_policies_set(struct fz_decision *decision, const struct fz_values *values,
                                      frazil_error *reterr);

/*
 * Sets the bounds of the sequence, given in either order; 0 and 0 stand for the
 * whole range.  FRAZIL_ERANGE: equal, outside the layout, or for sno closer than four.
 */
FZ_PRIVATE frazil_err fz_policies_set_bounds(struct fz_decision *decision, uint64_t a, uint64_t b,
                                             frazil_error *reterr);

/* ---- which worker id it is --------------------------------------- */

/*
 * Chooses the worker id out of worker=, partition=, or what the occasion has for a default.  The state has been
 * decided before.  FRAZIL_ENOWORKER, EWORKER, ESPEC, ERANGE, EPOOL, ESYS, ENOMEM.
 */
FZ_PRIVATE frazil_err fz_worker_choose(struct fz_decision *decision, const struct fz_values *values,
                                       enum fz_opening opening, frazil_error *reterr);

/* The choice of a program with a granter of its own.  FRAZIL_ESPEC: the settings name a source as well. */
FZ_PRIVATE frazil_err fz_worker_by_program(struct fz_decision *decision, const struct fz_values *values,
                                           frazil_error *reterr);

#endif
