/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: the line of slots has no gap, no repetition and one end.
 * All bounds of a three-bit sequence, both sides, all batches over ticks, and
 * the last tick, are compared with counting one by one.
 */

#include "core/slot.h"
#include "lib/test.h"

enum { SEQ_BITS = 3, PLACES = 8, LAST_TICK = 6 };

/* Rules that lead without limit, so that the line can be walked with a clock that stands. */
static struct fz_slot_rules walking_rules(uint32_t seq_min, uint32_t seq_max)
{
    return (struct fz_slot_rules){.seq_bits = SEQ_BITS,
                                  .seq_min = seq_min,
                                  .capacity = seq_max - seq_min + UINT64_C(1),
                                  .floor = PLACES - 1 - seq_max + UINT64_C(0) + seq_min,
                                  .last_tick = LAST_TICK,
                                  .max_lead = FZ_NO_LIMIT,
                                  .on_full = FZ_FULL_LEAD,
                                  .on_backward = FZ_BACKWARD_HOLD,
                                  .start = FZ_START_ZERO,
                                  .has_sides = true};
}

static void assert_place(const struct fz_slot_rules *rules, uint64_t slot, unsigned side, uint64_t tick,
                         uint64_t sequence)
{
    assert_int_equal(fz_slot_side(rules, slot), side);
    assert_int_equal(fz_slot_tick(rules, slot), tick);
    assert_false(fz_slot_in_hole(rules, slot));
    assert_int_equal(fz_slot_sequence(rules, slot), sequence);
}

/* Walks the line from tick 2 to its end one by one: every sequence number of every tick in order, then exhaustion. */
static void walk(const struct fz_slot_rules *rules, unsigned side)
{
    const uint32_t seq_max = rules->seq_min + (uint32_t)rules->capacity - 1;
    struct fz_slot_view view = {.word = fz_slot_first(rules, side, 2) - rules->floor, .high_tick = 2, .now_tick = 2};

    for (uint64_t tick = 2; tick <= LAST_TICK; tick++) {
        for (uint64_t sequence = rules->seq_min; sequence <= seq_max; sequence++) {
            const struct fz_slot_plan plan = fz_slot_plan(rules, &view, 1, 0);
            assert_place(rules, plan.first, side, tick, sequence);
            assert_int_equal(plan.reason, tick == 2 ? FZ_SLOT_NOW : FZ_SLOT_FULL);
            assert_true(plan.allowed);
            view.word = plan.next;
        }
    }
    for (uint64_t now = 2; now <= LAST_TICK + 3; now++) {
        view.now_tick = now;
        assert_int_equal(fz_slot_plan(rules, &view, 1, 0).reason, FZ_SLOT_EXHAUSTED);
        assert_int_equal(fz_slot_available(rules, &view), 0);
    }
}

TEST("With all bounds and on each side the walk meets each used place once and no hole")
{
    for (uint32_t min = 0; min < PLACES; min++) {
        for (uint32_t max = min + 1; max < PLACES; max++) {
            const struct fz_slot_rules rules = walking_rules(min, max);
            walk(&rules, 0);
            walk(&rules, 1);
        }
    }
}

/* The k-th slot after a slot, by counting. */
static bool count_up(const struct fz_slot_rules *rules, uint64_t slot, uint64_t k, uint64_t *ret)
{
    for (; k > 0; k--) {
        slot++;
        if (fz_slot_in_hole(rules, slot))
            slot += rules->floor - fz_slot_place(rules, slot);
    }
    *ret = slot;
    return fz_slot_tick(rules, slot) <= rules->last_tick;
}

TEST("Batches from everywhere end where counting ends, are due with their last slot, and never run past the end")
{
    for (uint32_t min = 0; min < PLACES; min++) {
        for (uint32_t max = min + 1; max < PLACES; max++) {
            const struct fz_slot_rules rules = walking_rules(min, max);
            struct fz_slot_view view = {.high_tick = 3, .now_tick = 3};
            for (uint64_t place = 0; place < PLACES; place++) {
                for (uint64_t n = 1; n <= 5 * PLACES; n++) {
                    uint64_t expected;
                    view.word = UINT64_C(3) << SEQ_BITS | place;
                    const struct fz_slot_plan plan = fz_slot_plan(&rules, &view, n, 0);
                    if (!count_up(&rules, fz_slot_above_hole(&rules, view.word), n - 1, &expected)) {
                        assert_int_equal(plan.reason, FZ_SLOT_EXHAUSTED);
                        continue;
                    }
                    assert_int_equal(plan.first, fz_slot_above_hole(&rules, view.word));
                    assert_int_equal(plan.last, expected);
                    assert_int_equal(plan.next, expected + 1);
                    assert_int_equal(plan.reason, expected >> SEQ_BITS > 3 ? FZ_SLOT_FULL : FZ_SLOT_NOW);
                }
            }
        }
    }
}

TEST("Absurd batches are exhaustion, not an overflow that comes out as something small")
{
    const struct fz_slot_rules rules = walking_rules(2, 6);
    const struct fz_slot_view view = {.word = UINT64_C(3) << SEQ_BITS | 5, .high_tick = 3, .now_tick = 3};
    static const uint64_t counts[] = {UINT64_MAX, UINT64_MAX - 1, UINT64_MAX - 7, UINT64_C(1) << 63, UINT64_C(1) << 32};

    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++)
        assert_int_equal(fz_slot_plan(&rules, &view, counts[i], 0).reason, FZ_SLOT_EXHAUSTED);
}

/* How many of the last tick's places can be used: all, unless the word could not stand behind the very last one. */
static uint64_t usable_in_last_tick(struct fz_slot_rules rules)
{
    const uint64_t last_tick = rules.last_tick;
    struct fz_slot_view view = {.word = 0, .high_tick = last_tick, .now_tick = last_tick};
    uint64_t used = 0;

    rules.on_full = FZ_FULL_WAIT;
    for (;;) {
        const uint64_t available = fz_slot_available(&rules, &view);
        const struct fz_slot_plan plan = fz_slot_plan(&rules, &view, 1, 0);
        assert_true(fz_slot_plan(&rules, &view, available + 1, 0).reason == FZ_SLOT_EXHAUSTED);
        if (plan.reason == FZ_SLOT_EXHAUSTED) {
            assert_int_equal(available, 0);
            return used;
        }
        assert_int_equal(plan.reason, FZ_SLOT_NOW);
        assert_int_not_equal(available, 0);
        assert_int_equal(fz_slot_tick(&rules, plan.first), last_tick);
        assert_true(plan.next > plan.last);
        assert_int_equal(fz_slot_side(&rules, plan.next), 0);
        view.word = plan.next;
        used++;
    }
}

TEST("The last tick is used up to its end; only where the line fills the word is its very last slot sacrificed")
{
    static const struct {
        unsigned time_bits;
        unsigned seq_bits;
        bool has_sides;
        uint64_t seq_max;
        uint64_t usable;
    } rows[] = {
        {41, 2, false, 3, 4}, {63, 1, false, 1, 1},    {62, 2, false, 3, 3},          {61, 3, false, 7, 7},
        {61, 2, false, 3, 4}, {62, 2, false, 2, 2},    {62, 1, true, 1, 1},           {61, 2, true, 3, 3},
        {60, 2, true, 3, 4},  {39, 8, true, 255, 256}, {48, 16, false, 65535, 65535},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct fz_slot_rules rules = {.seq_bits = rows[i].seq_bits,
                                            .capacity = rows[i].seq_max + 1,
                                            .floor = (UINT64_C(1) << rows[i].seq_bits) - 1 - rows[i].seq_max,
                                            .last_tick = (UINT64_C(1) << rows[i].time_bits) - 1,
                                            .has_sides = rows[i].has_sides};
        assert_int_equal(usable_in_last_tick(rules), rows[i].usable);
    }
}

TEST("A random start in the last tick would make \"exhausted\" come and go: there it begins at the bottom")
{
    struct fz_slot_rules rules = walking_rules(0, 7);

    rules.start = FZ_START_RANDOM;
    for (uint64_t word_tick = LAST_TICK - 1; word_tick <= LAST_TICK; word_tick++) {
        const struct fz_slot_view view = {.word = word_tick << SEQ_BITS, .high_tick = LAST_TICK, .now_tick = LAST_TICK};
        const struct fz_slot_plan plan = fz_slot_plan(&rules, &view, 8, UINT64_MAX);
        assert_int_equal(plan.reason, FZ_SLOT_NOW);
        assert_place(&rules, plan.first, 0, LAST_TICK, 0);
    }
}

TEST("The available slots are those that can be taken at once, wherever word and clock stand")
{
    struct fz_slot_rules rules = walking_rules(2, 6);

    rules.on_full = FZ_FULL_WAIT;
    rules.on_backward = FZ_BACKWARD_TICKTOCK;
    for (uint64_t word = 0; word < (LAST_TICK + 1) << SEQ_BITS; word++) {
        for (uint64_t now = 0; now <= LAST_TICK; now++) {
            for (uint64_t free = 0; free <= 3; free += 3) {
                const struct fz_slot_view view = {
                    .word = word, .high_tick = LAST_TICK, .side_free = free, .now_tick = now};
                uint64_t n = 0;
                struct fz_slot_plan plan;
                do {
                    plan = fz_slot_plan(&rules, &view, ++n, 0);
                } while (plan.reason == FZ_SLOT_NOW && n <= PLACES);
                assert_int_equal(fz_slot_available(&rules, &view), n - 1);
            }
        }
    }
}
