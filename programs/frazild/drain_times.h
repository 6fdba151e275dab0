/* SPDX-License-Identifier: MIT */
/*
 * The times of a drain, none of them later than drain_timeout after its beginning.  A close that gives worker ids back
 * is told a limit, and ends a moment after it.  A reload that waits for a coordinator is given up when connections are
 * cut; a look at leases that does so knows no limit.
 */
#ifndef FRAZILD_DRAIN_TIMES_H
#define FRAZILD_DRAIN_TIMES_H

#include "clock.h"

#define DRAIN_CLOSE_NS (1 * NS_PER_S) /* of drain_timeout, to give worker ids back when all clients are gone */

struct drain_times {
    uint64_t cut_ns;    /* when connections that are left are cut */
    uint64_t closed_ns; /* when no coordinator is waited for any longer, to give worker ids back */
    uint64_t end_ns;    /* when nothing is waited for any longer */
};

/* Those of a drain that begins now. */
static inline struct drain_times drain_times_of(uint64_t now_ns, uint64_t timeout_ns)
{
    uint64_t quarter_ns = timeout_ns / 4;
    uint64_t close_ns = quarter_ns < DRAIN_CLOSE_NS ? quarter_ns : DRAIN_CLOSE_NS;
    uint64_t end_ns = now_ns + timeout_ns;

    return (struct drain_times){.cut_ns = end_ns - close_ns, .closed_ns = end_ns - close_ns / 2, .end_ns = end_ns};
}

/* Connections are cut now already, and the rest follows as much sooner. */
static inline void drain_times_cut(struct drain_times *times, uint64_t now_ns)
{
    uint64_t sooner_ns = times->cut_ns > now_ns ? times->cut_ns - now_ns : 0;

    times->cut_ns -= sooner_ns;
    times->closed_ns -= sooner_ns;
    times->end_ns -= sooner_ns;
}

#endif
