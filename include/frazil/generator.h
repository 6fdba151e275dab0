/* SPDX-License-Identifier: MIT */
/*
 * Generators: opening one from a spec and taking ids from it.  frazil/observe.h inspects them.
 *
 * Threads: every function on a frazil may be called from any thread, several at
 * once, except frazil_close, which must be the last call.  A frazil_local
 * belongs to one thread at a time.  A thread can be cancelled (pthread_cancel)
 * where it waits for an id or for the coordinator, but not where it opens, stops or
 * closes a generator, or reads options.  With state=URL one of the threads that wait
 * asks the coordinator.  It cannot be cancelled until that request ends, within its
 * call's wait and the URL's timeout.  The same holds for a call that extends a grant
 * itself, as no thread can be created.
 *
 * Fork: parent and children keep sharing the generator and never issue the same id; each process closes its own copy.
 * An inherited frazil_local drops its block and goes on.
 *
 * A process may fork at any moment, with one exception: another thread is loading a part, or is inside a client library
 * (worker=URL, state=URL).  It is outside while it waits for an answer.  Libraries such as OpenSSL do not survive a
 * fork then.  So a child forked at such a moment cannot use a coordinator, nor can its children, unless they execute a
 * program.  It cannot open such a generator (FRAZIL_ESYS).  One that it shares issues ids as long as another process
 * extends its grant.  So open before you fork; frazil_coordinator_load at the start makes the exception rarer.
 *
 * If a thread forks inside a call of frazil (in a callback or a signal handler), the child must execute a program or
 * exit there.  If it continued the call, it would take the same ids as its parent.
 *
 * End: a process may call exit while other threads are in calls of frazil.  exit then waits up to a second for those in
 * the client library of etcd, PostgreSQL or MySQL.  After that, no such library can be used (FRAZIL_ESYS).  Close
 * generators first.
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
 * Opens a generator.  The spec is a text of key=value pairs separated by spaces.  It sets the layout, where the worker
 * id comes from, where state is kept, and what happens when a tick is full or the clock goes back.  frazil.spec(5)
 * lists all keys; only the worker id has no default.  A value with spaces is quoted as '...', in which \' and \\ stand
 * for ' and \.  NULL is the empty spec.
 *
 * A key that the spec does not name is looked up as FRAZIL_<KEY> in the
 * environment if it says where the program runs.  A key that says what ids look
 * like is looked up there only if the spec is empty.  A key that is still missing is looked up as a
 * line "key=value" in the file that the key `config` (or FRAZIL_CONFIG) names;
 * its lines end with LF or CR LF.  A program with more rights than the user who starts it (set-user-ID, file
 * capabilities) does not read the environment: a variable that it would have read is FRAZIL_ESPEC.
 *
 * These are errors: an unknown key, a key given twice in one place, an empty value (a value begins right after its
 * '='), and a key of the spec that has no effect for its worker source.
 *
 * FRAZIL_ESPEC, ELAYOUT, ENOWORKER, EWORKER, ERANGE, ESHORTLIFE, EPOOL (all worker ids were taken until open_wait was
 * over, or all auto partitions are), ESTATE, ENOMEM, ESYS.  With a coordinator also ENOTBUILT (its part is not
 * installed), EUNREACHABLE (it does not answer), EREFUSED (it refuses), ENAMESPACE (there is no such namespace, or it
 * is of another layout).  Likewise ECLOCK (the clocks differ too much), EAGAIN (no grants for a while).  reterr may be
 * NULL.
 *
 * Stack: give a thread that opens a generator 128 KiB, with a coordinator 256 KiB.  Measured were 32 and 66 KiB; TLS
 * and the resolution of names can take more.  A thread that only takes ids needs 32 KiB.  With state=URL, or
 * keeper=inline and a coordinator, it needs as much as one that opens.  On a smaller stack the process crashes.
 */
FRAZIL_API FRAZIL_CHECK frazil_err frazil_open(frazil **ret, const char *spec, frazil_error *reterr) FRAZIL_NONNULL(1);

/*
 * Like frazil_open, but all openings in a process whose specs mean the same share one generator, however these are
 * spelled.  It is for libraries, plugins and scripts that open one wherever they need an id.  Each opening is closed
 * once, and the last close closes the generator.  A setting that one user makes (frazil_on_overflow) applies to all.  A
 * stopped generator (frazil_stop) stays with those that opened it, and later openings get a new one.  With state=memory
 * and a worker id of its own, they fail (FRAZIL_EWORKER) until all have closed the stopped one.  While another thread
 * opens the generator or closes it as the last user, an opening waits, within open_wait (FRAZIL_EAGAIN).
 *
 * Threads: any, even while others open or close.  Fork: as above; a child shares all generators of its parent, and
 * reopens those that another thread was opening.  Openings of the parent's other threads stay open in the child.  If
 * their generator is fenced for good, stop it there, and the next opening gets a new one, as above.  URLs must match
 * exactly: one with another database, user or password is another generator.
 */
FRAZIL_API FRAZIL_CHECK frazil_err frazil_open_shared(frazil **ret, const char *spec, frazil_error *reterr)
    FRAZIL_NONNULL(1);

/*
 * Stops it, for interpreters that shut down and for cancelled contexts.  Each call that waits for an id or for the
 * coordinator checks every 100 ms whether it is stopped.  It ends with FRAZIL_ESTOPPED as soon as the system runs its
 * thread.  A call that is itself asking a coordinator ends when that answers or times out.  Later calls that take ids
 * or keep the grant fail likewise.  A stopped call gives its slots back, unless another process has taken later ones.
 * Such slots stay unused, so after all processes stop, the next id may come as late as theirs would have.  A
 * frazil_local still issues the ids of the current tick that are left in its block.
 *
 * The generator can be inspected as before, and must still be closed.  Only this process's copy stops: other processes
 * go on, and a child forked later has a stopped copy.  A generator of frazil_open_shared stops for all its users, and
 * later openings do not get it.  Any thread, any number of times, even while others take ids; not in a signal handler.
 */
FRAZIL_API void frazil_stop(frazil *gen) FRAZIL_NONNULL(1);

/*
 * Closes this process's copy; NULL is allowed.  A generator of frazil_open_shared is closed when all its users have
 * closed it.  Takes at most two seconds: a grant that cannot be released in that time expires by itself.  A pending
 * request to a coordinator goes on in a thread.  Where no thread can be created, the call releases the grant itself in
 * that time.  If the program supplied a clock, random numbers, a granter or an overflow callback, the call waits for
 * that request instead.
 */
FRAZIL_API void frazil_close(frazil *gen);

/*
 * Like frazil_close, but waits at most wait_ns.  FRAZIL_OK: gen is NULL, or it is closed, and the worker id was
 * released if this was the last process that had it.  FRAZIL_EUNREACHABLE: closed, but the release of the worker id is
 * not confirmed: it is free when its grant ends.  FRAZIL_EAGAIN: the wait is over, and a thread goes on closing it,
 * unless the process ends: then the worker id is free when its grant ends.  Errors of the state directory or the
 * coordinator: closed, but the worker id was not released.  In each case gen is no longer valid.
 *
 * For a generator of frazil_open_shared, the last close returns the result, and the others FRAZIL_OK.  If the program
 * supplied a clock, random numbers, a granter or an overflow callback, the call waits until the end.  So none of them
 * is called after it returns.
 */
FRAZIL_API FRAZIL_CHECK frazil_err frazil_close_within(frazil *gen, uint64_t wait_ns);

/* ---- taking 64-bit ids -------------------------------------------------- */
/*
 * Errors of all these calls: FRAZIL_EFULL, ECLOCK: no id within what the policies and max_wait allow.  FRAZIL_ELEASE:
 * the grant of the worker id has ended.  FRAZIL_EEXHAUSTED: the layout's last tick is used up, for ever.  FRAZIL_EKIND:
 * the generator's layout is sno.
 *
 * With a URL as state also FRAZIL_EUNREACHABLE (the server does not answer; the call tries again while it may wait) and
 * ECLOCK (the server's clock differs by more than max_skew).  Likewise EREFUSED (the server refuses), ENAMESPACE
 * (others share the slots with other settings), ENOMEM (in a new process).  A call that never waits still has to ask
 * the server if it holds no slot, within the URL's timeout.
 *
 * A call that finds the grant in its last quarter extends it.  It writes the grant file, or asks the coordinator,
 * within the time that it may wait.  A longer request goes on in a thread, which ends with it, and a later call gets
 * the result.  A call that never waits leaves the grant to others: to the keeper's thread of this process, or with
 * keeper=hook to frazil_keep.  With keeper=inline, and in a child of a process with such a thread, there is neither.
 * Then the call writes the file unless another process is writing it, or lets a thread ask the coordinator.  Where no
 * thread can be created, a call that never waits does not ask.  Another one asks itself, and cuts the request off when
 * its wait is over.
 */

/* Takes one id.  Waits at most max_wait. */
FRAZIL_API FRAZIL_CHECK frazil_err frazil_next(frazil *gen, uint64_t *ret_id) FRAZIL_NONNULL(1, 2);

/* As wait_ns of frazil_take: wait at most max_wait. */
#define FRAZIL_WAIT_DEFAULT (UINT64_MAX - 1)
/* As wait_ns: wait without a limit. */
#define FRAZIL_WAIT_FOREVER UINT64_MAX

/*
 * Takes exactly n ids, increasing, or none.  On failure reterr says how far the clock is behind and when to retry.  n
 * may be 0.  The ids may span several ticks, for which the call waits at most wait_ns nanoseconds.  FRAZIL_EINVAL: n is
 * more than the wait, max_lead, a whole grant of the worker id and the rest of the layout's life can ever allow.  With
 * wait_ns 0 it never waits, and fails with the errors of frazil_try_take.
 */
FRAZIL_API FRAZIL_CHECK frazil_err frazil_take(frazil *gen, uint64_t *ret_ids, size_t n, uint64_t wait_ns,
                                               frazil_error *reterr) FRAZIL_NONNULL(1, 2);

/*
 * Takes the ids that are free now, 1 to n, increasing, without ever waiting.  Both outputs are always set.  *ret_taken
 * is their number, 0 after an error.  *ret_retry_ns is the nanoseconds until more can follow: the rest, or the ids
 * of one tick if the rest is more; 0 if that is now, never, or unknown.  It supposes whole ticks: with start=spread or
 * random, which begin behind the first number of a tick, it can be too short for several ids, and the next call tells
 * how much is left.  FRAZIL_EAGAIN: none is free now.  With on_full=error or on_backward=error: FRAZIL_EFULL,
 * FRAZIL_ECLOCK, also with *ret_retry_ns.  With n 0 it takes none and succeeds.  NULL as reterr saves formatting the
 * message.
 */
FRAZIL_API FRAZIL_CHECK frazil_err frazil_try_take(frazil *gen, uint64_t *ret_ids, size_t n, size_t *ret_taken,
                                                   uint64_t *ret_retry_ns, frazil_error *reterr)
    FRAZIL_NONNULL(1, 2, 4, 5);

/*
 * Makes an id for a given time, to import old records.  It never touches the live state: it has its own sequence, which
 * starts at the lower bound and wraps silently after the upper one.  The caller must keep such ids apart from live ones
 * of the same time and worker.  FRAZIL_ERANGE: the time lies outside the layout's life.
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

/* As frazil_next, frazil_take and frazil_try_take.  A batch that does not fit its block is taken directly from gen. */
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
 * Like their namesakes for 64-bit ids, with the metabyte of the snos.  Errors as there; FRAZIL_EKIND: the generator's
 * layout is not sno.
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
 * Writes the state of a sno generator, for frazil_options_snapshot, in the format of sno's own snapshots.  It is a JSON
 * object with partition, sequenceMin, sequenceMax, sequence, now, wallHi, wallSafe, drifts.  Times are 4 ms units since
 * 2010-01-01.  It goes stale with the next id: stop the generator first.  Writes a terminator, which *ret_len does not
 * count; ret_len may be NULL.  FRAZIL_EKIND: the layout is not sno.  FRAZIL_EBUFFER: size is too small; then nothing is
 * written.
 */
FRAZIL_API FRAZIL_CHECK frazil_err frazil_sno_snapshot(frazil *gen, char *buf, size_t size, size_t *ret_len)
    FRAZIL_NONNULL(1, 2);

/* ---- extending the grant of a worker id ------------------------------------ */

/*
 * Extends the grant of the worker id if it is due, for keeper=hook.  Call it from an event loop's timer when
 * *ret_next_ns nanoseconds have passed.  It waits at most wait_ns; 0: not at all.  A longer request goes on in a
 * thread, which ends with it, and a later call gets its result.  No request is cut off, because a lost answer costs the
 * worker id.  The calling thread itself calls the program's own granter.  With FRAZIL_WAIT_FOREVER it also writes a
 * state file itself.
 *
 * *ret_next_ns is always set; without a grant the call does nothing, and it is FRAZIL_WAIT_FOREVER.  FRAZIL_EAGAIN,
 * EUNREACHABLE: no answer, or none yet; the present grant is valid until it ends.  FRAZIL_ESYS: likewise, and no
 * descriptor is left for a connection.  FRAZIL_ELEASE: the grant has ended; or the worker id is lost and no other is
 * free, and ids are available until the grant ends.  FRAZIL_EWORKER: the program's granter gave an invalid grant; or
 * the error that this granter returned.  Then the present grant stays valid.  FRAZIL_ESTOPPED.  Any thread, any
 * process.
 */
FRAZIL_API FRAZIL_CHECK frazil_err frazil_keep(frazil *gen, uint64_t wait_ns, uint64_t *ret_next_ns,
                                               frazil_error *reterr) FRAZIL_NONNULL(1, 3);

/* ---- taking ids without a call ---------------------------------------------- */

/*
 * The form of a frazil_fast_path.  A program that does not know the form takes ids with frazil_next.  More may be
 * added.
 */
typedef enum frazil_fast_form {
    FRAZIL_FAST_NONE = 0,       /* there is no fast path: snos, state=URL, a processor without a counter */
    FRAZIL_FAST_X86_TSC = 1,    /* the counter is that of RDTSC */
    FRAZIL_FAST_ARM_CNTVCT = 2, /* the counter is CNTVCT_EL0 */
    FRAZIL_ENUM_IS_INT(FRAZIL_FAST)
} frazil_fast_form;

/*
 * A way to take an id without a C call, for runtimes in which such a call costs more than the id.  A program reads what
 * `anchor` and `word` point to, and swaps the word, as 64-bit atomics in native byte order.  "Give up" means: call
 * frazil_next.
 *
 *  1. Read anchor[0], the version, with acquire.  If it is odd, give up.
 *  2. Read anchor[1] start, [2] range, [3] first_slot and [4] first_id, each with acquire.
 *  3. Read anchor[0] again.  If it has changed, give up.
 *  4. Read the counter, and give up if it is not in the range.  ARM_CNTVCT: it is if counter - start < range.
 *     X86_TSC: it is if its high half equals that of start, and low(counter) - low(start) < low(range) as 32 bits.
 *  5. Read w, the word, and let nth = w - first_slot.  If nth >= capacity, give up.
 *     Swap the word from w to w + 1 by compare-and-swap; if that fails, do step 5 again.
 *     Never add without comparing.
 *  6. The id is first_id + (nth << shift).
 *
 * For n ids, step 5 gives up if nth > capacity or n > capacity - nth, and swaps to w + n.  All subtractions are
 * unsigned and wrap.
 */
typedef struct frazil_fast_path {
    uint32_t form;          /* a frazil_fast_form; if unknown, ignore the other members */
    uint32_t shift;         /* the lowest bit of the sequence number in an id */
    uint64_t capacity;      /* sequence numbers of a tick */
    uint64_t *word;         /* the next free slot */
    const uint64_t *anchor; /* the tick that is known to be current: five numbers */
} frazil_fast_path;

/*
 * Fills ret with the fast path of a generator, for this process and its children.  It does not change, and is valid
 * until frazil_close is called.  As with every call, no thread may be between steps 1 and 6 then.  After frazil_stop,
 * step 4 always gives up.  size is sizeof *ret (frazil.h).  Cannot fail.  Any thread.
 */
FRAZIL_API void frazil_get_fast_path(frazil *gen, frazil_fast_path *ret, size_t size) FRAZIL_NONNULL(1, 2);

FRAZIL_END_DECLS

#endif
