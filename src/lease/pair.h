/* SPDX-License-Identifier: MIT */
/*
 * The at most two worker ids of a lease that processes share, in memory that all of them map.  Each of them writes a
 * worker id there before it first swaps for it, and while there are two, nobody swaps for a third.  Beside them stands
 * how far they have ever asked: a copy of the host has the same token, but not this page, and goes beyond that.
 */
#ifndef FZ_LEASE_PAIR_H
#define FZ_LEASE_PAIR_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* All zero: none. */
struct fz_lease_pair {
    _Atomic uint64_t both;  /* in each half a worker id plus one; 0: none */
    _Atomic uint64_t asked; /* none of the processes has ever asked for a later tick, of any worker id */
};

/* The pair as a process has seen it, for the functions below. */
struct fz_pair_view {
    uint64_t both;
    uint64_t asked;
};

/* The pair as it is now. */
FZ_PRIVATE struct fz_pair_view fz_pair_look(const struct fz_lease_pair *pair);

/* The worker ids that were in it; returns how many. */
FZ_PRIVATE size_t fz_pair_workers(const struct fz_pair_view *seen, uint32_t ret[2]);

/* Whether this worker id was in it. */
FZ_PRIVATE bool fz_pair_has(const struct fz_pair_view *seen, uint32_t worker);

/* Notes that one of the processes is going to ask for ticks up to this one. */
FZ_PRIVATE void fz_pair_ask(struct fz_lease_pair *pair, uint64_t until);

/* Whether one of them can have asked for ticks up to this one: if not, another owner has. */
FZ_PRIVATE bool fz_pair_asked(const struct fz_lease_pair *pair, uint64_t until);

/* Adds a worker id, if it is not there.  False: there are two others. */
FZ_PRIVATE bool fz_pair_add(struct fz_lease_pair *pair, uint32_t worker);

/*
 * Drops a worker id, unless the pair is another one than was seen, or one of the processes has asked for ticks since:
 * they may be of this worker id.
 */
FZ_PRIVATE void fz_pair_drop(struct fz_lease_pair *pair, const struct fz_pair_view *seen, uint32_t worker);

#endif
