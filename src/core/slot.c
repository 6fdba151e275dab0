/* SPDX-License-Identifier: MIT */
#include "slot.h"

#include "assert.h"

/* The line's very last number: the word could not stand behind it, so it is never taken. */
static bool is_end_of_line(const struct fz_slot_rules *rules, uint64_t slot)
{
    return fz_slot_line(rules, slot) == fz_slot_line(rules, UINT64_MAX);
}

bool fz_slot_advance(const struct fz_slot_rules *rules, uint64_t slot, uint64_t k, uint64_t *ret)
{
    FZ_ASSERT(!fz_slot_in_hole(rules, slot));
    uint64_t nth = fz_slot_place(rules, slot) - rules->floor;
    if (k > UINT64_MAX - nth)
        return false;

    uint64_t ticks = (nth + k) / rules->capacity;
    uint64_t tick = fz_slot_tick(rules, slot);
    if (tick > rules->last_tick || ticks > rules->last_tick - tick)
        return false;

    uint64_t reached = fz_slot_first(rules, fz_slot_side(rules, slot), tick + ticks) + (nth + k) % rules->capacity;
    if (is_end_of_line(rules, reached))
        return false;
    *ret = reached;
    return true;
}

enum fz_slot_reason fz_slot_reason_for(const struct fz_slot_view *view, uint64_t first_tick, uint64_t last_tick)
{
    if (last_tick <= view->now_tick)
        return FZ_SLOT_NOW;
    return first_tick > view->now_tick && view->now_tick < view->high_tick ? FZ_SLOT_BACKWARD : FZ_SLOT_FULL;
}

bool fz_slot_forbidden(const struct fz_slot_rules *rules, enum fz_slot_reason reason)
{
    return (reason == FZ_SLOT_FULL && rules->on_full == FZ_FULL_ERROR) ||
           (reason == FZ_SLOT_BACKWARD && rules->on_backward == FZ_BACKWARD_ERROR);
}

static uint64_t lesser(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static uint64_t greater(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/*
 * From the highest time on the clock is not behind any more, nor is it from the first of the slots on: what still lies
 * ahead is so because ticks are full.  Under on_full=error nobody has it before its own tick then.
 */
uint64_t fz_slot_due(const struct fz_slot_rules *rules, const struct fz_slot_view *view, enum fz_slot_reason reason,
                     uint64_t first_tick, uint64_t last_tick)
{
    uint64_t led = rules->max_lead >= last_tick ? 0 : last_tick - rules->max_lead;
    uint64_t full = rules->on_full == FZ_FULL_LEAD && reason != FZ_SLOT_NOW ? led : last_tick;
    uint64_t back_until = lesser(view->high_tick, first_tick);

    if (reason != FZ_SLOT_BACKWARD)
        return full;
    if (rules->on_backward == FZ_BACKWARD_HOLD && led < back_until)
        return led;
    full = greater(full, back_until);
    return rules->on_backward == FZ_BACKWARD_TICKTOCK ? lesser(full, greater(view->side_free, view->granted_first))
                                                      : full;
}

bool fz_slot_may_toggle(const struct fz_slot_rules *rules, const struct fz_slot_view *view, enum fz_slot_reason reason)
{
    return reason == FZ_SLOT_BACKWARD && rules->on_backward == FZ_BACKWARD_TICKTOCK &&
           view->now_tick >= view->side_free && view->now_tick >= view->granted_first;
}

bool fz_slot_may_finish(const struct fz_slot_rules *rules, const struct fz_slot_view *view)
{
    uint64_t tick = fz_slot_tick(rules, view->word);

    return tick != 0 && tick == view->carried_tick && view->now_tick == tick + 1;
}

/* Of max_lead: for a caller that adds past the end of a tick, and must be able to use what it got. */
enum { SPARED_TICKS = 2 };

/* Either reason may turn into the other while callers go on: each must let ids lead. */
static bool leads_for(const struct fz_slot_rules *rules, enum fz_slot_reason reason)
{
    return rules->on_full == FZ_FULL_LEAD &&
           (reason == FZ_SLOT_FULL || (reason == FZ_SLOT_BACKWARD && rules->on_backward == FZ_BACKWARD_HOLD));
}

bool fz_slot_may_lead_on(const struct fz_slot_rules *rules, const struct fz_slot_view *view, uint64_t tick)
{
    return leads_for(rules, fz_slot_reason_for(view, tick, tick)) &&
           tick - view->now_tick + SPARED_TICKS <= rules->max_lead;
}

uint64_t fz_slot_last_led(const struct fz_slot_rules *rules, const struct fz_slot_view *view, uint64_t last)
{
    return view->now_tick + lesser(last - view->now_tick, rules->max_lead - SPARED_TICKS);
}

/*
 * A number below capacity; the bias of 2^-32 does not matter for where a tick
 * starts.  The last tick starts at the bottom: what were skipped there would make
 * exhaustion a matter of luck, and it must be for ever.
 */
static uint64_t random_start(const struct fz_slot_rules *rules, uint64_t tick, uint64_t random)
{
    return tick == rules->last_tick ? 0 : (random >> 32) * rules->capacity >> 32;
}

/*
 * Where a tick starts that the clock has just entered.  "Spread" gives way when
 * the tick is likely to be needed in full: the one before was half used, or a
 * large batch is taken.
 */
static uint64_t start_offset(const struct fz_slot_rules *rules, uint64_t word, uint64_t tick, uint64_t n,
                             uint64_t random)
{
    if (rules->start == FZ_START_RANDOM)
        return random_start(rules, tick, random);
    if (rules->start == FZ_START_ZERO || n > rules->capacity / 2)
        return 0;

    uint64_t used = fz_slot_in_hole(rules, word) ? 0 : fz_slot_place(rules, word) - rules->floor;
    if (fz_slot_tick(rules, word) + 1 == tick && used > rules->capacity / 2)
        return 0;
    return random & ((UINT64_C(1) << rules->spread_bits) - 1);
}

/* The first slot of a tick that is entered on a side. */
static uint64_t enter_tick(const struct fz_slot_rules *rules, const struct fz_slot_view *view, unsigned side,
                           uint64_t n, uint64_t random)
{
    return fz_slot_first(rules, side, view->now_tick) + start_offset(rules, view->word, view->now_tick, n, random);
}

/* The word, past a hole that it stands in and what lies before the grant. */
static uint64_t next_free(const struct fz_slot_rules *rules, const struct fz_slot_view *view)
{
    uint64_t word = fz_slot_above_hole(rules, view->word);

    if (fz_slot_tick(rules, word) >= view->granted_first)
        return word;
    return fz_slot_first(rules, fz_slot_side(rules, word), view->granted_first);
}

static bool is_fenced(const struct fz_slot_view *view, uint64_t tick)
{
    return view->granted_end != 0 && tick >= view->granted_end;
}

/* Chooses the first slot of the plan, and the reason if that slot is ahead of the clock. */
static void choose_first(const struct fz_slot_rules *rules, const struct fz_slot_view *view, uint64_t n,
                         uint64_t random, struct fz_slot_plan *plan)
{
    uint64_t word = next_free(rules, view);
    uint64_t tick = fz_slot_tick(rules, word);
    unsigned side = fz_slot_side(rules, word);

    plan->first = word;
    if (view->now_tick > tick && !fz_slot_may_finish(rules, view)) {
        plan->first = enter_tick(rules, view, side, n, random);
        return;
    }
    plan->reason = fz_slot_reason_for(view, tick, tick);
    if (fz_slot_may_toggle(rules, view, plan->reason)) {
        plan->reason = FZ_SLOT_NOW;
        plan->toggles = true;
        plan->first = enter_tick(rules, view, side ^ 1, n, random);
        return;
    }
    if (rules->start == FZ_START_RANDOM && fz_slot_place(rules, word) == rules->floor)
        plan->first = word + random_start(rules, tick, random);
}

struct fz_slot_plan fz_slot_plan(const struct fz_slot_rules *rules, const struct fz_slot_view *view, uint64_t n,
                                 uint64_t random)
{
    struct fz_slot_plan plan = {.reason = FZ_SLOT_NOW};

    FZ_ASSERT(n >= 1);
    if (view->now_tick > rules->last_tick) {
        plan.reason = FZ_SLOT_EXHAUSTED;
        return plan;
    }
    choose_first(rules, view, n, random, &plan);
    if (fz_slot_tick(rules, plan.first) > rules->last_tick || !fz_slot_advance(rules, plan.first, n - 1, &plan.last)) {
        plan.reason = FZ_SLOT_EXHAUSTED;
        return plan;
    }

    uint64_t last_tick = fz_slot_tick(rules, plan.last);
    if (is_fenced(view, last_tick)) {
        plan.reason = FZ_SLOT_FENCED;
        return plan;
    }
    if (plan.reason == FZ_SLOT_NOW)
        plan.reason = fz_slot_reason_for(view, fz_slot_tick(rules, plan.first), last_tick);
    plan.allowed = !fz_slot_forbidden(rules, plan.reason);
    plan.next = plan.last + 1;
    plan.due_tick = fz_slot_due(rules, view, plan.reason, fz_slot_tick(rules, plan.first), last_tick);
    return plan;
}

bool fz_slot_is_over(const struct fz_slot_rules *rules, const struct fz_slot_view *view, uint64_t last_tick, uint64_t n,
                     uint64_t overslept)
{
    uint64_t end = last_tick + 1;

    if (end >= view->now_tick || end + overslept < view->now_tick)
        return end < view->now_tick;
    const struct fz_slot_plan plan = fz_slot_plan(rules, view, n == 0 ? 1 : n, UINT64_MAX);
    return plan.reason == FZ_SLOT_NOW;
}

/* Places from a slot to the end of its tick. */
static uint64_t places_from(const struct fz_slot_rules *rules, uint64_t slot)
{
    uint64_t left = rules->capacity - (fz_slot_place(rules, slot) - rules->floor);

    return is_end_of_line(rules, slot + left - 1) ? left - 1 : left;
}

/* Slots from one to the end of a tick, the same or a later one. */
static uint64_t slots_to(const struct fz_slot_rules *rules, uint64_t first, uint64_t last_tick)
{
    uint64_t ticks = last_tick - fz_slot_tick(rules, first);
    uint64_t places = places_from(rules, first);

    return ticks > (UINT64_MAX - places) / rules->capacity ? UINT64_MAX : ticks * rules->capacity + places;
}

uint64_t fz_slot_ready(const struct fz_slot_rules *rules, const struct fz_slot_view *view)
{
    const struct fz_slot_plan plan = fz_slot_plan(rules, view, 1, 0);

    if (!plan.allowed || plan.due_tick > view->now_tick)
        return 0;
    bool leads =
        plan.reason == FZ_SLOT_BACKWARD ? rules->on_backward == FZ_BACKWARD_HOLD : rules->on_full == FZ_FULL_LEAD;
    uint64_t end = rules->last_tick;
    if (view->granted_end != 0)
        end = lesser(end, view->granted_end - 1);
    uint64_t lead = leads ? lesser(rules->max_lead, end - view->now_tick) : 0;
    return slots_to(rules, plan.first, view->now_tick + lead);
}

uint64_t fz_slot_left(const struct fz_slot_rules *rules, const struct fz_slot_view *view)
{
    const struct fz_slot_plan plan = fz_slot_plan(rules, view, 1, 0);

    return plan.reason == FZ_SLOT_EXHAUSTED ? 0 : slots_to(rules, plan.first, rules->last_tick);
}

uint64_t fz_slot_available(const struct fz_slot_rules *rules, const struct fz_slot_view *view)
{
    uint64_t word = next_free(rules, view);
    uint64_t tick = fz_slot_tick(rules, word);

    if (view->now_tick > rules->last_tick || is_fenced(view, view->now_tick))
        return 0;
    if (tick == view->now_tick)
        return places_from(rules, word);
    if (tick > view->now_tick && !fz_slot_may_toggle(rules, view, fz_slot_reason_for(view, tick, tick)))
        return 0;
    return places_from(rules, fz_slot_first(rules, 0, view->now_tick));
}
