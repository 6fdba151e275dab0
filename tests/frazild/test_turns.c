/* SPDX-License-Identifier: MIT */
/* Goal of this test: what a process missed while it did not run counts against no client, and none is cut unheard. */
#include "clock.h"
#include "lib/test.h"
#include "turns.h"

#define SLEEP_NS NS_PER_S
#define START_NS (1000 * NS_PER_S)

static struct turns turns;

BEFORE_EACH
{
    turns = (struct turns){.before_ns = START_NS, .swept_ns = START_NS};
}

TEST("The time of a stop is what was missed, without the longest sleep; a turn that is a little late missed nothing")
{
    static const uint64_t within[] = {0, 1, SLEEP_NS, SLEEP_NS + 1, 2 * SLEEP_NS};
    uint64_t now_ns = START_NS;

    for (size_t i = 0; i < sizeof within / sizeof within[0]; i++)
        assert_int_equal(turns_begin(&turns, now_ns += within[i], SLEEP_NS), 0);
    assert_int_equal(turns_begin(&turns, now_ns += 2 * SLEEP_NS + 1, SLEEP_NS), SLEEP_NS + 1);
    assert_int_equal(turns_begin(&turns, now_ns += 100 * SLEEP_NS, SLEEP_NS), 99 * SLEEP_NS);
    assert_int_equal(turns_begin(&turns, now_ns + SLEEP_NS, SLEEP_NS), 0); /* it is told once */
}

/* A turn after that time, with so many events; whether timeouts are looked at in it. */
static bool sweeps(uint64_t after_ns, int events, unsigned connections)
{
    (void)turns_begin(&turns, turns.before_ns + after_ns, SLEEP_NS);
    return turns_may_sweep(&turns, SLEEP_NS, events, connections);
}

TEST("Timeouts are looked at once a sleep")
{
    assert_false(sweeps(SLEEP_NS - 1, 3, 10));
    assert_true(sweeps(1, 3, 10));
    assert_false(sweeps(1, 3, 10));
    assert_true(sweeps(SLEEP_NS, 0, 10));
}

TEST("After an interruption clients are heard before they are cut")
{
    assert_false(sweeps(5 * SLEEP_NS, -1, 10));
    assert_true(sweeps(1, 10, 10));
}

TEST("Of more connections than one turn tells of each has its turn before any is cut")
{
    assert_false(sweeps(5 * SLEEP_NS, EVENTS_MAX, 3 * EVENTS_MAX));
    assert_false(sweeps(1, EVENTS_MAX, 3 * EVENTS_MAX));
    assert_false(sweeps(1, EVENTS_MAX, 3 * EVENTS_MAX));
    assert_false(sweeps(1, -1, 3 * EVENTS_MAX));
    assert_true(sweeps(1, EVENTS_MAX - 1, 3 * EVENTS_MAX)); /* it was the last */
}

TEST("Clients that always have something to say do not put timeouts off for ever")
{
    unsigned turn = 0;

    while (!sweeps(SLEEP_NS, EVENTS_MAX, 3 * EVENTS_MAX))
        turn++;
    assert_int_equal(turn, 4);
    while (!sweeps(SLEEP_NS, EVENTS_MAX, 3 * EVENTS_MAX))
        turn++;
    assert_int_equal(turn, 8);
}
