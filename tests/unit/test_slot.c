/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: the pure plan chooses the right slots for every policy,
 * every place of the word and every movement of the clock; it never plans a slot
 * twice, never one outside the bounds or past the end.
 */

#include "core/slot.h"
#include "lib/test.h"

enum { NOW = 100, LEAD = 3, SEQ_BITS = 4, CAPACITY = 16 };

/* A random number whose upper half and lower half give different offsets: 8 at random, 3 spread. */
#define RANDOM (UINT64_C(0x80000000) << 32 | 7)
enum { RANDOM_OFFSET = 8, SPREAD_OFFSET = 3, SPREAD_BITS = 2 };

static struct fz_slot_rules rules_of(enum fz_on_full on_full, enum fz_on_backward on_backward, enum fz_start start)
{
    return (struct fz_slot_rules){.seq_bits = SEQ_BITS,
                                  .capacity = CAPACITY,
                                  .last_tick = 1000,
                                  .max_lead = LEAD,
                                  .on_full = on_full,
                                  .on_backward = on_backward,
                                  .start = start,
                                  .spread_bits = SPREAD_BITS,
                                  .has_sides = on_backward == FZ_BACKWARD_TICKTOCK};
}

static uint64_t slot_at(uint64_t tick, uint64_t place)
{
    return tick << SEQ_BITS | place;
}

/* Where the word stands, as seen from the clock. */
enum where { LONG_BEHIND, JUST_BEHIND, IN_TICK, FULL, AHEAD, WHERE_COUNT };
static const struct {
    uint64_t tick;
    uint64_t place;
} word_at[WHERE_COUNT] = {{NOW - 50, 15}, {NOW - 1, 2}, {NOW, 5}, {NOW + 1, 0}, {NOW + 10, 5}};

/* The highest tick seen before, for a clock that went on, stood still, and went back. */
static const uint64_t high_ticks[] = {NOW - 1, NOW, NOW + 7};

static uint64_t start_offset(enum fz_start start)
{
    return start == FZ_START_RANDOM ? RANDOM_OFFSET : start == FZ_START_SPREAD ? SPREAD_OFFSET : 0;
}

/* The design's tables for one single case, written out without looking at the code. */
static void check_case(const struct fz_slot_rules *rules, enum where where, uint64_t high_tick)
{
    const uint64_t tick = word_at[where].tick;
    const struct fz_slot_view view = {
        .word = slot_at(tick, word_at[where].place), .high_tick = high_tick, .now_tick = NOW, .side_free = NOW + 5};
    const struct fz_slot_plan plan = fz_slot_plan(rules, &view, 1, RANDOM);

    uint64_t first = view.word;
    if (where == LONG_BEHIND || where == JUST_BEHIND)
        first = slot_at(NOW, start_offset(rules->start));
    else if (where == FULL && rules->start == FZ_START_RANDOM)
        first += RANDOM_OFFSET;
    assert_int_equal(plan.first, first);
    assert_int_equal(plan.last, first);
    assert_int_equal(plan.next, first + 1);
    assert_false(plan.toggles);

    if (where < FULL) {
        assert_int_equal(plan.reason, FZ_SLOT_NOW);
        assert_true(plan.allowed);
        assert_true(plan.due_tick <= NOW);
    } else if (high_tick <= NOW) {
        assert_int_equal(plan.reason, FZ_SLOT_FULL);
        assert_int_equal(plan.allowed, rules->on_full != FZ_FULL_ERROR);
        assert_int_equal(plan.due_tick, rules->on_full == FZ_FULL_LEAD ? tick - LEAD : tick);
    } else {
        assert_int_equal(plan.reason, FZ_SLOT_BACKWARD);
        assert_int_equal(plan.allowed, rules->on_backward != FZ_BACKWARD_ERROR);
        uint64_t due = tick;
        if (rules->on_backward == FZ_BACKWARD_HOLD && tick - LEAD < high_tick)
            due = tick - LEAD;
        else if (rules->on_full == FZ_FULL_LEAD && tick > high_tick)
            due = tick - LEAD > high_tick ? tick - LEAD : high_tick; /* the clock is back then, and the tick full */
        if (rules->on_backward == FZ_BACKWARD_TICKTOCK && due > view.side_free)
            due = view.side_free; /* the other side is free before the word's tick comes again */
        assert_int_equal(plan.due_tick, due);
    }
}

TEST("Every policy x every start x where the word stands x how the clock moved, the other side not being free")
{
    for (int on_full = FZ_FULL_WAIT; on_full <= FZ_FULL_ERROR; on_full++)
        for (int back = FZ_BACKWARD_HOLD; back <= FZ_BACKWARD_TICKTOCK; back++)
            for (int start = FZ_START_ZERO; start <= FZ_START_SPREAD; start++)
                for (int where = 0; where < WHERE_COUNT; where++)
                    for (size_t high = 0; high < sizeof high_ticks / sizeof high_ticks[0]; high++) {
                        const struct fz_slot_rules rules =
                            rules_of((enum fz_on_full)on_full, (enum fz_on_backward)back, (enum fz_start)start);
                        check_case(&rules, (enum where)where, high_ticks[high]);
                    }
}

TEST(
    "The tick-tock toggles when the clock went back to a tick in which the other side is free, and not one tick before")
{
    const struct fz_slot_rules rules = rules_of(FZ_FULL_WAIT, FZ_BACKWARD_TICKTOCK, FZ_START_ZERO);

    for (unsigned side = 0; side <= 1; side++) {
        struct fz_slot_view view = {.word = fz_slot_first(&rules, side, NOW + 10) + 5,
                                    .high_tick = NOW + 10,
                                    .now_tick = NOW,
                                    .side_free = NOW};
        struct fz_slot_plan plan = fz_slot_plan(&rules, &view, 3, RANDOM);
        assert_true(plan.toggles);
        assert_true(plan.allowed);
        assert_int_equal(plan.reason, FZ_SLOT_NOW);
        assert_int_equal(plan.first, fz_slot_first(&rules, side ^ 1, NOW));
        assert_int_equal(plan.next, plan.first + 3);

        view.side_free = NOW + 1;
        plan = fz_slot_plan(&rules, &view, 3, RANDOM);
        assert_false(plan.toggles);
        assert_int_equal(plan.reason, FZ_SLOT_BACKWARD);
        assert_int_equal(fz_slot_side(&rules, plan.first), side);

        /* Nor where the tick is not granted yet: of the other side as of this one. */
        view.side_free = 0;
        for (uint64_t floor = NOW - 1; floor <= NOW + 1; floor++) {
            view.granted_first = floor;
            assert_int_equal(fz_slot_plan(&rules, &view, 3, RANDOM).toggles, floor <= NOW);
            assert_int_equal(fz_slot_available(&rules, &view), floor <= NOW ? CAPACITY : 0);
        }
    }
    /* A full tick is no reason to toggle. */
    const struct fz_slot_view full = {.word = slot_at(NOW + 1, 0), .high_tick = NOW, .now_tick = NOW};
    assert_false(fz_slot_plan(&rules, &full, 1, 0).toggles);
}

TEST("A batch that begins in the tick and ends ahead is late for the same reason as a single slot there would be")
{
    const struct fz_slot_rules rules = rules_of(FZ_FULL_WAIT, FZ_BACKWARD_ERROR, FZ_START_ZERO);
    struct fz_slot_view view = {.word = slot_at(NOW, 10), .high_tick = NOW, .now_tick = NOW};

    struct fz_slot_plan plan = fz_slot_plan(&rules, &view, 6, 0);
    assert_int_equal(plan.reason, FZ_SLOT_NOW);
    assert_int_equal(plan.next, slot_at(NOW + 1, 0));
    plan = fz_slot_plan(&rules, &view, 7, 0);
    assert_int_equal(plan.reason, FZ_SLOT_FULL);
    assert_int_equal(plan.due_tick, NOW + 1);
    assert_true(plan.allowed);

    view.high_tick = NOW + 4;
    plan = fz_slot_plan(&rules, &view, 6, 0);
    assert_int_equal(plan.reason, FZ_SLOT_NOW);
    plan = fz_slot_plan(&rules, &view, 7, 0);
    assert_int_equal(plan.reason, fz_slot_reason_for(&view, NOW, NOW + 1));
    assert_int_equal(plan.allowed, !fz_slot_forbidden(&rules, plan.reason));
}

TEST("A tick that callers had to wait for may be finished in the next one; any other tick that is over may not")
{
    const struct fz_slot_rules rules = rules_of(FZ_FULL_WAIT, FZ_BACKWARD_HOLD, FZ_START_ZERO);
    static const struct {
        uint64_t carried;
        uint64_t now;
        bool finishes;
    } rows[] = {{NOW, NOW + 1, true}, {NOW, NOW + 2, false}, {NOW - 1, NOW + 1, false}, {0, NOW + 1, false}};

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct fz_slot_view view = {.word = slot_at(NOW, 9),
                                          .high_tick = rows[i].now,
                                          .now_tick = rows[i].now,
                                          .carried_tick = rows[i].carried};
        const struct fz_slot_plan plan = fz_slot_plan(&rules, &view, 1, 0);
        assert_int_equal(plan.first, rows[i].finishes ? view.word : slot_at(rows[i].now, 0));
        assert_int_equal(plan.reason, FZ_SLOT_NOW);
    }
    /* Tick 0 was carried by nobody. */
    const struct fz_slot_view fresh = {.word = slot_at(0, 3), .now_tick = 1};
    assert_int_equal(fz_slot_plan(&rules, &fresh, 1, 0).first, slot_at(1, 0));
}

/* Whether an id can be taken when the clock, which goes on from here without a step, shows that tick. */
static bool can_take_at(const struct fz_slot_rules *rules, struct fz_slot_view view, uint64_t tick,
                        uint64_t *ret_due_tick)
{
    view.now_tick = tick;
    view.high_tick = tick > view.high_tick ? tick : view.high_tick;
    const struct fz_slot_plan plan = fz_slot_plan(rules, &view, 1, 0);
    *ret_due_tick = plan.due_tick;
    return plan.allowed && plan.due_tick <= tick;
}

static void check_due(const struct fz_slot_rules *rules, const struct fz_slot_view *view)
{
    uint64_t due;
    uint64_t ignored;
    uint64_t tick = NOW;

    if (can_take_at(rules, *view, NOW, &due))
        return;
    while (!can_take_at(rules, *view, tick, &ignored))
        tick++;
    if (due != tick)
        fail_msg("full %d, backward %d, lead %d, high +%d, word +%d: due at +%d, and can be taken at +%d",
                 (int)rules->on_full, (int)rules->on_backward, (int)rules->max_lead, (int)(view->high_tick - NOW),
                 (int)(fz_slot_tick(rules, view->word) - NOW), (int)(due - NOW), (int)(tick - NOW));
}

TEST("An id that is refused can be taken in the tick that the refusal names, and in none before it, if the clock goes "
     "on without a step")
{
    for (int on_full = FZ_FULL_WAIT; on_full <= FZ_FULL_ERROR; on_full++)
        for (int back = FZ_BACKWARD_HOLD; back <= FZ_BACKWARD_ERROR; back++)
            for (uint64_t lead = 0; lead < 7; lead++)
                for (uint64_t high = NOW; high < NOW + 9; high++)
                    for (uint64_t word = slot_at(NOW, 0); word < slot_at(NOW + 14, 0); word++) {
                        struct fz_slot_rules rules =
                            rules_of((enum fz_on_full)on_full, (enum fz_on_backward)back, FZ_START_ZERO);
                        const struct fz_slot_view view = {.word = word, .high_tick = high, .now_tick = NOW};
                        rules.max_lead = lead;
                        check_due(&rules, &view);
                    }
}

TEST("Callers may go on ahead of the clock if ids lead whether the tick is full or the clock went back, and two ticks "
     "before the limit at the most")
{
    static const struct {
        enum fz_on_full on_full;
        enum fz_on_backward on_backward;
        uint64_t high;
        uint64_t ahead;
        bool leads;
    } rows[] = {
        {FZ_FULL_LEAD, FZ_BACKWARD_HOLD, NOW, 1, true},       {FZ_FULL_LEAD, FZ_BACKWARD_HOLD, NOW, 2, false},
        {FZ_FULL_LEAD, FZ_BACKWARD_HOLD, NOW + 9, 1, true},   {FZ_FULL_LEAD, FZ_BACKWARD_HOLD, NOW + 9, 2, false},
        {FZ_FULL_LEAD, FZ_BACKWARD_WAIT, NOW, 1, true},       {FZ_FULL_LEAD, FZ_BACKWARD_WAIT, NOW + 9, 1, false},
        {FZ_FULL_LEAD, FZ_BACKWARD_ERROR, NOW + 9, 1, false}, {FZ_FULL_LEAD, FZ_BACKWARD_TICKTOCK, NOW + 9, 1, false},
        {FZ_FULL_WAIT, FZ_BACKWARD_HOLD, NOW, 1, false},      {FZ_FULL_WAIT, FZ_BACKWARD_HOLD, NOW + 9, 1, false},
        {FZ_FULL_ERROR, FZ_BACKWARD_HOLD, NOW + 9, 1, false}, {FZ_FULL_LEAD, FZ_BACKWARD_HOLD, NOW, 0, false},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct fz_slot_rules rules = rules_of(rows[i].on_full, rows[i].on_backward, FZ_START_ZERO);
        const struct fz_slot_view view = {
            .word = slot_at(NOW + rows[i].ahead, 5), .high_tick = rows[i].high, .now_tick = NOW};
        if (fz_slot_may_lead_on(&rules, &view, NOW + rows[i].ahead) != rows[i].leads)
            fail_msg("row %zu", i);
    }
}

TEST("The last tick that they may go on to is two before the limit, or where the grant or the layout's life ends")
{
    struct fz_slot_rules rules = rules_of(FZ_FULL_LEAD, FZ_BACKWARD_HOLD, FZ_START_ZERO);
    const struct fz_slot_view view = {.word = slot_at(NOW + 1, 5), .now_tick = NOW};

    rules.max_lead = 9;
    assert_int_equal(fz_slot_last_led(&rules, &view, rules.last_tick), NOW + 7);
    assert_int_equal(fz_slot_last_led(&rules, &view, NOW + 7), NOW + 7);
    assert_int_equal(fz_slot_last_led(&rules, &view, NOW + 6), NOW + 6);
    rules.max_lead = FZ_NO_LIMIT;
    assert_int_equal(fz_slot_last_led(&rules, &view, rules.last_tick), rules.last_tick);
}

TEST("Spread: random while quiet, zero when the tick before was more than half used or the batch is large")
{
    const struct fz_slot_rules rules = rules_of(FZ_FULL_WAIT, FZ_BACKWARD_HOLD, FZ_START_SPREAD);
    static const struct {
        uint64_t tick;
        uint64_t place;
        uint64_t n;
        uint64_t offset;
    } rows[] = {
        {NOW - 1, 8, 1, SPREAD_OFFSET}, {NOW - 1, 9, 1, 0}, {NOW - 1, 15, 1, 0}, {NOW - 2, 15, 1, SPREAD_OFFSET},
        {NOW - 1, 0, 8, SPREAD_OFFSET}, {NOW - 1, 0, 9, 0},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct fz_slot_view view = {
            .word = slot_at(rows[i].tick, rows[i].place), .high_tick = NOW, .now_tick = NOW};
        assert_int_equal(fz_slot_plan(&rules, &view, rows[i].n, RANDOM).first, slot_at(NOW, rows[i].offset));
    }
}

TEST("The lead is taken off the due tick, down to tick 0; no limit means due at once")
{
    struct fz_slot_rules rules = rules_of(FZ_FULL_LEAD, FZ_BACKWARD_HOLD, FZ_START_ZERO);
    static const struct {
        uint64_t max_lead;
        uint64_t due;
    } rows[] = {{0, 50}, {1, 49}, {49, 1}, {50, 0}, {51, 0}, {FZ_NO_LIMIT, 0}};

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        rules.max_lead = rows[i].max_lead;
        const struct fz_slot_view full = {.word = slot_at(50, 0), .high_tick = 40, .now_tick = 40};
        const struct fz_slot_view back = {.word = slot_at(50, 0), .high_tick = 60, .now_tick = 40};
        assert_int_equal(fz_slot_plan(&rules, &full, 1, 0).due_tick, rows[i].due);
        assert_int_equal(fz_slot_plan(&rules, &back, 1, 0).due_tick, rows[i].due);
    }
}

TEST("Offsets: random is uniform over the whole range and never outside, spread over its low bits only")
{
    static const uint64_t extremes[] = {0, UINT64_MAX, UINT64_C(0xffffffff), UINT64_C(0xffffffff00000000)};
    const uint64_t capacities[] = {2, 3, 16, UINT64_C(1) << 32};

    for (size_t c = 0; c < sizeof capacities / sizeof capacities[0]; c++) {
        struct fz_slot_rules rules = rules_of(FZ_FULL_WAIT, FZ_BACKWARD_HOLD, FZ_START_RANDOM);
        rules.seq_bits = c == 3 ? 32 : SEQ_BITS;
        rules.capacity = capacities[c];
        rules.floor = (UINT64_C(1) << rules.seq_bits) - capacities[c];
        const struct fz_slot_view view = {.high_tick = NOW, .now_tick = NOW};
        for (size_t i = 0; i < sizeof extremes / sizeof extremes[0]; i++) {
            const struct fz_slot_plan plan = fz_slot_plan(&rules, &view, 1, extremes[i]);
            assert_int_equal(fz_slot_tick(&rules, plan.first), NOW);
            assert_false(fz_slot_in_hole(&rules, plan.first));
        }
        assert_int_equal(fz_slot_sequence(&rules, fz_slot_plan(&rules, &view, 1, 0).first), 0);
        assert_int_equal(fz_slot_sequence(&rules, fz_slot_plan(&rules, &view, 1, UINT64_MAX).first), capacities[c] - 1);
    }
}

TEST("Nothing is planned beyond the grant, and nothing before it.  The last granted tick is used, the next one is not: "
     "by the clock, by a batch that does not fit, or ahead of a clock that went back")
{
    const struct fz_slot_rules rules = rules_of(FZ_FULL_LEAD, FZ_BACKWARD_HOLD, FZ_START_ZERO);
    struct fz_slot_view view = {.word = slot_at(NOW - 2, 3), .high_tick = NOW, .granted_first = NOW - 5};

    for (uint64_t end = NOW - 1; end <= NOW + 2; end++) {
        view.granted_end = end;
        view.now_tick = NOW;
        enum fz_slot_reason reason = NOW < end ? FZ_SLOT_NOW : FZ_SLOT_FENCED;
        assert_int_equal(fz_slot_plan(&rules, &view, 1, 0).reason, reason);
        assert_int_equal(fz_slot_available(&rules, &view), NOW < end ? CAPACITY : 0);
        reason = NOW + 1 < end ? FZ_SLOT_FULL : FZ_SLOT_FENCED;
        assert_int_equal(fz_slot_plan(&rules, &view, CAPACITY + 1, 0).reason, reason);
        assert_int_equal(fz_slot_plan(&rules, &view, CAPACITY + 1, 0).allowed, reason == FZ_SLOT_FULL);
        view.now_tick = NOW - 10; /* the slot is in NOW - 2 whatever the clock shows */
        assert_int_equal(fz_slot_plan(&rules, &view, 1, 0).reason, FZ_SLOT_BACKWARD);
    }
    view.granted_end = NOW - 2;
    assert_int_equal(fz_slot_plan(&rules, &view, 1, 0).reason, FZ_SLOT_FENCED);

    view = (struct fz_slot_view){.word = slot_at(NOW - 2, 3), .high_tick = NOW, .now_tick = NOW - 1};
    view.granted_first = NOW + 1;
    assert_int_equal(fz_slot_plan(&rules, &view, 1, 0).first, slot_at(NOW + 1, 0));
}
