/* SPDX-License-Identifier: MIT */
/* The laboratory: what the table of costs does not show.  Its lists of cases, and what they need beside a session's
 * rig. */
#ifndef LAB_H
#define LAB_H

#include "bench/bench.h"

enum { LAB_CROWD = 1000, LAB_HELD = 100, LAB_HOURS = 1000 };

/* A word alone in a page of memory. */
struct lab_page {
    alignas(4096) _Atomic uint64_t word;
};

/* A generator on a clock of its own. */
struct lab_timed {
    frazil_manual_clock *clock;
    frazil *gen;
};

/* The environment variable that holds a worker id while the laboratory is open. */
#define LAB_WORKER_VARIABLE "TEST_BENCH_WORKER"

struct lab {
    frazil_local *locals[2]; /* handles of the rig's generator */

    /* For what must not grow; opened by lab_open_growth. */
    frazil *crowd[LAB_CROWD]; /* with ticks so long that they hardly ever enter one */
    frazil *hasty[LAB_CROWD]; /* with ticks of 1 ms: in turns they enter one every few ids */
    struct lab_page *pages;   /* LAB_CROWD of them, to compare crowd with */
    frazil *far;              /* its ticks count from 1970 */
    frazil *held[LAB_HELD];   /* workers of one pool, all of it but a few */
    frazil *leased[LAB_HELD];
    struct lab_timed timed[2]; /* new, and LAB_HOURS old */

    char lease_url[BENCH_PATH_SIZE + 16]; /* a namespace of the rig's pool_layout */
    char spare_url[BENCH_PATH_SIZE + 16]; /* another one, of which nothing is held */
};

/* The laboratory that lab_open has put into a rig. */
struct lab *lab_of(const struct bench_rig *rig);

/* Makes what the sources of worker ids need.  False after a complaint; then too it has to be closed. */
bool lab_open(struct bench_rig *rig);

/* Opens crowd, hasty, held, leased, far and timed, and makes pages. */
bool lab_open_growth(struct bench_rig *rig);

/* Closes what is open. */
void lab_close(struct bench_rig *rig);

/* The lists; the end of each has no run. */
extern const struct bench_case lab_pairs[];   /* two threads or two processes at a time */
extern const struct bench_case lab_sources[]; /* opening with the other sources of a worker id */
extern const struct bench_case lab_growth[];  /* costs that must not grow with the number of things */
extern const struct bench_case lab_more[];    /* opening one more generator when many are held */

/*
 * The spec's generator at its limit: which share of its layout's ids one thread gets and how much of a core that
 * takes; how long calls take, by many threads.  And the latency of the rig's generator, which has no limit.  Rounds at
 * the limit are of a tick at least, and then fewer.  A limit that one thread does not reach, or whose ticks are longer
 * than a second, is not measured: one row says so.  Refusals, as under on_full=error, are left out.
 * False after a complaint.
 */
bool lab_limit_run(struct bench_session *session);

#endif
