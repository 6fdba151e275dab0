/* SPDX-License-Identifier: MIT */
#include "observation.h"

#include "core/duration.h"
#include "core/now.h"
#include "generator_internal.h"
#include "os/counter.h"

void fz_raise_u64(_Atomic uint64_t *target, uint64_t value)
{
    uint64_t seen = atomic_load_explicit(target, memory_order_relaxed);

    while (seen < value &&
           !atomic_compare_exchange_weak_explicit(target, &seen, value, memory_order_release, memory_order_relaxed))
        ;
}

void fz_raise_i64(_Atomic int64_t *target, int64_t value)
{
    int64_t seen = atomic_load_explicit(target, memory_order_relaxed);

    while (seen < value &&
           !atomic_compare_exchange_weak_explicit(target, &seen, value, memory_order_release, memory_order_relaxed))
        ;
}

int64_t fz_unix_us(frazil_instant instant)
{
    if (instant.unix_ms > INT64_MAX / 1000 - 1 || instant.unix_ms < INT64_MIN / 1000 + 1)
        return instant.unix_ms < 0 ? INT64_MIN + 1 : INT64_MAX;
    return instant.unix_ms * 1000 + instant.ns / 1000;
}

/* The tick of an instant in ms; 0 before the epoch. */
static uint64_t tick_of_ms(const frazil *gen, int64_t unix_ms)
{
    if (unix_ms <= gen->layout.epoch_unix_ms)
        return 0;
    uint64_t ms = (uint64_t)unix_ms - (uint64_t)gen->layout.epoch_unix_ms;
    return gen->layout.tick_ms == 1 ? ms : ms / gen->layout.tick_ms;
}

static uint64_t tick_of_us(const frazil *gen, int64_t unix_us)
{
    int64_t ms = unix_us / 1000;

    return tick_of_ms(gen, unix_us < 0 ? ms - 1 : ms);
}

uint64_t fz_ns_until(const frazil *gen, frazil_instant now, uint64_t tick)
{
    /* The start of a tick that the layout has, and of the one after its last, fits; it may wrap on the way. */
    int64_t start_ms = (int64_t)((uint64_t)gen->layout.epoch_unix_ms + tick * gen->layout.tick_ms);

    if (start_ms <= now.unix_ms)
        return 0;
    uint64_t ms = (uint64_t)start_ms - (uint64_t)now.unix_ms;
    return ms > UINT64_MAX / FZ_NS_PER_MS ? UINT64_MAX : ms * FZ_NS_PER_MS - now.ns;
}

/* Counts a step back once, whichever thread sees it, and remembers what the clock shows. */
static void note_reading(frazil *gen, int64_t high_us, int64_t seen_us, int64_t now_us)
{
    struct fz_shared *shared = gen->shared;

    if (now_us > high_us)
        fz_raise_i64(&shared->high_us, now_us);
    bool went_back = tick_of_us(gen, now_us) < tick_of_us(gen, seen_us);
    if (now_us < seen_us && !went_back)
        return;
    if (atomic_compare_exchange_strong_explicit(&shared->seen_us, &seen_us, now_us, memory_order_relaxed,
                                                memory_order_relaxed) &&
        went_back) {
        atomic_fetch_add_explicit(&shared->backward_steps, 1, memory_order_relaxed);
        fz_raise_u64(&shared->backward_max_us, (uint64_t)seen_us - (uint64_t)now_us);
        fz_events_tell(gen, FRAZIL_EVENT_CLOCK_BACK, FRAZIL_OK, now_us / 1000, (uint64_t)seen_us - (uint64_t)now_us);
    }
}

/*
 * The order matters: word and highest reading first, the clock afterwards.  Then
 * a thread that is held up in between sees a clock that is later than it need be,
 * and never takes another thread's progress for a clock that went back.
 */
struct fz_observation fz_observe(frazil *gen)
{
    struct fz_shared *shared = gen->shared;
    struct fz_observation seen = {.counter = 0};

    seen.grant = fz_grant_ring_look(&shared->grants, &seen.grant_number);
    fz_events_see_grant(gen, &seen.grant); /* it may read the clock, so it comes before the reading that counts */
    seen.view.granted_first = seen.grant.floor;
    seen.view.granted_end = seen.grant.until + 1; /* 0 for a grant without end */
    seen.view.word = atomic_load_explicit(gen->word, memory_order_acquire);
    if (gen->rules.has_sides) {
        unsigned other = fz_slot_side(&gen->rules, seen.view.word) ^ 1;
        seen.view.side_free = atomic_load_explicit(&shared->side_free[other], memory_order_acquire);
    }
    seen.view.carried_tick = atomic_load_explicit(&shared->carried_tick, memory_order_relaxed);
    seen.high_us = atomic_load_explicit(&shared->high_us, memory_order_acquire);
    int64_t seen_us = atomic_load_explicit(&shared->seen_us, memory_order_acquire);
    /* Ids that lead go on without a look, so the furthest of them is noted by the next one. */
    fz_raise_u64(&shared->lead_max_us, atomic_load_explicit(&gen->private_page->anchor.lead_us, memory_order_relaxed));
    if (gen->fixed.counter_usable)
        seen.counter = fz_counter_read();
    seen.now = fz_now(&gen->clock);

    seen.before_epoch = seen.now.unix_ms < gen->layout.epoch_unix_ms;
    seen.view.now_tick = tick_of_ms(gen, seen.now.unix_ms);
    seen.view.high_tick = tick_of_us(gen, seen.high_us);
    note_reading(gen, seen.high_us, seen_us, fz_unix_us(seen.now));
    return seen;
}

bool fz_has_ended(const struct fz_observation *seen)
{
    return seen->view.now_tick > seen->grant.until || seen->grant.floor > seen->grant.until;
}
