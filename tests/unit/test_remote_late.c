/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: of remote slots, a call whose time is over asks no source, knows what the source said last, and is
 * told when to come back; and a source that was not asked is not blamed.
 */
#include <pthread.h>
#include <string.h>
#include <sys/resource.h>

#include "lib/fake_slots.h"
#include "lib/patience.h"
#include "lib/ports.h"
#include "lib/rig.h"
#include "lib/test.h"

static struct rig rig;

BEFORE_EACH
{
    memset(&fake_slots, 0, sizeof fake_slots);
    rig = (struct rig){.random_state = 1, .coordinators = fake_slots_coordinators};
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

static void *ask_source(void *ret_id)
{
    frazil_err ignored = frazil_take(rig.gen, ret_id, 1, FRAZIL_WAIT_FOREVER, NULL);

    (void)ignored;
    return NULL;
}

TEST("Behind a request that lasts a call is told to come back after as long again, up to the pause after a refusal")
{
    pthread_t thread;
    uint64_t taken = RIG_UNTOUCHED;
    uint64_t id = RIG_UNTOUCHED;
    uint64_t retry_ns = 0;
    frazil_error err;

    rig_open(&rig, "worker=fixed:7 state=fake://slots", RIG_NOW);
    atomic_store(&fake_slots.is_silent, true);
    assert_int_equal(pthread_create(&thread, NULL, ask_source, &taken), 0);
    while (atomic_load(&fake_slots.asked) == 0)
        pause_shortly();
    frazil_manual_clock_advance(rig.manual, 20 * RIG_MS);
    assert_int_equal(try_one(rig.gen, &id, &retry_ns), FRAZIL_EAGAIN);
    assert_int_equal(retry_ns, 20 * RIG_MS);
    frazil_manual_clock_advance(rig.manual, 5 * RIG_S);
    assert_int_equal(frazil_take(rig.gen, &id, 1, 0, &err), FRAZIL_EAGAIN);
    assert_int_equal(err.retry_ns, 50 * RIG_MS);
    assert_non_null(strstr(err.message, "and this call may wait no longer"));
    atomic_store(&fake_slots.is_silent, false);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_true(taken != RIG_UNTOUCHED && id == RIG_UNTOUCHED);
    rig_close(&rig);
}

TEST("Without a descriptor for a connection, a call says so, and not that the source is silent")
{
    struct rlimit before;
    frazil_error why;
    uint64_t id;

    rig_open(&rig, "worker=fixed:7 state=fake://slots", RIG_NOW);
    fake_slots.err = FRAZIL_EUNREACHABLE;
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    const struct rlimit none = {.rlim_cur = 0, .rlim_max = before.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
    frazil_err err = frazil_take(rig.gen, &id, 1, FRAZIL_WAIT_DEFAULT, &why);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
    assert_int_equal(err, FRAZIL_ESYS);
    assert_non_null(strstr(why.message, "(ulimit -n)"));
    rig_close(&rig);
}
