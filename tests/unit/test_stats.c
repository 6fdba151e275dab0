/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: the statistics count what happened and nothing else.
 * issued is exact through holes, batches, jumps and what is given back, and
 * every event is counted once, however many calls see it.
 */

#include "generator/generator_internal.h"
#include "generator/take.h"
#include "lib/near_miss.h"
#include "lib/rig.h"
#include "lib/test.h"

#define SMALL "layout=41/10/4 worker=fixed:1 start=zero "

TEST("A generator that has done nothing has counted nothing")
{
    static const char *const specs[] = {SMALL, SMALL "seq_min=3 seq_max=9", "layout=sno worker=fixed:1"};
    for (size_t i = 0; i < sizeof specs / sizeof specs[0]; i++) {
        struct rig rig = {.random_state = 1};
        rig_open(&rig, specs[i], RIG_NOW);
        frazil_stat stats[FRAZIL_STATS_MOST];
        size_t count = frazil_get_stats(rig.gen, stats, FRAZIL_STATS_MOST);
        for (size_t k = 0; k < count; k++)
            assert_int_equal(stats[k].value, 0);
        rig_close(&rig);
    }
}

TEST("issued after each of many calls of all kinds, with a clock that goes anywhere")
{
    static const char *const specs[] = {
        SMALL,
        SMALL "seq_min=3 seq_max=9",
        SMALL "seq_min=15 seq_max=14 behaviour=sfid",
        "layout=41/10/4 worker=fixed:1 start=random max_wait=3ms",
        "layout=41/10/4 worker=fixed:1 start=spread behaviour=frazil",
        SMALL "behaviour=flake",
        SMALL "behaviour=konayuki max_wait=5ms seq_min=1",
    };

    for (size_t i = 0; i < sizeof specs / sizeof specs[0]; i++) {
        struct rig rig = {.random_state = 1};
        uint64_t random_state = 77;
        uint64_t ids[70];
        uint64_t issued = 0;
        uint64_t retry_ns;

        rig_open(&rig, specs[i], RIG_NOW);
        for (int k = 0; k < 5000; k++) {
            const uint64_t random = seeded_next(&random_state);
            const size_t n = 1 + random / 8 % 70;
            if (random % 8 < 3)
                rig_step(&rig, (int64_t)(random / 8 % 13) - 5);
            else if (random % 8 == 3)
                issued += frazil_next(rig.gen, ids) == FRAZIL_OK;
            else if (random % 8 == 4)
                issued += try_one(rig.gen, ids, &retry_ns) == FRAZIL_OK;
            else if (random % 8 == 5)
                issued += frazil_take(rig.gen, ids, n, random / 8 % (4 * RIG_MS), NULL) == FRAZIL_OK ? n : 0;
            else
                issued += frazil_take(rig.gen, ids, n, FRAZIL_WAIT_DEFAULT, NULL) == FRAZIL_OK ? n : 0;
            assert_int_equal(stat_of(rig.gen, FRAZIL_STAT_ISSUED), issued);
        }
        assert_true(issued > 300);
        rig_close(&rig);
    }
}

TEST("A jump over a year of ticks, and over the hole of each, issues nothing")
{
    struct rig rig = {.random_state = 1};

    rig_open(&rig, SMALL "seq_min=3 seq_max=9", RIG_NOW);
    rig_next(&rig);
    rig_step(&rig, INT64_C(365) * 86400000);
    assert_int_equal(stat_of(rig.gen, FRAZIL_STAT_ISSUED), 1);
    rig_next(&rig);
    assert_int_equal(stat_of(rig.gen, FRAZIL_STAT_ISSUED), 2);
    rig_close(&rig);
}

TEST("full counts a tick that a call found full, whether it then waited, led or failed")
{
    static const char *const specs[] = {SMALL "max_wait=1ms", SMALL "behaviour=sfid", SMALL "behaviour=flake"};

    for (size_t i = 0; i < sizeof specs / sizeof specs[0]; i++) {
        struct rig rig = {.random_state = 1};
        uint64_t ids[16];
        uint64_t id;

        rig_open(&rig, specs[i], RIG_NOW);
        assert_int_equal(frazil_take(rig.gen, ids, 16, FRAZIL_WAIT_DEFAULT, NULL), FRAZIL_OK);
        assert_int_equal(stat_of(rig.gen, FRAZIL_STAT_FULL), 0);
        assert_int_equal(frazil_next(rig.gen, &id), i == 2 ? FRAZIL_EFULL : FRAZIL_OK);
        assert_int_equal(stat_of(rig.gen, FRAZIL_STAT_FULL), 1);
        assert_int_equal(stat_of(rig.gen, FRAZIL_STAT_WAITS), i == 0);
        assert_int_equal(stat_of(rig.gen, FRAZIL_STAT_WAITED_US), i == 0 ? 1000 : 0);
        rig_step(&rig, 5);
        assert_int_equal(frazil_next(rig.gen, &id), FRAZIL_OK);
        assert_int_equal(stat_of(rig.gen, FRAZIL_STAT_FULL), 1);
        rig_close(&rig);
    }
}

/* Fills the tick and asks again in each way; the tick counts once. */
static void assert_counted_once(struct rig *rig, uint64_t full)
{
    uint64_t ids[32];
    uint64_t retry_ns;
    size_t taken;

    while (frazil_try_take(rig->gen, ids, 32, &taken, &retry_ns, NULL) == FRAZIL_OK)
        continue;
    assert_int_equal(stat_of(rig->gen, FRAZIL_STAT_FULL), full);
    assert_true(frazil_try_take(rig->gen, ids, 1, &taken, &retry_ns, NULL) != FRAZIL_OK);
    assert_true(frazil_take(rig->gen, ids, 1, 0, NULL) != FRAZIL_OK);
    assert_true(frazil_take(rig->gen, ids, 2, 1, NULL) != FRAZIL_OK);
    assert_int_equal(stat_of(rig->gen, FRAZIL_STAT_FULL), full);
    /* A policy that fails, or a call that waits for the next tick. */
    frazil_err ignored = frazil_next(rig->gen, ids);
    (void)ignored;
    assert_int_equal(stat_of(rig->gen, FRAZIL_STAT_FULL), full);
}

TEST("A tick counts as full once, however many calls of whatever kind find it so; another one counts again")
{
    static const char *const specs[] = {SMALL "max_wait=1ms", SMALL "on_full=lead max_lead=1ms max_wait=0ms",
                                        SMALL "on_full=error"};

    for (size_t i = 0; i < sizeof specs / sizeof specs[0]; i++) {
        struct rig rig = {.random_state = 1};

        rig_open(&rig, specs[i], RIG_NOW);
        for (uint64_t full = 1; full < 5; full++) {
            assert_counted_once(&rig, full);
            rig_step(&rig, 5);
        }
        rig_close(&rig);
    }
}

TEST("A full tick counts also where a later one was counted: the clock was set back, and the snos have toggled")
{
    struct rig rig = {.random_state = 1};
    frazil_sno snos[16];
    uint64_t retry_ns;
    size_t taken;

    rig_open(&rig, "layout=sno worker=fixed:1 seq_min=0 seq_max=15", RIG_NOW);
    for (uint64_t full = 1; full <= 2; full++) {
        assert_int_equal(frazil_sno_take(rig.gen, 0, snos, 16, 0, NULL), FRAZIL_OK);
        assert_int_equal(frazil_sno_try_take(rig.gen, 0, snos, 1, &taken, &retry_ns, NULL), FRAZIL_EAGAIN);
        assert_int_equal(stat_of(rig.gen, FRAZIL_STAT_FULL), full);
        rig_step(&rig, -1000);
    }
    assert_int_equal(stat_of(rig.gen, FRAZIL_STAT_TICKTOCKS), 1);
    rig_close(&rig);
}

TEST("Each tick that a call waits through is full, and counts once, whoever else finds it so")
{
    enum { TICKS = 5 };
    struct rig rig = {.random_state = 1};
    uint64_t ids[TICKS * 16];
    uint64_t retry_ns;

    rig_open(&rig, SMALL "max_wait=none", RIG_NOW);
    assert_int_equal(frazil_take(rig.gen, ids, sizeof ids / sizeof ids[0], FRAZIL_WAIT_DEFAULT, NULL), FRAZIL_OK);
    assert_int_equal(rig_now_ms(&rig), RIG_NOW + TICKS - 1);
    assert_int_equal(stat_of(rig.gen, FRAZIL_STAT_FULL), TICKS - 1);
    assert_int_equal(try_one(rig.gen, ids, &retry_ns), FRAZIL_EAGAIN);
    assert_int_equal(try_one(rig.gen, ids, &retry_ns), FRAZIL_EAGAIN);
    assert_int_equal(stat_of(rig.gen, FRAZIL_STAT_FULL), TICKS);
    rig_close(&rig);
}

/* Meanwhile another thread sees that the clock was set back, and goes to the other side. */
static struct rig set_back;

static void sleep_and_set_back(void *ctx, uint64_t until_ns)
{
    set_back.clock.sleep_until(ctx, until_ns);
    rig_step(&set_back, -10);
    atomic_store(&set_back.gen->shared->full_counted, 0);
}

TEST("A clock that is set back while a call waits has passed through no full tick")
{
    uint64_t ids[32];

    set_back = (struct rig){.random_state = 1};
    rig_open(&set_back, SMALL "max_wait=20ms", RIG_NOW);
    set_back.gen->clock.sleep_until = sleep_and_set_back;
    assert_int_equal(frazil_take(set_back.gen, ids, sizeof ids / sizeof ids[0], FRAZIL_WAIT_DEFAULT, NULL), FRAZIL_OK);
    assert_int_equal(stat_of(set_back.gen, FRAZIL_STAT_FULL), 1);
    rig_close(&set_back);
}

TEST("A batch that is refused while its tick has ids left does not make that tick full")
{
    static const char *const specs[] = {SMALL "max_wait=0", SMALL "on_full=error"};

    for (size_t i = 0; i < sizeof specs / sizeof specs[0]; i++) {
        struct rig rig = {.random_state = 1};
        uint64_t ids[17];

        rig_open(&rig, specs[i], RIG_NOW);
        assert_int_equal(frazil_take(rig.gen, ids, 17, FRAZIL_WAIT_DEFAULT, NULL), FRAZIL_EINVAL);
        rig_next(&rig);
        assert_true(frazil_take(rig.gen, ids, 16, FRAZIL_WAIT_DEFAULT, NULL) != FRAZIL_OK);
        assert_int_equal(stat_of(rig.gen, FRAZIL_STAT_FULL), 0);
        assert_int_equal(available_of(rig.gen), 15);
        rig_close(&rig);
    }
}

TEST("A call that waits over several sleeps waits once; its time is counted whole")
{
    struct rig rig = {.random_state = 1};

    rig_open(&rig, SMALL "on_backward=wait max_wait=none", RIG_NOW);
    rig_next(&rig);
    rig_step(&rig, -3000);
    frazil_manual_clock_advance(rig.manual, 250000);
    rig_next(&rig);
    assert_int_equal(stat_of(rig.gen, FRAZIL_STAT_WAITS), 1);
    assert_int_equal(stat_of(rig.gen, FRAZIL_STAT_WAITED_US), 2999750);
    assert_int_equal(stat_of(rig.gen, FRAZIL_STAT_FULL), 0);
    rig_close(&rig);
}

TEST("Each step back counts once, however many calls of whatever kind see the clock behind; the largest is kept")
{
    struct rig rig = {.random_state = 1};
    uint64_t id;
    uint64_t retry_ns;

    rig_open(&rig, SMALL "behaviour=flake", RIG_NOW);
    rig_next(&rig);
    for (unsigned step = 1; step <= 5; step++) {
        rig_step(&rig, -(int64_t)(step == 3 ? 50 : step));
        for (int call = 0; call < 4; call++) {
            assert_int_equal(frazil_next(rig.gen, &id), FRAZIL_ECLOCK);
            assert_int_equal(try_one(rig.gen, &id, &retry_ns), FRAZIL_ECLOCK);
            available_of(rig.gen);
            assert_int_equal(stat_of(rig.gen, FRAZIL_STAT_BACKWARD_STEPS), step);
        }
        frazil_manual_clock_advance(rig.manual, 400000); /* less than a tick forward is not a step back */
        assert_int_equal(stat_of(rig.gen, FRAZIL_STAT_BACKWARD_STEPS), step);
    }
    assert_int_equal(stat_of(rig.gen, FRAZIL_STAT_BACKWARD_MAX_US), 50400);
    frazil_manual_clock_set(rig.manual, RIG_NOW + 100);
    rig_next(&rig);
    assert_int_equal(stat_of(rig.gen, FRAZIL_STAT_BACKWARD_STEPS), 5);
    rig_step(&rig, -70);
    (void)stat_of(rig.gen, FRAZIL_STAT_ISSUED); /* a look is enough to see it */
    assert_int_equal(stat_of(rig.gen, FRAZIL_STAT_BACKWARD_STEPS), 6);
    assert_int_equal(stat_of(rig.gen, FRAZIL_STAT_BACKWARD_MAX_US), 70000);
    rig_close(&rig);
}

TEST("Steps inside a tick are none: NTP makes such, and no id can tell")
{
    struct rig rig = {.random_state = 1};

    rig_open(&rig, "layout=sonyflake worker=fixed:1 start=zero", RIG_NOW);
    for (int i = 0; i < 10; i++) {
        frazil_manual_clock_set(rig.manual, RIG_NOW + 9 - i);
        rig_next(&rig);
    }
    assert_int_equal(stat_of(rig.gen, FRAZIL_STAT_BACKWARD_STEPS), 0);
    rig_close(&rig);
}

TEST("lead_us is how far the next id would be ahead now; lead_max_us how far any was")
{
    struct rig rig = {.random_state = 1};
    uint64_t ids[40];

    rig_open(&rig, SMALL "behaviour=sfid", RIG_NOW);
    frazil_manual_clock_advance(rig.manual, 250000);
    assert_int_equal(frazil_take(rig.gen, ids, 40, FRAZIL_WAIT_DEFAULT, NULL), FRAZIL_OK);
    assert_int_equal(stat_of(rig.gen, FRAZIL_STAT_LEAD_US), 1750);
    assert_int_equal(stat_of(rig.gen, FRAZIL_STAT_LEAD_MAX_US), 1750);
    assert_int_equal(frazil_take(rig.gen, ids, 8, FRAZIL_WAIT_DEFAULT, NULL),
                     FRAZIL_OK); /* fills its tick: the next id is one further */
    assert_int_equal(stat_of(rig.gen, FRAZIL_STAT_LEAD_US), 2750);
    assert_int_equal(stat_of(rig.gen, FRAZIL_STAT_LEAD_MAX_US), 1750);
    rig_step(&rig, 2);
    assert_int_equal(stat_of(rig.gen, FRAZIL_STAT_LEAD_US), 1000);
    rig_step(&rig, 2);
    assert_int_equal(stat_of(rig.gen, FRAZIL_STAT_LEAD_US), 0);
    rig_next(&rig);
    assert_int_equal(stat_of(rig.gen, FRAZIL_STAT_LEAD_MAX_US), 1750);
    rig_step(&rig, -100);
    rig_next(&rig);
    assert_int_equal(stat_of(rig.gen, FRAZIL_STAT_LEAD_MAX_US), 100000);
    rig_close(&rig);
}

TEST("Slots taken by adding, as the fast path does, and redeemed: one past the end of the tick waits for its own, one "
     "in a hole is skipped, one that is too old is given back; each is issued once")
{
    struct rig rig = {.random_state = 1};
    struct fz_refusal refusal;
    uint64_t slot;
    struct fz_taken redeemed;

    rig_open(&rig, SMALL "seq_min=3 seq_max=9", RIG_NOW);
    for (int i = 0; i < 7; i++)
        rig_next(&rig);
    const uint64_t tick = fz_slot_tick(&rig.gen->rules, atomic_load(rig.gen->word)) - 1;

    /* In the hole, twice, as two threads would: the later one gives back, the earlier one's place is lost. */
    const uint64_t first = atomic_fetch_add(rig.gen->word, 1);
    slot = atomic_fetch_add(rig.gen->word, 1);
    assert_true(fz_slot_in_hole(&rig.gen->rules, slot));
    assert_int_equal(fz_redeem(rig.gen, first, &redeemed, &refusal), FRAZIL_OK);
    assert_int_equal(fz_slot_tick(&rig.gen->rules, redeemed.first), tick + 1);
    assert_int_equal(fz_slot_sequence(&rig.gen->rules, redeemed.first), 3);
    assert_int_equal(fz_redeem(rig.gen, slot, &redeemed, &refusal), FRAZIL_OK);
    assert_int_equal(fz_slot_sequence(&rig.gen->rules, redeemed.first), 4);
    assert_int_equal(stat_of(rig.gen, FRAZIL_STAT_ISSUED), 9);

    /* Current. */
    slot = atomic_fetch_add(rig.gen->word, 1);
    assert_int_equal(fz_redeem(rig.gen, slot, &redeemed, &refusal), FRAZIL_OK);
    assert_int_equal(redeemed.first, slot);
    assert_int_equal(stat_of(rig.gen, FRAZIL_STAT_ISSUED), 10);

    /* Too old: two ticks have passed, so the id is taken anew in the tick of the clock. */
    slot = atomic_fetch_add(rig.gen->word, 1);
    rig_step(&rig, 2);
    assert_int_equal(fz_redeem(rig.gen, slot, &redeemed, &refusal), FRAZIL_OK);
    assert_int_equal(fz_slot_tick(&rig.gen->rules, redeemed.first), tick + 3);
    assert_int_equal(stat_of(rig.gen, FRAZIL_STAT_ISSUED), 11);

    /* Not within max_wait: refused, and given back. */
    slot = atomic_fetch_add(rig.gen->word, 1);
    rig_step(&rig, -86400000);
    assert_int_equal(fz_redeem(rig.gen, slot, &redeemed, &refusal), FRAZIL_ECLOCK);
    assert_int_equal(refusal.behind_us, INT64_C(86400000000));
    assert_int_equal(stat_of(rig.gen, FRAZIL_STAT_ISSUED), 11);
    assert_int_equal(atomic_load(rig.gen->word), slot);
    rig_close(&rig);
}

TEST("A ticket past the end of the layout is given back: the end stays the end")
{
    struct rig rig = {.random_state = 1};
    struct fz_refusal refusal;
    struct fz_taken redeemed;
    const int64_t last_ms = INT64_C(1767225600000) + (INT64_C(1) << 41) - 1;

    rig_open(&rig, SMALL "allow_short_life=yes", last_ms);
    for (int i = 0; i < 16; i++)
        rig_next(&rig);
    for (int i = 0; i < 3; i++) {
        const uint64_t slot = atomic_fetch_add(rig.gen->word, 1);
        assert_int_equal(fz_redeem(rig.gen, slot, &redeemed, &refusal), FRAZIL_EEXHAUSTED);
        assert_int_equal(atomic_load(rig.gen->word), slot);
    }
    assert_int_equal(stat_of(rig.gen, FRAZIL_STAT_ISSUED), 16);
    rig_close(&rig);
}
