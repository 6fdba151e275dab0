/* SPDX-License-Identifier: MIT */
/* Which lease processes share: those whose specs agree in all that decides what is granted, and to whom. */
#ifndef FZ_SPEC_LEASE_IDENTITY_H
#define FZ_SPEC_LEASE_IDENTITY_H

#include "decision.h"

/*
 * Fills in decision->lease.identity, from all that is decided already.  Passwords are no part of it, so that a new
 * one does not part the processes.  Cannot fail.
 */
FZ_PRIVATE void fz_lease_identify(struct fz_decision *decision);

#endif
