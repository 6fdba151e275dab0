/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: what is looked at comes in the order on which everything
 * else rests: the word, the sides and the highest reading, then the counter,
 * then the clock.  The clock of this test changes all of them while it is read.
 */

#include "frazil.h"
#include "generator/generator_internal.h"
#include "generator/observation.h"
#include "lib/rig.h"
#include "lib/test.h"
#include "os/counter.h"

static frazil *watched;
static uint64_t counter_at_reading;
static int64_t stepped_ms;

/* Somebody else takes an id, toggles, and sees a later time, just before the clock is read. */
static void changing_now(void *ctx, frazil_instant *ret)
{
    (void)ctx;
    counter_at_reading = fz_counter_read();
    if (watched != NULL) {
        atomic_fetch_add(watched->word, 1000);
        atomic_store(&watched->shared->high_us, (RIG_NOW + 5000) * 1000);
        atomic_store(&watched->shared->side_free[1], 78);
        atomic_store(&watched->shared->carried_tick, 88);
    }
    *ret = (frazil_instant){.unix_ms = RIG_NOW, .ns = 0};
}

static uint64_t no_time(void *ctx)
{
    (void)ctx;
    return 0;
}

static void no_sleep(void *ctx, uint64_t monotonic_ns)
{
    (void)ctx;
    (void)monotonic_ns;
}

TEST("All that was seen is older than the reading of the clock, so a clock that does not step cannot seem to be behind")
{
    const frazil_clock clock = {sizeof(frazil_clock), NULL, changing_now, no_time, no_sleep};
    const struct ports ports = {.clock = &clock};
    frazil *gen;

    assert_int_equal(ports_open(&gen, "layout=sno worker=fixed:1", &ports, NULL), FRAZIL_OK);
    gen->fixed.counter_usable = true;
    atomic_store(gen->word, 42);
    atomic_store(&gen->shared->high_us, 43);
    atomic_store(&gen->shared->side_free[1], 77);
    atomic_store(&gen->shared->carried_tick, 87);
    watched = gen;
    struct fz_observation seen = fz_observe(gen);
    watched = NULL;
    assert_int_equal(seen.view.word, 42);
    assert_int_equal(seen.high_us, 43);
    assert_int_equal(seen.view.side_free, 77);
    assert_int_equal(seen.view.carried_tick, 87);
    assert_int_equal(seen.now.unix_ms, RIG_NOW);
    if (fz_counter_is_constant())
        assert_true(seen.counter != 0 && counter_at_reading - seen.counter < UINT64_MAX / 2);
    frazil_close(gen);
}

/* Another thread sees the step back first, while this one reads the clock. */
static void stepping_now(void *ctx, frazil_instant *ret)
{
    frazil *other = watched;

    (void)ctx;
    watched = NULL;
    if (other != NULL)
        (void)fz_observe(other);
    *ret = (frazil_instant){.unix_ms = stepped_ms, .ns = 0};
}

TEST("A step back that two see at the same time is one step")
{
    const frazil_clock clock = {sizeof(frazil_clock), NULL, stepping_now, no_time, no_sleep};
    const struct ports ports = {.clock = &clock};
    frazil *gen;

    stepped_ms = RIG_NOW;
    assert_int_equal(ports_open(&gen, "layout=sno worker=fixed:1", &ports, NULL), FRAZIL_OK);
    (void)fz_observe(gen);
    stepped_ms = RIG_NOW - 5000;
    watched = gen;
    (void)fz_observe(gen);
    assert_null(watched);
    assert_int_equal(atomic_load(&gen->shared->backward_steps), 1);
    assert_int_equal(atomic_load(&gen->shared->backward_max_us), 5000 * 1000);
    frazil_close(gen);
}
