/* SPDX-License-Identifier: MIT */
/*
 * The word that was meant: the one of a list that a text is a slip away from.
 * Offer each word of the list, then look at .word.  Pure; any thread.
 */
#ifndef FZ_CORE_NEAREST_H
#define FZ_CORE_NEAREST_H

#include "sentence.h"

struct fz_nearest {
    const char *text;
    size_t len;
    const char *word;  /* the nearest of those offered, or NULL: none is near enough */
    unsigned distance; /* how many slips away it is */
};

/* Begins the search for what len characters of text stand for.  The text is not copied. */
FZ_PRIVATE struct fz_nearest fz_nearest_to(const char *text, size_t len);

/*
 * Offers a word, which must live as long as the search.  A slip is a letter that is wrong, missing or too much, or two
 * letters that changed places; upper and lower case are the same.  Words of up to five letters may have one slip,
 * longer ones two, those of one or two letters one that leaves the letters as they are; the first of several equally
 * near ones is kept.
 */
FZ_PRIVATE void fz_nearest_offer(struct fz_nearest *search, const char *word);

/* Adds ": did you mean WORD?", or else if there is none. */
FZ_PRIVATE void fz_nearest_say(struct fz_sentence *s, const struct fz_nearest *search, const char *otherwise);

#endif
