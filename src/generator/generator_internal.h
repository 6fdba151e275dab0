/* SPDX-License-Identifier: MIT */
/*
 * The generator from inside: which memory is shared with whom.
 *
 *   struct fz_shared    one page; all threads and all processes that share the
 *                       generator, before and after a fork
 *   struct fz_private   one page; the threads of this process; wiped in a child
 *   struct frazil       constants after open; copied into a child as they are
 */
#ifndef FZ_GENERATOR_INTERNAL_H
#define FZ_GENERATOR_INTERNAL_H

#include <stdalign.h>
#include <stdatomic.h>

#include "anchor.h"
#include "core/slot.h"
#include "frazil/generator.h"
#include "home/home.h"
#include "home/shared_page.h"
#include "keeper.h"
#include "os/fork_mark.h"

/*
 * What the fast path leaves to others stays out of line: inlined, its stack frame would be set up, and guarded, for
 * each id.
 */
#define FZ_OUT_OF_LINE __attribute__((noinline))

/* An overflow as it is reported to the callback. */
struct fz_overflow_state {
    _Atomic uint32_t waiting;       /* callers in a wait for a free tick */
    _Atomic uint32_t ticks;         /* ticks reported in this overflow; 0: there is none */
    _Atomic uint64_t reported_tick; /* the last one reported, plus one */
};

struct fz_private {
    alignas(FZ_CACHE_LINE) struct fz_calibration calibration;
    /*
     * Not where a page begins, as words do: caches go by the place in a page, so that some ten generators in turns
     * would have their words and anchors push each other out.
     */
    alignas(FZ_CACHE_LINE) struct fz_anchor anchor;
    alignas(FZ_CACHE_LINE) struct fz_overflow_state overflow;
    alignas(FZ_CACHE_LINE) _Atomic uint64_t process; /* of the fork mark */
};

/* How an id is taken on the fast path. */
enum fz_fast_path {
    FZ_FAST_NONE,    /* there is none: each call goes through the slow path */
    FZ_FAST_ADD_64,  /* by adding: a slot past the end of the tick is a ticket */
    FZ_FAST_ADD_SNO, /* the same for snos */
    FZ_FAST_CHECKED  /* by compare-and-swap, never past the end: for policies under which a call may fail */
};

struct frazil {
    /* Read by every id; the line is nobody else's, who could write to it. */
    alignas(FZ_CACHE_LINE) _Atomic uint64_t *word;
    struct fz_private *private_page;
    uint64_t capacity;
    enum fz_fast_path fast_path;
    uint8_t sequence_shift;

    /* Read by the slow path. */
    struct fz_slot_rules rules;
    struct fz_shared *shared;
    frazil_layout layout;
    uint8_t time_shift;
    uint8_t worker_shift;
    uint64_t max_wait_ns; /* FRAZIL_WAIT_FOREVER: no bound */
    uint32_t collision_ppm;
    frazil_clock clock;
    frazil_random random;
    bool counter_usable;
    frazil_overflow_fn overflow_fn;
    void *overflow_ctx;
    struct fz_fork_mark fork_mark; /* which process this is: a child has another */
    struct fz_home home;
    struct fz_keeper keeper;
    struct fz_remote *remote; /* where slots come from instead of the word, see remote.h; NULL: nowhere else */

    /* What the ports point to unless the caller brought his own. */
    frazil_manual_clock *frozen_clock;
    _Atomic uint64_t random_state;
};

/* Whether it makes snos. */
static inline bool fz_is_sno(const frazil *gen)
{
    return gen->layout.kind == FRAZIL_LAYOUT_SNO;
}

/* The time on its clock that is never set. */
static inline uint64_t fz_monotonic_ns(const frazil *gen)
{
    return gen->clock.monotonic_ns(gen->clock.ctx);
}

/* ---- open.c --------------------------------------------------------------- */

/* Opens what has been decided.  Errors as frazil_open. */
FZ_PRIVATE frazil_err fz_open_decided(frazil **ret, const struct fz_decision *decision, const frazil_ports *ports,
                                      frazil_error *reterr);

/* frazil_open_with for a worker id that is used without the generator: bare_lease.c.  FRAZIL_ESPEC: nobody grants it.
 */
FZ_PRIVATE frazil_err fz_open_leased(frazil **ret, const char *spec, const frazil_ports *ports, frazil_error *reterr);

/* ---- take.c: the slow path ----------------------------------------------- */

struct fz_observation;

/* Why no slot was taken, in numbers; explained in words only when somebody asks. */
struct fz_refusal {
    frazil_err code;
    int64_t behind_us; /* the clock, behind the highest time seen */
    uint64_t retry_ns; /* when it could succeed; 0: never */
    frazil_instant now;
    uint64_t now_tick;
    uint64_t granted_first; /* the ticks of the grant in force */
    uint64_t granted_last;
    bool fenced;         /* FRAZIL_EFULL: what is taken ends with the grant, not with the tick */
    bool said_by_source; /* the source of slots has refused, and remote.h has the words */
    bool is_queued;      /* behind another thread, which is asking that source */
};

/* Slots that may be issued, and the worker that they were granted to. */
struct fz_taken {
    uint64_t first;
    uint32_t worker;
};

/*
 * Takes n slots (n >= 1) as the policies allow, waiting wait_ns at the most
 * (FRAZIL_WAIT_FOREVER: without a bound).  FRAZIL_EFULL, ECLOCK, ELEASE,
 * EEXHAUSTED; then nothing is taken.
 */
FZ_PRIVATE frazil_err fz_take(frazil *gen, uint64_t n, uint64_t wait_ns, struct fz_taken *ret,
                              struct fz_refusal *refusal);

/*
 * Makes a slot that was taken by adding, and turned out to lie past the end of
 * the tick, into one that may be issued, waiting for its tick if need be: that
 * slot or a later one.  Errors as fz_take.
 */
FZ_PRIVATE frazil_err fz_redeem(frazil *gen, uint64_t slot, struct fz_taken *ret, struct fz_refusal *refusal);

/* Takes n places of the current tick if they are free and known to be current without asking the clock. */
FZ_PRIVATE bool fz_take_anchored(frazil *gen, uint64_t n, struct fz_anchor_view *ret_anchor, uint64_t *ret_nth);

/* explain.c: says in words why fz_take or fz_redeem failed; returns the code. */
FZ_PRIVATE frazil_err fz_explain(frazil *gen, const struct fz_refusal *refusal, frazil_error *reterr);

/* What a call that never waits returns for a refusal: the policy's error, or FRAZIL_EAGAIN with the time to retry in.
 */
FZ_PRIVATE frazil_err fz_try_error(const frazil *gen, const struct fz_refusal *refusal, uint64_t *ret_retry_ns);

/* How long a call may still wait. */
struct fz_patience {
    uint64_t wait_ns;
    uint64_t deadline_ns; /* set when it begins, by the first wait if not before */
    bool has_begun;
    bool waited;
};

/* Begins it now, for calls that spend time in other ways than by waiting.  Nothing if it has begun. */
FZ_PRIVATE void fz_patience_begin(const frazil *gen, struct fz_patience *patience);

/* The call waits, on something else than a clock: counted once.  Returns the time, for fz_patience_waited. */
FZ_PRIVATE uint64_t fz_patience_wait(frazil *gen, struct fz_patience *patience);

/* It waits no more, since the time that fz_patience_wait gave. */
FZ_PRIVATE void fz_patience_waited(frazil *gen, uint64_t begun_ns);

/* What is left of it, in nanoseconds. */
FZ_PRIVATE uint64_t fz_patience_left(const frazil *gen, const struct fz_patience *patience);

/* Sleeps for ns at the most; with a callback no further than into the next tick, of which it wants to be told. */
FZ_PRIVATE void fz_pause(frazil *gen, const struct fz_observation *seen, struct fz_patience *patience, uint64_t ns);

/* Says why nothing was taken; returns the code. */
FZ_PRIVATE frazil_err fz_refuse(struct fz_refusal *refusal, const struct fz_observation *seen, frazil_err code,
                                uint64_t retry_ns);

/*
 * Waits until the slots first .. last, which are the caller's, may be issued.
 * *ret_stale: their time is over, and others must be taken.  FRAZIL_EFULL, ECLOCK: the
 * policies or the patience do not allow it.
 */
FZ_PRIVATE frazil_err fz_await(frazil *gen, uint64_t first, uint64_t last, struct fz_patience *patience,
                               bool *ret_stale, struct fz_refusal *refusal);

/* The next sequence number for a time of the caller's. */
FZ_PRIVATE uint32_t fz_explicit_sequence(frazil *gen);

/* The id of a slot and a worker; for sno its low 32 bits, partition and sequence. */
FZ_PRIVATE uint64_t fz_compose_slot(const frazil *gen, uint64_t slot, uint32_t worker);

/* The worker that such an id carries. */
FZ_PRIVATE uint32_t fz_worker_of(const frazil *gen, uint64_t id);

/* The ids of n slots in a row, handed to `emit` in runs that lie in one tick, with the first slot of the run. */
typedef void (*fz_emit_fn)(void *ctx, uint64_t first_slot, uint64_t first_id, uint64_t count);
FZ_PRIVATE void fz_emit_runs(const frazil *gen, const struct fz_taken *taken, uint64_t n, fz_emit_fn emit, void *ctx);

/* ---- observe.c: looking at the clock ------------------------------------- */

/*
 * A look at the grant, the word and the clock, in this order: a word that is read
 * after the grant was raised to its floor, and a clock that is read after the word
 * cannot seem to be behind it without having stepped.
 */
struct fz_observation {
    struct fz_grant grant;
    uint64_t grant_number; /* of it on the board */
    struct fz_slot_view view;
    frazil_instant now;
    int64_t high_us;  /* the highest reading before this one */
    uint64_t counter; /* read just before the clock; 0 where there is none */
    bool before_epoch;
};

/* Looks, and notes what the clock showed. */
FZ_PRIVATE struct fz_observation fz_observe(frazil *gen);

/* Nanoseconds from now to the start of a tick; 0 if it has come, UINT64_MAX if that does not fit. */
FZ_PRIVATE uint64_t fz_ns_until(const frazil *gen, frazil_instant now, uint64_t tick);

/* Raises an atomic to at least value. */
FZ_PRIVATE void fz_raise_u64(_Atomic uint64_t *target, uint64_t value);
FZ_PRIVATE void fz_raise_i64(_Atomic int64_t *target, int64_t value);

/* Microseconds since 1970 of a reading; saturates. */
FZ_PRIVATE int64_t fz_unix_us(frazil_instant instant);

/* ---- overflow.c: telling the callback ------------------------------------ */

/* A caller waits because the tick is full: tells the callback, once a tick. */
FZ_PRIVATE void fz_overflow_enter(frazil *gen, const struct fz_observation *seen);

/* It waits no more. */
FZ_PRIVATE void fz_overflow_leave(frazil *gen);

/* A slot was taken without waiting: the overflow may have ended. */
FZ_PRIVATE void fz_overflow_quiet(frazil *gen, const struct fz_observation *seen);

/* The generator is closed: whatever overflow there was has ended. */
FZ_PRIVATE void fz_overflow_close(frazil *gen);

#endif
