/* SPDX-License-Identifier: MIT */
/* An operator's work on sfid's keys; each function connects, does its work and disconnects. */
#ifndef FZ_COORDINATORS_SFID_ADMIN_H
#define FZ_COORDINATORS_SFID_ADMIN_H

#include "lease/coordinator.h"

/*
 * Shows the pids that have a key, or had one of a frazil's.  Of a key of sfid's
 * own there is its value as the owner, its expiry as `until`, and its last
 * heartbeat as `since`; the layout is then taken for sfid's own.  Numbers that
 * nobody counts here are 0.  FRAZIL_EUNREACHABLE, EREFUSED: no answer, or a refusal.
 */
frazil_err fz_sfid_list(const frazil_coordinator *self, const char *url, fz_lease_visitor visit, void *ctx,
                        struct fz_namespace_record *ret, frazil_error *reterr);

/* Diagnoses the server for this use; as `diagnose` in coordinator.h. */
frazil_err fz_sfid_diagnose(const frazil_coordinator *self, const char *url, const frazil_clock *clock,
                            fz_finding_visitor visit, void *ctx, frazil_error *reterr);

#endif
