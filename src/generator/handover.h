/* SPDX-License-Identifier: MIT */
/* From one worker id to the next: no id of the next one sorts below those of the one before. */
#ifndef FZ_GENERATOR_HANDOVER_H
#define FZ_GENERATOR_HANDOVER_H

#include <stdbool.h>

#include "observation.h"

/*
 * I3: in most layouts the worker stands above the sequence, so that ids of a smaller one would sort below what was
 * issued in the same tick before.  They begin in the first unused tick, or where the grant ends if that is earlier.  A
 * thread that looks from now on finds a grant that ends before that tick.  One that looked before and has not taken yet
 * finds the word changed, and looks again.  False: others have put another grant in force.
 */
FZ_PRIVATE bool fz_begin_above(frazil *gen, struct fz_observation *seen, struct fz_grant *grant);

#endif
