/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: a call that meets a clock that is behind, or before the epoch, waits or is refused for the whole
 * of what it wants.  A refused one comes back when it may wait for the rest; one that waits does not wait in vain.
 */
#include "lib/rig.h"
#include "lib/test.h"

/* Four ids a tick of a millisecond. */
#define SPEC "layout='41/20/2 epoch=2026-01-01' worker=fixed:1 state=memory start=zero "

enum { A_TICK = 4, MORE = 16 };

static struct rig rig;
static uint64_t ids[MORE];

/* Opens, uses up a tick, and sets the clock back. */
static void open_behind(const char *spec, int64_t behind_ms)
{
    rig = (struct rig){.random_state = 1};
    rig_open(&rig, spec, RIG_NOW);
    assert_int_equal(frazil_take(rig.gen, ids, A_TICK, 0, NULL), FRAZIL_OK);
    rig_step(&rig, -behind_ms);
}

/* Refuses a large batch for so long, and not a nanosecond longer. */
static void assert_comes_back(uint64_t wait_ns, uint64_t retry_ns)
{
    frazil_error err;

    assert_int_equal(frazil_take(rig.gen, ids, MORE, wait_ns, &err), FRAZIL_ECLOCK);
    assert_int_equal(err.retry_ns, retry_ns);
    frazil_manual_clock_advance(rig.manual, retry_ns - 1);
    assert_int_not_equal(frazil_take(rig.gen, ids, MORE, wait_ns, &err), FRAZIL_OK);
    assert_int_equal(err.retry_ns, 1);
    frazil_manual_clock_advance(rig.manual, 1);
    assert_int_equal(frazil_take(rig.gen, ids, MORE, wait_ns, NULL), FRAZIL_OK);
    rig_close(&rig);
}

TEST("A batch of several ticks that may not wait while the clock is behind comes back when it is not")
{
    open_behind(SPEC "on_backward=error", 30);
    assert_comes_back(45 * RIG_MS, 30 * RIG_MS);
    /* The last of its ids is due four ticks later, so a shorter wait is made good by a later call. */
    open_behind(SPEC "on_backward=error", 30);
    assert_comes_back(3 * RIG_MS, 31 * RIG_MS);
}

TEST("Where it may wait, it comes back as early as its wait is long")
{
    open_behind(SPEC "on_backward=wait", 60);
    assert_comes_back(45 * RIG_MS, 19 * RIG_MS);
}

/* The same, where the clock was seen ahead of what was taken before it was set back. */
static void open_seen_ahead(const char *spec, int64_t behind_ms)
{
    open_behind(spec, -30);
    (void)available_of(rig.gen);
    rig_step(&rig, -30 - behind_ms);
}

TEST("Where ids lead in full ticks, a batch comes when the clock has reached its first tick, far from its last")
{
    open_seen_ahead(SPEC "on_backward=wait on_full=lead", 60);
    assert_comes_back(45 * RIG_MS, 16 * RIG_MS);
    open_seen_ahead(SPEC "on_backward=error on_full=lead", 60);
    assert_comes_back(45 * RIG_MS, 61 * RIG_MS);
}

TEST("A batch that is longer than max_lead is held only until its first tick: it does not wait in vain for the rest")
{
    open_seen_ahead(SPEC "on_backward=hold max_lead=1ms", 1);
    assert_int_equal(frazil_take(rig.gen, ids, MORE, 4 * RIG_MS, NULL), FRAZIL_ECLOCK);
    assert_int_equal(stat_of(rig.gen, FRAZIL_STAT_WAITS), 0);
    assert_int_equal(frazil_take(rig.gen, ids, MORE, 5 * RIG_MS, NULL), FRAZIL_OK);
    rig_close(&rig);
}

TEST("Before the epoch no call waits: a batch of several ticks comes back with the epoch")
{
    rig = (struct rig){.random_state = 1};
    rig_open(&rig, SPEC "on_backward=wait", INT64_C(1767225600000) - 5000);
    assert_comes_back(2000 * RIG_MS, 5000 * RIG_MS);
}

TEST(
    "A call that waits since the clock was behind has its id, though it wakes in a tick that is full: on_full=error is "
    "for calls that begin in one")
{
    uint64_t begun_ns;
    uint64_t id;

    open_behind(SPEC "on_full=error on_backward=wait max_wait=1s", 100); /* one sleep lasts so long */
    begun_ns = rig_monotonic_ns(&rig);
    assert_int_equal(frazil_next(rig.gen, &id), FRAZIL_OK);
    assert_int_equal(rig_monotonic_ns(&rig) - begun_ns, 101 * RIG_MS);
    assert_int_equal(frazil_take(rig.gen, ids, A_TICK, FRAZIL_WAIT_DEFAULT, NULL), FRAZIL_EFULL);
    assert_int_equal(rig_monotonic_ns(&rig) - begun_ns, 101 * RIG_MS);
    rig_close(&rig);
}
