/* SPDX-License-Identifier: MIT */
/* What an operator's command is about: a namespace of a coordinator. */
#ifndef FZ_OPERATIONS_TARGET_H
#define FZ_OPERATIONS_TARGET_H

#include "lease/coordinator.h"
#include "spec/decision.h"

struct fz_leases;

struct fz_target {
    const struct fz_decision *decision; /* of a worker that a coordinator gives; the caller's */
    const frazil_coordinator *coordinator;
};

/* Loads the part that a decision needs, whose worker a coordinator gives.  Errors as fz_coordinator_for. */
frazil_err fz_target_find(struct fz_target *ret, const struct fz_decision *decision, frazil_error *reterr);

/*
 * Reads a spec whose worker is a URL, or such a URL alone, and loads the part that it needs.  Errors as fz_decide for
 * FZ_OPENING_NAMESPACE, and as fz_target_find.  On success the caller frees the decision.
 */
frazil_err fz_target_open(struct fz_target *ret, struct fz_decision *ret_decision, const char *spec_or_url,
                          frazil_error *reterr);

/* Looks at the namespace: fz_leases_list for one that is decided already. */
frazil_err fz_target_leases(const struct fz_target *target, struct fz_leases *ret, frazil_error *reterr);

#endif
