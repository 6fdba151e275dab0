/* SPDX-License-Identifier: MIT */
/* The part of a decision that says which slots there are and how they are taken: layout, behaviour, bounds, clock. */
#ifndef FZ_CONFIG_POLICIES_H
#define FZ_CONFIG_POLICIES_H

#include "decision.h"
#include "values.h"

/* Sets layout, rules, bounds and clock: the behaviour, and the keys that override it.  FRAZIL_ESPEC, ERANGE. */
FZ_PRIVATE frazil_err fz_policies_set(struct fz_decision *decision, const struct fz_values *values,
                                      frazil_error *reterr);

/*
 * Sets the bounds of the sequence, given in either order; 0 and 0 stand for the
 * whole range.  FRAZIL_ERANGE: equal, outside the layout, or for sno closer than four.
 */
FZ_PRIVATE frazil_err fz_policies_set_bounds(struct fz_decision *decision, uint64_t a, uint64_t b,
                                             frazil_error *reterr);

#endif
