/* SPDX-License-Identifier: MIT */
/* The operations of src/ that are made weaker, one at a time, and what must come of it. */
#ifndef MEMORY_MODEL_VARIANTS_H
#define MEMORY_MODEL_VARIANTS_H

#include "model.h"

struct variant {
    const char *function; /* where the operation stands; NULL at the end of the list */
    const char *operand;
    enum model_weakness weakness;
    const char *scenario; /* that is run with it */
    const char *unseen;   /* NULL: a rule must break; otherwise none does, and this says why */
};

extern const struct variant variants[];

#endif
