/* SPDX-License-Identifier: MIT */
/*
 * The generator from inside: which memory is shared with whom.
 *
 *   struct fz_shared    one page; all threads and all processes that share the
 *                       generator, before and after a fork
 *   struct fz_private   one page; the threads of this process; wiped in a child
 *   struct frazil       the handle: constants after open, and the keeper; copied
 *                       into a child as it is
 */
#ifndef FZ_GENERATOR_INTERNAL_H
#define FZ_GENERATOR_INTERNAL_H

#include <stdalign.h>
#include <stdatomic.h>

#include "anchor.h"
#include "core/layout_internal.h"
#include "core/slot.h"
#include "events.h"
#include "frazil/options.h"
#include "keeper.h"
#include "os/fork_mark.h"
#include "overflow.h"
#include "state/shared_page.h"
#include "state/store.h"

/*
 * Code that the fast path leaves to others stays out of line: inlined, its stack frame would be set up, and guarded,
 * for each id.
 */
#define FZ_OUT_OF_LINE __attribute__((noinline))

/*
 * Slots that calls of this process have given up while others had taken later ones.  With n runs, 2n calls can give
 * theirs up in any order.
 */
enum { FZ_UNUSED_RUNS = 64 };
struct fz_unused_run {
    uint64_t first;
    uint64_t end; /* the first one behind them */
};
struct fz_unused {
    _Atomic uint64_t lock; /* the fork mark of the thread that has it; 0: none */
    uint64_t process;      /* whose slots they are: not its children's */
    unsigned n;
    struct fz_unused_run runs[FZ_UNUSED_RUNS];
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
    struct fz_unused unused;
    struct fz_event_ring events;
};

/* How an id is taken on the fast path. */
enum fz_fast_path {
    FZ_FAST_NONE,    /* there is none: each call goes through the slow path */
    FZ_FAST_ADD_64,  /* by adding: a slot past the end of the tick is a ticket */
    FZ_FAST_ADD_SNO, /* the same for snos */
    FZ_FAST_CHECKED  /* by compare-and-swap, never past the end: for policies under which a call may fail */
};

/* The rest of the decision, beyond rules and layout.  Nobody writes it after opening. */
struct fz_fixed {
    uint8_t time_shift; /* where the fields of a 64-bit id begin; the sequence's stands with what every id reads */
    uint8_t worker_shift;
    uint64_t max_wait_ns;  /* FRAZIL_WAIT_FOREVER: no bound */
    uint64_t open_wait_ns; /* likewise */
    uint32_t collision_ppm;
    bool counter_usable;
    uint8_t state;          /* a frazil_state_kind */
    bool has_program_ports; /* clock, random numbers or granter are the program's */
};

/* The ports point to these unless the caller brought its own. */
struct fz_own_ports {
    frazil_manual_clock *frozen_clock; /* NULL: the clock is not frozen */
    _Atomic uint64_t random_state;
};

/* Its place among the generators that live, see left_off.h. */
struct fz_living {
    struct fz_left_off *record; /* NULL: it is not counted */
    bool is_alone;              /* it knows of no other one, and lives beside none */
};

struct frazil {
    /* Read by every id; nothing else that is written shares the line. */
    alignas(FZ_CACHE_LINE) _Atomic uint64_t *word;
    struct fz_private *private_page;
    uint64_t capacity;
    enum fz_fast_path fast_path;
    uint8_t sequence_shift;

    /* Read by the slow path, and fixed at opening. */
    alignas(FZ_CACHE_LINE) struct fz_slot_rules rules;
    struct fz_shared *shared;
    frazil_layout layout;
    struct fz_fixed fixed;
    frazil_clock clock;
    frazil_random random;
    struct fz_fork_mark fork_mark; /* which process this is: a child has another */
    struct fz_remote *remote; /* where slots come from instead of the word, see remote_slots.h; NULL: nowhere else */
    struct fz_left_off *left_off; /* its record for the next one, see left_off.h; NULL: there is none */
    struct fz_living living;
    struct fz_shared_generator
        *shared_generator; /* all openings of the process that share it, see open_shared.c; NULL: one alone */

    _Atomic bool stopped;             /* by frazil_stop; a child's copy is, too */
    struct fz_overflow_hook overflow; /* set by the program, before it takes ids */
    struct fz_event_state events;     /* see events.h */
    struct fz_store store;            /* written by opening and closing */
    struct fz_keeper keeper;          /* written by the thread that extends the grant */
    struct fz_own_ports own;          /* read through the ports alone */
};

/* Whether it makes snos. */
static inline bool fz_is_sno(const frazil *gen)
{
    return gen->layout.kind == FRAZIL_LAYOUT_SNO;
}

/* Whether frazil_stop has ended it. */
static inline bool fz_is_stopped(const frazil *gen)
{
    return atomic_load_explicit(&gen->stopped, memory_order_relaxed);
}

/* The time on its clock that is never set. */
static inline uint64_t fz_monotonic_ns(const frazil *gen)
{
    return gen->clock.monotonic_ns(gen->clock.ctx);
}

/* How far a fresh grant reaches, in nanoseconds; 0 before the first one. */
static inline uint64_t fz_horizon_ns(const frazil *gen)
{
    return fz_layout_ticks_ns(&gen->layout,
                              atomic_load_explicit(&gen->shared->keeper.horizon_ticks, memory_order_relaxed));
}

#endif
