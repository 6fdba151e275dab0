/* SPDX-License-Identifier: MIT */
/* A part of a text that somebody else has. */
#ifndef FRAZILD_SLICE_H
#define FRAZILD_SLICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct slice {
    const char *at;
    size_t len;
};

/* Whether it is that word, in either case; the word is in capitals. */
bool slice_is(struct slice slice, const char *word);

/* Reads a number of digits alone, up to most. */
bool slice_number(struct slice slice, uint64_t most, uint64_t *ret);

#endif
