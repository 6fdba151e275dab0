/* SPDX-License-Identifier: MIT */
/* A table of the workers in a stream of ids, which grows with their number. */
#ifndef WORKER_STATS_H
#define WORKER_STATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct worker_row {
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

struct worker_stats;

/* An empty table.  NULL: out of memory. */
struct worker_stats *worker_stats_new(void);

/* Frees it; NULL is allowed. */
void worker_stats_free(struct worker_stats *stats);

/* How many workers a table takes, so that its memory is bounded: more than any preset has. */
#define WORKER_STATS_MAX ((size_t)1 << 20)

/*
 * The row of a worker, made if there is none; good until the next call.  NULL if
 * the table is full: the worker is then left out.  False: out of memory.
 */
bool worker_stats_row(struct worker_stats *stats, uint32_t worker, struct worker_row **ret);

/* Notes the place of an id in its worker's order; false if it is before that of the previous one. */
bool worker_stats_order(struct worker_row *row, unsigned side, uint64_t place);

/* Counts an id at a time; the times of one worker must not descend. */
void worker_stats_count(struct worker_row *row, int64_t unix_ms);

/* How many workers there are. */
size_t worker_stats_size(const struct worker_stats *stats);

/* The rows, those with most ids first; the table can only be freed afterwards.  Cannot fail. */
const struct worker_row *worker_stats_sorted(struct worker_stats *stats);

#endif
