/* SPDX-License-Identifier: MIT */
/* Goal of this test: ids in a row are consecutive numbers, whatever tick they come from and whoever else takes some. */
#include "clock.h"
#include "lib/test.h"
#include "taker.h"

#define TICK_IDS 256
#define SPEC "layout=39/16/8 tick=10ms worker=fixed:1 state=memory max_lead=0s"

static frazil_manual_clock *manual;
static struct engine engine;
static struct taker taker;
static uint64_t now_ns;
static uint64_t room[4][4 * TICK_IDS];
static struct taking takings[4];

static void on_done(struct taking *taking)
{
    (void)taking;
}

BEFORE_EACH
{
    frazil_options *options = NULL;

    assert_int_equal(frazil_manual_clock_new(&manual, INT64_C(1780272000000)), FRAZIL_OK);
    const frazil_clock port = frazil_manual_clock_port(manual);
    assert_int_equal(frazil_options_new(&options, NULL), FRAZIL_OK);
    assert_int_equal(frazil_options_spec(options, SPEC, strlen(SPEC), NULL), FRAZIL_OK);
    assert_int_equal(frazil_options_clock(options, &port, NULL), FRAZIL_OK);
    engine = (struct engine){0};
    assert_int_equal(frazil_open_options(&engine.gen, options, NULL), FRAZIL_OK);
    frazil_options_free(options);
    atomic_init(&engine.holders, 1);
    taker = (struct taker){0};
    now_ns = 1000 * NS_PER_S;
}

AFTER_EACH
{
    assert_null(taker.queues);
    frazil_close(engine.gen);
    frazil_manual_clock_free(manual);
}

/* Asks for n ids, waiting for them if need be; whether that was over at once. */
static bool ask(unsigned i, uint32_t n, bool in_a_row)
{
    takings[i] = (struct taking){.engine = &engine,
                                 .ids = room[i],
                                 .wanted = n,
                                 .in_a_row = in_a_row,
                                 .deadline_ns = now_ns + 60 * NS_PER_S,
                                 .done = on_done};
    if (taker_take(&taker, &takings[i], now_ns))
        return true;
    assert_true(taker_park(&taker, &takings[i], now_ns));
    return false;
}

/* Lets ticks pass, one after the other. */
static void pass(unsigned ticks)
{
    for (unsigned i = 0; i < ticks; i++) {
        frazil_manual_clock_advance(manual, 10 * NS_PER_MS);
        now_ns += 10 * NS_PER_MS;
        taker_run(&taker, now_ns);
    }
}

static void assert_row(unsigned i, uint32_t n)
{
    assert_int_equal(takings[i].code, FRAZIL_OK);
    assert_int_equal(takings[i].got, n);
    for (uint32_t at = 1; at < n; at++)
        assert_true(room[i][at] == room[i][at - 1] + 1);
}

TEST("A row that a tick's end would break begins anew in the next one")
{
    assert_true(ask(0, TICK_IDS - 3, false));
    assert_false(ask(1, 5, true));
    pass(1);
    assert_row(1, 5);
    assert_int_equal(room[1][0] & (TICK_IDS - 1), 0);
}

TEST("A row as long as a tick is given although others wait for their shares")
{
    assert_false(ask(0, 3 * TICK_IDS, false));
    assert_false(ask(1, TICK_IDS, true));
    assert_false(ask(2, 1, false));
    pass(12);
    assert_row(1, TICK_IDS);
    assert_int_equal(takings[0].got, 3 * TICK_IDS);
    assert_int_equal(takings[2].got, 1);
}

TEST("Ids that were dropped before a row are given to nobody else")
{
    assert_true(ask(0, TICK_IDS - 3, false));
    assert_false(ask(1, 5, true));
    assert_false(ask(2, 1, false));
    pass(2);
    assert_row(1, 5);
    assert_true(room[2][0] > room[1][4] || room[2][0] < room[1][0]);
    assert_true(room[2][0] > room[0][TICK_IDS - 4]);
}
