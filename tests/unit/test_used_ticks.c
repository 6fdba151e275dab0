/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: what was used stays used, whatever is added and however
 * many ranges there come to be; and what is called unused is so.
 */

#include "lease/used_ticks.h"
#include "lib/test.h"

/* ---- against a bitmap ---------------------------------------------------- */

enum { TICKS = 200, RUNS = 3000, STEPS = 60 };

static uint64_t seed;

/* xorshift64*: the same numbers in each run. */
static uint64_t draw(uint64_t below)
{
    seed ^= seed >> 12;
    seed ^= seed << 25;
    seed ^= seed >> 27;
    return (seed * UINT64_C(0x2545f4914f6cdd1d) >> 32) % below;
}

static bool is_used(const struct fz_used_ticks *used, uint64_t tick)
{
    uint64_t next;

    return !fz_used_next_free(used, tick, &next) || next != tick;
}

/* Each question, for each tick. */
static void assert_answers(const struct fz_used_ticks *used)
{
    uint64_t last = UINT64_MAX; /* used tick below the present one; none yet */

    assert_true(fz_used_is_valid(used));
    for (uint64_t tick = 0; tick < TICKS; tick++) {
        uint64_t next = 0;
        uint64_t below = UINT64_MAX;
        assert_true(fz_used_next_free(used, tick, &next));
        assert_true(next >= tick);
        for (uint64_t between = tick; between < next; between++)
            assert_true(is_used(used, between));
        fz_used_last_below(used, tick, &below);
        if (is_used(used, tick)) {
            last = tick;
            continue;
        }
        assert_int_equal(below, last);
        uint64_t end = fz_used_gap_end(used, tick);
        for (uint64_t between = tick; between <= end && between < TICKS; between++)
            assert_false(is_used(used, between));
        assert_true(end == UINT64_MAX || is_used(used, end + 1));
    }
}

TEST("After any additions all that was added is used")
{
    /* As long as there was room for all ranges, nothing else is; and never anything above the last tick added. */
    for (uint64_t run = 1; run <= RUNS; run++) {
        struct fz_used_ticks used = {.count = 0};
        bool model[TICKS] = {false};
        bool had_room = true;
        seed = run;
        uint64_t longest = run % 2 == 0 ? 1 : 8; /* with short ones, more ranges than there is room for */
        for (int step = 0; step < STEPS; step++) {
            uint64_t first = draw(TICKS - 10);
            uint64_t last = first + draw(longest);
            fz_used_add(&used, first, last);
            memset(model + first, true, last - first + 1);
            had_room = had_room && used.count < FZ_USED_RANGES;
            uint64_t highest = 0;
            for (uint64_t tick = 0; tick < TICKS; tick++) {
                if (model[tick])
                    highest = tick;
                if (model[tick] || had_room)
                    assert_int_equal(is_used(&used, tick), model[tick]);
            }
            assert_false(is_used(&used, highest + 1));
        }
        assert_answers(&used);
    }
}

/* ---- single rules -------------------------------------------------------- */

TEST("Ranges that touch become one, on either side")
{
    struct fz_used_ticks used = {.count = 0};

    fz_used_add(&used, 10, 20);
    fz_used_add(&used, 30, 40);
    assert_int_equal(used.count, 2);
    fz_used_add(&used, 21, 28);
    assert_int_equal(used.count, 2);
    assert_int_equal(used.range[0].last, 28);
    fz_used_add(&used, 29, 29);
    assert_int_equal(used.count, 1);
    assert_int_equal(used.range[0].first, 10);
    assert_int_equal(used.range[0].last, 40);
}

TEST("The ends of the line are ticks like others")
{
    struct fz_used_ticks used = {.count = 0};
    uint64_t tick = 4242;

    assert_false(fz_used_last_below(&used, UINT64_MAX, &tick));
    assert_int_equal(fz_used_gap_end(&used, 0), UINT64_MAX);
    fz_used_add(&used, UINT64_MAX - 1, UINT64_MAX);
    assert_false(fz_used_next_free(&used, UINT64_MAX - 1, &tick));
    assert_int_equal(tick, 4242);
    assert_int_equal(fz_used_gap_end(&used, 0), UINT64_MAX - 2);
    fz_used_add(&used, 0, 0);
    assert_true(fz_used_next_free(&used, 0, &tick));
    assert_int_equal(tick, 1);
    assert_true(fz_used_last_below(&used, 1, &tick));
    assert_int_equal(tick, 0);
    fz_used_add(&used, 0, UINT64_MAX);
    assert_int_equal(used.count, 1);
    assert_false(fz_used_next_free(&used, 0, &tick));
    assert_true(fz_used_is_valid(&used));
}

TEST("When there is no room, the gap that is given up is the lowest one")
{
    struct fz_used_ticks used = {.count = 0};

    for (uint64_t i = 0; i < FZ_USED_RANGES; i++)
        fz_used_add(&used, 10 * i, 10 * i + 1);
    assert_int_equal(used.count, FZ_USED_RANGES);
    fz_used_add(&used, 1000, 1001);
    assert_int_equal(used.count, FZ_USED_RANGES);
    assert_int_equal(used.range[0].first, 0);
    assert_int_equal(used.range[0].last, 11);
    assert_int_equal(used.range[1].first, 20);
    assert_int_equal(used.range[FZ_USED_RANGES - 1].last, 1001);
}

TEST("Ticks are taken back at the end of a range, or not at all")
{
    struct fz_used_ticks used = {.count = 0};

    fz_used_add(&used, 10, 20);
    fz_used_add(&used, 30, 40);
    fz_used_cut(&used, 19, 12);
    assert_int_equal(used.range[0].last, 20);
    fz_used_cut(&used, 40, 29);
    assert_int_equal(used.range[1].last, 40);
    fz_used_cut(&used, 20, 10);
    assert_int_equal(used.range[0].last, 10);
    fz_used_cut(&used, 40, 35);
    assert_int_equal(used.range[1].last, 35);
}

TEST("Ranges out of order, touching, turned round or too many are not valid")
{
    struct fz_used_ticks used = {.count = 2, .range = {{10, 20}, {22, 30}}};

    assert_true(fz_used_is_valid(&used));
    used.range[1].first = 21;
    assert_false(fz_used_is_valid(&used));
    used.range[1].first = 20;
    assert_false(fz_used_is_valid(&used));
    used.range[1] = (struct fz_tick_range){0, 5};
    assert_false(fz_used_is_valid(&used));
    used.range[1] = (struct fz_tick_range){31, 30};
    assert_false(fz_used_is_valid(&used));
    used = (struct fz_used_ticks){.count = FZ_USED_RANGES + 1};
    assert_false(fz_used_is_valid(&used));
    used = (struct fz_used_ticks){.count = 2, .range = {{10, UINT64_MAX}, {22, 30}}};
    assert_false(fz_used_is_valid(&used));
}
