/* SPDX-License-Identifier: MIT */
/* The layouts that a guess tries: the user's own, the presets, and those of other generators that no preset reads. */
#ifndef CANDIDATES_H
#define CANDIDATES_H

#include "ids.h"

#define CANDIDATES_MAX 48

struct candidate {
    const char *name;         /* the preset's or the generator's; "yours" */
    struct ids_layout layout; /* its label is what --layout takes */
    int64_t first_unix_ms;    /* no id of it is older */
    bool is_own;              /* the user has named it */
    bool is_random;           /* the sequence is no count that begins with small numbers */
};

/* All of them, the user's own first, if it is no preset; returns how many.  NULL: the user has none. */
size_t candidates_list(const struct ids_layout *own, struct candidate ret[CANDIDATES_MAX]);

#endif
