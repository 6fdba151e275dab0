/* SPDX-License-Identifier: MIT */
/*
 * Grants: which ticks of which worker a generator may use, and the port through
 * which it comes by them.
 *
 * A generator owns a rectangle of worker x ticks, not a stretch of time.  The
 * next owner of a worker starts above the last tick that was granted before.
 * So two owners never share a tick, whatever their clocks say.  Clocks only
 * decide how soon an abandoned worker is noticed.
 */
#ifndef FZ_LEASE_GRANTER_H
#define FZ_LEASE_GRANTER_H

#include <stdbool.h>

#include "core/deadline.h"
#include "frazil/error.h"

/*
 * The namespace of a grant: as much as its holder must know to see that another one has taken its place (L10 in
 * lease.h), and what that one must spare.  All zero: the granter has no namespaces.
 */
struct fz_grant_space {
    uint64_t token_high;
    uint64_t token_low;
    uint32_t horizon_ms;
    uint32_t max_skew_ms;
};

/* Ticks of a worker that belong to one generator; both ends included. */
struct fz_grant {
    uint32_t worker;
    uint64_t floor; /* first tick it may use */
    uint64_t until; /* last tick it may use; durably recorded before anybody learns of it */
    /*
     * The granter's own: which version of the coordinator's record says so.  It is
     * kept together with the grant, because any process that shares the grant may
     * be the one that extends it.
     */
    uint64_t version;
    struct fz_grant_space space; /* likewise the granter's own, for a process that did not take the grant */
    bool ends_quarantine;        /* the floor is where a quarantine ends; only its grantee learns of this */
};

/*
 * A generator gets its grants from this: a file on this host, or a coordinator.  One
 * caller at a time; each function may block on disk or network, up to the deadline of the call that it serves.  The
 * system's own work on a disk, and a granter of the program's, know no deadline.
 *
 * A failed call never leaves a grant in doubt: what was not returned is burned.
 */
struct fz_granter {
    void *ctx;

    /*
     * The first grant.  Errors as frazil_open.
     */
    frazil_err (*acquire)(void *ctx, struct fz_deadline deadline, uint64_t now_tick, struct fz_grant *ret,
                          frazil_error *reterr);

    /*
     * A grant that reaches further than *held, which is the caller's present one.  *ret has the same worker and floor
     * if it is contiguous; otherwise (lost and taken again, or another worker) ret->floor lies above every tick that
     * was granted before; one without a tick takes away what is left of *held.  FRAZIL_ELEASE: lost, and none is
     * available; FRAZIL_EAGAIN: the coordinator or the disk did not answer, the present grant stands, or there is
     * nothing further to get yet (reterr->retry_ns says when, if that is known).  A failure takes nothing away: the
     * ticks of *held stay the caller's, because a process that has taken the worker over starts above them.
     */
    frazil_err (*extend)(void *ctx, struct fz_deadline deadline, uint64_t now_tick, const struct fz_grant *held,
                         struct fz_grant *ret, frazil_error *reterr);

    /*
     * Gives the grant back: nothing above used_tick was issued.  Best effort: what was not given back ends by itself.
     * FRAZIL_EUNREACHABLE: nobody has confirmed it; another error: it was refused.
     */
    frazil_err (*release)(void *ctx, struct fz_deadline deadline, const struct fz_grant *held, uint64_t used_tick);

    /* Frees ctx; releases nothing. */
    void (*close)(void *ctx);

    /* In a child process: drops what cannot be shared (connections), keeps the rest.  NULL: nothing to do. */
    void (*after_fork)(void *ctx);
};

#endif
