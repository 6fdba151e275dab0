/* SPDX-License-Identifier: MIT */
/*
 * Reads a file of golden vectors: tab-separated, the first line names the
 * columns.  A fault in it (no such file, no such column, a line
 * with too few or too many cells, a cell that is no number, no line at all)
 * fails the running cmocka test and names file and line.
 *
 *   struct tsv *tsv = tsv_open("text.tsv");
 *   while (tsv_next(tsv))
 *       check(tsv_u64(tsv, "id"), tsv_text(tsv, "hex16"));
 *   tsv_close(tsv);
 */
#ifndef TESTS_LIB_TSV_H
#define TESTS_LIB_TSV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tsv;

/* Opens a file of TEST_VECTORS_DIR and reads its header.  Never NULL.  Close it with tsv_close. */
struct tsv *tsv_open(const char *name);

/* Goes to the next line; false at the end.  Cells of the line before are gone then. */
bool tsv_next(struct tsv *tsv);

/* The cell of that column in this line; it lives until the next line. */
const char *tsv_text(const struct tsv *tsv, const char *column);

/* The cell as a number, which must be all that it holds. */
uint64_t tsv_u64(const struct tsv *tsv, const char *column);
int64_t tsv_i64(const struct tsv *tsv, const char *column);

/* "text.tsv:17", for messages; it lives until the next line. */
const char *tsv_where(const struct tsv *tsv);

/* Closes it and returns how many lines there were below the header; none fails the test. */
size_t tsv_close(struct tsv *tsv);

#endif
