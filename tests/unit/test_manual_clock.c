/* SPDX-License-Identifier: MIT */
/* Goal of this test: the manual clock shows what it was told, at the ends of time, too. */
#include "frazil/clock.h"
#include "lib/rig.h"
#include "lib/test.h"

static frazil_manual_clock *manual;
static frazil_clock port;

static frazil_instant now(void)
{
    frazil_instant ret;

    port.now(port.ctx, &ret);
    return ret;
}

BEFORE_EACH
{
    assert_int_equal(frazil_manual_clock_open(&manual, RIG_NOW, 0, NULL), FRAZIL_OK);
    frazil_manual_clock_port(manual, &port, sizeof port);
}

AFTER_EACH
{
    frazil_manual_clock_close(manual);
}

TEST("A manual clock carries nanoseconds into milliseconds, before 1970 as well")
{
    frazil_manual_clock_set(manual, -3);
    frazil_manual_clock_advance(manual, 2 * RIG_MS + 999999);
    assert_int_equal(now().unix_ms, -1);
    assert_int_equal(now().ns, 999999);
    frazil_manual_clock_advance(manual, 1);
    assert_int_equal(now().unix_ms, 0);
    assert_int_equal(now().ns, 0);
}

TEST("A manual clock stops at the end of time, while monotonic time passes")
{
    uint64_t before = port.monotonic_ns(port.ctx);

    frazil_manual_clock_set(manual, INT64_MAX - 1);
    frazil_manual_clock_advance(manual, RIG_MS);
    assert_true(now().unix_ms == INT64_MAX);
    frazil_manual_clock_advance(manual, RIG_MS);
    assert_true(now().unix_ms == INT64_MAX);
    assert_int_equal(now().ns, 999999);
    frazil_manual_clock_advance(manual, UINT64_MAX - 2 * RIG_MS);
    assert_true(now().unix_ms == INT64_MAX);
    assert_true(port.monotonic_ns(port.ctx) - before == UINT64_MAX);
    frazil_manual_clock_set(manual, INT64_MIN);
    frazil_manual_clock_advance(manual, UINT64_MAX);
    assert_true(now().unix_ms == INT64_MIN + (int64_t)(UINT64_MAX / RIG_MS));
}
