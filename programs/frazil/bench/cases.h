/* SPDX-License-Identifier: MIT */
/*
 * What is measured against each other: cases, of which each round takes one
 * sample each, in turns, so that all of them meet the machine in the same moods.
 */
#ifndef BENCH_CASES_H
#define BENCH_CASES_H

#include "rig.h"
#include "table.h"

#include <stdint.h>

struct bench_case {
    /* What it is called and what is asked of it; what it is compared with is in the same list. */
    struct bench_row row;
    /*
     * Does it count times and says in *ret_ns how long that took, or where one
     * thread does it without sleeping, how long that worked; false, after a
     * complaint, if it cannot be done.
     */
    bool (*run)(struct bench_rig *rig, uint64_t count, double *ret_ns);
    uint64_t at_once; /* count is a multiple of it; 0: 1 */
    double unit_ns;   /* what the row counts in; 0: nanoseconds */
};

/* The ends of these lists have no function run. */
extern const struct bench_case bench_calls[];  /* one thread, nothing that limits it */
extern const struct bench_case bench_pairs[];  /* two threads or two processes at a time */
extern const struct bench_case bench_growth[]; /* what must not cost more when there is more of it */

/*
 * Opens and closes a generator of rig->pool_layout count times, with its state in the scratch
 * directory or as the keys say; the time of closing is not in *ret_ns.  False after a complaint.
 */
bool bench_open_often(const struct bench_rig *rig, const char *keys, bool kept, uint64_t count, double *ret_ns);

/* The same with a worker id leased from the namespace that a URL names. */
bool bench_open_leased(const struct bench_rig *rig, const char *url, uint64_t count, double *ret_ns);

/*
 * Adds a row for each case of a list, and takes samples of about sample_ns each.
 * False, after a complaint, when a case fails.
 */
bool bench_cases_run(struct bench_rig *rig, struct bench_table *table, const struct bench_case *cases, unsigned rounds,
                     double sample_ns);

/*
 * The same with the cases of opening generators.  Where the scratch directory is not in memory the
 * rows say so and are held to nothing: what they show is the disk.
 */
bool bench_opens_run(struct bench_rig *rig, struct bench_table *table, unsigned rounds, double sample_ns);

#endif
