/* SPDX-License-Identifier: MIT */
/*
 * The lease protocol, written once over the register port: how a generator gets a
 * worker id, and ticks of it that no other generator ever uses.
 *
 *   L1  A grant is recorded, and the answer seen, before it is handed out.
 *   L2  An owner starts above `until` of the record that it replaced: no two share a tick, whatever their clocks say.
 *   L3  A swap that fails is a loss, also when the record bears the own token:
 *       a cloned machine has the same token and the same random numbers.
 *   L4  A swap without an answer burns what it would have granted: what is found
 *       in the record afterwards may be a clone's, so the next grant starts above it.
 *   L5  A grant reaches at most `horizon` beyond the owner's clock, and the
 *       owner's clock is within max_skew of the coordinator's.  Both numbers stand
 *       in the namespace: no generator has numbers of its own.
 *   L6  A coordinator that may have lost records grants nothing up to
 *       now + horizon + 2 max_skew: by L5 no owner was granted more, if the old
 *       coordinator's clock was within max_skew of the new one's.  Where the
 *       namespace itself was lost, the caller that creates it again gives the
 *       lost one's numbers.
 *   L7  A namespace is created once; one that is missing or different is an
 *       error, never a fresh start.
 *   L8  Versions never come back, but the absence of a record does, when all are
 *       lost.  So after the first taking of a worker id the namespace is read once
 *       more, and one is created closed, and opened when the time is known to be
 *       later than that.
 *   L9  If the coordinator has a clock, no generator takes a worker id before that clock
 *       has passed all ticks taken of it or held back by a quarantine (except one that
 *       burned ticks of it itself, alone, and has lost nothing).  So after a loss a holder
 *       is extended without a gap, in spite of L6, if its record has the very version of
 *       its grant, and the grant has more than 2 max_skew left by the clock in that
 *       answer, and by its own: what was lost came later, and was not a taking.
 *   L10 A caller that creates a namespace again may give too little (L6), and a holder
 *       that still runs knows better.  So a holder that finds another namespace than it
 *       knew, or no record that covers its grant, first raises the quarantine to the
 *       end of its grant, and of whatever else the namespace that it knew can have
 *       granted.  Only then does it agree, refuse or take anything.  If it comes too
 *       late, and another owner's ticks of its worker id begin below the end of its grant,
 *       it gives up what is left of that grant at once.
 *
 *   L11 Processes that share a lease have one token.  One of them may be killed between its swap and the news of it,
 *       so a record that bears their token is theirs to swap, and by L3 and L4 never theirs to use: the next grant
 *       starts above it.  They write a worker id into their pair before they first swap for it, and while there are
 *       two, they look at these alone.  One is dropped when a look shows that it cannot be had, or not before ticks
 *       have passed for which only a clock that was ahead can have asked.  So they never use a third, unless one of
 *       the two is lost to another owner, or to such a clock.  A copy of their host has their token, too.  They wait
 *       for the ticks of each record to pass, and a record that reaches beyond all that they have ever asked for
 *       belongs to a copy, as to any other owner.  So each of the copies comes to have worker ids of its own.
 *
 * Clocks decide when a record counts as abandoned, and nothing else (but for
 * what was lost, L6 and L9).  Time is an argument: now_tick is the caller's clock.
 *
 * An unanswered swap costs the ticks since the last extension: when it becomes
 * known, another worker id is taken if one is free, and if not the generator
 * pauses for that long at the end of its present grant.
 *
 * Not promised by L9: that a cloned machine stays apart from its twin when the
 * twin's own extension is among what the coordinator has lost.
 *
 * One caller at a time for each lease; several leases may share nothing.
 */
#ifndef FZ_LEASE_H
#define FZ_LEASE_H

#include "frazil/clock.h"
#include "frazil/layout.h"
#include "granter.h"
#include "pair.h"
#include "record.h"
#include "register.h"

/* Bytes of a namespace's name in sentences, terminator included; longer ones are cut. */
#define FZ_LEASE_NAME_SIZE 64

struct fz_lease;

/* The processes that hold one lease together.  Their memory must be mapped as long as they acquire and extend. */
struct fz_lease_group {
    struct fz_token token;      /* of the owner that all of them are */
    struct fz_lease_pair *pair; /* NULL: there is no group */
    /* Whether none of them has put another grant in force in place of this one; it is asked in acquire and extend. */
    bool (*is_in_force)(void *ctx, const struct fz_grant *grant);
    void *ctx;
};

struct fz_lease_options {
    const frazil_layout *layout; /* copied */
    const char *name;            /* of the namespace, for sentences; copied */
    const char *owner;           /* this process, as "host:pid"; copied and sanitised */
    struct fz_token token;
    const frazil_random *random; /* copied; its ctx must outlive the lease */
    const frazil_clock *clock;   /* its monotonic time tells slow answers from clocks that differ; copied; NULL: none */
    uint32_t base;               /* worker ids base .. base + count - 1 are used */
    uint32_t count;              /* 0: up to the last one of the namespace */
    int64_t max_skew_ms;         /* that the namespace must have; FZ_SKEW_UNSET: any */
    bool stay;                   /* never take another worker id than the first one */
    uint64_t horizon_ms;         /* likewise; 0: any */
    uint64_t workers;            /* likewise */
    const struct fz_lease_group
        *group; /* copied; its token is the lease's.  NULL: the caller's process, and children */
};

/* Counts of what happened to a lease. */
struct fz_lease_counters {
    uint64_t extensions;  /* contiguous ones */
    uint64_t moves;       /* grants that were not contiguous with the one before */
    uint64_t lost;        /* own records that another owner has swapped: theft, or the clone below */
    uint64_t clones;      /* records found that bear the own token, and that a copy of this machine has swapped */
    uint64_t burned;      /* swaps without an answer, or answered by another incarnation of the coordinator */
    uint64_t quarantines; /* that this lease has begun or prolonged */
    uint64_t round_trips;
    int64_t skew_ms; /* coordinator's clock minus the caller's, at the last answer; 0 without a clock */
};

/*
 * Makes a lease, without a word to the coordinator.  On success it owns the
 * register, and fz_lease_granter's close frees both.  FRAZIL_ENOMEM; FRAZIL_ERANGE:
 * base or count lie outside the worker ids of the layout, or of the namespace as options say.
 */
FZ_PRIVATE frazil_err fz_lease_open(struct fz_lease **ret, struct fz_register reg,
                                    const struct fz_lease_options *options, frazil_error *reterr);

/*
 * The lease as a granter.  Beyond what granter.h says:
 *
 * acquire:
 *   FRAZIL_EPOOL: all are taken, and by whom.
 *   FRAZIL_ENAMESPACE: the namespace is missing, of another layout or not as options say, too small, or cannot be read.
 *   FRAZIL_EREFUSED: the coordinator refuses.  FRAZIL_ECLOCK: the clocks differ too much.
 *   FRAZIL_EUNREACHABLE: no answer.
 *   FRAZIL_EAGAIN: the free ids cannot be taken yet, and retry_ns says when.  Reasons: a quarantine, an id that was
 * freed by hand, one whose owner's clock was ahead. FRAZIL_EEXHAUSTED: the layout's life is over.
 *
 * extend:
 *   A grant without a tick (floor above until) says that the present one must not be used any more (L10).
 *   FRAZIL_ELEASE: the worker is lost and no other is free, or *held has ended.
 *   FRAZIL_EAGAIN: *held has not ended, or is not in force in the group; with the reason.
 *   FRAZIL_EEXHAUSTED: it reaches the last tick already.
 */
FZ_PRIVATE struct fz_granter fz_lease_granter(struct fz_lease *lease);

/* The counts up to now. */
FZ_PRIVATE struct fz_lease_counters fz_lease_count(const struct fz_lease *lease);

/* ---- namespaces ----------------------------------------------------------- */

struct fz_namespace_options {
    const frazil_layout *layout;
    const char *name;         /* for sentences */
    uint64_t horizon_ms;      /* FZ_HORIZON_MS_MIN .. FZ_HORIZON_MS_MAX, and three ticks at least */
    uint64_t lost_horizon_ms; /* the quarantine assumes at least this one of a lost namespace; 0: horizon_ms */
    uint64_t workers;         /* 1 .. what the layout has; 0: all of these */
    struct fz_token token;    /* random */
    int64_t max_skew_ms;      /* 0 .. FZ_SKEW_MS_MAX */
    bool never_used;          /* nobody ever had a grant in it, so nothing can have been lost: no quarantine */
    /*
     * The caller's clock, in ticks.  It is read when the namespace is known to be
     * missing: a time of before could be one of before a wipe.
     */
    uint64_t (*now_tick)(void *ctx);
    void *now_ctx;
};

/*
 * The shortest quarantine of a namespace that an operator creates where one may have been lost.  Every holder with a
 * keeper looks at its coordinator every 20 s (see keeper.c), and so has time for L10 before it ends.
 */
#define FZ_LOST_HORIZON_MS_MIN 60000

/*
 * Creates a namespace.  FRAZIL_EINVAL: it exists (the sentence says since when and
 * with what); FRAZIL_ERANGE: horizon, max_skew or workers; FRAZIL_ECLOCK: the clocks differ too
 * much; FRAZIL_EUNREACHABLE: no answer; FRAZIL_EREFUSED: the coordinator refuses;
 * FRAZIL_EEXHAUSTED: the layout's life is over.
 */
FZ_PRIVATE frazil_err fz_lease_init(const struct fz_register *reg, const struct fz_namespace_options *options,
                                    frazil_error *reterr);

/* The record of one worker id. */
struct fz_lease_entry {
    uint32_t worker;
    bool readable; /* if not: record is zero, and parse_error says why */
    struct fz_worker_record record;
    frazil_error parse_error;
};

typedef void (*fz_lease_visitor)(void *ctx, const struct fz_lease_entry *entry);

/* Fails with FRAZIL_ENAMESPACE: there is no namespace of this name, and what creates it. */
FZ_PRIVATE frazil_err fz_lease_no_namespace(const char *name, frazil_error *reterr);

/*
 * Shows all worker ids that were ever taken, in any order, and what their
 * namespace is.  FRAZIL_EUNREACHABLE, EREFUSED, ENAMESPACE as above; visits may have been made.
 */
FZ_PRIVATE frazil_err fz_lease_list(const struct fz_register *reg, const char *name, fz_lease_visitor visit, void *ctx,
                                    struct fz_namespace_record *ret, frazil_error *reterr);

/*
 * Frees one worker id by hand.  Its ticks up to `until` stay taken, so the owner,
 * if it is still running, loses it at its next extension and nothing is issued twice; it can
 * be taken when they have passed (L9).  FRAZIL_EINVAL: it was never taken, or is
 * free already; FRAZIL_EUNREACHABLE: no answer; FRAZIL_EAGAIN: its owner was faster;
 * FRAZIL_EREFUSED, ENAMESPACE.
 */
FZ_PRIVATE frazil_err fz_lease_release_by_hand(const struct fz_register *reg, const char *name, uint32_t worker,
                                               frazil_error *reterr);

#endif
