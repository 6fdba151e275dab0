/* SPDX-License-Identifier: MIT */
/*
 * The page that all threads and all processes of a generator share, before and
 * after a fork.  It holds no pointer: a process that writes nonsense into it
 * cannot lead another one astray.
 */
#ifndef FZ_STATE_SHARED_PAGE_H
#define FZ_STATE_SHARED_PAGE_H

#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "grant_ring.h"
#include "lease/pair.h"
#include "shared_message.h"

#define FZ_CACHE_LINE 64

_Static_assert(ATOMIC_LLONG_LOCK_FREE == 2, "the word must be lock-free to be shared between processes");

/* The keepers' messages to each other; all zero when it is new. */
struct fz_keeper_shared {
    _Atomic uint64_t extension_since_ns; /* see generator/extension_lock.h; 0: nobody extends the grant */
    _Atomic uint64_t horizon_ticks;      /* of a fresh grant; 0 before the first one */
    _Atomic uint64_t retry_ns;           /* monotonic time before which a failed try is not repeated */
    _Atomic uint64_t failures;           /* in a row */
    _Atomic uint64_t extended;           /* grants that continued the one before */
    _Atomic uint64_t replaced;           /* grants that did not: lost and taken anew */
    struct fz_lease_pair pair;           /* the worker ids of a lease that processes share */
    _Atomic int32_t failure_code;        /* of the last try that failed, a frazil_err */
    struct fz_shared_message failure;    /* why the last try failed; empty: it did not */
};

struct fz_shared {
    /* The next free slot.  On a line of its own: every id writes it. */
    alignas(FZ_CACHE_LINE) _Atomic uint64_t word;

    /* The clock's last reading, in Unix microseconds.  Touched about once a tick. */
    alignas(FZ_CACHE_LINE) _Atomic int64_t high_us; /* the highest reading ever */
    _Atomic int64_t seen_us;                        /* the latest reading */
    _Atomic uint64_t carried_tick;                  /* latest tick that callers had to wait for */
    _Atomic uint64_t side_free[2];                  /* first tick in which each side may be entered */

    /* Which ticks of which worker may be used. */
    alignas(FZ_CACHE_LINE) struct fz_grant_ring grants;
    struct fz_keeper_shared keeper;

    /* Set last when the page is made ready. */
    _Atomic bool is_ready;

    /* Statistics.  issued = word - origin - skipped, so that taking an id counts itself. */
    alignas(FZ_CACHE_LINE) uint64_t origin;
    _Atomic uint64_t skipped;
    _Atomic uint64_t full;
    _Atomic uint64_t backward_steps;
    _Atomic uint64_t backward_max_us;
    _Atomic uint64_t lead_max_us;
    _Atomic uint64_t waits;
    _Atomic uint64_t waited_us;
    _Atomic uint64_t ticktocks;

    /* The sequence of ids for a time of the caller's. */
    _Atomic uint64_t explicit_taken;

    /* The tick that was counted last in `full`, and one more; 0: none. */
    _Atomic uint64_t full_counted;
};

#endif
