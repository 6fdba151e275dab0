/* SPDX-License-Identifier: MIT */
/*
 * Generators: opening one from a spec and taking ids from it.
 *
 * Threads: every function on a frazil may be called from any thread, several at
 * once, except frazil_close, which must be the last call.  A frazil_local
 * belongs to one thread at a time.
 *
 * Fork: parent and children go on sharing the generator and never repeat each
 * other; each process closes its own copy.  A frazil_local that was inherited
 * drops what it held and goes on.
 *
 * That holds at any moment, whatever other threads are doing, but for one thing: a thread may just be loading a part,
 * or be inside a client library (worker=URL, state=URL; it is outside while it waits for an answer).  Libraries like
 * OpenSSL do not survive that.  So a child that is forked then uses no coordinator, nor do its children, unless they
 * execute a program.  It opens no such generator (FRAZIL_ESYS).  One that it shares issues ids as long as another
 * process extends its grant.  So open before you fork; frazil_coordinator_load, called at the start, leaves less to
 * meet.
 */
#ifndef FRAZIL_GENERATOR_H
#define FRAZIL_GENERATOR_H

#include "clock.h"
#include "coordinator.h"
#include "granter.h"
#include "layout.h"
#include "sno.h"

FRAZIL_BEGIN_DECLS

/* A generator: opened by frazil_open, closed by frazil_close. */
typedef struct frazil frazil;
/* One thread's handle on a generator, see frazil_local_open. */
typedef struct frazil_local frazil_local;

/* ---- opening, stopping and closing a generator --------------------------- */

/*
 * Opens a generator.  The spec is a text of key=value pairs separated by
 * spaces, which says everything: the layout of the ids, where the worker id comes
 * from, what happens when a tick is full or the clock goes back, where state is
 * kept.  frazil.spec(5) has all keys; the worker id alone has no default.  A value
 * with spaces is quoted with '...', in which \' and \\ stand for themselves.  NULL
 * is the empty spec.
 *
 * A key that the spec does not name is looked up as FRAZIL_<KEY> in the
 * environment if it says where the program runs.  A key that says what ids look
 * like is looked up there only if the spec is empty.  A key that is still missing is looked up as a
 * line "key=value" in the file that the key `config` (or FRAZIL_CONFIG) names;
 * its lines end with LF or CR LF.  A set-user-ID program does not read the
 * environment.
 *
 * These are errors: an unknown key, a key given twice in one place, an empty value
 * (a value begins right behind its '='), and a key of the spec that has no effect
 * for its worker source.
 *
 * FRAZIL_ESPEC, ELAYOUT, ENOWORKER, EWORKER, ERANGE, ESHORTLIFE, EPOOL (all worker
 * ids or auto partitions are taken), ESTATE, ENOMEM, ESYS.  With a coordinator also
 * ENOTBUILT (its part is not installed), EUNREACHABLE (it does not answer), EREFUSED (it
 * refuses), ENAMESPACE (there is no such namespace, or it is of another layout).
 * Likewise ECLOCK (the clocks differ too much), EAGAIN (nothing is granted for a
 * while).  reterr may be NULL.
 */
FRAZIL_API FRAZIL_CHECK frazil_err frazil_open(frazil **ret, const char *spec, frazil_error *reterr) FRAZIL_NONNULL(1);

/*
 * The same, but all openings of a process whose specs mean the same have one generator together, however they spell it:
 * for libraries, plugins and scripts that open one wherever they need an id.  Each opening is closed once, and the last
 * one closes the generator.  A setting that one of its users makes (frazil_on_overflow) holds for all.  A generator
 * that frazil_stop has ended stays with those who opened it, and later openings have a new one.  An opening
 * waits while the last user closes it.
 *
 * Threads: any, also while others open or close.  Fork: as above; a child shares all
 * generators of its parent, and opens anew those that another thread was just opening.  Openings of the parent's
 * other threads stay open in the child: if their generator is fenced for good, stop it there, and the next
 * opening has a new one.  URLs must be the same to the last character: one with another database, user or password is
 * another generator.
 */
FRAZIL_API FRAZIL_CHECK frazil_err frazil_open_shared(frazil **ret, const char *spec, frazil_error *reterr)
    FRAZIL_NONNULL(1);

/*
 * Stops it, for interpreters that end and for cancelled contexts.  Each call that waits for an id, or for the
 * coordinator, ends with FRAZIL_ESTOPPED within 100 ms.  A call that is asking a coordinator ends when that has
 * answered or its timeout is over.  Each later call that takes ids or keeps the grant fails likewise.  No call keeps a
 * slot.  A frazil_local still issues the ids that its block holds of the current tick.
 *
 * The generator can be looked at as before, and must still be closed.  Only this process's copy stops: other processes
 * go on, and a child that is forked later has a stopped copy.  A generator of frazil_open_shared stops for all who
 * opened it, and nobody else is given it.  Any thread, several times, also while others take ids; not in a signal
 * handler.
 */
FRAZIL_API void frazil_stop(frazil *gen) FRAZIL_NONNULL(1);

/*
 * Closes it; NULL is allowed.  Closes this process's copy only, and of one that was opened by frazil_open_shared only
 * when all have closed it.  Takes two seconds at the most: what cannot be given back in that time ends by itself.  A
 * request to a coordinator that is just being made goes on in a thread.  If the program brought a clock, random
 * numbers, a granter or an overflow callback, the call waits for that.
 */
FRAZIL_API void frazil_close(frazil *gen);

/*
 * frazil_close that waits wait_ns at the most.  FRAZIL_OK: it is closed, and the worker id was given back, if this was
 * the last process that had it.  FRAZIL_EUNREACHABLE: closed, and nobody has confirmed that the worker id was given
 * back: it is free when its grant has ended.  FRAZIL_EAGAIN: the wait is over, and a thread goes on closing it.
 * Errors of the state directory or the coordinator: closed, and the worker id was not given back.  In each case gen is
 * gone.
 *
 * Of those who share a generator of frazil_open_shared the last one to close it has its result.  The others have
 * FRAZIL_OK, or FRAZIL_EAGAIN while another one opens or closes it.  If the program brought a clock, random numbers, a
 * granter or an overflow callback, the call waits to the end, so that nothing of the program's is called after it has
 * returned.
 */
FRAZIL_API FRAZIL_CHECK frazil_err frazil_close_within(frazil *gen, uint64_t wait_ns);

/* ---- taking 64-bit ids -------------------------------------------------- */
/*
 * All of them: FRAZIL_EFULL, ECLOCK: no id within what the policies and
 * max_wait allow.  FRAZIL_ELEASE: the grant of the worker id has ended.
 * FRAZIL_EEXHAUSTED: the layout's last tick is used up, for ever.  FRAZIL_EKIND:
 * the generator's layout is sno.
 *
 * With a URL as state also FRAZIL_EUNREACHABLE (the server does not answer; the call
 * tries again while it may wait) and ECLOCK (the server's clock differs by more than
 * max_skew).  Likewise EREFUSED (the server refuses), ENAMESPACE (others share the
 * slots with other settings), ENOMEM (in a new process).  A call that never waits has
 * to ask all the same when it has no slot in hand: within the URL's timeout.
 *
 * A call that finds the grant in its last quarter extends it: it writes the grant
 * file, or asks the coordinator, within what it may wait.  A request that takes longer
 * goes on in a thread, which ends with it, and a later call has the result.  A call
 * that never waits leaves the grant to others: to the keeper's thread of this process,
 * or with keeper=hook to frazil_keep.  Where there is neither, with keeper=inline and
 * in a child of a process with a thread, it writes the file unless another process is
 * just at it, or has such a thread ask the coordinator.
 */

/* One id.  Waits max_wait at the most. */
FRAZIL_API FRAZIL_CHECK frazil_err frazil_next(frazil *gen, uint64_t *ret_id) FRAZIL_NONNULL(1, 2);

/*
 * Exactly n ids, increasing, or an error and none; n may be 0.  They may span
 * several ticks, for which the call waits as a single call does.  FRAZIL_EINVAL: n is
 * more than max_wait, max_lead and a whole grant of the worker id can ever allow.
 */
FRAZIL_API FRAZIL_CHECK frazil_err frazil_next_n(frazil *gen, uint64_t *ret_ids, size_t n) FRAZIL_NONNULL(1, 2);

/*
 * One id without ever waiting.  FRAZIL_EAGAIN: none is free now; *ret_retry_ns,
 * which is otherwise untouched, says in how many nanoseconds to come back.
 * Under on_full=error or on_backward=error: FRAZIL_EFULL, FRAZIL_ECLOCK.
 */
FRAZIL_API FRAZIL_CHECK frazil_err frazil_try_next(frazil *gen, uint64_t *ret_id, uint64_t *ret_retry_ns)
    FRAZIL_NONNULL(1, 2, 3);

/*
 * Takes the ids that are free now, 1 to n, increasing, without ever waiting.  Both outputs are always set: *ret_taken
 * to their number, 0 after an error, and *ret_retry_ns to the nanoseconds after which the rest can follow; 0 where that
 * is now, never, or not known.  FRAZIL_EAGAIN: none is free now.  Under on_full=error or on_backward=error:
 * FRAZIL_EFULL, FRAZIL_ECLOCK.  With n 0 it takes none and succeeds.  NULL as reterr saves writing the sentence.
 */
FRAZIL_API FRAZIL_CHECK frazil_err frazil_try_take(frazil *gen, uint64_t *ret_ids, size_t n, size_t *ret_taken,
                                                   uint64_t *ret_retry_ns, frazil_error *reterr)
    FRAZIL_NONNULL(1, 2, 4, 5);

/* Says max_wait instead of a number in frazil_take. */
#define FRAZIL_WAIT_DEFAULT (UINT64_MAX - 1)
/*
 * As a wait of 0 in frazil_take, but a full tick is not counted in `full`: for whoever tries before it waits, or asks
 * once more for the reason, so that one call of its own counts once.
 */
#define FRAZIL_WAIT_UNCOUNTED (UINT64_MAX - 2)
/* No bound on the wait. */
#define FRAZIL_WAIT_FOREVER UINT64_MAX

/*
 * frazil_next_n with a bound on the wait of its own, in nanoseconds, and an
 * explanation when it fails: by how much the clock is behind, when to retry.
 * With wait_ns 0 it never waits, and fails with the errors of frazil_try_next.
 */
FRAZIL_API FRAZIL_CHECK frazil_err frazil_take(frazil *gen, uint64_t *ret_ids, size_t n, uint64_t wait_ns,
                                               frazil_error *reterr) FRAZIL_NONNULL(1, 2);

/*
 * An id for a time of the caller's, for bringing in old records.  It never touches
 * the live state: its sequence is its own, starts at the lower bound, and rolls over
 * silently after the upper one.  The caller keeps such ids apart from live ones of
 * the same time and worker.
 * FRAZIL_ERANGE: the time lies outside the layout's life.
 */
FRAZIL_API FRAZIL_CHECK frazil_err frazil_next_at(frazil *gen, int64_t unix_ms, uint64_t *ret_id, frazil_error *reterr)
    FRAZIL_NONNULL(1, 3);

/* ---- taking ids through a handle for each thread ------------------------- */

/*
 * A handle that takes ids from gen in blocks and issues them without an atomic
 * operation.  A block never outlives its tick.  Ids of one handle increase; ids
 * of different handles interleave in blocks.  Close it before gen.
 * FRAZIL_EKIND (sno), ENOMEM.
 */
FRAZIL_API FRAZIL_CHECK frazil_err frazil_local_open(frazil_local **ret, frazil *gen, frazil_error *reterr)
    FRAZIL_NONNULL(1, 2);

/* As frazil_next, frazil_take and frazil_try_take.  A batch that its block does not hold comes from gen at once. */
FRAZIL_API FRAZIL_CHECK frazil_err frazil_local_next(frazil_local *local, uint64_t *ret_id) FRAZIL_NONNULL(1, 2);
FRAZIL_API FRAZIL_CHECK frazil_err frazil_local_take(frazil_local *local, uint64_t *ret_ids, size_t n, uint64_t wait_ns,
                                                     frazil_error *reterr) FRAZIL_NONNULL(1, 2);
FRAZIL_API FRAZIL_CHECK frazil_err frazil_local_try_take(frazil_local *local, uint64_t *ret_ids, size_t n,
                                                         size_t *ret_taken, uint64_t *ret_retry_ns,
                                                         frazil_error *reterr) FRAZIL_NONNULL(1, 2, 4, 5);

/* Closes it; NULL is allowed.  The rest of its block stays unused. */
FRAZIL_API void frazil_local_close(frazil_local *local);

/* ---- taking snos --------------------------------------------------------- */
/*
 * Like their namesakes for 64-bit ids, with the metabyte that the snos bear.
 * Errors as there; FRAZIL_EKIND: the generator's layout is not sno.
 */
FRAZIL_API FRAZIL_CHECK frazil_err frazil_sno_next(frazil *gen, uint8_t meta, frazil_sno *ret_id) FRAZIL_NONNULL(1, 3);
FRAZIL_API FRAZIL_CHECK frazil_err frazil_sno_next_n(frazil *gen, uint8_t meta, frazil_sno *ret_ids, size_t n)
    FRAZIL_NONNULL(1, 3);
FRAZIL_API FRAZIL_CHECK frazil_err frazil_sno_try_next(frazil *gen, uint8_t meta, frazil_sno *ret_id,
                                                       uint64_t *ret_retry_ns) FRAZIL_NONNULL(1, 3, 4);
FRAZIL_API FRAZIL_CHECK frazil_err frazil_sno_try_take(frazil *gen, uint8_t meta, frazil_sno *ret_ids, size_t n,
                                                       size_t *ret_taken, uint64_t *ret_retry_ns, frazil_error *reterr)
    FRAZIL_NONNULL(1, 3, 5, 6);
FRAZIL_API FRAZIL_CHECK frazil_err frazil_sno_take(frazil *gen, uint8_t meta, frazil_sno *ret_ids, size_t n,
                                                   uint64_t wait_ns, frazil_error *reterr) FRAZIL_NONNULL(1, 3);
/* As frazil_next_at; the tick-tock bit is 0. */
FRAZIL_API FRAZIL_CHECK frazil_err frazil_sno_next_at(frazil *gen, int64_t unix_ms, uint8_t meta, frazil_sno *ret_id,
                                                      frazil_error *reterr) FRAZIL_NONNULL(1, 4);

/* ---- keeping the state of a sno generator --------------------------------- */

/* Bytes that frazil_sno_snapshot can need, terminator included; no later version needs more. */
#define FRAZIL_SNO_SNAPSHOT_SIZE 256

/*
 * The state of a sno generator, for frazil_options_snapshot, as sno's own snapshots: a JSON object with partition,
 * sequenceMin, sequenceMax, sequence, now, wallHi, wallSafe, drifts.  Times are 4 ms units since 2010-01-01.  It goes
 * stale with the next id: stop the generator first.  Writes a terminator, which *ret_len does not count; ret_len may be
 * NULL.  FRAZIL_EKIND: the layout is not sno.  FRAZIL_EBUFFER: size is too small; then nothing is written.
 */
FRAZIL_API FRAZIL_CHECK frazil_err frazil_sno_snapshot(frazil *gen, char *buf, size_t size, size_t *ret_len)
    FRAZIL_NONNULL(1, 2);

/* ---- extending the grant of a worker id ------------------------------------ */

/*
 * Extends the grant of the worker id if it is time to, for keeper=hook.  Call it from
 * an event loop's timer when *ret_next_ns nanoseconds have passed.  It waits wait_ns
 * at the most, 0 not at all.  A request that takes longer goes on in a thread, which
 * ends with it, and a later call has its result.  No request is cut off, because an
 * answer that nobody sees costs the worker id.  With FRAZIL_WAIT_FOREVER, and with
 * a granter of the program's, the caller's own thread asks, and waits for the answer.
 *
 * *ret_next_ns is always set; without a grant the call does nothing, and it is
 * FRAZIL_WAIT_FOREVER.  FRAZIL_EAGAIN, EUNREACHABLE: no answer, or none yet; the present
 * grant stands until it ends.  FRAZIL_ELEASE: the grant has ended; or the worker id is
 * lost and no other is free, and ids are available until the grant ends.
 * FRAZIL_ESTOPPED.  Any thread, any process.
 */
FRAZIL_API FRAZIL_CHECK frazil_err frazil_keep(frazil *gen, uint64_t wait_ns, uint64_t *ret_next_ns,
                                               frazil_error *reterr) FRAZIL_NONNULL(1, 3);

/* ---- taking ids without a call ---------------------------------------------- */

/* How a frazil_fast_path is used.  A program takes ids by frazil_next if it does not know the form.  More may come. */
typedef enum frazil_fast_form {
    FRAZIL_FAST_NONE = 0,       /* there is no fast path: snos, state=URL, a processor without a counter */
    FRAZIL_FAST_X86_TSC = 1,    /* the counter is that of RDTSC */
    FRAZIL_FAST_ARM_CNTVCT = 2, /* the counter is CNTVCT_EL0 */
    FRAZIL_ENUM_IS_INT(FRAZIL_FAST)
} frazil_fast_form;

/*
 * The way to an id without a call of C, for runtimes whose calls of C cost more than an id.  A program reads what
 * `anchor` and `word` point to, and swaps the word, as whole 64-bit atomics in the processor's byte order.  "Give up"
 * means: call frazil_next.
 *
 *  1. Read anchor[0], the version, with acquire.  If it is odd, give up.
 *  2. Read anchor[1] start, [2] range, [3] first_slot and [4] first_id, each with acquire.
 *  3. Read anchor[0] again.  If it has changed, give up.
 *  4. Read the counter, and give up if it is not in the range.  ARM_CNTVCT: it is if counter - start < range.
 *     X86_TSC: it is if its high half equals that of start, and low(counter) - low(start) < low(range) as 32 bits.
 *  5. Read w, the word, and let nth = w - first_slot.  If nth >= capacity, give up.
 *     Swap the word from w to w + 1 by compare-and-swap; if another was faster, do step 5 again.
 *     Never add without comparing.
 *  6. The id is first_id + (nth << shift).
 *
 * For n ids, step 5 gives up if nth > capacity or n > capacity - nth, and swaps to w + n.  All differences are of
 * unsigned numbers, and wrap.
 */
typedef struct frazil_fast_path {
    uint32_t form;          /* a frazil_fast_form; nothing else here means anything if it is not known */
    uint32_t shift;         /* where the sequence number begins in an id */
    uint64_t capacity;      /* sequence numbers of a tick */
    uint64_t *word;         /* the next free slot */
    const uint64_t *anchor; /* the tick that is known to be current: five numbers */
} frazil_fast_path;

/*
 * The fast path of a generator, for this process and its children.  It does not change, and it is there until
 * frazil_close is called: as for every call, no thread may be between steps 1 and 6 then.  After frazil_stop, step 4
 * finds no range.  size is sizeof *ret (frazil.h).  Cannot fail.  Any thread.
 */
FRAZIL_API void frazil_get_fast_path(frazil *gen, frazil_fast_path *ret, size_t size) FRAZIL_NONNULL(1, 2);

/* ---- looking at a generator ---------------------------------------------- */

/* clang-format off */
/* X(name in capitals, number, name, what): the only list of statistics.  New ones come at the end, and none goes. */
#define FRAZIL_STATS(X) \
    X(ISSUED,           0, "issued",          "ids taken; exact when no call is running; blocks of handles count when taken") \
    X(FULL,             1, "full",            "calls that found their tick full") \
    X(BACKWARD_STEPS,   2, "backward_steps",  "times the clock was seen to go back") \
    X(BACKWARD_MAX_US,  3, "backward_max_us", "the largest of them") \
    X(LEAD_US,          4, "lead_us",         "how far the next id is ahead of the clock now") \
    X(LEAD_MAX_US,      5, "lead_max_us",     "the furthest any id was stamped ahead") \
    X(WAITS,            6, "waits",           "calls that had to wait") \
    X(WAITED_US,        7, "waited_us",       "for how long, together") \
    X(TICKTOCKS,        8, "ticktocks",       "times the tick-tock bit was toggled") \
    X(EXTENSIONS,       9, "extensions",      "grants that continued the one before") \
    X(MOVES,           10, "moves",           "grants that did not: another worker id, or ticks left out")
/* clang-format on */

/* The statistics by number: where they stand in what frazil_get_stats fills. */
typedef enum frazil_stat_number {
#define FRAZIL_STAT_MEMBER(capitals, number, name, what) FRAZIL_STAT_##capitals = number,
    FRAZIL_STATS(FRAZIL_STAT_MEMBER)
#undef FRAZIL_STAT_MEMBER
        FRAZIL_ENUM_IS_INT(FRAZIL_STAT)
} frazil_stat_number;

/* A statistic: a count of what happened so far to the generator and all processes that share it.  It does not grow. */
typedef struct frazil_stat {
    const char *name; /* as in the table.  Never freed */
    uint64_t value;   /* in the unit that its name ends with, if it does */
} frazil_stat;

/* Room for the statistics of every version with this soname. */
#define FRAZIL_STATS_MOST 64

/*
 * Fills ret with the statistics in the order of their numbers, n at the most, all of one instant.  Returns how many
 * there are in this library, which may be more than n.  An exporter that shows all of them need not change when later
 * versions add some.  ret may be NULL if n is 0.
 */
FRAZIL_API size_t frazil_get_stats(frazil *gen, frazil_stat *ret, size_t n) FRAZIL_NONNULL(1);

/* Where the state of a generator is kept, in frazil_info.state.  More may come. */
typedef enum frazil_state_kind {
    FRAZIL_STATE_MEMORY = 0, /* in this process: no other one and no later one knows it */
    FRAZIL_STATE_FILE = 1,   /* in files of this host */
    FRAZIL_STATE_GRANT = 2,  /* with the coordinator or granter that gives the worker id */
    FRAZIL_STATE_SLOTS = 3,  /* with the coordinator that gives the slots: state=URL */
    FRAZIL_ENUM_IS_INT(FRAZIL_STATE)
} frazil_state_kind;

/* The facts about a generator. */
typedef struct frazil_info {
    const frazil_layout *layout;   /* of its ids; does not change, and is there as long as the generator */
    uint32_t id_size;              /* bytes of an id: 8, or FRAZIL_SNO_SIZE */
    uint32_t worker;               /* for sno: the partition */
    uint32_t datacenter;           /* of the worker, as in frazil_fields */
    uint32_t worker_in_datacenter; /* likewise */
    uint32_t sequence_min;         /* the lowest number that its sequence takes */
    uint32_t sequence_max;         /* the highest */
    uint32_t sequence;             /* the next id's, if it were taken now; sequence_min if that enters a new tick */
    uint32_t state;                /* where its state is kept, a frazil_state_kind */
    uint64_t capacity;             /* how many sequence numbers a tick has */
    uint64_t available;            /* how many are left of this tick; 0: the next call would wait or fail */
    uint32_t counter_in_use;       /* 1: the processor's counter saves clock readings; 0: it does not */
    uint32_t state_is_new; /* 1: no generator had this worker on this host since its boot, as with state=memory */
    /* ip-hash, hostname-hash: how likely it is that two of the expected hosts have the same worker id, in parts per
     * million, rounded up; 0 for all other sources */
    uint32_t collision_ppm;
    uint32_t reserved; /* 0 */
} frazil_info;

/* size is sizeof *ret (frazil.h).  Cannot fail.  Any thread. */
FRAZIL_API void frazil_get_info(frazil *gen, frazil_info *ret, size_t size) FRAZIL_NONNULL(1, 2);

/* The state of a generator now, in frazil_health.state.  More may come. */
typedef enum frazil_health_state {
    FRAZIL_HEALTH_SERVING = 0,     /* it gives ids, as its policies allow */
    FRAZIL_HEALTH_NEEDS_GRANT = 1, /* it does, but little of its grant is left: extending has failed, or is overdue */
    FRAZIL_HEALTH_BEHIND = 2,      /* its clock is before the grant or the layout's epoch: it waits for the clock */
    FRAZIL_HEALTH_FENCED = 3,      /* its grant has ended: it gives no ids until there is another */
    FRAZIL_HEALTH_EXHAUSTED = 4,   /* the layout's last tick is over: it never gives an id again */
    FRAZIL_HEALTH_STOPPED = 5,     /* frazil_stop was called in this process */
    FRAZIL_ENUM_IS_INT(FRAZIL_HEALTH)
} frazil_health_state;

/* How a generator is, for health checks. */
typedef struct frazil_health {
    int32_t state;             /* a frazil_health_state */
    int32_t last_code;         /* why extending the grant failed last, a frazil_err; FRAZIL_OK after a success */
    uint32_t worker;           /* for sno: the partition */
    uint32_t needs_grant;      /* 1: its worker id is granted for a time; 0: it is its own for ever */
    int64_t grant_end_unix_ms; /* no id is given for this time or a later one; INT64_MAX without a grant */
    uint64_t horizon_ns;       /* how far a fresh grant reaches; 0 without one */
    uint64_t next_keep_ns;     /* when to extend it, from now; FRAZIL_WAIT_FOREVER without one */
    uint64_t failures;         /* to extend it, in a row */
} frazil_health;

/*
 * How it is now.  ret_failure may be NULL.  If last_code is an error, *ret_failure says why extending the grant failed
 * last, whoever tried, and when the next try is due; else it is untouched.  It asks neither disk nor coordinator and
 * takes no lock, so it answers also while another thread waits in frazil_keep.  size is sizeof *ret (frazil.h).  Cannot
 * fail.  Any thread, any process.
 */
FRAZIL_API void frazil_get_health(frazil *gen, frazil_health *ret, size_t size, frazil_error *ret_failure)
    FRAZIL_NONNULL(1, 2);

/* The message to an overflow callback, in 32 bytes. */
typedef struct frazil_overflow {
    int64_t unix_ms;      /* now */
    uint32_t waiting;     /* callers waiting for a sequence number; 0: the overflow has ended */
    uint32_t ticks;       /* for how many ticks it has lasted */
    uint64_t reserved[2]; /* 0 */
} frazil_overflow;

/* Called as frazil_on_overflow says, with the ctx that it was given. */
typedef void (*frazil_overflow_fn)(void *ctx, const frazil_overflow *overflow);

/*
 * Calls fn when ticks overflow: once a tick while callers wait, and once at the
 * end, which the first call in a quiet tick or frazil_close notices.  One of the
 * callers that have to wait calls it, and holds nothing that another caller needs.
 * fn must not call back into the generator.  While a slow fn still runs, another
 * thread may call it for the next tick.  NULL switches it off.  Set it before the
 * generator is shared; a child process keeps it.
 */
FRAZIL_API void frazil_on_overflow(frazil *gen, frazil_overflow_fn fn, void *ctx) FRAZIL_NONNULL(1);

/* clang-format off */
/* X(kind, number, name, what): the only list of kinds of events there is.  New ones come at the end, and none goes. */
#define FRAZIL_EVENTS(X) \
    X(MOVED,            1, "moved",            "the worker id changed; value: the one before") \
    X(LOST,             2, "lost",             "the worker id is lost or its grant has ended, and there is no other yet; code says why") \
    X(EXTENSION_FAILED, 3, "extension-failed", "extending the grant failed; code says why; told again when the reason changes") \
    X(CLOCK_BACK,       4, "clock-back",       "the clock went back; value: by how many microseconds") \
    X(OVERFLOW,         5, "overflow",         "a call waited for a full tick, the first one to do so for a second") \
    X(WARN_COLLISION,   6, "warn-collision",   "at opening: two hosts may have one worker id; value: parts per million") \
    X(WARN_SHORT_LIFE,  7, "warn-short-life",  "at opening: the layout ends within ten years; value: its last unix_ms") \
    X(WARN_EARLY_CLOCK, 8, "warn-early-clock", "at opening: the clock is before the layout's epoch; value: by how many milliseconds") \
    X(WARN_UNCLAIMED,   9, "warn-unclaimed",   "at opening: state=memory, and nothing keeps another generator from the worker id: the clock is the program's, or the host has no folder for claims")
/* clang-format on */

/* The kind of an event, in frazil_event.kind.  More may come. */
typedef enum frazil_event_kind {
#define FRAZIL_EVENT_MEMBER(kind, number, name, what) FRAZIL_EVENT_##kind = number,
    FRAZIL_EVENTS(FRAZIL_EVENT_MEMBER)
#undef FRAZIL_EVENT_MEMBER
        FRAZIL_ENUM_IS_INT(FRAZIL_EVENT)
} frazil_event_kind;

/* Something that happened to a generator, for a program's log. */
typedef struct frazil_event {
    uint32_t kind;     /* a frazil_event_kind */
    int32_t code;      /* a frazil_err where the kind says so, else FRAZIL_OK */
    uint32_t worker;   /* after it; for sno: the partition */
    uint32_t reserved; /* 0 */
    int64_t unix_ms;   /* when, on the generator's clock */
    uint64_t value;    /* as the kind says; else 0 */
    uint64_t missed;   /* events between the one read before with this cursor and this one, which are gone */
} frazil_event;

/*
 * Reads the next event behind the cursor, and moves the cursor on.  False: there is none yet, and both are untouched.
 * A cursor begins as 0, which reads from the oldest event that is kept; each reader has its own.  The last 64 events
 * are kept: `missed` counts what a slower reader cannot have any more.
 *
 * Events are those that a thread of this process saw or caused.  MOVED is told to each process that shares the
 * generator, when it next reads, takes an id or keeps the grant.  A child goes on with its copy of a cursor; what its
 * parent saw before the fork may count as missed there.
 *
 * The call asks neither disk nor coordinator and takes no lock.  size is sizeof *ret (frazil.h).  Any thread, several
 * at once with cursors of their own; not in a signal handler.
 */
FRAZIL_API bool frazil_next_event(frazil *gen, uint64_t *cursor, frazil_event *ret, size_t size)
    FRAZIL_NONNULL(1, 2, 3);

/*
 * A descriptor for poll(2) and its kin, which becomes readable when an event is told, and stays so until
 * frazil_next_event returns false.  The first call makes it, and each later one in this process gives the same, unless
 * the program has closed it; a child makes its own.  It is readable at first.  It belongs to the generator: only wait
 * for it, and forget it before frazil_close.  It wakes one reader, so let one thread wait for it.  What another process
 * did is told when a thread of this process next takes an id or keeps the grant.  FRAZIL_ESYS: the system gives no
 * descriptor; ENOMEM.  Any thread.
 */
FRAZIL_API FRAZIL_CHECK frazil_err frazil_event_fd(frazil *gen, int *ret_fd, frazil_error *reterr) FRAZIL_NONNULL(1, 2);

/* The name of a kind as in the table; "?" for one that this library does not know.  Never freed.  Any thread. */
FRAZIL_API const char *frazil_event_name(uint32_t kind);

FRAZIL_END_DECLS

#endif
