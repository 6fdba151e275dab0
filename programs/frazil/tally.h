/* SPDX-License-Identifier: MIT */
/* A table of the workers in a stream of ids, which grows with their number. */
#ifndef TALLY_H
#define TALLY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tally_worker {
    uint32_t worker;
    /* In the order of the input: the last place on each side of the tick-tock. */
    bool seen[2];
    uint64_t previous[2];
    /* In ascending order. */
    uint64_t ids;
    int64_t first_ms, last_ms; /* the last one is also the tick that is being counted */
    uint64_t in_tick, in_second;
    uint64_t tick_peak, second_peak; /* the most ids in one tick, and in one second of the clock */
};

struct tally;

/* An empty table.  NULL: out of memory. */
struct tally *tally_new(void);

/* Frees it; NULL is allowed. */
void tally_free(struct tally *tally);

/* How many workers a table takes, so that its memory is bounded: more than any preset has. */
#define TALLY_WORKERS_MAX ((size_t)1 << 20)

/*
 * The row of a worker, made if there is none; good until the next call.  NULL if
 * the table is full: the worker is then left out.  False: out of memory.
 */
bool tally_row(struct tally *tally, uint32_t worker, struct tally_worker **ret);

/* Notes the place of an id in its worker's order; false if it is before that of the previous one. */
bool tally_order(struct tally_worker *row, unsigned side, uint64_t place);

/* Counts an id at a time; the times of one worker must not descend. */
void tally_count(struct tally_worker *row, int64_t unix_ms);

/* How many workers there are. */
size_t tally_size(const struct tally *tally);

/* The rows, those with most ids first; the table can only be freed afterwards.  Cannot fail. */
const struct tally_worker *tally_sorted(struct tally *tally);

#endif
