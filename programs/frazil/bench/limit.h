/* SPDX-License-Identifier: MIT */
/*
 * A generator at its limit: which share of its layout's ids one thread gets and
 * how much of a core that takes; how long calls last, alone and in a crowd.
 */
#ifndef BENCH_LIMIT_H
#define BENCH_LIMIT_H

#include "rig.h"
#include "table.h"

enum { BENCH_THREADS_MAX = 1024 };

struct bench_limit {
    frazil *gen;      /* whose limit: of any kind */
    unsigned threads; /* that take from it at a time: 1 to BENCH_THREADS_MAX */
    unsigned rounds;
    double window_ns; /* of each round */
};

/*
 * Measures and adds the rows: rates and latencies of limit->gen, and as `alone`
 * the latency of rig->gen, which has no limit.  Rounds at the limit are of a tick at
 * least, and then fewer.  A limit that one caller does not reach, or whose ticks
 * are longer than a second, is not measured: one row says so.  What a generator
 * refuses, as under on_full=error, is left out.  False after a complaint.
 */
bool bench_limit_run(struct bench_rig *rig, const struct bench_limit *limit, struct bench_table *table);

#endif
