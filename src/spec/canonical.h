/* SPDX-License-Identifier: MIT */
/* A decision as a spec again: one text for all specs that mean the same. */
#ifndef FZ_SPEC_CANONICAL_H
#define FZ_SPEC_CANONICAL_H

#include "decision.h"

/*
 * Writes what frazil_options_text promises, with a terminator; *ret_len, always set, does not count it. FRAZIL_EBUFFER:
 * it does not fit.
 */
FZ_PRIVATE frazil_err fz_canonical_text(const struct fz_decision *decision, bool with_secrets, char *buf, size_t size,
                                        size_t *ret_len);

#endif
