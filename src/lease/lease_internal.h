/* SPDX-License-Identifier: MIT */
/*
 * The lease from inside: lease.c drives, lease_state.c notes, lease_take.c finds a worker, lease_group.c keeps
 * processes that share a lease to their pair, namespace.c knows what all must agree about.
 */
#ifndef FZ_LEASE_INTERNAL_H
#define FZ_LEASE_INTERNAL_H

#include "lease.h"

/* How many worker ids that were never taken one look can tell apart; more than that are looked at in parts. */
#define FZ_WINDOW_BITS 65536

/*
 * So few worker ids are all looked at.  Of more, a search looks at samples: each row has the largest pool that it is
 * for, and the samples, one after another as long as none has an id that is free.  All follow.  Of a sample the first
 * number is how many records are read.  The second is for parts that find records for less than they read them: of so
 * many ids more they are asked whether these were ever taken.
 *
 * A free id has no record before it is first taken, so the fuller a pool is, the more bytes has a sample: large pools
 * have small ones (D89 has the figures).  Pools of 1024, the default layout, have larger samples: there an opening
 * takes five round trips at most, however full they are.
 */
#define FZ_SAMPLES_OF_LARGE(ROW) ROW(UINT64_MAX, {3, 4}, {4, 8}, {6, 16}, {6, 16}, {16, 0}, {12, 0}, {256, 0})
#ifndef FZ_SAMPLES /* the simulator's pools are small, and so are its samples of these */
#define FZ_SMALL_POOL 64
#define FZ_SAMPLES(ROW) ROW(256, {16, 0}) ROW(1024, {16, 0}, {64, 0}) FZ_SAMPLES_OF_LARGE(ROW)
#endif
#define FZ_SAMPLE_MAX 256

/* How many records one look remembers of each kind. */
#define FZ_SHORTLIST 8

/* How often one call looks at the namespace, and how many swaps it tries after each look. */
#define FZ_TRIES_MAX 4

/* The namespace as it was read last. */
struct fz_namespace {
    bool known;
    bool stale; /* the coordinator has answered as another incarnation since then */
    struct fz_namespace_record record;
    char fingerprint[FRAZIL_FINGERPRINT_SIZE]; /* of the caller's layout */
};

/* Why the worker that the caller holds cannot simply be extended. */
enum fz_trouble {
    FZ_TROUBLE_NONE,
    FZ_TROUBLE_DOUBT,  /* a swap had no answer */
    FZ_TROUBLE_BURNED, /* the record holds more than may be used; it is still ours to swap */
    FZ_TROUBLE_LOST    /* it is another owner's */
};

/* The request.  lease.c copies it from the options; nobody writes it afterwards. */
struct fz_lease_wish {
    uint32_t base; /* worker ids base .. base + count - 1 */
    uint64_t count;
    bool stay;
    uint64_t horizon_ms; /* of the namespace; 0: whatever it has */
    int64_t max_skew_ms; /* FZ_SKEW_UNSET: likewise */
    uint64_t workers;    /* 0: likewise */
};

/* The asking process, as records show it.  Never written after opening. */
struct fz_lease_self {
    char owner[FZ_OWNER_SIZE];
    struct fz_token token;
};

/* The record of the worker that is held.  lease.c keeps it, and lease_take.c begins it. */
struct fz_kept_record {
    struct fz_worker_record record; /* the worker's record, in this version */
    uint32_t worker;
    uint64_t version; /* 0: not known */
};

/* The trouble with the worker that is held, or with one whose taking had no answer.  fz_lease_trouble writes it. */
struct fz_lease_trouble {
    enum fz_trouble kind;
    uint32_t worker;
    uint64_t version;     /* of the grant that it is about */
    uint64_t defer_until; /* nothing better to be had before this tick */
    bool clone_counted;
};

/* How many worker ids may be taken by swaps without an answer: the one that was wanted, and one further. */
enum { FZ_DOUBT_MAX = 2 };

/* Those for which a swap had no answer since there was a grant.  lease_doubt.c keeps them. */
struct fz_lease_doubt {
    uint32_t worker[FZ_DOUBT_MAX];
    size_t n;
    char why[256]; /* what was said of the latest of these swaps */
};

/* Whether the namespace was made again under the present grant (L10).  namespace.c and lease_take.c find it out. */
struct fz_remaking {
    bool remade;   /* since the grant was made, another namespace has been found in place of its own */
    bool repeated; /* and in that one another owner has had ticks of it */
};

/* The present call of the granter.  lease.c begins it. */
struct fz_lease_call {
    uint64_t number;
    uint64_t begun_ns;           /* by the lease's clock, if it has one */
    struct fz_deadline deadline; /* of all its requests */
    bool is_outrun;              /* others were faster with a swap, of a worker's record or of the namespace's */
};

/* When an answer last showed that the caller's clock is not ahead of the coordinator's. */
struct fz_agreed_clock {
    bool known;
    uint64_t tick; /* of the caller's clock */
    uint64_t ns;   /* begun_ns of that call */
};

/* A loss of records that was seen without knowing the time, and in which call.  namespace.c alone has it. */
struct fz_seen_loss {
    uint64_t call;
    uint64_t version;
    char incarnation[FZ_INCARNATION_SIZE];
};

struct fz_lease {
    struct fz_register reg;
    frazil_layout layout;
    char name[FZ_LEASE_NAME_SIZE]; /* of the namespace */
    frazil_random random;
    frazil_clock clock; /* for how long a call has taken; monotonic_ns NULL: not known */
    struct fz_lease_wish wish;
    struct fz_lease_self self;
    struct fz_lease_group group;

    struct fz_namespace space; /* written by namespace.c, but for stale */
    struct fz_kept_record kept;
    struct fz_lease_trouble trouble;
    struct fz_lease_doubt doubt;
    struct fz_remaking remaking;
    struct fz_seen_loss loss;
    struct fz_lease_call call;
    struct fz_agreed_clock agreed;
    struct fz_lease_counters counters;
};

/* A record that can be, or is, held. */
struct fz_candidate {
    uint32_t worker;
    uint64_t version;
    uint64_t floor; /* first tick that a new owner may use */
    bool fresh;     /* never taken */
    bool own;       /* the worker in trouble or of the pair, and its record still bears our token */
    struct fz_worker_record record;
};

struct fz_shortlist {
    struct fz_candidate at[FZ_SHORTLIST];
    size_t n;
};

/* The numbers of some worker ids, which may be all that are searched.  n 0: the whole namespace is read. */
struct fz_sample {
    uint32_t at[FZ_SAMPLE_MAX];
    size_t n;
    size_t whole; /* the first of them, which are read; of the others it is asked whether they were ever taken */
    bool is_pair; /* they are those of the group, or in doubt, and no other counts */
};

/* The result of one look at the namespace: at all of it, or at a sample of its worker ids. */
struct fz_survey {
    const struct fz_lease *lease;
    const struct fz_grant *grant; /* the caller's; NULL: none */
    bool uncovered;               /* there is one, and no record covers it */
    bool overtaken;               /* there is one, and a later record begins at or below its end */
    struct fz_register_status status;
    struct fz_record space; /* the record of the namespace; version 0: there is none */
    uint32_t first;         /* worker ids first .. first + count - 1 are looked at */
    uint64_t count;
    struct fz_sample sample;        /* of these, those that were looked at */
    uint64_t usable;                /* how many of them the namespace has, from the first one on */
    uint64_t start;                 /* where the window begins, counted from first */
    uint64_t taken;                 /* have a record */
    uint64_t held;                  /* of these, those not released */
    uint64_t unreadable;            /* of these, those whose record cannot be read */
    struct fz_shortlist released;   /* oldest first */
    struct fz_shortlist unreleased; /* likewise */
    bool clone;                     /* the worker that was lost bears our token */
    struct fz_pair_view pair;       /* of the group, as it was before the look; all zero: there is none */
    struct fz_shortlist own;        /* the worker in trouble, or those of the pair, if their records bear our token */
    unsigned char seen[FZ_WINDOW_BITS / 8];
};

/* Whether the record in which *held stands is known, because this lease wrote or read it last. */
static inline bool fz_lease_knows_record(const struct fz_lease *lease, const struct fz_grant *held)
{
    return lease->kept.version == held->version && lease->kept.worker == held->worker;
}

/* Whether several processes hold the lease together. */
static inline bool fz_lease_has_group(const struct fz_lease *lease)
{
    return lease->group.pair != NULL;
}

/* ---- lease_state.c -------------------------------------------------------- */

/* The last tick that may be granted now: the horizon, or the layout's end. */
FZ_PRIVATE uint64_t fz_lease_reach(const struct fz_lease *lease, uint64_t now_tick);

/* Whether *held reaches beyond every grant that was made before the coordinator last may have lost records. */
FZ_PRIVATE bool fz_lease_after_losses(const struct fz_lease *lease, const struct fz_grant *held);

/* Notes that the present call, which began at this tick, has shown that the clocks agree. */
FZ_PRIVATE void fz_lease_note_clock(struct fz_lease *lease, uint64_t now_tick);

/* Notes that the worker of a grant of this version is in trouble. */
FZ_PRIVATE void fz_lease_set_trouble(struct fz_lease *lease, enum fz_trouble trouble, uint32_t worker,
                                     uint64_t version);

/* Swaps a worker's record for *record, and counts the round trip. */
FZ_PRIVATE enum fz_register_result fz_lease_swap(struct fz_lease *lease, uint32_t worker, uint64_t expected,
                                                 const struct fz_worker_record *record, uint64_t *ret_version,
                                                 struct fz_register_status *status, frazil_error *reterr);

/* ---- lease_take.c --------------------------------------------------------- */

/*
 * Takes the best worker there is.  held: the caller's grant, which stands and
 * need not be given up for one that begins in the future; NULL: there is none.
 * Errors as acquire; FRAZIL_EAGAIN also for "held is better for now".
 */
FZ_PRIVATE frazil_err fz_lease_take(struct fz_lease *lease, uint64_t now_tick, const struct fz_grant *held,
                                    struct fz_grant *ret, frazil_error *reterr);

/* ---- lease_survey.c ------------------------------------------------------- */

/*
 * Looks at the namespace in one request: at all of it, or at this sample, the namespace's own record, that of *held
 * (the caller's grant, or NULL) and that of the worker in trouble.  Only the first..count ids are noted.
 */
FZ_PRIVATE enum fz_register_result fz_survey_make(struct fz_survey *survey, struct fz_lease *lease, uint32_t first,
                                                  uint64_t count, const struct fz_sample *sample,
                                                  const struct fz_grant *held, frazil_error *reterr);

/* Up to FZ_SHORTLIST candidates for now (in the coordinator's ticks), best first. */
FZ_PRIVATE size_t fz_survey_candidates(const struct fz_survey *survey, uint64_t now_tick, uint64_t coordinator_tick,
                                       struct fz_candidate best[FZ_SHORTLIST]);

/* ---- lease_doubt.c -------------------------------------------------------- */

/* Notes that a swap for this worker id had no answer, and what was said of it. */
FZ_PRIVATE void fz_doubt_note(struct fz_lease *lease, uint32_t worker, const char *why);

/* Forgets them, when there is a grant. */
FZ_PRIVATE void fz_doubt_forget(struct fz_lease *lease);

/* Makes them the sample to look at, which is empty, if there are as many as there may be. */
FZ_PRIVATE void fz_doubt_sample(const struct fz_lease *lease, struct fz_sample *ret);

/* After a look at that sample: true if one of them is none any more, as it is another owner's. */
FZ_PRIVATE bool fz_doubt_settle(struct fz_lease *lease, const struct fz_survey *survey);

/* Fails with FRAZIL_EUNREACHABLE: both have been taken, and neither is free before `floor`, in wait_ticks ticks. */
FZ_PRIVATE frazil_err fz_doubt_fail(const struct fz_lease *lease, uint64_t floor, uint64_t wait_ticks,
                                    frazil_error *reterr);

/* ---- lease_group.c -------------------------------------------------------- */

/* Notes that a swap will ask for ticks up to this one: before the swap.  Without a group there is nothing to note. */
FZ_PRIVATE void fz_group_ask(const struct fz_lease *lease, uint64_t until);

/*
 * Writes a worker id into the group's pair: before each swap for it, and after fz_group_ask, by which fz_pair_drop
 * finds out.  False: others of the group have two by now.  Without a group there is nothing to write, and it is true.
 */
FZ_PRIVATE bool fz_group_may_swap(const struct fz_lease *lease, uint32_t worker);

/* Whether a record that reaches up to this tick can be of the group.  Without a group nobody knows, and it is true. */
FZ_PRIVATE bool fz_group_can_have_asked(const struct fz_lease *lease, uint64_t until);

/*
 * The group's own worker ids of the range, as the sample to look at first: once, and as long as there are two.
 * Otherwise, and without a group, the sample is empty.  is_seen: a look of this search has shown them.  Those that the
 * pool does not have any more leave the pair.
 */
FZ_PRIVATE void fz_group_sample(const struct fz_lease *lease, uint32_t first, uint64_t count, bool is_seen,
                                struct fz_sample *ret);

/*
 * After a look at the pair, at this tick: those that are no candidates leave it, and those of which ticks were taken
 * that no right clock can have asked for.  True: there is room for another worker id.
 */
FZ_PRIVATE bool fz_group_renew(const struct fz_survey *survey, uint64_t now_tick, const struct fz_candidate *best,
                               size_t n);

/* ---- namespace.c ---------------------------------------------------------- */

/*
 * Adopts the namespace of a grant that another process has made, if this lease knows none or another one.  It is then
 * read again, and compared, before anything is granted (L10).
 */
FZ_PRIVATE void fz_namespace_adopt(struct fz_lease *lease, const struct fz_grant *held);

/* As much of the namespace as goes with a grant. */
FZ_PRIVATE struct fz_grant_space fz_namespace_of_grant(const struct fz_namespace *space);

/* Readies the namespace's part of a lease.  Cannot fail: a valid layout has a fingerprint. */
FZ_PRIVATE void fz_namespace_start(struct fz_namespace *space, const frazil_layout *layout);

/* The horizon in ticks. */
FZ_PRIVATE uint64_t fz_namespace_horizon(const struct fz_namespace *space, const frazil_layout *layout);

/* The state that the caller of the functions below knows. */
struct fz_witness {
    uint64_t now_tick;
    const struct fz_grant *held; /* its grant; NULL: none */
    bool uncovered;              /* the coordinator has no record of that grant, or one that ends below it (L10) */
};

/*
 * Reads what stands in the record of the namespace.  Raises its quarantine if it is
 * another namespace than before, or has no record of the caller's grant (L10), or if
 * the coordinator is another incarnation.  Then *ret_again
 * says that the namespace must be looked at again.  Otherwise holds it against what
 * the lease wants.  FRAZIL_ENAMESPACE, EUNREACHABLE, EREFUSED, EAGAIN.
 */
FZ_PRIVATE frazil_err fz_namespace_check(struct fz_lease *lease, const struct fz_record *raw,
                                         const struct fz_register_status *status, const struct fz_witness *witness,
                                         bool *ret_again, frazil_error *reterr);

/* Reads the record of the namespace alone, and checks it likewise. */
FZ_PRIVATE frazil_err fz_namespace_load(struct fz_lease *lease, const struct fz_witness *witness, frazil_error *reterr);

/* Whether a worker's record does not cover *held: it is missing, ends below it, or cannot be read. */
FZ_PRIVATE bool fz_uncovered(const struct fz_grant *held, const struct fz_record *raw);

/* The last tick that anybody whose clock is right can have been granted by now.  The namespace must be known. */
FZ_PRIVATE uint64_t fz_namespace_grants_end(const struct fz_lease *lease, const struct fz_register_status *status,
                                            uint64_t now_tick);

/* How far clocks may differ.  The namespace must be known. */
FZ_PRIVATE int64_t fz_lease_skew_ms(const struct fz_lease *lease);

/* Whether the coordinator that gave this status is still the one that the namespace knows. */
FZ_PRIVATE bool fz_namespace_same_incarnation(const struct fz_namespace *space,
                                              const struct fz_register_status *status);

/* ---- lease_answer.c: what an answer tells ---------------------------------- */

/* Fails with FRAZIL_EPOOL: by whom all are taken. */
FZ_PRIVATE frazil_err fz_all_leased(const struct fz_lease *lease, const struct fz_survey *survey,
                                    uint64_t coordinator_tick, frazil_error *reterr);

/* 2 max_skew in ticks, rounded up. */
FZ_PRIVATE uint64_t fz_double_skew(const frazil_layout *layout, int64_t max_skew_ms);

/* The tick of a time; the first or the last one of the layout if it lies outside. */
FZ_PRIVATE uint64_t fz_nearest_tick(const frazil_layout *layout, int64_t unix_ms);

/* The later of the caller's and the coordinator's clock, in ticks; of the latter, the latest that it can have shown. */
FZ_PRIVATE uint64_t fz_later_tick(const frazil_layout *layout, const struct fz_register_status *status,
                                  uint64_t now_tick);

/* The coordinator's clock in ticks, as near to the caller's as it can have been; the caller's if it has none. */
FZ_PRIVATE uint64_t fz_coordinator_tick(const frazil_layout *layout, const struct fz_register_status *status,
                                        uint64_t now_tick);

/*
 * By how much the coordinator's clock is ahead of the caller's, in ms; negative: behind.  The least that it can be
 * (report.h); 0 without a clock.  passed_ms is the time between the caller's reading, now_tick, and the answer.
 */
FZ_PRIVATE int64_t fz_clock_difference(const frazil_layout *layout, const struct fz_register_status *status,
                                       uint64_t now_tick, int64_t passed_ms);

/* Fails with FRAZIL_ECLOCK, and prints both clocks and their difference. */
FZ_PRIVATE frazil_err fz_clocks_differ(const frazil_layout *layout, const char *name,
                                       const struct fz_register_status *status, uint64_t now_tick, int64_t skew_ms,
                                       int64_t max_skew_ms, frazil_error *reterr);

/* A register's result other than OK as an error, FRAZIL_EUNREACHABLE, EAGAIN, EREFUSED or ENAMESPACE; `said` is
 * the register's sentence.
 */
FZ_PRIVATE frazil_err fz_register_error(enum fz_register_result result, const char *name, const frazil_error *said,
                                        frazil_error *reterr);

#endif
