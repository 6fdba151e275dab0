/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: a sno's clock may go back within the generator's grant, and
 * not behind it, where ids may be somebody else's.
 */

#include "lib/rig.h"
#include "lib/scratch.h"
#include "lib/test.h"

enum { BACK_MS = 2000 };

static struct rig rig;
static const char *dir;

BEFORE_EACH
{
    dir = scratch_make();
    rig = (struct rig){.random_state = 1};
    rig_open_below(&rig, dir, "layout=sno worker=fixed:7 keeper=inline max_wait=1s", RIG_NOW);
}

AFTER_EACH
{
    rig_close(&rig);
    scratch_remove(dir);
}

TEST(
    "Right after opening the other side begins where the grant does: a call waits, or says from when on ids can follow")
{
    frazil_error err;
    frazil_sno id;

    (void)rig_sno(&rig);
    rig_step(&rig, -BACK_MS);
    assert_int_equal(frazil_sno_take(rig.gen, 0, &id, 1, FRAZIL_WAIT_DEFAULT, &err), FRAZIL_ECLOCK);
    assert_non_null(strstr(err.message, "the clock shows 2026-05-31T23:59:58"));
    assert_non_null(strstr(err.message, "ids before 2026-06-01T00:00:00"));
    assert_int_equal(err.retry_ns, BACK_MS * RIG_MS);
    frazil_manual_clock_advance(rig.manual, err.retry_ns);
    assert_true(rig_sno_parts(&rig).unix_ms >= RIG_NOW);
}

TEST("When that much time has passed, ids go on at once, on the other side")
{
    frazil_sno_fields before = rig_sno_parts(&rig);
    frazil_manual_clock_advance(rig.manual, (BACK_MS + 4) * RIG_MS);
    (void)rig_sno(&rig);
    rig_step(&rig, -BACK_MS);
    uint64_t now_ns = rig_monotonic_ns(&rig);
    frazil_sno_fields after = rig_sno_parts(&rig);
    assert_int_equal(after.unix_ms, RIG_NOW + 4);
    assert_int_equal(after.ticktock, !before.ticktock);
    assert_int_equal(rig_monotonic_ns(&rig), now_ns);
}
