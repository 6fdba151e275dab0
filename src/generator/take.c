/* SPDX-License-Identifier: MIT */
/*
 * The slow path: look at the clock, plan, take by compare-and-swap, wait.  Once
 * a tick for a generator in use; always where there is no counter or a policy
 * under which a call may fail without waiting.
 */
#include "take.h"

#include <pthread.h>
#include <sched.h>

#include "compose.h"
#include "extension_lock.h"
#include "generator_internal.h"
#include "left_off.h"
#include "observation.h"
#include "os/counter.h"

/* No machine runs more at a time: Linux numbers them up to 2^22. */
static const uint64_t most_threads = UINT64_C(1) << 22;

/* Slots that belong to the caller, to be issued when the clock shows their tick. */
struct ticket {
    uint64_t before; /* the word before they were taken, to which it returns when they are given back */
    uint64_t first;
    uint64_t last;
    uint64_t count; /* of ids: less than last - first + 1 where holes lie between; 0: they are not of the word */
};

static frazil_err refuse_for(const frazil *gen, struct fz_refusal *refusal, const struct fz_observation *seen,
                             enum fz_slot_reason reason, uint64_t due_tick)
{
    frazil_err code = reason == FZ_SLOT_BACKWARD ? FRAZIL_ECLOCK : FRAZIL_EFULL;

    return fz_refuse(refusal, seen, code, fz_ns_until(gen, seen->now, due_tick));
}

/*
 * Slots that were passed over, or given up, are not counted as issued.  Counts
 * are modulo 2^64: those of a side that lies behind are negative.
 */
static void count_skipped(frazil *gen, uint64_t count)
{
    if (count != 0)
        atomic_fetch_add_explicit(&gen->shared->skipped, count, memory_order_relaxed);
}

/*
 * Carries out a plan.  False: the word has changed since it was looked at.
 *
 * A side is closed before it is left: should this thread stop in between, the
 * side is entered later than need be, never too early.
 */
static bool reserve(frazil *gen, const struct fz_observation *seen, const struct fz_slot_plan *plan, uint64_t n)
{
    const struct fz_slot_rules *rules = &gen->rules;
    uint64_t word = seen->view.word;

    if (plan->toggles) {
        unsigned side = fz_slot_side(rules, word);
        fz_raise_u64(&gen->shared->side_free[side], fz_slot_tick(rules, word) + 1);
    }
    if (!atomic_compare_exchange_strong_explicit(gen->word, &word, plan->next, memory_order_acq_rel,
                                                 memory_order_relaxed))
        return false;
    count_skipped(gen, fz_slot_line(rules, plan->next) - fz_slot_line(rules, word) - n);
    if (plan->toggles) {
        atomic_fetch_add_explicit(&gen->shared->ticktocks, 1, memory_order_relaxed);
        /* From here on time counts from the side just entered. */
        atomic_store_explicit(&gen->shared->high_us, fz_unix_us(seen->now), memory_order_release);
        atomic_store_explicit(&gen->shared->full_counted, 0, memory_order_relaxed);
    }
    return true;
}

/* Sets the word back to where it was before slots that nobody uses.  False: others have taken some behind them. */
static bool lower_word(frazil *gen, const struct fz_unused_run *run)
{
    uint64_t word = run->end;

    if (!atomic_compare_exchange_strong_explicit(gen->word, &word, run->first, memory_order_acq_rel,
                                                 memory_order_relaxed))
        return false;
    count_skipped(gen, run->first - run->end);
    return true;
}

/* How often to try for the lock, which is held for some steps: its holder may have to wait for this very thread. */
enum { UNUSED_TRIES = 1000 };

/* The mark of another process is that of a parent's thread, which did not come along; neither did its slots. */
static bool enter_unused(struct fz_unused *unused, uint64_t process)
{
    for (int tries = 0; tries < UNUSED_TRIES; tries++) {
        uint64_t holder = atomic_load_explicit(&unused->lock, memory_order_relaxed);
        if (holder != process && atomic_compare_exchange_strong_explicit(&unused->lock, &holder, process,
                                                                         memory_order_acquire, memory_order_relaxed)) {
            if (unused->process != process)
                unused->n = 0;
            unused->process = process;
            return true;
        }
        sched_yield();
    }
    return false;
}

/* Joins the run with those that lie before and behind it, which are taken out. */
static void join_unused(struct fz_unused *unused, struct fz_unused_run *run)
{
    for (unsigned i = unused->n; i-- > 0;) {
        const struct fz_unused_run at = unused->runs[i];
        if (at.end != run->first && at.first != run->end)
            continue;
        run->first = at.end == run->first ? at.first : run->first;
        run->end = at.first == run->end ? at.end : run->end;
        unused->runs[i] = unused->runs[--unused->n];
    }
}

/* Where there is no room, the run that is due first goes, as it is the first to be of no use any more. */
static void add_unused(const frazil *gen, struct fz_unused *unused, const struct fz_unused_run *run)
{
    unsigned first = 0;

    if (unused->n < FZ_UNUSED_RUNS) {
        unused->runs[unused->n++] = *run;
        return;
    }
    for (unsigned i = 1; i < unused->n; i++) {
        if (fz_slot_line(&gen->rules, unused->runs[i].end) < fz_slot_line(&gen->rules, unused->runs[first].end))
            first = i;
    }
    unused->runs[first] = *run;
}

/*
 * Gives slots back.  If others have taken some behind them, they are kept until those are given back as well: as all
 * who wait do, in any order, when they are stopped or the clock is set back.
 */
static void give_ticket_back(frazil *gen, const struct ticket *ticket)
{
    struct fz_unused *unused = &gen->private_page->unused;
    struct fz_unused_run run = {.first = ticket->before, .end = ticket->last + 1};
    bool has_entered = enter_unused(unused, fz_fork_mark_read(&gen->fork_mark));

    count_skipped(gen, ticket->count);
    if (has_entered)
        join_unused(unused, &run);
    bool is_lowered = lower_word(gen, &run);
    if (has_entered && !is_lowered)
        add_unused(gen, unused, &run);
    if (has_entered)
        atomic_store_explicit(&unused->lock, 0, memory_order_release);
}

static uint64_t counter_port(void *ctx)
{
    (void)ctx;
    return fz_counter_read();
}

static bool is_granted(const struct fz_grant *grant, uint64_t tick)
{
    return grant->floor <= tick && tick <= grant->until;
}

/* Whether the line goes on beyond the tick for as many slots as callers can take at once by adding. */
static bool has_room_beyond(const struct fz_slot_rules *rules, uint64_t tick)
{
    return tick < rules->last_tick && (rules->last_tick - tick) * rules->capacity > most_threads;
}

/* How far an anchor of the tick can be moved on: not at all if that is no tick ahead in which ids may lead. */
static struct fz_anchor_lead lead_of(const frazil *gen, const struct fz_observation *seen, uint64_t tick,
                                     const struct fz_grant *grant, uint64_t grant_number)
{
    const struct fz_slot_rules *rules = &gen->rules;

    if (!fz_slot_may_lead_on(rules, &seen->view, tick))
        return (struct fz_anchor_lead){.end = 0};
    uint64_t last = rules->last_tick - most_threads / rules->capacity - 1; /* the last one with room beyond */
    last = fz_slot_last_led(rules, &seen->view, grant->until < last ? grant->until : last);
    return (struct fz_anchor_lead){.end = fz_slot_first(rules, 0, last + 1),
                                   .us = fz_ns_until(gen, seen->now, tick) / 1000,
                                   .grant_number = grant_number};
}

/*
 * Lets the next calls do without the clock until the tick is over.  Only when
 * the word stands in that tick, or leads: an anchor must never precede its tick, and a
 * full tick must not be opened again.  Never close to the end of the layout's
 * life, where adding could carry the word beyond what it can hold.  And only for
 * the grant that is in force when the word stands there: a replaced one's worker
 * must not go on in ticks of the next one's.
 */
static void publish_anchor(frazil *gen, const struct fz_observation *seen)
{
    const struct fz_slot_rules *rules = &gen->rules;
    struct fz_slot_view view = seen->view;

    view.word = atomic_load_explicit(gen->word, memory_order_acquire);
    uint64_t number;
    struct fz_grant grant = fz_grant_ring_look(&gen->shared->grants, &number);
    uint64_t tick = fz_slot_tick(rules, view.word);
    if (gen->fast_path == FZ_FAST_NONE || !has_room_beyond(rules, tick) || !is_granted(&grant, tick) ||
        !(tick == view.now_tick || fz_slot_may_finish(rules, &view) || fz_slot_may_lead_on(rules, &view, tick)))
        return;
    uint64_t first = fz_slot_first(rules, fz_slot_side(rules, view.word), tick);
    struct fz_counter_source source = {
        .ctx = gen->clock.ctx, .counter = counter_port, .monotonic_ns = gen->clock.monotonic_ns};
    uint64_t counts =
        fz_calibration_counts(&gen->private_page->calibration, &source, fz_ns_until(gen, seen->now, view.now_tick + 1));
    struct fz_anchor_view anchor = {.counter = seen->counter,
                                    .range = fz_counter_clip(seen->counter, counts),
                                    .first_slot = first,
                                    .first_id = fz_compose_slot(gen, first, grant.worker)};
    const struct fz_anchor_lead lead = lead_of(gen, seen, tick, &grant, number);
    fz_left_off_use(gen, tick);
    fz_anchor_publish(&gen->private_page->anchor, &anchor, &lead);
    /* frazil_stop may have closed the anchor before this one was published. */
    if (fz_is_stopped(gen))
        fz_anchor_close(&gen->private_page->anchor);
}

/* The things that a thread must give back if it is cancelled in a pause. */
struct pause {
    frazil *gen;
    const struct ticket *ticket; /* NULL: none */
    enum fz_slot_reason reason;
};

static void cancel_pause(void *arg)
{
    const struct pause *pause = arg;

    if (pause->reason == FZ_SLOT_FULL)
        fz_overflow_leave(pause->gen);
    if (pause->ticket != NULL)
        give_ticket_back(pause->gen, pause->ticket);
}

/*
 * Sleeps for a reason, perhaps with a ticket; the callback is told if it is that the tick is full.  A thread may be
 * cancelled in the sleep or in the callback: its ticket would then be a hole that all later ids wait for.
 */
static void pause_for(const struct pause *pause, const struct fz_observation *seen, struct fz_wait_budget *budget,
                      uint64_t ns)
{
    pthread_cleanup_push(cancel_pause, (void *)(uintptr_t)pause);
    if (pause->reason == FZ_SLOT_FULL)
        fz_overflow_enter(pause->gen, seen);
    fz_pause(pause->gen, seen, budget, ns);
    if (pause->reason == FZ_SLOT_FULL)
        fz_overflow_leave(pause->gen);
    pthread_cleanup_pop(0);
}

static uint64_t later_of(uint64_t tick, uint64_t other)
{
    return tick > other ? tick : other;
}

/*
 * Ticks of the clock from the first to the one before `end` had no id left for a call.  A tick counts once, however
 * many calls find it so: a caller that tries before it waits, or asks once more for the reason, has met one full tick.
 */
static void count_full(frazil *gen, uint64_t first, uint64_t end)
{
    uint64_t counted = atomic_load_explicit(&gen->shared->full_counted, memory_order_relaxed);

    while (first < end && counted < end) { /* a clock that was set back has passed through no tick */
        if (!atomic_compare_exchange_weak_explicit(&gen->shared->full_counted, &counted, end, memory_order_relaxed,
                                                   memory_order_relaxed))
            continue;
        atomic_fetch_add_explicit(&gen->shared->full, end - later_of(first, counted), memory_order_relaxed);
        return;
    }
}

/*
 * Waits until the ticket may be issued.  The reason is found anew after each
 * sleep, because the clock may have been set meanwhile.  A wait that began while
 * the clock was behind goes on to its tick under on_full=error, too: it was known
 * to be short enough.  *ret_stale: the clock has moved so that the ticket is of no
 * use any more, and another one must be taken.
 */
static frazil_err wait_for(frazil *gen, const struct ticket *ticket, struct fz_wait_budget *budget,
                           struct fz_observation *seen, bool *ret_stale, struct fz_refusal *refusal)
{
    const struct fz_slot_rules *rules = &gen->rules;
    uint64_t first_tick = fz_slot_tick(rules, ticket->first);
    uint64_t tick = fz_slot_tick(rules, ticket->last);
    bool was_behind = false;
    uint64_t overslept = 0;

    for (;;) {
        enum fz_slot_reason reason = fz_slot_reason_for(&seen->view, first_tick, tick);
        bool goes_on = was_behind && reason == FZ_SLOT_FULL;
        uint64_t due = fz_slot_due(rules, &seen->view, reason, first_tick, tick);
        *ret_stale = fz_slot_is_over(rules, &seen->view, tick, ticket->count, overslept) ||
                     !is_granted(&seen->grant, first_tick) || !is_granted(&seen->grant, tick) ||
                     fz_slot_may_toggle(rules, &seen->view, reason);
        if (*ret_stale || reason == FZ_SLOT_NOW)
            return FRAZIL_OK;
        uint64_t ns = fz_ns_until(gen, seen->now, due);
        if ((fz_slot_forbidden(rules, reason) && !goes_on) || ns > fz_wait_budget_left(gen, budget))
            return refuse_for(gen, refusal, seen, reason, due);
        was_behind = was_behind || reason == FZ_SLOT_BACKWARD;
        if (ns == 0)
            return FRAZIL_OK;
        const struct pause pause = {gen, ticket->count == 0 ? NULL : ticket, reason};
        uint64_t wait_ns = fz_ns_until(gen, seen->now, tick);
        uint64_t begun_ns = fz_monotonic_ns(gen);
        pause_for(&pause, seen, budget, ns);
        uint64_t paused_in = seen->view.now_tick;
        overslept = fz_ticks_overslept(gen, begun_ns, wait_ns); /* before the look: it must not count too many */
        *seen = fz_observe(gen);
        if (reason == FZ_SLOT_FULL)
            count_full(gen, paused_in, seen->view.now_tick < due ? seen->view.now_tick : due);
    }
}

frazil_err fz_await(frazil *gen, uint64_t first, uint64_t last, struct fz_wait_budget *budget, bool *ret_stale,
                    struct fz_refusal *refusal)
{
    struct fz_observation seen = fz_observe(gen);
    const struct ticket ticket = {.first = first, .last = last};

    frazil_err err = wait_for(gen, &ticket, budget, &seen, ret_stale, refusal);
    uint64_t tick = fz_slot_tick(&gen->rules, last);
    if (err == FRAZIL_OK && !*ret_stale && tick > seen.view.now_tick)
        fz_raise_u64(&gen->shared->lead_max_us, fz_ns_until(gen, seen.now, tick) / 1000);
    return err;
}

/* Brings a ticket to the point where it may be issued; *ret_stale as in wait_for. */
static frazil_err settle_ticket(frazil *gen, const struct ticket *ticket, struct fz_wait_budget *budget,
                                struct fz_observation *seen, bool *ret_stale, struct fz_refusal *refusal)
{
    uint64_t tick = fz_slot_tick(&gen->rules, ticket->last);
    frazil_err err = wait_for(gen, ticket, budget, seen, ret_stale, refusal);

    if (err != FRAZIL_OK || *ret_stale) {
        give_ticket_back(gen, ticket);
        return err;
    }
    fz_left_off_use(gen, tick);
    if (tick > seen->view.now_tick) {
        fz_raise_u64(&gen->shared->lead_max_us, fz_ns_until(gen, seen->now, tick) / 1000);
        if (!fz_slot_may_lead_on(&gen->rules, &seen->view, tick))
            fz_anchor_close(&gen->private_page->anchor);
        else
            publish_anchor(gen, seen);
        return FRAZIL_OK;
    }
    if (!budget->waited)
        fz_overflow_quiet(gen, seen);
    publish_anchor(gen, seen);
    return FRAZIL_OK;
}

/* A call goes on in a later tick; if the one before was full, that tick is one that callers waited for. */
static void note_full(frazil *gen, const struct fz_observation *seen, enum fz_slot_reason reason, uint64_t tick)
{
    if (reason != FZ_SLOT_FULL)
        return;
    count_full(gen, seen->view.now_tick, seen->view.now_tick + 1);
    fz_raise_u64(&gen->shared->carried_tick, tick);
}

/*
 * Looks, and sees to the grant if it is about to end.  A call that may not wait leaves that to another thread.  One
 * that may wait waits for the thread that does it, if no slot is left.
 */
static struct fz_observation observe_kept(frazil *gen, struct fz_wait_budget *budget)
{
    struct fz_observation seen = fz_observe(gen);

    if (!fz_keeper_is_due(gen, &seen.grant, seen.view.now_tick))
        return seen;
    if (budget->wait_ns == 0 && fz_keeper_delegate(gen))
        return seen;
    /* Whether it could be extended, by whomever, shows in what is seen next; the grant may have ended meanwhile. */
    frazil_err err = fz_keeper_extend_within(gen, fz_wait_budget_until(gen, budget), NULL);
    seen = fz_observe(gen);
    if (err == FRAZIL_OK || budget->wait_ns == 0 || !fz_has_ended(&seen))
        return seen;
    if (fz_extension_lock_is_held(gen)) {
        (void)fz_wait_budget_wait(gen, budget);
        fz_extension_lock_await(gen, fz_wait_budget_until(gen, budget));
    }
    return fz_observe(gen);
}

/*
 * Whether the clock was ahead when ids were made under the grant before: the word stands beyond the present grant, of
 * which no tick is left (fz_begin_above).  One that was taken away ends above the word.
 */
static bool was_ahead(const struct fz_observation *seen, uint64_t first)
{
    const struct fz_grant *grant = &seen->grant;

    return grant->floor > grant->until && first > grant->floor && seen->view.now_tick <= grant->until;
}

/* Slots that lie beyond the grant: when it can be extended so far, and when they may be issued then. */
struct fence {
    bool can_reach;             /* false: no grant ever can */
    bool is_due;                /* it can be extended now */
    enum fz_slot_reason reason; /* why they must wait: now, or if the policies forbid only that, when it is extended */
    uint64_t extended_tick;
    uint64_t due_tick;
};

static struct fence look_at_fence(const frazil *gen, const struct fz_slot_plan *plan, const struct fz_observation *seen)
{
    const struct fz_slot_rules *rules = &gen->rules;
    const struct fz_slot_view *view = &seen->view;
    uint64_t first = fz_slot_tick(rules, plan->first);
    uint64_t last = fz_slot_tick(rules, plan->last);
    struct fence at = {.reason = FZ_SLOT_FULL};
    uint64_t tick;

    at.can_reach = fz_keeper_can_reach(gen, &seen->grant, first, last, &tick);
    if (at.can_reach)
        at.reason = fz_slot_reason_for(view, first, last);
    at.is_due = at.can_reach && tick <= view->now_tick;
    /* By then the clock may not be behind any more: what lies ahead does so because ticks are full. */
    struct fz_slot_view then = *view;
    then.now_tick = later_of(tick, view->now_tick + 1);
    enum fz_slot_reason extended = fz_slot_reason_for(&then, first, last);
    then.now_tick = later_of(then.now_tick, fz_slot_due(rules, &then, extended, first, first));
    enum fz_slot_reason begun = fz_slot_reason_for(&then, first, last);
    if (!fz_slot_forbidden(rules, at.reason) && fz_slot_forbidden(rules, extended))
        at.reason = extended;
    if (!fz_slot_forbidden(rules, at.reason) && fz_slot_forbidden(rules, begun))
        at.reason = begun;
    at.extended_tick = then.now_tick;
    at.due_tick = later_of(at.extended_tick, fz_slot_due(rules, &then, begun, first, last));
    return at;
}

/* Extends the grant, or has its keeper do so.  True: another grant is in force. */
static bool extend_at_fence(frazil *gen, const struct fz_observation *seen, struct fz_wait_budget *budget)
{
    uint64_t number;

    if (budget->wait_ns == 0 && fz_keeper_delegate(gen))
        return false;
    frazil_err ignored = fz_keeper_extend_within(gen, fz_wait_budget_until(gen, budget), NULL);
    (void)ignored; /* whether it could be extended, by whomever, shows in the ring */
    (void)fz_grant_ring_look(&gen->shared->grants, &number);
    return number != seen->grant_number;
}

/*
 * The slots of a plan lie beyond the grant.  If that has ended by the clock it is
 * lost.  If not, all up to its end is taken, and time will bring an extension or
 * the end: the call waits for either, without a ticket, if in the end it could
 * still wait for its slots as well.
 */
static frazil_err wait_at_fence(frazil *gen, const struct fz_slot_plan *plan, struct fz_wait_budget *budget,
                                const struct fz_observation *seen, struct fz_refusal *refusal)
{
    uint64_t first = fz_slot_tick(&gen->rules, plan->first);
    bool ahead = was_ahead(seen, first);

    if (fz_has_ended(seen) && !ahead) {
        fz_events_note_end(gen, &seen->grant);
        return fz_refuse(refusal, seen, FRAZIL_ELEASE, 0);
    }
    const struct fence at = look_at_fence(gen, plan, seen);
    if (at.is_due && extend_at_fence(gen, seen, budget))
        return FRAZIL_OK;
    if (!at.can_reach || fz_slot_forbidden(&gen->rules, at.reason) ||
        fz_ns_until(gen, seen->now, at.due_tick) > fz_wait_budget_left(gen, budget)) {
        frazil_err err = at.can_reach ? refuse_for(gen, refusal, seen, at.reason, at.due_tick)
                                      : fz_refuse(refusal, seen, FRAZIL_EINVAL, 0); /* it will not help to wait */
        refusal->fenced = true;
        if (ahead)
            refusal->granted_first = first;
        return err;
    }
    pause_for(&(struct pause){gen, NULL, at.reason}, seen, budget, fz_ns_until(gen, seen->now, at.extended_tick));
    return FRAZIL_OK;
}

uint64_t fz_next_in_ns(frazil *gen)
{
    struct fz_observation seen = fz_observe(gen);
    struct fz_slot_plan plan = fz_slot_plan(&gen->rules, &seen.view, 1, 0);

    if (plan.reason == FZ_SLOT_EXHAUSTED || gen->remote != NULL)
        return 0;
    if (plan.reason == FZ_SLOT_FENCED)
        plan.due_tick = look_at_fence(gen, &plan, &seen).due_tick;
    return fz_ns_until(gen, seen.now, plan.due_tick);
}

/* One try at taking n slots; *ret_again: the word or the clock has changed under it. */
static frazil_err try_take(frazil *gen, uint64_t n, struct fz_wait_budget *budget, struct fz_taken *ret,
                           bool *ret_again, struct fz_refusal *refusal)
{
    struct fz_observation seen = observe_kept(gen, budget);

    *ret_again = false;
    uint64_t random = gen->rules.start == FZ_START_ZERO ? 0 : gen->random.next(gen->random.ctx);
    struct fz_slot_plan plan = fz_slot_plan(&gen->rules, &seen.view, n, random);
    if (plan.reason == FZ_SLOT_EXHAUSTED)
        plan = fz_slot_plan(&gen->rules, &seen.view, n, 0); /* whether they fit is no matter of luck */
    if (seen.before_epoch)
        return fz_refuse(refusal, &seen, FRAZIL_ECLOCK, fz_ns_until(gen, seen.now, plan.due_tick));
    if (plan.reason == FZ_SLOT_EXHAUSTED)
        return fz_refuse(refusal, &seen, FRAZIL_EEXHAUSTED, 0);
    if (plan.reason == FZ_SLOT_FENCED) {
        *ret_again = true;
        return wait_at_fence(gen, &plan, budget, &seen, refusal);
    }
    if (!plan.allowed || fz_ns_until(gen, seen.now, plan.due_tick) > fz_wait_budget_left(gen, budget)) {
        /* If the first one lies in the tick of the clock, that stays as it is. */
        if (plan.reason == FZ_SLOT_FULL && fz_slot_tick(&gen->rules, plan.first) > seen.view.now_tick)
            count_full(gen, seen.view.now_tick, seen.view.now_tick + 1);
        return refuse_for(gen, refusal, &seen, plan.reason, plan.due_tick);
    }
    if (!reserve(gen, &seen, &plan, n)) {
        *ret_again = true;
        return FRAZIL_OK;
    }
    /* It may have been replaced meanwhile: the slots are those of the grant that is in force when they are taken. */
    seen.grant = fz_grant_ring_read(&gen->shared->grants);
    note_full(gen, &seen, plan.reason, fz_slot_tick(&gen->rules, plan.last));
    /* A toggle is not taken back: high_us already counts from the side just entered. */
    uint64_t before = plan.toggles ? plan.first : seen.view.word;
    struct ticket ticket = {.before = before, .first = plan.first, .last = plan.last, .count = n};
    frazil_err err = settle_ticket(gen, &ticket, budget, &seen, ret_again, refusal);
    if (err == FRAZIL_OK)
        *ret = (struct fz_taken){.first = plan.first, .worker = seen.grant.worker};
    return err;
}

static frazil_err take_slots(frazil *gen, uint64_t n, struct fz_wait_budget *budget, struct fz_taken *ret,
                             struct fz_refusal *refusal)
{
    struct fz_anchor_view anchor;
    bool again = !fz_is_stopped(gen);
    uint64_t nth;

    frazil_err err = again ? try_take(gen, n, budget, ret, &again, refusal) : FRAZIL_ESTOPPED;
    while (err == FRAZIL_OK && again) {
        /* A faster caller has published an anchor: others now add so often that no plan would ever be in time. */
        if (fz_take_anchored(gen, n, &anchor, &nth)) {
            *ret = (struct fz_taken){.first = anchor.first_slot + nth, .worker = fz_worker_of(gen, anchor.first_id)};
            return FRAZIL_OK;
        }
        err = try_take(gen, n, budget, ret, &again, refusal);
    }
    return fz_refuse_stopped(gen, refusal, err);
}

frazil_err fz_take(frazil *gen, uint64_t n, uint64_t wait_ns, struct fz_taken *ret, struct fz_refusal *refusal)
{
    struct fz_wait_budget budget = fz_wait_budget_of(gen, wait_ns);

    return take_slots(gen, n, &budget, ret, refusal);
}

frazil_err fz_redeem(frazil *gen, uint64_t slot, struct fz_taken *ret, struct fz_refusal *refusal)
{
    struct fz_wait_budget budget = {.wait_ns = gen->fixed.max_wait_ns};
    struct ticket ticket = {.before = slot, .first = slot, .last = slot, .count = 1};
    uint64_t tick = fz_slot_tick(&gen->rules, slot);

    fz_anchor_close(&gen->private_page->anchor);
    if (fz_slot_in_hole(&gen->rules, slot) || tick > gen->rules.last_tick) {
        give_ticket_back(gen, &ticket);
        return take_slots(gen, 1, &budget, ret, refusal);
    }

    bool stale = false;
    struct fz_observation seen = fz_observe(gen);
    note_full(gen, &seen, fz_slot_reason_for(&seen.view, tick, tick), tick);
    frazil_err err = settle_ticket(gen, &ticket, &budget, &seen, &stale, refusal);
    if (err != FRAZIL_OK)
        return fz_refuse_stopped(gen, refusal, err);
    if (stale)
        return take_slots(gen, 1, &budget, ret, refusal);
    *ret = (struct fz_taken){.first = slot, .worker = seen.grant.worker};
    return FRAZIL_OK;
}
