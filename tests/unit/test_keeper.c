/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: no id lies outside a grant that was recorded before (I2),
 * and a grant is extended in good time by whoever is there to do it.
 */

#include <sys/wait.h>
#include <unistd.h>

#include "generator/extension_lock.h"
#include "generator/generator_internal.h"
#include "lib/callers.h"
#include "lib/fake_granter.h"
#include "lib/rig.h"
#include "lib/test.h"

enum { WORKER = 3, HORIZON = 1000, IDS_PER_TICK = 4096 };

#define SPEC "layout=frazil worker=fixed:3 start=zero"

static struct rig rig;
static struct fake_granter *fake;

static void open_with(const char *spec, uint64_t horizon, enum fz_keeper_mode mode)
{
    fake = fake_granter_open(&rig, spec, WORKER, horizon, mode);
}

AFTER_EACH
{
    fake_granter_end(fake, &rig);
}

/* Takes an id, which must have been granted. */
static frazil_fields take_granted(void)
{
    uint64_t id = rig_next(&rig);
    frazil_fields fields = rig_parts(&rig, id);

    if (!fake_granter_covers(fake, (uint32_t)fields.worker, rig_tick_of(&rig, id)))
        fail_msg("tick %lu of worker %lu was never granted", (unsigned long)rig_tick_of(&rig, id),
                 (unsigned long)fields.worker);
    return fields;
}

/* Every way to take an id fails with FRAZIL_ELEASE, takes nothing and touches nothing. */
static void assert_fenced(void)
{
    uint64_t issued = stat_of(rig.gen, FRAZIL_STAT_ISSUED);
    uint64_t ids[2] = {RIG_UNTOUCHED, RIG_UNTOUCHED};
    uint64_t retry_ns = RIG_UNTOUCHED;
    frazil_local *local;
    frazil_error err;

    assert_int_equal(frazil_next(rig.gen, ids), FRAZIL_ELEASE);
    assert_int_equal(frazil_take(rig.gen, ids, 2, FRAZIL_WAIT_DEFAULT, NULL), FRAZIL_ELEASE);
    assert_int_equal(try_one(rig.gen, ids, &retry_ns), FRAZIL_ELEASE);
    assert_int_equal(frazil_take(rig.gen, ids, 1, FRAZIL_WAIT_FOREVER, &err), FRAZIL_ELEASE);
    assert_int_equal(err.code, FRAZIL_ELEASE);
    assert_non_null(strstr(err.message, "the grant of the worker id has ended at 2026-06-01T00:00:01"));
    assert_int_equal(frazil_local_open(&local, rig.gen, NULL), FRAZIL_OK);
    assert_int_equal(frazil_local_next(local, ids), FRAZIL_ELEASE);
    frazil_local_close(local);
    assert_int_equal(ids[0], RIG_UNTOUCHED);
    assert_int_equal(ids[1], RIG_UNTOUCHED);
    assert_int_equal(retry_ns, 0);
    assert_int_equal(stat_of(rig.gen, FRAZIL_STAT_ISSUED), issued);
}

TEST("I2: the last tick of a grant can be used, the next one cannot, by no way and however often one asks")
{
    open_with(SPEC, HORIZON, FZ_KEEPER_INLINE);
    uint64_t until = fake_granter_last(fake).until;
    fake->fails = FRAZIL_EAGAIN;
    while (rig_now_tick(&rig) < until) {
        rig_advance(&rig, 1);
        assert_in_range(rig_tick_of(&rig, rig_next(&rig)), rig_now_tick(&rig), until);
    }
    for (unsigned i = 0; i < 3; i++) {
        rig_advance(&rig, i == 0 ? 1 : 100 * HORIZON);
        assert_fenced();
    }
    fake->fails = FRAZIL_OK;
    rig_advance(&rig, 10 * HORIZON);
    take_granted();
}

TEST("The tick of the id is what is checked, not the clock: a full last tick does not lead over the end")
{
    uint64_t id;

    open_with(SPEC " on_full=lead max_lead=1h", HORIZON, FZ_KEEPER_INLINE);
    uint64_t until = fake_granter_last(fake).until;
    fake->fails = FRAZIL_EAGAIN;
    rig_advance(&rig, HORIZON - 2);
    unsigned taken = 0;
    while (frazil_take(rig.gen, &id, 1, 0, NULL) == FRAZIL_OK) {
        assert_in_range(rig_tick_of(&rig, id), rig_now_tick(&rig), until);
        taken++;
    }
    assert_int_equal(taken, 3 * IDS_PER_TICK);
    /* Until the clock has left the grant behind, more of it may come. */
    assert_int_equal(frazil_take(rig.gen, &id, 1, 0, NULL), FRAZIL_EAGAIN);
    rig_advance(&rig, 3);
    assert_int_equal(frazil_next(rig.gen, &id), FRAZIL_ELEASE);
}

TEST("A batch that would end beyond the grant takes nothing; one that ends with it is whole")
{
    enum { TICKS = 8 };
    uint64_t *ids = calloc((TICKS + 1) * IDS_PER_TICK + 1, sizeof *ids);

    assert_non_null(ids);
    open_with(SPEC, TICKS, FZ_KEEPER_INLINE);
    fake->fails = FRAZIL_EAGAIN;
    uint64_t until = fake_granter_last(fake).until;
    assert_int_equal(frazil_take(rig.gen, ids, (TICKS + 1) * IDS_PER_TICK + 1, FRAZIL_WAIT_DEFAULT, NULL),
                     FRAZIL_EINVAL);
    assert_int_equal(stat_of(rig.gen, FRAZIL_STAT_ISSUED), 0);
    assert_int_equal(ids[0], 0);
    assert_int_equal(frazil_take(rig.gen, ids, (TICKS + 1) * IDS_PER_TICK, FRAZIL_WAIT_DEFAULT, NULL), FRAZIL_OK);
    assert_int_equal(rig_tick_of(&rig, ids[(TICKS + 1) * IDS_PER_TICK - 1]), until);
    free(ids);
}

TEST("The caller who finds the grant in its last quarter extends it; nobody does so before")
{
    open_with(SPEC, HORIZON, FZ_KEEPER_INLINE);
    struct fz_grant first = fake_granter_last(fake);
    rig_advance(&rig, HORIZON - HORIZON / 4);
    take_granted();
    assert_int_equal(fake->extended, 0);
    rig_advance(&rig, 1);
    take_granted();
    assert_int_equal(fake->extended, 1);
    assert_int_equal(fake_granter_last(fake).until, rig_now_tick(&rig) + HORIZON);
    assert_int_equal(fake_granter_last(fake).floor, first.floor);
    take_granted();
    assert_int_equal(fake->extended, 1);
    for (unsigned i = 0; i < 10 * HORIZON; i++) {
        rig_advance(&rig, 1);
        take_granted();
    }
    assert_in_range(fake->extended, 10, 15);
}

/* A thread that has overslept: it does so in real time, for longer than a test takes, and its grant is due. */
static void open_overslept(void)
{
    open_with(SPEC, 600 * HORIZON, FZ_KEEPER_THREAD);
    pause_ns(20000000); /* it lies down; a thread that is not so far finds by itself that the grant is due */
    rig_advance(&rig, 500 * HORIZON);
}

static void must_try_next(void)
{
    uint64_t retry_ns;
    uint64_t id;

    assert_int_equal(try_one(rig.gen, &id, &retry_ns), FRAZIL_OK);
}

TEST("A call that may not wait extends the grant only where no thread does so; if the thread sleeps, as it does when "
     "the machine was suspended or the clock was set, it is woken")
{
    open_overslept();
    fake->holds = true;
    must_try_next();
    while (fake->extended == 0)
        pause_ns(100000); /* the thread is at it */
    must_try_next();
    fake->holds = false;
    assert_true(fz_keeper_stop(rig.gen, FZ_DEADLINE_NONE, NULL));
    assert_int_equal(fake->extended, 1);
    rig_advance(&rig, 500 * HORIZON);
    must_try_next();
    assert_int_equal(fake->extended, 2);
}

TEST("After a failure nobody wakes the thread before it is time to try again")
{
    open_overslept();
    fake->fails = FRAZIL_EAGAIN;
    take_granted(); /* tries, and fails */
    assert_int_equal(fake->extended, 1);
    must_try_next();
    assert_int_not_equal(rig.gen->keeper.task.due_ns, 0);
    assert_true(fz_keeper_stop(rig.gen, FZ_DEADLINE_NONE, NULL));
    assert_int_equal(fake->extended, 1);
}

TEST("A namespace that was created anew may have another horizon: from the first grant under it, that is the measure")
{
    uint64_t next_ns;

    open_with(SPEC, 100 * HORIZON, FZ_KEEPER_HOOK);
    rig_advance(&rig, 90 * HORIZON);
    fake->horizon = 10 * HORIZON;
    assert_int_equal(frazil_keep(rig.gen, FRAZIL_WAIT_FOREVER, &next_ns, NULL), FRAZIL_OK);
    assert_int_equal(fake->extended, 1);
    assert_in_range(next_ns, 3 * HORIZON * RIG_MS, 5 * HORIZON * RIG_MS);
    rig_advance(&rig, HORIZON);
    assert_int_equal(frazil_keep(rig.gen, FRAZIL_WAIT_FOREVER, &next_ns, NULL), FRAZIL_OK);
    take_granted();
    assert_int_equal(fake->extended, 1);
}

TEST("A fleet that was started as one does not come as one: each is a little later, by another time")
{
    uint64_t first_ns;
    uint64_t next_ns;
    unsigned same = 0;

    open_with(SPEC, 60 * HORIZON, FZ_KEEPER_HOOK);
    assert_int_equal(frazil_keep(rig.gen, FRAZIL_WAIT_FOREVER, &first_ns, NULL), FRAZIL_OK);
    for (unsigned i = 0; i < 100; i++) {
        assert_int_equal(frazil_keep(rig.gen, FRAZIL_WAIT_FOREVER, &next_ns, NULL), FRAZIL_OK);
        assert_in_range(next_ns, 20 * HORIZON * RIG_MS, 25 * HORIZON * RIG_MS);
        same += next_ns / RIG_S == first_ns / RIG_S; /* one in five */
    }
    assert_in_range(same, 5, 50);
}

TEST("The hook says when it wants to be called, is right about it, and then there is always more than a half left")
{
    uint64_t next_ns = 0;

    open_with(SPEC, HORIZON, FZ_KEEPER_HOOK);
    assert_int_equal(frazil_keep(rig.gen, FRAZIL_WAIT_FOREVER, &next_ns, NULL), FRAZIL_OK);
    assert_int_equal(fake->extended, 0);
    for (unsigned i = 1; i <= 20; i++) {
        assert_in_range(next_ns, HORIZON / 4 * RIG_MS, HORIZON / 2 * RIG_MS);
        frazil_manual_clock_advance(rig.manual, next_ns);
        assert_true(fake_granter_last(fake).until > rig_now_tick(&rig) + HORIZON / 2);
        assert_int_equal(frazil_keep(rig.gen, FRAZIL_WAIT_FOREVER, &next_ns, NULL), FRAZIL_OK);
        assert_int_equal(fake->extended, i);
        assert_int_equal(fake_granter_last(fake).until, rig_now_tick(&rig) + HORIZON);
    }
    assert_int_equal(rig.gen->shared->keeper.extended, 20);
}

TEST("With a hook, a call that never waits does not ask for more of the grant, and does not wait for whoever is asking")
{
    uint64_t id = RIG_UNTOUCHED;
    uint64_t ns = RIG_UNTOUCHED;

    open_with(SPEC, HORIZON, FZ_KEEPER_HOOK);
    rig_advance(&rig, HORIZON - 1);
    assert_int_equal(try_one(rig.gen, &id, &ns), FRAZIL_OK);
    assert_int_equal(frazil_take(rig.gen, &id, 1, 0, NULL), FRAZIL_OK);
    rig_advance(&rig, 2);
    id = RIG_UNTOUCHED;
    assert_int_equal(try_one(rig.gen, &id, &ns), FRAZIL_ELEASE);
    assert_int_equal(frazil_take(rig.gen, &id, 1, 0, NULL), FRAZIL_ELEASE);
    assert_int_equal(id, RIG_UNTOUCHED);
    assert_int_equal(ns, 0);
    assert_int_equal(fake->extended, 0);
    /* The hook asks, and so does a call that may wait. */
    assert_int_equal(frazil_keep(rig.gen, FRAZIL_WAIT_FOREVER, &ns, NULL), FRAZIL_OK);
    assert_int_equal(fake->extended, 1);
    assert_int_equal(try_one(rig.gen, &id, &ns), FRAZIL_OK);
    rig_advance(&rig, 2 * HORIZON);
    take_granted();
    assert_int_equal(fake->extended, 2);
}

TEST("Where callers alone see to the grant, one that never waits does so as well: there may be no other")
{
    open_with(SPEC, HORIZON, FZ_KEEPER_INLINE);
    rig_advance(&rig, 2 * HORIZON);
    must_try_next();
    assert_int_equal(fake->extended, 1);
}

TEST("Without a grant the hook has nothing to do, for ever")
{
    uint64_t next_ns = 0;

    open_with(SPEC, HORIZON, FZ_KEEPER_HOOK);
    struct rig other = {.random_state = 1};
    rig_open(&other, SPEC, RIG_NOW);
    assert_int_equal(frazil_keep(other.gen, FRAZIL_WAIT_FOREVER, &next_ns, NULL), FRAZIL_OK);
    assert_int_equal(next_ns, FRAZIL_WAIT_FOREVER);
    rig_close(&other);
}

TEST("A try that failed is repeated after a pause that doubles, differs from one generator to the next, and has an end")
{
    uint64_t longest_ns = 50 * RIG_MS;
    uint64_t next_ns = 0;
    frazil_error err;
    unsigned full = 0;

    open_with(SPEC, 100 * HORIZON, FZ_KEEPER_HOOK);
    fake->fails = FRAZIL_EAGAIN;
    rig_advance(&rig, 50 * HORIZON);
    for (unsigned i = 1; i <= 12; i++) {
        assert_int_equal(frazil_keep(rig.gen, FRAZIL_WAIT_FOREVER, &next_ns, &err), FRAZIL_EAGAIN);
        assert_non_null(strstr(err.message, "the fake was told to fail"));
        assert_int_equal(fake->extended, i);
        assert_in_range(next_ns, longest_ns / 2, longest_ns - 1);
        full += next_ns % (longest_ns / 2) == 0;
        longest_ns = 2 * longest_ns < 5 * RIG_S ? 2 * longest_ns : 5 * RIG_S;

        frazil_manual_clock_advance(rig.manual, next_ns - 1);
        uint64_t rest_ns;
        assert_int_equal(frazil_keep(rig.gen, FRAZIL_WAIT_FOREVER, &rest_ns, &err), FRAZIL_EAGAIN);
        assert_non_null(strstr(err.message, "a moment ago"));
        assert_int_equal(rest_ns, 1);
        assert_int_equal(fake->extended, i);
        frazil_manual_clock_advance(rig.manual, 1);
    }
    assert_true(full < 3); /* jitter */
    fake->fails = FRAZIL_OK;
    assert_int_equal(frazil_keep(rig.gen, FRAZIL_WAIT_FOREVER, &next_ns, &err), FRAZIL_OK);
    rig_advance(&rig, 60 * HORIZON);
    fake->fails = FRAZIL_EAGAIN;
    assert_int_equal(frazil_keep(rig.gen, FRAZIL_WAIT_FOREVER, &next_ns, &err), FRAZIL_EAGAIN);
    assert_in_range(next_ns, 25 * RIG_MS, 50 * RIG_MS - 1);
}

TEST("However often it failed, there are several tries in what is left of a short grant")
{
    uint64_t next_ns = 0;
    unsigned tries = 0;

    open_with(SPEC, HORIZON, FZ_KEEPER_HOOK);
    fake->fails = FRAZIL_EAGAIN;
    rig_advance(&rig, HORIZON / 3 + 1);
    uint64_t until = fake_granter_last(fake).until;
    while (rig_now_tick(&rig) < until) {
        assert_int_equal(frazil_keep(rig.gen, FRAZIL_WAIT_FOREVER, &next_ns, NULL), FRAZIL_EAGAIN);
        assert_true(next_ns < HORIZON / 10 * RIG_MS);
        frazil_manual_clock_advance(rig.manual, next_ns);
        tries++;
    }
    assert_true(tries > 8);
}

/* Tries eight times in vain, each of which takes so long; returns the pause after the last one. */
static uint64_t try_in_vain(uint64_t takes_ns)
{
    uint64_t next_ns = 0;

    fake->fails = FRAZIL_EAGAIN;
    fake->takes_ns = takes_ns;
    for (unsigned i = 0; i < 8; i++) {
        frazil_manual_clock_advance(rig.manual, next_ns);
        assert_int_equal(frazil_keep(rig.gen, FRAZIL_WAIT_FOREVER, &next_ns, NULL), FRAZIL_EAGAIN);
    }
    return next_ns;
}

TEST("Without an answer, the pause after the end of a grant grows: to half of the time since then, or a quarter of one")
{
    uint64_t next_ns = 0;

    open_with(SPEC, 40 * HORIZON, FZ_KEEPER_HOOK);
    rig_advance(&rig, 30 * HORIZON);
    uint64_t until = fake_granter_last(fake).until;
    frazil_manual_clock_advance(rig.manual, try_in_vain(RIG_S)); /* the grant has ended by then */
    unsigned grown = 0;
    for (unsigned i = 0; i < 20; i++) {
        uint64_t ended_ns = (rig_now_tick(&rig) - until) * RIG_MS;
        uint64_t longest_ns = ended_ns / 2 < 10 * RIG_S ? ended_ns / 2 : 10 * RIG_S;
        if (longest_ns < 40 * RIG_S / 16)
            longest_ns = 40 * RIG_S / 16;
        assert_int_equal(frazil_keep(rig.gen, FRAZIL_WAIT_FOREVER, &next_ns, NULL), FRAZIL_EAGAIN);
        assert_in_range(next_ns, longest_ns / 2, longest_ns - 1);
        grown += longest_ns == 10 * RIG_S;
        frazil_manual_clock_advance(rig.manual, next_ns);
    }
    assert_in_range(grown, 5, 19);
}

TEST("A pause is never longer than 12.8 s, and no longer than usual while the grant lasts, or "
     "where a try is refused or told when the next can succeed")
{
    const uint64_t usual_ns = 5 * RIG_S;

    open_with(SPEC, 600 * HORIZON, FZ_KEEPER_HOOK);
    rig_advance(&rig, 300 * HORIZON);
    assert_in_range(try_in_vain(RIG_S), usual_ns / 2, usual_ns - 1);
    rig_advance(&rig, 600 * HORIZON);
    assert_in_range(try_in_vain(RIG_MS), usual_ns / 2, usual_ns - 1);
    fake->retry_ns = 600 * RIG_S;
    assert_in_range(try_in_vain(RIG_S), usual_ns / 2, usual_ns - 1);
    fake->retry_ns = 0;
    assert_in_range(try_in_vain(10 * RIG_MS), 6400 * RIG_MS, 12800 * RIG_MS - 1);
}

TEST("When it is known when the next try can succeed, nobody sleeps past it")
{
    uint64_t next_ns = 0;

    open_with(SPEC, 60 * HORIZON, FZ_KEEPER_HOOK);
    fake->fails = FRAZIL_EAGAIN;
    rig_advance(&rig, 30 * HORIZON);
    for (unsigned i = 0; i < 8; i++) {
        assert_int_equal(frazil_keep(rig.gen, FRAZIL_WAIT_FOREVER, &next_ns, NULL), FRAZIL_EAGAIN);
        frazil_manual_clock_advance(rig.manual, next_ns);
    }
    fake->retry_ns = 300 * RIG_MS;
    assert_int_equal(frazil_keep(rig.gen, FRAZIL_WAIT_FOREVER, &next_ns, NULL), FRAZIL_EAGAIN);
    assert_in_range(next_ns, 300 * RIG_MS, 326 * RIG_MS);
}

TEST("Callers do not press a granter that has just failed, and go on while the grant lasts")
{
    open_with(SPEC, HORIZON, FZ_KEEPER_INLINE);
    fake->fails = FRAZIL_EAGAIN;
    rig_advance(&rig, HORIZON - 1);
    for (unsigned i = 0; i < 100; i++)
        take_granted();
    assert_int_equal(fake->extended, 1);
}

TEST("A lost lease is said by the hook at once and by callers when its end has come; it can be taken anew")
{
    uint64_t next_ns = 0;
    frazil_error err;
    uint64_t id;

    open_with(SPEC, HORIZON, FZ_KEEPER_HOOK);
    fake->fails = FRAZIL_ELEASE;
    rig_advance(&rig, HORIZON / 2);
    assert_int_equal(frazil_keep(rig.gen, FRAZIL_WAIT_FOREVER, &next_ns, &err), FRAZIL_ELEASE);
    assert_int_equal(err.code, FRAZIL_ELEASE);
    assert_int_equal(take_granted().worker, WORKER);
    rig_advance(&rig, HORIZON);
    assert_int_equal(frazil_next(rig.gen, &id), FRAZIL_ELEASE);
    rig_advance(&rig, 10 * HORIZON);
    fake->fails = FRAZIL_OK;
    fake_granter_say(fake, WORKER + 1, rig_now_tick(&rig), rig_now_tick(&rig) + HORIZON);
    assert_int_equal(frazil_keep(rig.gen, FRAZIL_WAIT_FOREVER, &next_ns, &err), FRAZIL_OK);
    assert_int_equal(take_granted().worker, WORKER + 1);
    assert_int_equal(rig.gen->shared->keeper.replaced, 1);
}

TEST("Where a grant was taken away, callers are told so at once, and the clock has no part in it")
{
    uint64_t next_ns = 0;
    frazil_error err;
    uint64_t id;

    open_with(SPEC, HORIZON, FZ_KEEPER_INLINE);
    take_granted();
    rig_advance(&rig, HORIZON / 2);
    const uint64_t until = rig_now_tick(&rig) + HORIZON;
    fake_granter_say(fake, WORKER, until + 1, until);
    assert_int_equal(frazil_keep(rig.gen, FRAZIL_WAIT_FOREVER, &next_ns, &err), FRAZIL_OK);
    fake->fails = FRAZIL_ELEASE;
    assert_int_equal(frazil_take(rig.gen, &id, 1, 0, &err), FRAZIL_ELEASE);
    assert_non_null(strstr(err.message, "the worker id is lost"));
    fake->fails = FRAZIL_OK;
    rig_advance(&rig, HORIZON / 2);
    fake_granter_say(fake, WORKER, rig_now_tick(&rig), rig_now_tick(&rig) + HORIZON);
    take_granted();
}

static void release(void)
{
    const struct fz_remnant remnant = fz_keeper_end(rig.gen);

    fz_keeper_release(rig.gen, FZ_DEADLINE_NONE, &remnant);
}

TEST("A release gives back all above the last tick that may have been used, and never more than was granted")
{
    open_with(SPEC, HORIZON, FZ_KEEPER_INLINE);
    rig_advance(&rig, 5);
    take_granted();
    release();
    assert_int_equal(fake->released, 1);
    assert_int_equal(fake->used_tick, rig_now_tick(&rig));
    fake->fails = FRAZIL_EAGAIN;
    rig_advance(&rig, HORIZON - 5);
    for (unsigned i = 0; i < IDS_PER_TICK; i++)
        take_granted();
    release();
    assert_int_equal(fake->used_tick, fake_granter_last(fake).until);
}

TEST("However long a grant is, whoever granted it is looked at after 20 s")
{
    enum { LOOK_MS = 20000 };
    uint64_t next_ns;

    open_with(SPEC, UINT64_C(3600) * HORIZON, FZ_KEEPER_HOOK);
    rig_advance(&rig, LOOK_MS - 1);
    assert_int_equal(frazil_keep(rig.gen, FRAZIL_WAIT_FOREVER, &next_ns, NULL), FRAZIL_OK);
    assert_int_equal(fake->extended, 0);
    assert_in_range(next_ns, 1, 2 * LOOK_MS * RIG_MS);
    rig_advance(&rig, 2);
    assert_int_equal(frazil_keep(rig.gen, FRAZIL_WAIT_FOREVER, &next_ns, NULL), FRAZIL_OK);
    assert_int_equal(fake->extended, 1);
}

TEST("A turn is nobody's when it began in the future, or was a thread's of the process that this one was forked from")
{
    struct fz_extension_lock lock;

    open_with(SPEC, HORIZON, FZ_KEEPER_INLINE);
    _Atomic uint64_t *since_ns = &rig.gen->shared->keeper.extension_since_ns;
    uint64_t now_ns = fz_machine_clock_ns();

    atomic_store(since_ns, now_ns + 3600 * UINT64_C(1000000000));
    assert_false(fz_extension_lock_is_held(rig.gen));
    assert_true(fz_extension_lock_try(rig.gen, &lock));
    assert_true(fz_extension_lock_is_held(rig.gen));
    fz_extension_lock_release(rig.gen, &lock);
    assert_int_equal(atomic_load(since_ns), 0);

    atomic_store(&rig.gen->keeper.inside, fz_fork_mark_read(&rig.gen->fork_mark) + 1);
    assert_false(fz_extension_lock_is_held(rig.gen));
    assert_true(fz_extension_lock_try(rig.gen, &lock));
    fz_extension_lock_release(rig.gen, &lock);
    assert_false(fz_extension_lock_is_held(rig.gen));
}

TEST("A process that took longer than its turn does not end that of the process after it")
{
    struct fz_extension_lock lock;

    open_with(SPEC, HORIZON, FZ_KEEPER_INLINE);
    assert_true(fz_extension_lock_try(rig.gen, &lock));
    uint64_t others_ns = fz_machine_clock_ns() + 1;
    atomic_store(&rig.gen->shared->keeper.extension_since_ns, others_ns);
    fz_extension_lock_release(rig.gen, &lock);
    assert_int_equal(atomic_load(&rig.gen->shared->keeper.extension_since_ns), others_ns);
    atomic_store(&rig.gen->shared->keeper.extension_since_ns, 0);
}

TEST("Opening waits for another process's turn, which ends by itself, whatever a call for ids may wait")
{
    frazil_error err;

    open_with(SPEC, HORIZON, FZ_KEEPER_INLINE);
    const struct fz_granter granter = rig.gen->keeper.granter;
    unsigned acquired = fake->acquired;

    rig.gen->fixed.max_wait_ns = 0;
    atomic_store(&rig.gen->shared->keeper.extension_since_ns, fz_machine_clock_ns()); /* somebody's who is stopped */
    assert_int_equal(fz_keeper_open(rig.gen, &granter, FZ_KEEPER_INLINE, fz_deadline_in(120 * RIG_S), &err), FRAZIL_OK);
    assert_int_equal(fake->acquired, acquired + 1);
}

TEST("A child that closes gives its parent's connection up first")
{
    int status;

    open_with(SPEC, HORIZON, FZ_KEEPER_INLINE);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        fz_keeper_close(rig.gen);
        _exit(atomic_load(&fake->forks) == 1 && atomic_load(&fake->closed) == 1 ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    atomic_store(&fake->closed, 0); /* the child's close; the parent's is counted at the end */
}
