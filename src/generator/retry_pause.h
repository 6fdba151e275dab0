/* SPDX-License-Identifier: MIT */
/*
 * How long to wait after a try at a grant before the next one (D91).  Pure: time is an argument, chance is the caller's
 * source of random numbers.
 */
#ifndef FZ_GENERATOR_RETRY_PAUSE_H
#define FZ_GENERATOR_RETRY_PAUSE_H

#include <stdbool.h>
#include <stdint.h>

#include "frazil/clock.h"

/* The shortest pause there is before its jitter. */
#define FZ_RETRY_SHORTEST_NS UINT64_C(50000000)

/* A try to extend a grant that has failed. */
struct fz_failed_try {
    uint64_t failures;   /* in a row before it */
    uint64_t took_ns;    /* how long it took: a refusal is an answer as well, and comes sooner than a silence */
    uint64_t known_ns;   /* after which the next one can succeed, as the granter says; 0: it does not know */
    uint64_t horizon_ns; /* how far a fresh grant reaches */
    uint64_t ended_ns;   /* for how long the grant had ended when it began; 0: it had not */
};

/*
 * Nanoseconds until the next try: longer with each failure, unless it is known when it can succeed.  A coordinator that
 * gives no answer may have too much to do: then it works for callers that have given up, and if all ask as often as
 * before, no caller ever gets an answer in time again.  So the pause grows with the time since the grant has ended, and
 * the fleet asks ever less.
 */
FZ_PRIVATE uint64_t fz_retry_pause(const struct fz_failed_try *failed, const frazil_random *random);

/* Whether fz_retry_pause can return ns nanoseconds, or not many less, so that they may be the rest of one. */
FZ_PRIVATE bool fz_retry_pause_may_be(uint64_t ns);

/*
 * Nanoseconds until the next try at a first grant, when left_ns are left to wait for it and `tries` have failed before
 * the last one.  known_ns as above.  A fleet that starts at once must not come back as one, and nobody knows how large
 * it is.  But each conflict and each missing answer says that the window was too narrow for it: so that doubles, up to
 * what is left.  Only the time of the next try, 1 ms where it is not known, decides whether it is less than left_ns,
 * and no random number.
 */
FZ_PRIVATE uint64_t fz_first_grant_pause(unsigned tries, uint64_t known_ns, uint64_t left_ns,
                                         const frazil_random *random);

/*
 * Nanoseconds until an opening looks at a full pool again, when left_ns are left for it and `looks` came before the
 * last one.  Any holder may close at any moment, so the pauses double up to a second only.  known_ns is when the first
 * grant ends.  The last look comes 50 ms before the time is over, which it may take; after that, left_ns is returned.
 */
FZ_PRIVATE uint64_t fz_full_pool_pause(unsigned looks, uint64_t known_ns, uint64_t left_ns,
                                       const frazil_random *random);

/*
 * Nanoseconds until a call asks a source of slots again, when that refuses for known_ns, `tries` refusals came before,
 * and left_ns are left.  All callers that meet a new or a full source are told the same time: they come back spread
 * over 50 ms, which double with each try, or over a quarter of the time if that is less.
 */
FZ_PRIVATE uint64_t fz_slots_pause(unsigned tries, uint64_t known_ns, uint64_t left_ns, const frazil_random *random);

/* A random number below end; 0 if that is 0, and then none is drawn. */
FZ_PRIVATE uint64_t fz_jitter(uint64_t end, const frazil_random *random);

#endif
