/* SPDX-License-Identifier: MIT */
/* Which layout an id may be of. */
#ifndef GUESS_H
#define GUESS_H

#include "ids.h"

/*
 * Prints every preset for every reading of a text, the most plausible first,
 * with a score from 0 to 100 and a reason; as one JSON object, or as a table.
 */
void guess_print(const char *text, size_t len, const struct ids_reading *readings, size_t count, bool json);

#endif
