/* SPDX-License-Identifier: MIT */
/* Making a decision of a spec, the environment and the config file. */
#ifndef FZ_CONFIG_DECIDE_H
#define FZ_CONFIG_DECIDE_H

#include "decision.h"

/*
 * Decides what a spec (NULL: empty) means.  FRAZIL_ESPEC, ELAYOUT, ERANGE, EKIND with a sentence that names the key;
 * FRAZIL_ENOWORKER, EWORKER, EPOOL: there is no worker id; FRAZIL_ESYS: the config file cannot be read, or the host
 * does not say who it is; FRAZIL_ENOMEM.  On success the caller frees it.
 */
FZ_PRIVATE frazil_err fz_decide(struct fz_decision *ret, const char *spec, const struct fz_occasion *occasion,
                                frazil_error *reterr);

/* The same for text that has all of the environment in it, as fz_canonical_text writes it: base= is not added twice. */
FZ_PRIVATE frazil_err fz_decide_complete(struct fz_decision *ret, const char *spec, const struct fz_occasion *occasion,
                                         frazil_error *reterr);

/* The same for text that may be a URL alone, which stands for worker=URL.  Not NULL. */
FZ_PRIVATE frazil_err fz_decide_spec_or_url(struct fz_decision *ret, const char *spec_or_url,
                                            const struct fz_occasion *occasion, frazil_error *reterr);

/* Frees a decision and wipes its texts: URLs hold passwords. */
FZ_PRIVATE void fz_decision_free(struct fz_decision *decision);

#endif
