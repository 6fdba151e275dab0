/* SPDX-License-Identifier: MIT */
/*
 * A part of a text with another owner.  Its bytes are a client's: they may hold a zero, so that no function of C's
 * strings may see them.
 */
#ifndef FRAZILD_SLICE_H
#define FRAZILD_SLICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* at NULL: absent, as a header that was left out.  Absent is not empty: it equals nothing, and begins with nothing. */
struct slice {
    const char *at;
    size_t len;
};

/* All of a text; absent for NULL. */
struct slice slice_of(const char *text);

/* Whether both are there and equal; letters of ASCII also in either case. */
bool slice_equals(struct slice a, struct slice b);
bool slice_equals_any_case(struct slice a, struct slice b);

/* Whether it is that word, in either case; the word is in capitals. */
bool slice_is(struct slice slice, const char *word);

/* Whether the text stands in it somewhere. */
bool slice_holds(struct slice slice, const char *text);

/* Writes as many bytes as it has, letters of ASCII as small ones. */
void slice_lower(struct slice slice, char *to);

/* Moves behind the text if the slice begins with it; false: it does not, and is as before. */
bool slice_skip(struct slice *slice, const char *text);

/*
 * Takes what stands before the next mark, without the blanks around it, and moves behind the mark.  Behind the last
 * part it is absent, and so is what is taken then.
 */
struct slice slice_cut(struct slice *slice, char mark);

/* Takes the next word of a list, whose words blanks separate, and moves behind it.  False: there is none. */
bool slice_next_word(const char **list, struct slice *ret);

/* The value of a hex digit, in either case; -1: it is none. */
int hex_digit(char c);

/* Reads a number of digits alone, up to most. */
bool slice_number(struct slice slice, uint64_t most, uint64_t *ret);

#endif
