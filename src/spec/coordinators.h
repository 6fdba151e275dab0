/* SPDX-License-Identifier: MIT */
/* Which part knows the coordinator that a URL names. */
#ifndef FZ_SPEC_COORDINATORS_H
#define FZ_SPEC_COORDINATORS_H

#include "lease/coordinator.h"

/* Whether a value is a URL, of whatever kind. */
FZ_PRIVATE bool fz_is_url(const char *text);

/* How many slots are taken at a time from a state=URL that says no batch. */
FZ_PRIVATE uint64_t fz_coordinator_batch(const char *url);

/*
 * The part for a URL: one of those given (NULL at the end, or NULL) if one of them
 * has its scheme, else the one that is loaded for it.  what is the key that the URL
 * is the value of, for sentences.  FRAZIL_ESPEC: no part knows its scheme;
 * FRAZIL_ENOTBUILT: the part is not installed, or of another version.
 */
FZ_PRIVATE frazil_err fz_coordinator_for(const char *what, const char *url, const frazil_coordinator *const *given,
                                         const frazil_coordinator **ret, frazil_error *reterr);

#endif
