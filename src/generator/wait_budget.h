/* SPDX-License-Identifier: MIT */
/* How long a call waits, and its sleeps. */
#ifndef FZ_GENERATOR_WAIT_BUDGET_H
#define FZ_GENERATOR_WAIT_BUDGET_H

#include <stdbool.h>
#include <stdint.h>

#include "core/deadline.h"
#include "frazil/generator.h"

struct fz_observation;

/* How long a call may still wait. */
struct fz_wait_budget {
    uint64_t wait_ns;
    uint64_t deadline_ns;     /* set when it begins, by the first wait if not before */
    struct fz_deadline until; /* the same for waits that the program's clock does not end; 0: nobody has asked yet */
    bool has_begun;
    bool waited;
};

/* The budget of a call with such a wait, which may be FRAZIL_WAIT_DEFAULT. */
FZ_PRIVATE struct fz_wait_budget fz_wait_budget_of(const frazil *gen, uint64_t wait_ns);

/* Begins it now, for calls that spend time in other ways than by waiting.  Nothing if it has begun. */
FZ_PRIVATE void fz_wait_budget_begin(const frazil *gen, struct fz_wait_budget *budget);

/* The call waits, on something else than a clock: counted once.  Returns the time, for fz_wait_budget_waited. */
FZ_PRIVATE uint64_t fz_wait_budget_wait(frazil *gen, struct fz_wait_budget *budget);

/* It waits no more, since the time that fz_wait_budget_wait gave. */
FZ_PRIVATE void fz_wait_budget_waited(frazil *gen, uint64_t begun_ns);

/* The time that is left, in nanoseconds. */
FZ_PRIVATE uint64_t fz_wait_budget_left(const frazil *gen, const struct fz_wait_budget *budget);

/*
 * When it is over, for waits by the machine's clock; begins it.  Never later than the time before: a program's clock
 * may stand still meanwhile.
 */
FZ_PRIVATE struct fz_deadline fz_wait_budget_until(const frazil *gen, struct fz_wait_budget *budget);

/* Sleeps for at most ns; with a callback no further than into the next tick, so that it is called then. */
FZ_PRIVATE void fz_pause(frazil *gen, const struct fz_observation *seen, struct fz_wait_budget *budget, uint64_t ns);

/* By how many ticks a thread woke too late that began to sleep at that monotonic time, with so long to wait. */
FZ_PRIVATE uint64_t fz_ticks_overslept(const frazil *gen, uint64_t begun_ns, uint64_t wait_ns);

#endif
