/* SPDX-License-Identifier: MIT */
/* Whether ids can be made today: the layout's life. */
#ifndef FZ_CONFIG_LIFE_H
#define FZ_CONFIG_LIFE_H

#include "decision.h"
#include "frazil/clock.h"

/* A layout that ends sooner is refused unless its spec allows that. */
#define FZ_SHORT_LIFE_MS (INT64_C(3652) * 24 * 60 * 60 * 1000)

/*
 * Whether the clock shows a time at which a generator may be opened.  clock: the program's own, or NULL for the one
 * that the decision says.  FRAZIL_ESPEC: the layout's epoch is in the future; FRAZIL_ESHORTLIFE: the layout has ended,
 * or ends within ten years.  Any thread.
 */
FZ_PRIVATE frazil_err fz_check_life(const struct fz_decision *decision, const frazil_clock *clock,
                                    frazil_error *reterr);

#endif
