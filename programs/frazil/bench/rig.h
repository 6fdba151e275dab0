/* SPDX-License-Identifier: MIT */
/* The generators that are measured, and the scratch directory that they keep their state in. */
#ifndef BENCH_RIG_H
#define BENCH_RIG_H

#include <frazil.h>

#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>

enum { BENCH_BATCH = 4096, BENCH_CROWD = 1000, BENCH_HELD = 100, BENCH_PATH_SIZE = 512, BENCH_SPEC_SIZE = 2048 };

/* A word alone in a page of memory. */
struct bench_page {
    alignas(4096) _Atomic uint64_t word;
};

/* A generator on a clock of its own. */
struct bench_timed {
    frazil_manual_clock *clock;
    frazil *gen;
};

/* Worker ids of pool_layout. */
enum { BENCH_POOL = 128 };

/* How long an old one has run, and how many grants it has had. */
enum { BENCH_HOURS = 1000 };

/* The environment variable that holds a worker id while the rig is open. */
#define BENCH_WORKER_VARIABLE "FRAZIL_BENCH_WORKER"

struct bench_rig {
    /* A shared line for what generators are compared with. */
    alignas(64) _Atomic uint64_t line;
    alignas(64) uint64_t ids[BENCH_BATCH];

    /* Of a layout with so many ids a tick that it never limits; in memory of its own. */
    frazil *gen;
    frazil_local *locals[2];
    frazil *sno;    /* as many as there are in 4 ms */
    frazil *shared; /* as gen, its word in a file that other processes map, too */

    /* For what must not grow. */
    frazil *crowd[BENCH_CROWD]; /* of ticks so long that they hardly ever enter one */
    frazil *hasty[BENCH_CROWD]; /* as gen: in turns they enter a tick every few ids */
    struct bench_page *pages;   /* BENCH_CROWD of them, to compare crowd with */
    frazil *far;                /* its ticks count from 1970 */
    frazil *held[BENCH_HELD];   /* workers of one pool, all of it but a few */
    frazil *leased[BENCH_HELD];
    struct bench_timed timed[2]; /* new, and old */

    bool disturbed; /* what was measured last is not what it should have been */

    char dir[BENCH_PATH_SIZE];
    char lease_url[BENCH_PATH_SIZE + 16]; /* a namespace of pool_layout */
    char spare_url[BENCH_PATH_SIZE + 16]; /* another one, of which nothing is leased */
    char layout[128];                     /* of gen, as keys of a spec */
    char pool_layout[128];                /* of held */
    char slow_layout[128];                /* of crowd */
};

/*
 * Opens gen, locals, sno and shared, the last with files in a directory of its
 * own that it makes in memory if it can.  False after a complaint; then too it
 * has to be closed.
 */
bool bench_rig_open(struct bench_rig *rig);

/* Opens crowd, hasty, held, leased, far and timed, and makes pages. */
bool bench_rig_open_growth(struct bench_rig *rig);

/* Closes what is open and removes the directory. */
void bench_rig_close(struct bench_rig *rig);

/* Opens a generator of a layout (rig->layout, rig->pool_layout) with more keys.  NULL after a complaint. */
frazil *bench_rig_generator(const char *layout, const char *keys);

/* The same, with its state in the scratch directory. */
frazil *bench_rig_kept(const struct bench_rig *rig, const char *layout, const char *keys);

/*
 * Takes ids of each of these in turns for some 20 ms: a generator that is new reads the
 * clock for each id until it knows how fast the counter runs.  False after a complaint.
 */
bool bench_warm_up(frazil *const *gens, unsigned count);

/* Takes count ids one by one, and says how long this thread worked for that; false after a complaint. */
bool bench_take(frazil *gen, uint64_t count, double *ret_ns);

/* Complains of an error that has no words of its own, and returns whether there was none. */
bool bench_went_well(frazil_err err);

#endif
