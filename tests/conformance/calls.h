/* SPDX-License-Identifier: MIT */
/* The calls that a conformance case can make: bindings/conformance/README.md says what each means. */
#ifndef TESTS_CONFORMANCE_CALLS_H
#define TESTS_CONFORMANCE_CALLS_H

#include "step.h"

/* A case is made on these. */
struct subject {
    frazil *gen;
    frazil *beside;             /* another one that is open meanwhile; or NULL */
    frazil_local *local;        /* opened by the first call that wants it */
    frazil_manual_clock *clock; /* NULL: the case does not ask for one */
    frazil_layout layout;
};

/* A call needs one of these in its case. */
enum needs { NEEDS_NOTHING, NEEDS_SPEC, NEEDS_LAYOUT, NEEDS_CLOCK };

struct call {
    const char *name;
    enum needs needs;
    frazil_err (*make)(struct subject *subject, struct step *step);
};

/* The tables, each with an entry without a name at its end. */
extern const struct call calls_of_generators[];
extern const struct call calls_of_layouts[];
extern const struct call calls_of_texts[];
extern const struct call calls_of_snos[];

#endif
