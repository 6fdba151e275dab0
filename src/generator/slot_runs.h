/* SPDX-License-Identifier: MIT */
/* Lists of slots in a row.  Most have one entry, so the first few need no memory of their own. */
#ifndef FZ_GENERATOR_SLOT_RUNS_H
#define FZ_GENERATOR_SLOT_RUNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/slot.h"

/* Slots in a row, of one tick. */
struct fz_run {
    uint64_t first;
    uint64_t count;
    uint64_t turn; /* when it was handed out */
};

/* A list of runs. */
enum { FZ_RUNS_FEW = 4 };
struct fz_runs {
    size_t n;
    size_t room;
    struct fz_run *at; /* few, or allocated */
    struct fz_run few[FZ_RUNS_FEW];
};

/* An empty list. */
FZ_PRIVATE void fz_runs_begin(struct fz_runs *runs);

/* Frees what it has allocated. */
FZ_PRIVATE void fz_runs_end(struct fz_runs *runs);

/* Makes room for one more; false: no memory. */
FZ_PRIVATE bool fz_runs_make_room(struct fz_runs *runs);

/* Adds one behind the others; there must be room for it. */
FZ_PRIVATE void fz_runs_add(struct fz_runs *runs, const struct fz_run *run);

/* Adds one behind the others, or to the last of them if it ends where that begins, in one tick.  False: no memory. */
FZ_PRIVATE bool fz_runs_put_back(struct fz_runs *runs, const struct fz_slot_rules *rules, const struct fz_run *run);

/* Takes away those at the end whose tick comes before this one. */
FZ_PRIVATE void fz_runs_drop_before(struct fz_runs *runs, const struct fz_slot_rules *rules, uint64_t tick);

#endif
