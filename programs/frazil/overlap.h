/* SPDX-License-Identifier: MIT */
/* Whether a system can move from one layout to another. */
#ifndef OVERLAP_H
#define OVERLAP_H

#include "ids.h"

/* Prints a plain sentence or one JSON object; STATUS_OK if the move is safe, else STATUS_BAD_VALUE. */
int overlap_print(const struct ids_layout *before, const struct ids_layout *after, int64_t since_unix_ms, bool json);

#endif
