/* SPDX-License-Identifier: MIT */
/* Goal of this test: of remote slots, a call whose time is over asks no source, and knows what the source said last. */
#include <string.h>

#include "lib/fake_slots.h"
#include "lib/ports.h"
#include "lib/rig.h"
#include "lib/test.h"

BEFORE_EACH
{
    memset(&fake_slots, 0, sizeof fake_slots);
}

TEST("A call whose time is over asks nobody, and says what came of the last request")
{
    /* By the machine's clock a nanosecond passes. */
    const struct ports ports = {.coordinators = fake_slots_coordinators};
    uint64_t id = RIG_UNTOUCHED;
    frazil_error err;
    frazil *gen;

    assert_int_equal(ports_open(&gen, "worker=fixed:7 state=fake://slots", &ports, &err), FRAZIL_OK);
    assert_int_equal(frazil_take(gen, &id, 1, 1, &err), FRAZIL_EUNREACHABLE);
    assert_non_null(strstr(err.message, "no time left to ask the coordinator 'fake://slots'"));
    assert_true(err.retry_ns > 0);
    assert_int_equal(fake_slots.takes, 0);
    fake_slots.err = FRAZIL_EUNREACHABLE;
    assert_int_equal(frazil_take(gen, &id, 1, 0, &err), FRAZIL_EAGAIN);
    assert_int_equal(frazil_take(gen, &id, 1, 1, &err), FRAZIL_EUNREACHABLE);
    assert_non_null(strstr(err.message, "the source says so"));
    assert_int_equal(fake_slots.takes, 1);
    assert_true(id == RIG_UNTOUCHED);
    fake_slots.err = FRAZIL_OK;
    assert_int_equal(frazil_take(gen, &id, 1, 0, &err), FRAZIL_OK);
    frazil_close(gen);
}
