/* SPDX-License-Identifier: MIT */
/*
 * Which sequence numbers a generator uses.  Generators of one worker whose bounds
 * do not overlap never make the same id, whatever else they do: each is a shard.
 */
#ifndef FZ_CORE_BOUNDS_H
#define FZ_CORE_BOUNDS_H

#include <stdbool.h>
#include <stdint.h>

/* Both ends included. */
struct fz_bounds {
    uint64_t min;
    uint64_t max;
    uint64_t top; /* the largest sequence number of the layout */
};

/* Whether these are all sequence numbers of the layout. */
FZ_PRIVATE bool fz_bounds_are_all(const struct fz_bounds *bounds);

/* How many there are: at least one. */
FZ_PRIVATE uint64_t fz_bounds_count(const struct fz_bounds *bounds);

/* Whether the same sequence numbers are meant. */
FZ_PRIVATE bool fz_bounds_are_equal(const struct fz_bounds *a, const struct fz_bounds *b);

/* Whether they have a sequence number in common. */
FZ_PRIVATE bool fz_bounds_overlap(const struct fz_bounds *a, const struct fz_bounds *b);

#endif
