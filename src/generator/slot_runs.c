/* SPDX-License-Identifier: MIT */
#include "slot_runs.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

void fz_runs_begin(struct fz_runs *runs)
{
    runs->n = 0;
    runs->room = FZ_RUNS_FEW;
    runs->at = runs->few;
}

void fz_runs_end(struct fz_runs *runs)
{
    if (runs->at != runs->few)
        free(runs->at);
}

bool fz_runs_make_room(struct fz_runs *runs)
{
    assert(runs->at != NULL && runs->room >= FZ_RUNS_FEW);
    if (runs->n < runs->room)
        return true;
    size_t room = 2 * runs->room;
    struct fz_run *larger = room > SIZE_MAX / sizeof *larger ? NULL : malloc(room * sizeof *larger);
    if (larger == NULL)
        return false;
    memcpy(larger, runs->at, runs->n * sizeof *larger);
    fz_runs_end(runs);
    runs->at = larger;
    runs->room = room;
    return true;
}

void fz_runs_add(struct fz_runs *runs, const struct fz_run *run)
{
    assert(runs->at != NULL && runs->n < runs->room);
    runs->at[runs->n++] = *run;
}

bool fz_runs_put_back(struct fz_runs *runs, const struct fz_slot_rules *rules, const struct fz_run *run)
{
    struct fz_run *next = runs->n > 0 ? &runs->at[runs->n - 1] : NULL;

    /* Runs are of one tick, so neighbours in different ones stay apart. */
    if (next != NULL && run->first + run->count == next->first &&
        fz_slot_tick(rules, run->first) == fz_slot_tick(rules, next->first)) {
        next->first = run->first;
        next->count += run->count;
        return true;
    }
    if (!fz_runs_make_room(runs))
        return false;
    fz_runs_add(runs, run);
    return true;
}

void fz_runs_drop_before(struct fz_runs *runs, const struct fz_slot_rules *rules, uint64_t tick)
{
    while (runs->n > 0 && fz_slot_tick(rules, runs->at[runs->n - 1].first) < tick)
        runs->n--;
}
