/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: a call finds that its slots lie beyond the grant, because others
 * have taken all up to its end.  It waits for more of it as long as it may wait at all,
 * and is told FRAZIL_ELEASE, not FRAZIL_EFULL, when none has come (I2, I7).
 */

#include "generator/extension_lock.h"
#include "generator/generator_internal.h"
#include "generator/observation.h"
#include "lib/callers.h"
#include "lib/fake_granter.h"
#include "lib/rig.h"
#include "lib/test.h"
#include "os/deadline.h"

enum { WORKER = 3, HORIZON = 1000, IDS_PER_TICK = 4096, AHEAD = 4 };

#define SPEC "layout=frazil worker=fixed:3 start=zero"

static struct rig rig;
static struct fake_granter *fake;
static unsigned sleeps;

static void counting_sleep(void *ctx, uint64_t until_ns)
{
    sleeps++;
    rig.clock.sleep_until(ctx, until_ns);
}

static void open_with(const char *spec, uint64_t horizon, enum fz_keeper_mode mode)
{
    fake = fake_granter_open(&rig, spec, WORKER, horizon, mode);
    rig.gen->clock.sleep_until = counting_sleep;
    sleeps = 0;
}

AFTER_EACH
{
    fake->holds = false; /* a test that failed has left it so */
    fake_granter_end(fake, &rig);
}

static void assert_granted(uint64_t id)
{
    assert_true(fake_granter_covers(fake, WORKER, rig_tick_of(&rig, id)));
}

/* Others hold tickets for all that is granted, and have AHEAD ticks to wait for the last of them. */
static uint64_t others_take_all(void)
{
    uint64_t until = fake_granter_last(fake).until;

    rig_advance(&rig, until - AHEAD - rig_now_tick(&rig));
    atomic_store(rig.gen->word, fz_slot_first(&rig.gen->rules, 0, until + 1));
    return until;
}

/* While somebody sleeps, the coordinator answers the keeper's thread. */
static void answering_sleep(void *ctx, uint64_t until_ns)
{
    unsigned grants = atomic_load(&fake->log_count);

    if (atomic_exchange(&fake->holds, false)) {
        while (atomic_load(&fake->log_count) == grants)
            pause_ns(100000);
        fz_extension_lock_await(rig.gen, fz_deadline_in(RIG_S)); /* until it is in force */
    }
    counting_sleep(ctx, until_ns);
}

TEST("The extension is under way when the last granted slot is taken: the call waits for it")
{
    uint64_t retry_ns = RIG_UNTOUCHED;
    frazil_error err;
    uint64_t id;

    /* The thread sleeps in real time, for longer than this test takes, until it is woken. */
    open_with(SPEC, 600 * HORIZON, FZ_KEEPER_THREAD);
    rig.gen->clock.sleep_until = answering_sleep;
    fake->holds = true;
    uint64_t until = others_take_all();
    assert_int_equal(try_one(rig.gen, &id, &retry_ns), FRAZIL_EAGAIN);
    assert_in_range(retry_ns, 1, (AHEAD + 1) * RIG_MS);
    while (fake->extended == 0)
        pause_ns(100000);
    if (frazil_take(rig.gen, &id, 1, 10 * RIG_S, &err) != FRAZIL_OK)
        fail_msg("%s", err.message);
    assert_in_range(rig_tick_of(&rig, id), until + 1, until + 2);
    assert_granted(id);
    assert_in_range(rig_tick_of(&rig, id), 0, rig_now_tick(&rig));
    assert_true(fz_keeper_stop(rig.gen, FZ_DEADLINE_NONE, NULL));
}

TEST("It does not come: the call has waited to the end of the grant, no longer, and says so")
{
    uint64_t id = RIG_UNTOUCHED;
    frazil_error err;

    open_with(SPEC, HORIZON, FZ_KEEPER_INLINE);
    fake->fails = FRAZIL_EAGAIN;
    uint64_t until = others_take_all();
    uint64_t issued = stat_of(rig.gen, FRAZIL_STAT_ISSUED);
    assert_int_equal(frazil_take(rig.gen, &id, 1, FRAZIL_WAIT_FOREVER, &err), FRAZIL_ELEASE);
    assert_non_null(strstr(err.message, "has ended at 2026-06-01T00:00:01"));
    assert_non_null(strstr(err.message, "the fake was told to fail"));
    assert_int_equal(rig_now_tick(&rig), until + 1);
    assert_int_equal(sleeps, 1);
    assert_int_equal(id, RIG_UNTOUCHED);
    assert_int_equal(stat_of(rig.gen, FRAZIL_STAT_ISSUED), issued);
}

TEST("A call that may not wait so long fails at once, and is told what the matter is")
{
    frazil_error err;
    uint64_t id;

    open_with(SPEC, HORIZON, FZ_KEEPER_INLINE);
    fake->fails = FRAZIL_EAGAIN;
    others_take_all();
    assert_int_equal(frazil_take(rig.gen, &id, 1, 0, &err), FRAZIL_EAGAIN);
    assert_int_equal(err.retry_ns, (AHEAD + 1) * RIG_MS);
    assert_int_equal(frazil_take(rig.gen, &id, 1, AHEAD * RIG_MS, &err), FRAZIL_EFULL);
    assert_non_null(
        strstr(err.message, "too little is left of the grant of the worker id, which ends at 2026-06-01T00:00:01"));
    assert_non_null(strstr(err.message, "in 5 ms,"));
    assert_int_equal(sleeps, 0);
}

TEST("One that leads is far ahead of the clock at the end of a grant: more comes when it is due, which is known")
{
    uint64_t third_ns = (HORIZON / 3 + 1) * RIG_MS;
    frazil_error err;
    uint64_t id;

    open_with(SPEC " on_full=lead max_lead=1h", HORIZON, FZ_KEEPER_INLINE);
    uint64_t until = fake_granter_last(fake).until;
    atomic_store(rig.gen->word, fz_slot_first(&rig.gen->rules, 0, until + 1));
    assert_int_equal(frazil_take(rig.gen, &id, 1, third_ns - 1, &err), FRAZIL_EFULL);
    assert_int_equal(err.retry_ns, third_ns);
    assert_int_equal(sleeps, 0);
    assert_int_equal(frazil_take(rig.gen, &id, 1, third_ns + RIG_MS, &err), FRAZIL_OK);
    assert_int_equal(rig_tick_of(&rig, id), until + 1);
    assert_granted(id);
    assert_int_equal(fake->extended, 1);
    assert_in_range(sleeps, 1, 5); /* none of them longer than 100 ms */
}

/* The lead has used the grant up.  Returns its last tick. */
static uint64_t lead_takes_all(uint64_t horizon, enum fz_keeper_mode mode)
{
    open_with(SPEC " on_full=lead max_lead=1h", horizon, mode);
    uint64_t until = fake_granter_last(fake).until;
    atomic_store(rig.gen->word, fz_slot_first(&rig.gen->rules, 0, until + 1));
    return until;
}

TEST("A call that never waits is told when more is due, extends the grant then if nobody else does, and has its id")
{
    uint64_t until = lead_takes_all(HORIZON, FZ_KEEPER_INLINE);
    uint64_t retry_ns;
    uint64_t id;

    assert_int_equal(try_one(rig.gen, &id, &retry_ns), FRAZIL_EAGAIN);
    assert_int_equal(retry_ns, (HORIZON / 3 + 1) * RIG_MS);
    frazil_manual_clock_advance(rig.manual, retry_ns - RIG_MS);
    assert_int_equal(try_one(rig.gen, &id, &retry_ns), FRAZIL_EAGAIN);
    assert_int_equal(retry_ns, RIG_MS);
    assert_int_equal(fake->extended, 0);
    frazil_manual_clock_advance(rig.manual, retry_ns);
    assert_int_equal(try_one(rig.gen, &id, &retry_ns), FRAZIL_OK);
    assert_int_equal(fake->extended, 1);
    assert_int_equal(rig_tick_of(&rig, id), until + 1);
    assert_granted(id);
    assert_int_equal(sleeps, 0);
}

TEST("So does one that may wait for less than a tick, without waiting")
{
    uint64_t until = lead_takes_all(HORIZON, FZ_KEEPER_INLINE);
    uint64_t id;

    rig_advance(&rig, HORIZON / 3 + 1);
    assert_int_equal(frazil_take(rig.gen, &id, 1, 1, NULL), FRAZIL_OK);
    assert_int_equal(rig_tick_of(&rig, id), until + 1);
    assert_int_equal(sleeps, 0);
}

TEST("With a thread, or a program that extends it, the call that never waits leaves it to them")
{
    uint64_t retry_ns;
    uint64_t id;

    lead_takes_all(HORIZON, FZ_KEEPER_HOOK);
    rig_advance(&rig, HORIZON / 2);
    assert_int_equal(try_one(rig.gen, &id, &retry_ns), FRAZIL_EAGAIN);
    assert_int_equal(retry_ns, RIG_MS);
    assert_int_equal(fake->extended, 0);
    fake_granter_end(fake, &rig);

    /* The thread sleeps for 20 seconds of real time, until it is woken. */
    lead_takes_all(600 * HORIZON, FZ_KEEPER_THREAD);
    rig_advance(&rig, 20 * HORIZON + 1);
    assert_int_equal(try_one(rig.gen, &id, &retry_ns), FRAZIL_EAGAIN);
    for (int tries = 0; tries < 100000 && fake->extended == 0; tries++)
        pause_ns(100000);
    assert_int_equal(fake->extended, 1);
    fz_extension_lock_await(rig.gen, fz_deadline_in(RIG_S)); /* until it is in force */
    assert_int_equal(try_one(rig.gen, &id, &retry_ns), FRAZIL_OK);
    assert_true(fz_keeper_stop(rig.gen, FZ_DEADLINE_NONE, NULL));
}

TEST("What is left of a grant is taken, and the call says when the rest is due")
{
    static uint64_t ids[(HORIZON + 2) * IDS_PER_TICK];
    size_t taken;
    uint64_t retry_ns;

    open_with(SPEC " on_full=lead max_lead=1h", HORIZON, FZ_KEEPER_INLINE);
    assert_int_equal(frazil_try_take(rig.gen, ids, sizeof ids / sizeof ids[0], &taken, &retry_ns, NULL), FRAZIL_OK);
    assert_int_equal(rig_tick_of(&rig, ids[taken - 1]), fake_granter_last(fake).until);
    assert_int_equal(retry_ns, (HORIZON / 3 + 1) * RIG_MS);
}

TEST("A batch that takes more ticks than are left of the grant waits until one can hold it")
{
    enum { TICKS = HORIZON * 3 / 4 };
    size_t n = (size_t)TICKS * IDS_PER_TICK;
    uint64_t *ids = calloc(n, sizeof *ids);

    assert_non_null(ids);
    open_with(SPEC, HORIZON, FZ_KEEPER_INLINE);
    rig_advance(&rig, HORIZON - TICKS + 2);
    assert_int_equal(frazil_take(rig.gen, ids, n, 10 * RIG_S, NULL), FRAZIL_OK);
    assert_int_equal(rig_tick_of(&rig, ids[n - 1]) - rig_tick_of(&rig, ids[0]), TICKS - 1);
    assert_granted(ids[0]);
    assert_granted(ids[n - 1]);
    free(ids);
}

TEST("One that no grant can hold does not wait for what will never come")
{
    size_t n = (size_t)(HORIZON + 1) * IDS_PER_TICK + 1;
    uint64_t *ids = calloc(n, sizeof *ids);
    frazil_error err;

    assert_non_null(ids);
    open_with(SPEC, HORIZON, FZ_KEEPER_INLINE);
    assert_int_equal(frazil_take(rig.gen, ids, n, FRAZIL_WAIT_FOREVER, &err), FRAZIL_EINVAL);
    assert_non_null(strstr(err.message, "fewer at a time"));
    assert_int_equal(err.retry_ns, 0);
    assert_int_equal(sleeps, 0);
    assert_int_equal(ids[0], 0);
    free(ids);
}

TEST("The clock is behind now, and not any more when the grant is extended: what holds then decides at once")
{
    static const char *const on_full[] = {"wait", "error", "lead"};

    for (size_t i = 0; i < 3; i++) {
        char spec[128];
        frazil_error err = {.retry_ns = 0};
        uint64_t id, retry_ns;

        snprintf(spec, sizeof spec, SPEC " max_lead=3s on_backward=hold on_full=%s", on_full[i]);
        open_with(spec, HORIZON, FZ_KEEPER_INLINE);
        uint64_t until = fake_granter_last(fake).until;
        rig_advance(&rig, HORIZON / 4);
        rig_next(&rig);
        rig_step(&rig, -HORIZON / 5);
        atomic_store(rig.gen->word, fz_slot_first(&rig.gen->rules, 0, until + 1));
        assert_int_equal(try_one(rig.gen, &id, &retry_ns), i == 1 ? FRAZIL_EFULL : FRAZIL_EAGAIN);
        assert_int_not_equal(frazil_take(rig.gen, &id, 1, 100 * RIG_MS, &err), FRAZIL_OK);
        assert_int_equal(sleeps, 0);
        assert_int_equal(err.retry_ns, retry_ns);
        frazil_manual_clock_advance(rig.manual, retry_ns - 1);
        assert_int_not_equal(try_one(rig.gen, &id, &retry_ns), FRAZIL_OK);
        assert_int_equal(retry_ns, 1);
        frazil_manual_clock_advance(rig.manual, 1);
        assert_int_equal(try_one(rig.gen, &id, &retry_ns), FRAZIL_OK);
        assert_int_equal(rig_tick_of(&rig, id), until + 1);
        assert_granted(id);
        if (i < 2)
            fake_granter_end(fake, &rig);
    }
}

TEST("Policies that forbid to wait are kept")
{
    frazil_error err;
    uint64_t id;

    open_with(SPEC " on_full=error on_backward=error", HORIZON, FZ_KEEPER_INLINE);
    fake->fails = FRAZIL_EAGAIN;
    others_take_all();
    assert_int_equal(frazil_take(rig.gen, &id, 1, FRAZIL_WAIT_FOREVER, &err), FRAZIL_EFULL);
    fz_observe(rig.gen); /* the clock is seen here, and then a second earlier */
    rig_step(&rig, -1000);
    assert_int_equal(frazil_take(rig.gen, &id, 1, FRAZIL_WAIT_FOREVER, &err), FRAZIL_ECLOCK);
    assert_int_equal(err.behind_us, 1000000);
    assert_int_equal(sleeps, 0);
}
