/* SPDX-License-Identifier: MIT */
/* Which layout an id may be of. */
#ifndef GUESS_H
#define GUESS_H

#include "ids.h"

/*
 * Prints every candidate for every reading of a text, the most plausible first,
 * with a score from 0 to 100 and a reason; as one JSON object, or as a table.
 * own: the layout that the user named, in the command or the environment; NULL: none.
 */
void guess_print(const char *text, size_t len, const struct ids_layout *own, const struct ids_reading *readings,
                 size_t count, bool json);

/*
 * For an id whose time, by the layout of that label, is in the future: says so, and
 * prints the few layouts that it is more likely of.
 */
void guess_suggest(const char *label, const struct ids_reading *reading);

/* ---- the layouts that a guess tries ------------------------------ */

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
