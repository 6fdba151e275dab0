/* SPDX-License-Identifier: MIT */
/*
 * An index finds a row of an array by its text in one look, however many rows there are.  The place of a text comes
 * from a hash with a secret key of the index: nobody can choose texts whose places are the same, and the time of a
 * look tells nothing of the texts that are there.
 */
#ifndef FRAZILD_ROW_INDEX_H
#define FRAZILD_ROW_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NO_ROW SIZE_MAX

/* All zeros: it has no rows. */
struct row_index {
    uint32_t *slots; /* a row and 1; 0: none */
    size_t mask;
    unsigned char key[32];
};

/* Makes room for so many rows.  False: no memory. */
bool row_index_open(struct row_index *index, size_t count);

/* Frees it. */
void row_index_close(struct row_index *index);

/* The first row that was added with this text and for which is_it says true; NO_ROW: none. */
size_t row_index_find(const struct row_index *index, const void *text, size_t len,
                      bool (*is_it)(size_t row, const void *ctx), const void *ctx);

/* Adds a row with its text: of the rows that it has room for, each once.  False: no memory. */
bool row_index_add(struct row_index *index, const void *text, size_t len, size_t row);

#endif
