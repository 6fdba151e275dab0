/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: frazil_keep and frazil_close_within return when their time is over, though whoever grants the
 * worker id does not answer; one request at a time is under way, and it comes to its end behind the caller's back.
 */
#include <sys/wait.h>
#include <unistd.h>

#include "generator/generator_internal.h"
#include "lib/callers.h"
#include "lib/fake_granter.h"
#include "lib/rig.h"
#include "lib/server.h"
#include "lib/test.h"

enum { WORKER = 3, HORIZON = 1000 };

#define SPEC "layout=frazil worker=fixed:3 state=memory"

static struct rig rig;
static struct fake_granter *fake;

/* A granter that does not answer, and a grant that wants to be extended. */
static void open_due(void)
{
    fake = fake_granter_open(&rig, SPEC, WORKER, HORIZON, FZ_KEEPER_HOOK);
    rig_advance(&rig, HORIZON / 2);
    fake->holds = true;
}

static void answer(void)
{
    fake->holds = false;
}

static frazil_err keep(uint64_t wait_ns, uint64_t *ret_next_ns)
{
    return frazil_keep(rig.gen, wait_ns, ret_next_ns, NULL);
}

TEST("Keeping without waiting begins one request, and reports its end")
{
    uint64_t next_ns;
    frazil_error err;

    open_due();
    assert_int_equal(frazil_keep(rig.gen, 0, &next_ns, &err), FRAZIL_EAGAIN);
    assert_non_null(strstr(err.message, "has not answered"));
    for (int i = 0; i < 10; i++)
        assert_int_equal(keep(1000000, &next_ns), FRAZIL_EAGAIN);
    answer();
    while (keep(0, &next_ns) == FRAZIL_EAGAIN)
        pause_ns(1000000);
    assert_int_equal(keep(0, &next_ns), FRAZIL_OK);
    assert_int_equal(fake->extended, 1);
    assert_int_equal(fake->overlaps, 0);
    rig_close(&rig);
    fake_granter_free(fake);
}

TEST("Keeping within a time gives the result if it comes in time")
{
    uint64_t next_ns;
    frazil_error err;

    open_due();
    answer();
    fake->fails = FRAZIL_EUNREACHABLE;
    assert_int_equal(frazil_keep(rig.gen, 60 * RIG_S, &next_ns, &err), FRAZIL_EUNREACHABLE);
    assert_int_equal(err.code, FRAZIL_EUNREACHABLE);
    fake->fails = FRAZIL_OK;
    rig_advance(&rig, HORIZON / 4);
    assert_int_equal(keep(60 * RIG_S, &next_ns), FRAZIL_OK);
    assert_int_equal(fake->extended, 2);
    rig_close(&rig);
    fake_granter_free(fake);
}

TEST("A wait without a bound waits for the request that an earlier call has left")
{
    uint64_t next_ns;

    open_due();
    assert_int_equal(keep(0, &next_ns), FRAZIL_EAGAIN);
    answer();
    assert_int_equal(keep(FRAZIL_WAIT_FOREVER, &next_ns), FRAZIL_OK);
    assert_int_equal(fake->extended, 1);
    rig_close(&rig);
    fake_granter_free(fake);
}

TEST("A child does not wait for its parent's request")
{
    uint64_t next_ns;
    int status;

    open_due();
    assert_int_equal(keep(0, &next_ns), FRAZIL_EAGAIN);
    while (!fake->inside)
        pause_ns(1000000);
    pid_t child = fork();
    if (child == 0) {
        frazil_close(rig.gen);
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    answer();
    rig_close(&rig);
    fake_granter_free(fake);
}

/* On the real clock, and over no port of the program's. */
static frazil *open_real(void)
{
    frazil *gen;

    assert_int_equal(frazil_open(&gen, SPEC, NULL), FRAZIL_OK);
    fake = fake_granter_new(WORKER, 300);
    fake_granter_install(fake, gen, FZ_KEEPER_HOOK);
    return gen;
}

TEST("Closing within a time says when it is done")
{
    frazil *gen = open_real();

    assert_int_equal(frazil_close_within(gen, 60 * RIG_S), FRAZIL_OK);
    assert_int_equal(fake->closed, 1);
    fake_granter_free(fake);
    assert_int_equal(frazil_close_within(NULL, 0), FRAZIL_OK);
}

TEST("Closing ends in time while a request is under way, and goes on behind the caller's back")
{
    frazil *gen = open_real();
    uint64_t next_ns;

    pause_ns(200 * RIG_MS);
    fake->holds = true;
    assert_int_equal(frazil_keep(gen, 0, &next_ns, NULL), FRAZIL_EAGAIN);
    assert_int_equal(frazil_close_within(gen, 1000000), FRAZIL_EAGAIN);
    assert_int_equal(fake->closed, 0);
    answer();
    while (fake->closed == 0)
        pause_ns(1000000);
    pause_ns(50 * RIG_MS); /* the thread leaves the granter */
    fake_granter_free(fake);
}

TEST("With a clock of the program's, closing is done when it returns")
{
    fake = fake_granter_open(&rig, SPEC, WORKER, HORIZON, FZ_KEEPER_HOOK);
    frazil *gen = rig.gen;
    rig.gen = NULL;
    assert_int_equal(frazil_close_within(gen, 0), FRAZIL_OK);
    assert_int_equal(fake->closed, 1);
    rig_close(&rig);
    fake_granter_free(fake);
}
