/* SPDX-License-Identifier: MIT */
/* The object of an operator's command: a namespace of a coordinator. */
#ifndef FZ_ADMIN_TARGET_H
#define FZ_ADMIN_TARGET_H

#include "config/decision.h"
#include "lease/coordinator.h"

struct fz_leases;

struct fz_target {
    const struct fz_decision *decision; /* of a worker that a coordinator gives; the caller's */
    const frazil_coordinator *coordinator;
};

/*
 * Finds the part that a decision needs, whose worker a coordinator gives: one of those given (ended by NULL, or NULL),
 * or it is loaded.  Errors as fz_coordinator_for.
 */
frazil_err fz_target_find(struct fz_target *ret, const struct fz_decision *decision,
                          const frazil_coordinator *const *given, frazil_error *reterr);

/*
 * Reads a spec whose worker is a URL, or such a URL alone, and finds the part that it needs.  Errors as fz_decide for
 * FZ_OPENING_NAMESPACE, and as fz_target_find.  On success the caller frees the decision.
 */
frazil_err fz_target_open(struct fz_target *ret, struct fz_decision *ret_decision, const char *spec_or_url,
                          const frazil_coordinator *const *given, frazil_error *reterr);

/* Whether its URL can be used, as far as nobody need be asked.  Errors as a coordinator's open_register. */
frazil_err fz_target_check(const struct fz_target *target, frazil_error *reterr);

/* Whether it is a folder of this host. */
bool fz_target_is_folder(const struct fz_target *target);

/* Looks at the namespace: fz_leases_list for one that is decided already. */
frazil_err fz_target_leases(const struct fz_target *target, struct fz_leases *ret, frazil_error *reterr);

#endif
