/* SPDX-License-Identifier: MIT */
/*
 * The rules of a generator, said a second time: as places on a line without
 * holes, moved one call after the other, with time that passes when a call waits.
 * It shares nothing with the library's code, so the two can be compared.
 */
#ifndef TESTS_LIB_SLOT_MODEL_H
#define TESTS_LIB_SLOT_MODEL_H

#include "frazil/error.h"

enum model_policy { MODEL_WAIT, MODEL_LEAD, MODEL_HOLD = MODEL_LEAD, MODEL_ERROR, MODEL_TICKTOCK };

/* The rules, which never change. */
struct model_rules {
    enum model_policy on_full;
    enum model_policy on_backward;
    uint64_t max_lead; /* ticks */
    uint64_t capacity; /* places in a tick */
};

struct model {
    uint64_t now;  /* the time on the clock, in ticks */
    uint64_t high; /* the highest it ever showed */
    uint64_t next; /* the next free place, tick * capacity + place */
    uint64_t carried;
    unsigned side;
    uint64_t free[2]; /* first tick in which a side may be entered */
};

/* The outcome of a call. */
struct model_outcome {
    frazil_err code;
    uint64_t first; /* place; the others follow without a gap */
    unsigned side;
    uint64_t waited;       /* ticks */
    bool was_refused_late; /* after it had waited */
};

/* A call for n ids that may wait that many ticks.  Moves the model, its clock included. */
struct model_outcome model_take(struct model *model, const struct model_rules *rules, uint64_t n, uint64_t patience);

#endif
