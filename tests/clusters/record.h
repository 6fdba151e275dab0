/* SPDX-License-Identifier: MIT */
/*
 * The file in which one taker writes down what it got; takers.py reads the head, judge.c the ids.  The bytes are those
 * of this machine: nothing of it outlives a campaign.
 */
#ifndef TESTS_CLUSTERS_RECORD_H
#define TESTS_CLUSTERS_RECORD_H

#include "frazil.h"

#define RECORD_GAP_NS UINT64_C(500000000) /* shorter times without ids are not written down */

enum { RECORD_GAPS = 500, RECORD_ERROR_SIZE = 512 };

/* A time without ids, on the monotonic clock. */
struct record_gap {
    uint64_t from_ns;
    uint64_t to_ns;
};

struct record {
    uint64_t started_ns;
    uint64_t first_ns; /* of its first id, and of the last one up to now */
    uint64_t last_ns;
    _Atomic uint64_t count; /* of the ids that stand there: the judge may look meanwhile */
    uint64_t errors;
    uint64_t gap_count;
    uint64_t worker;
    char error[RECORD_ERROR_SIZE]; /* the last one, a sentence */
    struct record_gap gaps[RECORD_GAPS];
    uint64_t ids[];
};

#endif
