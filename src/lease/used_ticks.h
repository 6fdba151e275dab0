/* SPDX-License-Identifier: MIT */
/*
 * Which ticks of a worker have been granted to anybody, as a few ranges.
 *
 * One number, "all up to here", would let a clock that once stood in the year
 * 2106 put a worker out of use until then.  With ranges, what was granted there
 * is an island: when the clock is right again, the worker goes on below it and
 * keeps clear of it.  Where there are more ranges than there is room for, the
 * lowest ones become one, because nobody needs the gaps of long ago.
 */
#ifndef FZ_LEASE_USED_TICKS_H
#define FZ_LEASE_USED_TICKS_H

#include <stdbool.h>
#include <stdint.h>

#define FZ_USED_RANGES 16

/* Both ends included. */
struct fz_tick_range {
    uint64_t first;
    uint64_t last;
};

/* Ascending, with an unused tick at least between two ranges.  All zero: nothing is used. */
struct fz_used_ticks {
    uint64_t count;
    struct fz_tick_range range[FZ_USED_RANGES];
};

/* Whether the ranges are as said above. */
FZ_PRIVATE bool fz_used_is_valid(const struct fz_used_ticks *used);

/* Uses first to last (first <= last), of which some may be used already. */
FZ_PRIVATE void fz_used_add(struct fz_used_ticks *used, uint64_t first, uint64_t last);

/* The first unused tick from this one on.  False: there is none. */
FZ_PRIVATE bool fz_used_next_free(const struct fz_used_ticks *used, uint64_t tick, uint64_t *ret);

/* The last tick of the gap in which this unused tick lies. */
FZ_PRIVATE uint64_t fz_used_gap_end(const struct fz_used_ticks *used, uint64_t tick);

/* The last used tick below this unused one.  False: there is none. */
FZ_PRIVATE bool fz_used_last_below(const struct fz_used_ticks *used, uint64_t tick, uint64_t *ret);

/*
 * Takes back the ticks above `tick` in the range that ends with `last`; tick is used and below last.  Does
 * nothing if no range ends there, because it was joined with another.
 */
FZ_PRIVATE void fz_used_cut(struct fz_used_ticks *used, uint64_t last, uint64_t tick);

#endif
