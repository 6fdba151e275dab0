/* SPDX-License-Identifier: MIT */
/*
 * Generators: opening one from a spec and taking ids from it.  frazil/observe.h looks at them.
 *
 * Threads: every function on a frazil may be called from any thread, several at
 * once, except frazil_close, which must be the last call.  A frazil_local
 * belongs to one thread at a time.  A thread can be cancelled (pthread_cancel)
 * where it waits for an id, but not where it opens, stops or closes a generator,
 * or reads options.
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
 *
 * A thread that is itself in a call of frazil, and forks in a callback or in a signal handler, has the child execute a
 * program or end there: if the child went on with the call, it would take what its parent takes.
 *
 * End: a process may call exit while other threads are in calls of frazil.  exit then waits up to a second for those in
 * the client library of etcd, PostgreSQL or MySQL, and from then on none can be used (FRAZIL_ESYS).  Close before.
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
 * that frazil_stop has ended stays with those who opened it, and later openings have a new one.  With state=memory and
 * a worker id of its own these are refused (FRAZIL_EWORKER) until all have closed the stopped one.  An opening waits
 * while the last user closes it.
 *
 * Threads: any, also while others open or close.  Fork: as above; a child shares all
 * generators of its parent, and opens anew those that another thread was just opening.  Openings of the parent's
 * other threads stay open in the child: if their generator is fenced for good, stop it there, and the next
 * opening has a new one, as above.  URLs must be the same to the last character: one with another database, user or
 * password is another generator.
 */
FRAZIL_API FRAZIL_CHECK frazil_err frazil_open_shared(frazil **ret, const char *spec, frazil_error *reterr)
    FRAZIL_NONNULL(1);

/*
 * Stops it, for interpreters that end and for cancelled contexts.  Each call that waits for an id, or for the
 * coordinator, looks every 100 ms whether it is stopped, and ends with FRAZIL_ESTOPPED as soon as the system lets its
 * thread run.  A call that is asking a coordinator ends when that has answered or its timeout is over.  Each later call
 * that takes ids or keeps the grant fails likewise.  No call keeps a slot, unless another process took some behind it:
 * such slots stay unused, so that after a stop of all processes the next id may come as late as theirs would have.
 * A frazil_local still issues the ids that its block holds of the current tick.
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

/* Says max_wait instead of a number in frazil_take. */
#define FRAZIL_WAIT_DEFAULT (UINT64_MAX - 1)
/* No bound on the wait. */
#define FRAZIL_WAIT_FOREVER UINT64_MAX

/*
 * Takes exactly n ids, increasing, or none and says why: by how much the clock is behind, when to retry.  n may be 0.
 * The ids may span several ticks, for which the call waits wait_ns nanoseconds at the most.  FRAZIL_EINVAL: n is more
 * than the wait, max_lead, a whole grant of the worker id and the rest of the layout's life can ever allow.  With
 * wait_ns 0 it never waits, and fails with the errors of frazil_try_take.
 */
FRAZIL_API FRAZIL_CHECK frazil_err frazil_take(frazil *gen, uint64_t *ret_ids, size_t n, uint64_t wait_ns,
                                               frazil_error *reterr) FRAZIL_NONNULL(1, 2);

/*
 * Takes the ids that are free now, 1 to n, increasing, without ever waiting.  Both outputs are always set: *ret_taken
 * to their number, 0 after an error, and *ret_retry_ns to the nanoseconds after which the rest can follow; 0 where that
 * is now, never, or not known.  FRAZIL_EAGAIN: none is free now.  Under on_full=error or on_backward=error:
 * FRAZIL_EFULL, FRAZIL_ECLOCK, with the time all the same.  With n 0 it takes none and succeeds.  NULL as reterr saves
 * writing the sentence.
 */
FRAZIL_API FRAZIL_CHECK frazil_err frazil_try_take(frazil *gen, uint64_t *ret_ids, size_t n, size_t *ret_taken,
                                                   uint64_t *ret_retry_ns, frazil_error *reterr)
    FRAZIL_NONNULL(1, 2, 4, 5);

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
FRAZIL_API FRAZIL_CHECK frazil_err frazil_sno_take(frazil *gen, uint8_t meta, frazil_sno *ret_ids, size_t n,
                                                   uint64_t wait_ns, frazil_error *reterr) FRAZIL_NONNULL(1, 3);
FRAZIL_API FRAZIL_CHECK frazil_err frazil_sno_try_take(frazil *gen, uint8_t meta, frazil_sno *ret_ids, size_t n,
                                                       size_t *ret_taken, uint64_t *ret_retry_ns, frazil_error *reterr)
    FRAZIL_NONNULL(1, 3, 5, 6);
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
 * FRAZIL_EWORKER, or an error of the granter's: a granter of the program's gave a grant that is none, or said so; the
 * present one stands.  FRAZIL_ESTOPPED.  Any thread, any process.
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

FRAZIL_END_DECLS

#endif
