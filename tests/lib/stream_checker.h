/* SPDX-License-Identifier: MIT */
/*
 * A checker of billions of ids while they are made: each id of the default layout
 * is a bit, in one page for each worker and tick.  Exact, as long as nobody is
 * further behind the others than the window reaches; that fails the test, too.
 */
#ifndef TESTS_LIB_STREAM_CHECKER_H
#define TESTS_LIB_STREAM_CHECKER_H

#include <stddef.h>
#include <stdint.h>

enum { STREAM_WORKERS = 16, STREAM_TICKS = 8192 };

struct stream_checker;

/* Ends the program when there is no memory. */
struct stream_checker *stream_checker_new(void);
void stream_checker_free(struct stream_checker *checker);

/* n ids in a row, of one worker below STREAM_WORKERS and one tick.  Fails the test if one of them was there before. */
void stream_checker_add(struct stream_checker *checker, uint64_t first_id, uint64_t n);

/* How many there were. */
uint64_t stream_checker_count(const struct stream_checker *checker);

#endif
