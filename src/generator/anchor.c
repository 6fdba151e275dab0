/* SPDX-License-Identifier: MIT */
#include "anchor.h"

#include "core/duration.h"
#include "os/counter.h"

/* The first measurement takes this long at least; the next ones are ten times as far apart, up to the longest. */
static const uint64_t shortest_period_ns = 1000000;
static const uint64_t longest_period_ns = 1000000000;

/* Taken off the measured rate, as 1/n of it: more than clocks are slewed by in a period. */
enum { SAFETY_SHARE = 128 };

/* Makes that version odd; false if another thread has. */
static bool lock_version(struct fz_anchor *anchor, uint64_t version)
{
    return (version & 1) == 0 && atomic_compare_exchange_strong_explicit(&anchor->version, &version, version + 1,
                                                                         memory_order_acquire, memory_order_relaxed);
}

void fz_anchor_publish(struct fz_anchor *anchor, const struct fz_anchor_view *view, const struct fz_anchor_lead *lead)
{
    uint64_t version = atomic_load_explicit(&anchor->version, memory_order_relaxed);

    if (!lock_version(anchor, version))
        return;
    /*
     * Checked under the lock: a thread that read the previous anchor, and finds this one when it must move on, knows
     * that the clock showed this one's time during its call.  A thread may be stopped for hours before it comes here.
     */
    bool lasts = lead->end != 0 && fz_counter_is_in(view->counter, view->range);
    atomic_store_explicit(&anchor->counter, view->counter, memory_order_release);
    atomic_store_explicit(&anchor->range, view->range, memory_order_release);
    atomic_store_explicit(&anchor->first_slot, view->first_slot, memory_order_release);
    atomic_store_explicit(&anchor->first_id, view->first_id, memory_order_release);
    atomic_store_explicit(&anchor->lead_end, lasts ? lead->end : 0, memory_order_relaxed);
    atomic_store_explicit(&anchor->lead_us, lead->us, memory_order_relaxed);
    atomic_store_explicit(&anchor->grant_number, lead->grant_number, memory_order_relaxed);
    atomic_store_explicit(&anchor->version, version + 2, memory_order_release);
}

bool fz_anchor_move(struct fz_anchor *anchor, uint64_t version, uint64_t first_slot, uint64_t first_id,
                    uint64_t lead_us)
{
    if (!lock_version(anchor, version))
        return false;
    atomic_store_explicit(&anchor->first_slot, first_slot, memory_order_release);
    atomic_store_explicit(&anchor->first_id, first_id, memory_order_release);
    atomic_store_explicit(&anchor->lead_us, lead_us, memory_order_relaxed);
    atomic_store_explicit(&anchor->version, version + 2, memory_order_release);
    return true;
}

bool fz_anchor_shut(struct fz_anchor *anchor)
{
    uint64_t version = atomic_load_explicit(&anchor->version, memory_order_relaxed);

    if (!lock_version(anchor, version))
        return false;
    atomic_store_explicit(&anchor->range, 0, memory_order_release);
    atomic_store_explicit(&anchor->lead_end, 0, memory_order_relaxed);
    atomic_store_explicit(&anchor->version, version + 2, memory_order_release);
    return true;
}

void fz_anchor_close(struct fz_anchor *anchor)
{
    if (atomic_load_explicit(&anchor->range, memory_order_relaxed) != 0)
        (void)fz_anchor_shut(anchor); /* or another thread just writes one: the end of its tick closes that */
}

/* Starts a measurement here.  The counter is read last: later than the time it is paired with. */
static void rebase(struct fz_calibration *calibration, const struct fz_counter_source *source)
{
    calibration->base_monotonic_ns = source->monotonic_ns(source->ctx);
    calibration->base_counter = source->counter(source->ctx);
}

/* Nothing is known any more, until it has been measured twice. */
static void forget_rate(struct fz_calibration *calibration, const struct fz_counter_source *source)
{
    calibration->last_rate = 0;
    atomic_store_explicit(&calibration->counts_per_ms, 0, memory_order_relaxed);
    atomic_store_explicit(&calibration->period, 0, memory_order_relaxed);
    rebase(calibration, source);
}

/*
 * Measures the rate since the base.  The counter is read first here and last
 * there, so fewer counts than really passed are divided by more time: a lower
 * bound.  Unless the counter has jumped, as when a machine slept and only its
 * monotonic time stood still: so of two measurements in a row the lower one
 * counts.
 */
static void measure(struct fz_calibration *calibration, const struct fz_counter_source *source)
{
    uint64_t counter = source->counter(source->ctx);
    uint64_t elapsed_ns = source->monotonic_ns(source->ctx) - calibration->base_monotonic_ns;
    uint64_t counts = counter - calibration->base_counter;

    if (calibration->base_monotonic_ns == 0 || elapsed_ns > 100 * longest_period_ns ||
        counts > UINT64_MAX / FZ_NS_PER_MS) {
        /* Nothing to measure from, or an idle time so long that the machine may have been moved meanwhile. */
        forget_rate(calibration, source);
        return;
    }
    if (elapsed_ns < shortest_period_ns)
        return;

    uint64_t measured = counts * FZ_NS_PER_MS / elapsed_ns;
    uint64_t rate = measured < calibration->last_rate ? measured : calibration->last_rate;
    rate -= rate / SAFETY_SHARE;
    uint64_t period_ns = elapsed_ns * 10 < longest_period_ns ? elapsed_ns * 10 : longest_period_ns;
    uint64_t period = rate * (period_ns / FZ_NS_PER_MS);
    calibration->last_rate = measured;
    atomic_store_explicit(&calibration->counts_per_ms, rate, memory_order_relaxed);
    atomic_store_explicit(&calibration->period, period, memory_order_relaxed);
    atomic_store_explicit(&calibration->due_counter, counter + period, memory_order_relaxed);
    rebase(calibration, source);
}

static bool is_due(struct fz_calibration *calibration, const struct fz_counter_source *source)
{
    uint64_t due = atomic_load_explicit(&calibration->due_counter, memory_order_relaxed);
    uint64_t left = due - source->counter(source->ctx);

    return left - 1 >= atomic_load_explicit(&calibration->period, memory_order_relaxed);
}

uint64_t fz_calibration_counts(struct fz_calibration *calibration, const struct fz_counter_source *source, uint64_t ns)
{
    if (is_due(calibration, source) && !atomic_exchange_explicit(&calibration->busy, true, memory_order_acquire)) {
        measure(calibration, source);
        atomic_store_explicit(&calibration->busy, false, memory_order_release);
    }
    uint64_t rate = atomic_load_explicit(&calibration->counts_per_ms, memory_order_relaxed);
    return rate * (ns / 1000) / 1000;
}
