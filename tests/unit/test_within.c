/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: frazil_keep and frazil_close_within return when their time is over, though whoever grants the
 * worker id does not answer; one request at a time is under way, and it comes to its end behind the caller's back.
 */
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include "generator/generator_internal.h"
#include "lib/callers.h"
#include "lib/fake_granter.h"
#include "lib/rig.h"
#include "lib/scratch.h"
#include "lib/test.h"

enum { WORKER = 3, HORIZON = 1000 };

#define SPEC "layout=frazil worker=fixed:3 state=memory"

EACH_IN_SCRATCH

BEFORE_ALL
{
    scratch_prefer_memory();
}

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
    fake_granter_end(fake, &rig);
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
    fake_granter_end(fake, &rig);
}

TEST("A wait without a bound waits for the request that an earlier call has left")
{
    uint64_t next_ns;

    open_due();
    assert_int_equal(keep(0, &next_ns), FRAZIL_EAGAIN);
    answer();
    assert_int_equal(keep(FRAZIL_WAIT_FOREVER, &next_ns), FRAZIL_OK);
    assert_int_equal(fake->extended, 1);
    fake_granter_end(fake, &rig);
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
    fake_granter_end(fake, &rig);
}

/* ---- generators that several share ------------------------------------------------------ */

static _Atomic unsigned releases;

static frazil_err refuse_release(void *ctx, struct fz_deadline deadline, const struct fz_grant *held,
                                 uint64_t used_tick)
{
    (void)deadline;
    (void)ctx, (void)held, (void)used_tick;
    releases++;
    return FRAZIL_EREFUSED;
}

/* Opens one as often as that, whose worker id nobody will take back. */
static void open_unreleasable(frazil *gens[], int count)
{
    char spec[900];

    snprintf(spec, sizeof spec, "worker=fixed:3 state=file keeper=hook run_dir=%s/run state_dir=%s/state", scratch,
             scratch);
    for (int i = 0; i < count; i++)
        assert_int_equal(frazil_open_shared(&gens[i], spec, NULL), FRAZIL_OK);
    gens[0]->keeper.granter.release = refuse_release;
    releases = 0;
}

TEST("Of those who share a generator the last one closes it, and is told whether the worker id was given back")
{
    const uint64_t waits[] = {60 * RIG_S, FRAZIL_WAIT_FOREVER};
    frazil *gens[2];

    for (int i = 0; i < 2; i++) {
        open_unreleasable(gens, 2);
        assert_int_equal(frazil_close_within(gens[0], waits[i]), FRAZIL_OK);
        assert_int_equal(releases, 0);
        assert_int_equal(frazil_close_within(gens[1], waits[i]), FRAZIL_EREFUSED);
        assert_int_equal(releases, 1);
    }
}

struct closing {
    pthread_t thread;
    frazil *gen;
    frazil_err err;
};

static void *close_within(void *arg)
{
    struct closing *closing = arg;

    closing->err = frazil_close_within(closing->gen, 60 * RIG_S);
    return NULL;
}

TEST("Several close what they share at once: one of them gives the worker id back, and it alone is told how")
{
    enum { USERS = 4, ROUNDS = 20 };
    struct closing closings[USERS];
    frazil *gens[USERS];

    for (int round = 0; round < ROUNDS; round++) {
        int refused = 0;
        open_unreleasable(gens, USERS);
        for (int i = 0; i < USERS; i++) {
            closings[i].gen = gens[i];
            assert_int_equal(pthread_create(&closings[i].thread, NULL, close_within, &closings[i]), 0);
        }
        for (int i = 0; i < USERS; i++) {
            assert_int_equal(pthread_join(closings[i].thread, NULL), 0);
            assert_true(closings[i].err == FRAZIL_OK || closings[i].err == FRAZIL_EREFUSED);
            refused += closings[i].err == FRAZIL_EREFUSED;
        }
        assert_int_equal(refused, 1);
        assert_int_equal(releases, 1);
    }
}

TEST("The last of those who share it goes on behind its caller's back, and who opens it then waits for the end")
{
    frazil *gens[2];
    struct closing plain;
    uint64_t next_ns;
    uint64_t id;

    for (int i = 0; i < 2; i++)
        assert_int_equal(frazil_open_shared(&gens[i], SPEC, NULL), FRAZIL_OK);
    fake = fake_granter_new(WORKER, 300);
    fake_granter_install(fake, gens[0], FZ_KEEPER_HOOK);
    frazil_close(gens[0]);
    pause_ns(200 * RIG_MS);
    fake->holds = true;
    assert_int_equal(frazil_keep(gens[1], 0, &next_ns, NULL), FRAZIL_EAGAIN);
    /* Long enough for the thread that closes it to have begun: who opens it before that still finds it open. */
    assert_int_equal(frazil_close_within(gens[1], 500 * RIG_MS), FRAZIL_EAGAIN);
    /* Closing a generator of one's own does not wait for it. */
    assert_int_equal(frazil_open(&plain.gen, "layout=frazil worker=fixed:4 state=memory", NULL), FRAZIL_OK);
    assert_int_equal(pthread_create(&plain.thread, NULL, close_within, &plain), 0);
    assert_int_equal(pthread_join(plain.thread, NULL), 0);
    assert_int_equal(plain.err, FRAZIL_OK);
    assert_int_equal(fake->closed, 0);
    answer();
    assert_int_equal(frazil_open_shared(&gens[0], SPEC, NULL), FRAZIL_OK);
    assert_int_equal(fake->closed, 1);
    assert_int_equal(frazil_next(gens[0], &id), FRAZIL_OK);
    frazil_close(gens[0]);
    fake_granter_free(fake);
}
