/* SPDX-License-Identifier: MIT */
/*
 * The anchor: a tick, and the range of the processor's counter for which that
 * tick is certainly still the current one.  Inside the range one counter read
 * and one compare replace a reading of the clock.
 *
 * A range starts at a counter value read before the clock was, and ends short of
 * the end of the tick, so it never spans a tick boundary: a stepped clock is
 * noticed within one tick.  A counter that runs backward leaves the range,
 * because the compare is unsigned.
 *
 * Its tick can be ahead of the clock's (on_full=lead).  While the clock's own tick lasts, such an anchor can be moved
 * on to later ticks without another look at the clock, as far as max_lead and the grant reach.
 *
 * The anchor is only about honest time.  That no id is issued twice rests on the
 * word alone, whatever the counter does.
 *
 * Several threads read an anchor while one writes it: a sequence lock.  Fences
 * are avoided, as the thread sanitizer does not know them; acquire loads and
 * release stores of the fields order them against the version just as well and
 * cost nothing on x86.
 */
#ifndef FZ_GENERATOR_ANCHOR_H
#define FZ_GENERATOR_ANCHOR_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct fz_anchor {
    _Atomic uint64_t version; /* odd while it is being written */
    _Atomic uint64_t counter; /* where the range starts */
    _Atomic uint64_t range;   /* its length; 0: closed, ask the clock */
    _Atomic uint64_t first_slot;
    _Atomic uint64_t first_id;

    /* Of an anchor that leads, for the call that moves it on.  Read and written under the same version. */
    _Atomic uint64_t lead_end;     /* the first slot to which it may not be moved on; 0: it may not be moved */
    _Atomic uint64_t lead_us;      /* how far its tick was ahead of the clock when the range began */
    _Atomic uint64_t grant_number; /* of the grant that the slots up to there belong to, in the ring */
};

/* A copy of an anchor that was read whole. */
struct fz_anchor_view {
    uint64_t counter;
    uint64_t range;
    uint64_t first_slot; /* the first used slot of the tick */
    uint64_t first_id;   /* and its id */
};

/* How far an anchor can be moved on. */
struct fz_anchor_lead {
    uint64_t end;
    uint64_t us;
    uint64_t grant_number;
};

/* Reads an anchor; false while a thread writes it. */
static inline bool fz_anchor_read(const struct fz_anchor *anchor, struct fz_anchor_view *ret)
{
    uint64_t version = atomic_load_explicit(&anchor->version, memory_order_acquire);

    ret->counter = atomic_load_explicit(&anchor->counter, memory_order_acquire);
    ret->range = atomic_load_explicit(&anchor->range, memory_order_acquire);
    ret->first_slot = atomic_load_explicit(&anchor->first_slot, memory_order_acquire);
    ret->first_id = atomic_load_explicit(&anchor->first_id, memory_order_acquire);
    return (version & 1) == 0 && version == atomic_load_explicit(&anchor->version, memory_order_relaxed);
}

/*
 * Publishes an anchor, unless another thread is just publishing one.  It can be moved on up to lead->end, 0: not at
 * all. If its range is over it cannot be either, as fz_anchor_move does not look at the range.
 */
FZ_PRIVATE void fz_anchor_publish(struct fz_anchor *anchor, const struct fz_anchor_view *view,
                                  const struct fz_anchor_lead *lead);

/*
 * Moves an anchor that leads on to another tick, of that first slot and id, which is so far ahead of the clock where
 * the range began.  False: it has changed since it had that version.
 */
FZ_PRIVATE bool fz_anchor_move(struct fz_anchor *anchor, uint64_t version, uint64_t first_slot, uint64_t first_id,
                               uint64_t lead_us);

/* Closes it: the tick is used up, or the word is ahead of the clock. */
FZ_PRIVATE void fz_anchor_close(struct fz_anchor *anchor);

/*
 * Closes it, even if it is closed already: a thread that publishes one afterwards sees what was written before this
 * call.  False: another thread is publishing one.
 */
FZ_PRIVATE bool fz_anchor_shut(struct fz_anchor *anchor);

/*
 * How fast the counter runs, measured against monotonic time while the generator
 * is in use, so that open need not wait for it and a machine that is moved to
 * another host is followed.
 */
struct fz_calibration {
    _Atomic bool busy;            /* one thread at a time */
    uint64_t base_counter;        /* the pair of readings that is measured from */
    uint64_t base_monotonic_ns;   /* 0: none yet */
    uint64_t last_rate;           /* the measurement before that; 0: none */
    _Atomic uint64_t due_counter; /* measure again when the counter is outside of the period before this */
    _Atomic uint64_t period;
    _Atomic uint64_t counts_per_ms; /* a lower bound; 0: not known yet */
};

/* The clock and counter that a calibration reads; a port, so that tests can replace them. */
struct fz_counter_source {
    void *ctx;
    uint64_t (*counter)(void *ctx);
    uint64_t (*monotonic_ns)(void *ctx);
};

/*
 * A lower bound of how many counts fit into ns nanoseconds (ns at most a day); 0
 * while the rate is not known.  Measures again when it is time to.
 */
FZ_PRIVATE uint64_t fz_calibration_counts(struct fz_calibration *calibration, const struct fz_counter_source *source,
                                          uint64_t ns);

#endif
