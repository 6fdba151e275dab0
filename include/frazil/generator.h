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
 * Signals: taking an id is not async-signal-safe when it has to wait.
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

/* ---- opening ----------------------------------------------------------- */

/*
 * Opens a generator.  The spec is a text of key=value pairs separated by
 * spaces; a value that holds spaces is quoted with '...', in which \' and \\
 * stand for themselves.  NULL is the empty spec.  A key that the spec does not
 * name is looked up as FRAZIL_<KEY> in the environment, then as a line
 * "key=value" in the file named by the key `config` (or FRAZIL_CONFIG), whose
 * lines end with LF or CR LF.  The environment of a set-user-ID program is not
 * read.
 * Unknown keys, keys given twice in one place, empty values (a value begins right
 * behind its '='), and keys of the spec without an effect for its worker source
 * are errors.
 *
 *   layout        preset or description, see layout.h; default frazil
 *   epoch, tick   override those of the layout
 *   behaviour     frazil (default), konayuki, sfid, sno, post, flake,
 *                 flake-callback: sets the keys from on_full to start at once
 *   worker        where the worker id comes from; no default:
 *                 fixed:N, env:NAME, ordinal; file-lock: the lowest number that
 *                 no process of this host holds, for one host only; the URL of
 *                 a coordinator, see coordinator.h, for fleets;
 *                 ip-last-octet (IPv4; needs 256 worker ids): for the hosts of
 *                 one /24; ip-hash, hostname-hash: CRC-32 of the host's primary
 *                 address or name, modulo the number of worker ids, as konayuki
 *                 computes it, with `expect`; for layout=sno also auto, which is
 *                 its default
 *   partition     layout=sno, in place of `worker`: a number, or two bytes such as
 *                 A,10 (see frazil_sno_partition_parse)
 *   datacenter    N: the worker source then gives the number inside it
 *   base, count   the source's number must be below count; base is added to it.
 *                 Of a hash count is the modulus (konayuki's max_workers); without
 *                 it what base leaves of the layout
 *   expect        how many hosts there are, 1 to 65536: needed by the hashes,
 *                 which may give two hosts the same number; how likely that is
 *                 stands in frazil_generator_info
 *   hostname      what stands for the host's name
 *   ip            what stands for the host's primary address, which is the one
 *                 that it would use outward: IPv4, or IPv6 where that is all
 *   on_full       wait, lead, error
 *   on_backward   hold, wait, error, ticktock (sno only)
 *   max_lead      how far ids may be stamped ahead of the clock: a duration
 *                 (ns us ms s m h), or unlimited
 *   max_wait      how long a call may wait, likewise
 *   start         zero, random, spread: the first sequence number of a tick
 *   seq_min, seq_max   bounds of the sequence, both included
 *   state         file (default): what protects against repeated ids after a
 *                 restart is kept in files, and all processes of this host with
 *                 the same worker share one sequence; memory: neither, knowingly;
 *                 a URL (redis://, konayuki+redis://): hosts that share one worker
 *                 number take their slots from there; start is then zero or random;
 *                 konayuki+file:///PATH: counters in a folder of this host
 *   batch         with a URL as state, how many slots to take at a time: up to a
 *                 tick's; default 64, and 1 for konayuki+...
 *   namespace     the folder of these files: one for each set of ids that must
 *                 differ; default: one for each layout
 *   run_dir       where they lie that are gone after a boot; default
 *                 RUNTIME_DIRECTORY, then /run/frazil for root, then
 *                 XDG_RUNTIME_DIR/frazil, then /dev/shm/frazil-UID
 *   state_dir     where those lie that are not; default STATE_DIRECTORY, then
 *                 /var/lib/frazil for root, then ~/.local/state/frazil
 *   max_skew      how far the clocks of those who share a coordinator may differ:
 *                 whole milliseconds; a namespace has the one it was created with,
 *                 by default 250ms, and opening refuses another
 *   on_loss       move (default): when a leased worker id is lost, take another;
 *                 stop: FRAZIL_ELEASE instead
 *   horizon       of a coordinator's namespace: how far its grants reach ahead;
 *                 for two thirds of that it may be away at any time. `frazil lease
 *                 init` creates it with this, by default 60s, and opening refuses
 *                 one that has another
 *   workers       likewise, how many worker ids it has; default the layout's
 *   keeper        thread (default), hook, inline: who extends a grant
 *   clock         real (default), frozen:TIME (then state=memory)
 *   allow_short_life   yes, no: open a layout with less than ten years left
 *   config        a file of such keys
 *
 * FRAZIL_ESPEC, ELAYOUT, ENOWORKER, EWORKER, ERANGE, ESHORTLIFE, EPOOL (all worker
 * ids or auto partitions are taken), ESTATE, ENOMEM, ESYS; with a coordinator also
 * ENOTBUILT (its part is not installed), ECLOCK (the clocks differ too much), EAGAIN
 * (it does not answer, or nothing is granted for a while).  reterr may be NULL.
 */
FRAZIL_API FRAZIL_CHECK frazil_err frazil_open(frazil **ret, const char *spec, frazil_error *reterr) FRAZIL_NONNULL(1);

/* What frazil_open_with can replace; leave NULL what shall be the real thing. */
typedef struct frazil_ports {
    const frazil_clock *clock;   /* copied; its ctx must outlive the generator */
    const frazil_random *random; /* likewise */
    /* Parts that are not to be loaded, from frazil/parts.h, NULL at the end; must be there during the call. */
    const frazil_coordinator *const *coordinators;
    /* Gives the worker id in place of the key `worker`; copied; its ctx must outlive the generator. */
    const frazil_granter *granter;
} frazil_ports;

/*
 * frazil_open over other ports.  A given clock wins over the key `clock`.  With a granter the spec names no worker
 * (FRAZIL_ESPEC), nothing is kept in files, and what the granter gives is checked: FRAZIL_EWORKER for a grant that is
 * none.  FRAZIL_EINVAL: a port is of another size.
 */
FRAZIL_API FRAZIL_CHECK frazil_err frazil_open_with(frazil **ret, const char *spec, const frazil_ports *ports,
                                                    frazil_error *reterr) FRAZIL_NONNULL(1);

/* Closes it; NULL is allowed.  Closes this process's copy only. */
FRAZIL_API void frazil_close(frazil *gen);

/* ---- taking 64-bit ids -------------------------------------------------- */
/*
 * All of them: FRAZIL_EFULL, ECLOCK: no id within what the policies and
 * max_wait allow.  FRAZIL_ELEASE: the grant of the worker id has ended.
 * FRAZIL_EEXHAUSTED: the layout's last tick is used up, for ever.  FRAZIL_EKIND:
 * the generator's layout is sno.
 *
 * With a URL as state also FRAZIL_EAGAIN (it does not answer; tried again while
 * the call may wait), ECLOCK (its clock differs by more than max_skew), EWORKER (it
 * refuses), ENOMEM (in a new process).  Its answer takes as long as the URL's
 * timeout at the most, on top of max_wait.
 *
 * A call that finds the grant in its last quarter asks for more of it, which takes
 * a write of the grant file, or an answer of the coordinator, and its timeout at the
 * most.  One that never waits leaves that to others: to the keeper's thread of this
 * process, or with keeper=hook to frazil_keep.  Only where there is neither, with
 * keeper=inline and in a child of a process with a thread, it does so as well.
 */

/* One id.  Waits max_wait at the most. */
FRAZIL_API FRAZIL_CHECK frazil_err frazil_next(frazil *gen, uint64_t *ret_id) FRAZIL_NONNULL(1, 2);

/*
 * Exactly n ids, increasing, or an error and none.  They may span several
 * ticks, for which the call waits as a single call does.  FRAZIL_EINVAL: n is 0.
 */
FRAZIL_API FRAZIL_CHECK frazil_err frazil_next_n(frazil *gen, uint64_t *ret_ids, size_t n) FRAZIL_NONNULL(1, 2);

/*
 * One id without ever waiting.  FRAZIL_EAGAIN: none is free now; *ret_retry_ns,
 * which is otherwise untouched, says in how many nanoseconds to come back.
 * Under on_full=error or on_backward=error: FRAZIL_EFULL, FRAZIL_ECLOCK.
 */
FRAZIL_API FRAZIL_CHECK frazil_err frazil_try_next(frazil *gen, uint64_t *ret_id, uint64_t *ret_retry_ns)
    FRAZIL_NONNULL(1, 2, 3);

/* Says max_wait instead of a number in frazil_take. */
#define FRAZIL_WAIT_DEFAULT (UINT64_MAX - 1)
/* No bound on the wait. */
#define FRAZIL_WAIT_FOREVER UINT64_MAX

/*
 * frazil_next_n with a bound on the wait of its own, in nanoseconds, and an
 * explanation when it fails: by how much the clock is behind, when to retry.
 * With wait_ns 0 it never waits.
 */
FRAZIL_API FRAZIL_CHECK frazil_err frazil_take(frazil *gen, uint64_t *ret_ids, size_t n, uint64_t wait_ns,
                                               frazil_error *reterr) FRAZIL_NONNULL(1, 2);

/*
 * An id for a time of the caller's, for bringing in old records.  It has a
 * sequence of its own, which starts at the lower bound and rolls over silently
 * after the upper one, and never touches the live state: keeping such ids apart
 * from live ones of the same time and worker is up to the caller.
 * FRAZIL_ERANGE: the time lies outside the layout's life.
 */
FRAZIL_API FRAZIL_CHECK frazil_err frazil_next_at(frazil *gen, int64_t unix_ms, uint64_t *ret_id) FRAZIL_NONNULL(1, 3);

/* ---- per-thread handles ------------------------------------------------- */

/*
 * A handle that takes ids from gen in blocks and issues them without an atomic
 * operation.  A block never outlives its tick.  Ids of one handle increase; ids
 * of different handles interleave in blocks.  Close it before gen.
 * FRAZIL_EKIND (sno), ENOMEM.
 */
FRAZIL_API FRAZIL_CHECK frazil_err frazil_local_open(frazil_local **ret, frazil *gen) FRAZIL_NONNULL(1, 2);

/* One id; errors as frazil_next. */
FRAZIL_API FRAZIL_CHECK frazil_err frazil_local_next(frazil_local *local, uint64_t *ret_id) FRAZIL_NONNULL(1, 2);

/* Closes it; NULL is allowed.  What is left of its block stays unused. */
FRAZIL_API void frazil_local_close(frazil_local *local);

/* ---- snos ---------------------------------------------------------------- */
/*
 * Like their namesakes for 64-bit ids, with the metabyte that the snos bear.
 * Errors as there; FRAZIL_EKIND: the generator's layout is not sno.
 */
FRAZIL_API FRAZIL_CHECK frazil_err frazil_sno_next(frazil *gen, uint8_t meta, frazil_sno *id) FRAZIL_NONNULL(1, 3);
FRAZIL_API FRAZIL_CHECK frazil_err frazil_sno_next_n(frazil *gen, uint8_t meta, frazil_sno *ids, size_t n)
    FRAZIL_NONNULL(1, 3);
FRAZIL_API FRAZIL_CHECK frazil_err frazil_sno_try_next(frazil *gen, uint8_t meta, frazil_sno *ret_id,
                                                       uint64_t *ret_retry_ns) FRAZIL_NONNULL(1, 3, 4);
FRAZIL_API FRAZIL_CHECK frazil_err frazil_sno_take(frazil *gen, uint8_t meta, frazil_sno *ret_ids, size_t n,
                                                   uint64_t wait_ns, frazil_error *reterr) FRAZIL_NONNULL(1, 3);
/* As frazil_next_at; the tick-tock bit is 0. */
FRAZIL_API FRAZIL_CHECK frazil_err frazil_sno_next_at(frazil *gen, int64_t unix_ms, uint8_t meta, frazil_sno *ret_id)
    FRAZIL_NONNULL(1, 4);

/*
 * The state of a sno generator, as sno's own snapshots: a JSON object with
 * partition, sequenceMin, sequenceMax, sequence, now, wallHi, wallSafe, drifts.
 * Times are 4 ms units since 2010-01-01.  It goes stale with the next id: take
 * it when the generator has stopped.
 */
typedef struct frazil_sno_snapshot {
    uint8_t partition[2];  /* the high byte first */
    uint16_t sequence_min; /* the lowest number that the sequence takes */
    uint16_t sequence_max; /* the highest */
    uint32_t sequence;     /* last one issued in the unit wall_hi; 0 means sequence_min */
    int64_t now;           /* when the snapshot was taken */
    int64_t wall_hi;       /* the unit of the last sno */
    int64_t wall_safe;     /* the clock may not go back to this or below it without waiting; 0: never went back */
    uint32_t drifts;       /* how often the tick-tock bit was toggled */
} frazil_sno_snapshot;

/* Bytes that frazil_sno_snapshot_format can need, terminator included. */
#define FRAZIL_SNO_SNAPSHOT_SIZE 256

/* The generator's state.  FRAZIL_EKIND. */
FRAZIL_API FRAZIL_CHECK frazil_err frazil_sno_snapshot_take(frazil *gen, frazil_sno_snapshot *ret) FRAZIL_NONNULL(1, 2);

/* As JSON, with a terminator.  FRAZIL_EBUFFER. */
FRAZIL_API FRAZIL_CHECK frazil_err frazil_sno_snapshot_format(const frazil_sno_snapshot *snapshot, char *buf,
                                                              size_t size) FRAZIL_NONNULL(1, 2);

/*
 * From JSON.  Absent members are zero.  FRAZIL_EPARSE: not such an object, a
 * member unknown, given twice, or outside its range.
 */
FRAZIL_API FRAZIL_CHECK frazil_err frazil_sno_snapshot_parse(const char *text, size_t len, frazil_sno_snapshot *ret,
                                                             frazil_error *reterr) FRAZIL_NONNULL(1, 3);

/*
 * Opens a sno generator that continues from a snapshot, on this side of it or
 * in its past, without repeating an id.  The spec may not name worker, partition,
 * base, count, seq_min or seq_max, which come from the snapshot; in the environment
 * and in a config file they do not count here.  Errors as frazil_open, and
 * FRAZIL_ERANGE: bounds equal or closer than four, sequence below the lower one;
 * FRAZIL_EINVAL: the ports have a granter.
 */
FRAZIL_API FRAZIL_CHECK frazil_err frazil_sno_open_snapshot(frazil **ret, const char *spec,
                                                            const frazil_sno_snapshot *snapshot,
                                                            const frazil_ports *ports, frazil_error *reterr)
    FRAZIL_NONNULL(1, 3);

/* ---- keeping a grant ------------------------------------------------------ */

/*
 * Extends the grant of the worker id if it is time to, for keeper=hook: call it
 * when *ret_next_ns nanoseconds have passed, from an event loop's timer.  It
 * blocks while the state directory or the coordinator is asked.  Without a grant it
 * does nothing, and *ret_next_ns is FRAZIL_WAIT_FOREVER; *ret_next_ns is always
 * set.  FRAZIL_EAGAIN: no answer, the present grant stands until it ends.
 * FRAZIL_ELEASE: that has ended, or the worker id is lost and no other is free;
 * then ids can be had until it ends.  Any thread, any process.
 */
FRAZIL_API FRAZIL_CHECK frazil_err frazil_keep(frazil *gen, uint64_t *ret_next_ns, frazil_error *reterr)
    FRAZIL_NONNULL(1, 2);

/* ---- looking at a generator ---------------------------------------------- */

/* What happened so far, to the generator and all processes that share it. */
typedef struct frazil_stats {
    uint64_t issued;          /* ids taken; exact when no call is running; blocks of handles count when taken */
    uint64_t full;            /* calls that found their tick full */
    uint64_t backward_steps;  /* times the clock was seen to go back */
    uint64_t backward_max_us; /* the largest of them */
    uint64_t lead_us;         /* how far the next id is ahead of the clock now */
    uint64_t lead_max_us;     /* the furthest any id was stamped ahead */
    uint64_t waits;           /* calls that had to wait */
    uint64_t waited_us;       /* for how long, together */
    uint64_t ticktocks;       /* times the tick-tock bit was toggled */
    uint64_t extensions;      /* grants that continued the one before */
    uint64_t moves;           /* grants that did not: another worker id, or ticks left out */
} frazil_stats;

/* Cannot fail. */
FRAZIL_API void frazil_get_stats(frazil *gen, frazil_stats *ret) FRAZIL_NONNULL(1, 2);

/* What a generator is. */
typedef struct frazil_generator_info {
    frazil_layout layout;  /* of its ids */
    uint32_t worker;       /* for sno: the partition */
    uint32_t sequence_min; /* the lowest number that its sequence takes */
    uint32_t sequence_max; /* the highest */
    uint32_t sequence;     /* the next id's, if it were taken now; sequence_min if that enters a new tick */
    uint64_t length;       /* how many sequence numbers of this tick are used */
    uint64_t capacity;     /* how many a tick has */
    bool counter_in_use;   /* whether the processor's counter saves clock readings */
    bool state_is_new;     /* no generator had this worker on this host since it was booted; always with state=memory */
    /* ip-hash, hostname-hash: how likely it is that two of the expected hosts have the same worker id, in parts per
     * million, rounded up; 0 for all other sources */
    uint32_t collision_ppm;
} frazil_generator_info;

/* Cannot fail. */
FRAZIL_API void frazil_get_info(frazil *gen, frazil_generator_info *ret) FRAZIL_NONNULL(1, 2);

/* How many ids are left in this tick: 0 when the next call would wait or fail.  Takes none. */
FRAZIL_API uint64_t frazil_available(frazil *gen) FRAZIL_NONNULL(1);

/* What an overflow callback is told. */
typedef struct frazil_overflow {
    int64_t unix_ms;  /* now */
    uint32_t waiting; /* callers waiting for a sequence number; 0: the overflow has ended */
    uint32_t ticks;   /* for how many ticks it has lasted */
} frazil_overflow;

/* Called as frazil_on_overflow says, with the ctx that it was given. */
typedef void (*frazil_overflow_fn)(void *ctx, const frazil_overflow *overflow);

/*
 * Has fn told when ticks overflow: once a tick while callers wait, and once
 * when it has ended, which is noticed by the first call in a quiet tick and by
 * frazil_close.  It is called by one of the callers that have to wait, holding
 * nothing that another caller needs; it must not call back into the generator,
 * and a slow one may still be running when the next tick is told by another thread.
 * NULL switches it off.  Set it before the generator is shared; a child process
 * keeps it.
 */
FRAZIL_API void frazil_on_overflow(frazil *gen, frazil_overflow_fn fn, void *ctx) FRAZIL_NONNULL(1);

FRAZIL_END_DECLS

#endif
