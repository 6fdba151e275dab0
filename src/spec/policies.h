/* SPDX-License-Identifier: MIT */
/* The part of a decision that says which slots there are and how they are taken: layout, behaviour, bounds, clock. */
#ifndef FZ_SPEC_POLICIES_H
#define FZ_SPEC_POLICIES_H

#include "decision.h"
#include "settings.h"

/* The systems that are settings of frazil, and frazil's own: the name, and what it does when. */
/* clang-format off */
/* X(identifier, name, on_full, on_backward, start, max_lead_ns, max_wait_ns) */
#define FZ_BEHAVIOURS(X) \
    X(FRAZIL,         "frazil",         WAIT,  HOLD,     SPREAD, FZ_SECONDS(1), FZ_SECONDS(2)) \
    X(KONAYUKI,       "konayuki",       WAIT,  WAIT,     ZERO,   0,             FZ_SECONDS(10)) \
    X(SFID,           "sfid",           LEAD,  HOLD,     ZERO,   FZ_NO_LIMIT,   0) \
    X(SNO,            "sno",            WAIT,  TICKTOCK, ZERO,   0,             FZ_SECONDS(2)) \
    X(POST,           "post",           WAIT,  WAIT,     ZERO,   0,             FZ_SECONDS(2)) \
    X(FLAKE,          "flake",          ERROR, ERROR,    ZERO,   0,             0) \
    X(FLAKE_CALLBACK, "flake-callback", WAIT,  WAIT,     ZERO,   0,             0)
/* clang-format on */

#define FZ_SECONDS(n) ((n)*UINT64_C(1000000000))

/* Reads layout, behaviour with its overrides, bounds and clock.  FRAZIL_ESPEC, ELAYOUT, ERANGE. */
FZ_PRIVATE frazil_err fz_policies_read(struct fz_decision *decision, const struct fz_settings *settings,
                                       frazil_error *reterr);

/* The word that on_full, on_backward or start has for a choice.  Never freed. */
FZ_PRIVATE const char *fz_policies_word(enum fz_key key, int choice);

/*
 * Sets the bounds of the sequence, given in either order; 0 and 0 stand for the
 * whole range.  FRAZIL_ERANGE: equal, outside the layout, or for sno closer than four.
 */
FZ_PRIVATE frazil_err fz_policies_set_bounds(struct fz_decision *decision, uint64_t a, uint64_t b,
                                             frazil_error *reterr);

#endif
