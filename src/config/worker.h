/* SPDX-License-Identifier: MIT */
/* The part of a decision that says which worker id it is. */
#ifndef FZ_CONFIG_WORKER_H
#define FZ_CONFIG_WORKER_H

#include "decision.h"
#include "values.h"

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
