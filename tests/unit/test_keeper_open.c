/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: opening takes its first grant within open_wait, however often others are faster, there is no
 * answer or the pool is full, and a fleet that opens at once does not come back as one.
 */

#include "generator/generator_internal.h"
#include "lib/fake_granter.h"
#include "lib/rig.h"
#include "lib/test.h"
#include "os/waits.h"

enum { WORKER = 3, HORIZON = 1000 };

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

TEST("A granter that gives nothing at first: the open fails with its sentence, and nothing is in force")
{
    const struct fz_granter never_asked = {.ctx = NULL};
    frazil_error err;

    open_with(SPEC, HORIZON, FZ_KEEPER_INLINE);
    struct fz_granter granter = rig.gen->keeper.granter;
    struct rig other = {.random_state = 1};
    rig_open(&other, SPEC, RIG_NOW);
    struct fz_grant before = fz_grant_ring_read(&other.gen->shared->grants);
    fake->fails = FRAZIL_EWORKER;
    assert_int_equal(fz_keeper_open(other.gen, &granter, FZ_KEEPER_THREAD, FZ_DEADLINE_NONE, &err), FRAZIL_EWORKER);
    assert_non_null(strstr(err.message, "the fake was told to fail"));
    assert_int_equal(fz_grant_ring_read(&other.gen->shared->grants).until, before.until);
    assert_false(fz_keeper_has_thread(other.gen));
    other.gen->keeper.granter = never_asked; /* closed by the first one */
    rig_close(&other);
}

TEST(
    "Opening waits for a first grant whose time is known if that lies within open_wait, if only just, and whatever the "
    "random numbers are; if it lies behind, it is not waited for")
{
    const struct fz_granter never_asked = {.ctx = NULL};
    const uint64_t open_wait_ns = 2000 * RIG_MS;

    open_with(SPEC, HORIZON, FZ_KEEPER_INLINE);
    struct fz_granter granter = rig.gen->keeper.granter;
    for (uint64_t seed = 1; seed <= 32; seed++) {
        bool is_within = seed % 2 == 1;
        struct rig other = {.random_state = seed};
        rig_open(&other, SPEC " open_wait=2s", RIG_NOW);
        fake->acquired = 0;
        fake->fails = FRAZIL_EAGAIN;
        fake->retry_ns = is_within ? open_wait_ns - RIG_MS : open_wait_ns;
        assert_int_equal(fz_keeper_open(other.gen, &granter, FZ_KEEPER_INLINE, FZ_DEADLINE_NONE, NULL), FRAZIL_EAGAIN);
        assert_int_equal(fake->acquired, is_within ? 2 : 1);
        other.gen->keeper.granter = never_asked; /* closed by the first one */
        rig_close(&other);
    }
}

/* A pool whose last number is free from a moment of the program's clock on; until then it is full. */
static struct rig waiting;
static uint64_t free_at_ns;
static uint64_t known_ns; /* what a refusal says */
static unsigned looks;

static frazil_err acquire_of_pool(void *ctx, struct fz_deadline deadline, uint64_t now_tick, struct fz_grant *ret,
                                  frazil_error *reterr)
{
    looks++;
    fake->fails = fz_monotonic_ns(waiting.gen) < free_at_ns ? FRAZIL_EPOOL : FRAZIL_OK;
    fake->retry_ns = known_ns == UINT64_MAX ? free_at_ns - fz_monotonic_ns(waiting.gen) : known_ns;
    return rig.gen->keeper.granter.acquire(ctx, deadline, now_tick, ret, reterr);
}

/* Opens with open_wait=wait over a pool that is full for full_ns.  *ret_took_ns: how long it took. */
static frazil_err open_over_pool(uint64_t seed, const char *wait, uint64_t full_ns, uint64_t *ret_took_ns)
{
    const struct fz_granter never_asked = {.ctx = NULL};
    char spec[128];

    snprintf(spec, sizeof spec, SPEC " open_wait=%s", wait);
    struct fz_granter granter = rig.gen->keeper.granter;
    granter.acquire = acquire_of_pool;
    waiting = (struct rig){.random_state = seed};
    rig_open(&waiting, spec, RIG_NOW);
    uint64_t begun_ns = fz_monotonic_ns(waiting.gen);
    free_at_ns = begun_ns + full_ns;
    looks = 0;
    frazil_err err = fz_keeper_open(waiting.gen, &granter, FZ_KEEPER_INLINE, FZ_DEADLINE_NONE, NULL);
    *ret_took_ns = fz_monotonic_ns(waiting.gen) - begun_ns;
    waiting.gen->keeper.granter = never_asked; /* closed by the first one */
    rig_close(&waiting);
    return err;
}

TEST("A full pool is waited for until open_wait is over, also if its first grant ends later: with a look each second")
{
    uint64_t took_ns;

    open_with(SPEC, HORIZON, FZ_KEEPER_INLINE);
    for (uint64_t seed = 1; seed <= 32; seed++) {
        known_ns = seed % 2 * 60 * RIG_S;
        assert_int_equal(open_over_pool(seed, "10s", 3600 * RIG_S, &took_ns), FRAZIL_EPOOL);
        assert_in_range(took_ns, 9950 * RIG_MS, 10 * RIG_S);
        assert_in_range(looks, 12, 30);
    }
}

TEST("What becomes free in a full pool is taken within a second, at the moment that was said, and in the last moment")
{
    uint64_t took_ns;

    open_with(SPEC, HORIZON, FZ_KEEPER_INLINE);
    for (uint64_t seed = 1; seed <= 32; seed++) {
        known_ns = seed % 2 * 60 * RIG_S;
        assert_int_equal(open_over_pool(seed, "10s", 1500 * RIG_MS, &took_ns), FRAZIL_OK);
        assert_in_range(took_ns, 1500 * RIG_MS, 2500 * RIG_MS);
        assert_int_equal(open_over_pool(seed, "10s", 9950 * RIG_MS, &took_ns), FRAZIL_OK);
        known_ns = UINT64_MAX;
        assert_int_equal(open_over_pool(seed, "10s", 9999 * RIG_MS, &took_ns), FRAZIL_OK);
        assert_in_range(took_ns, 9999 * RIG_MS, 9999 * RIG_MS + 1);
    }
}

TEST("Without open_wait one look is all, and so it is in a command that was asked to stop")
{
    uint64_t took_ns;

    open_with(SPEC, HORIZON, FZ_KEEPER_INLINE);
    known_ns = 0;
    assert_int_equal(open_over_pool(1, "0s", RIG_MS, &took_ns), FRAZIL_EPOOL);
    assert_int_equal(looks, 1);
    fz_waits_end(true);
    assert_int_equal(open_over_pool(1, "10s", RIG_MS, &took_ns), FRAZIL_EPOOL);
    fz_waits_end(false);
    assert_int_equal(looks, 1);
}

TEST("The same where nobody knows the time: a short open_wait is enough for a second try")
{
    const struct fz_granter never_asked = {.ctx = NULL};

    open_with(SPEC, HORIZON, FZ_KEEPER_INLINE);
    struct fz_granter granter = rig.gen->keeper.granter;
    for (uint64_t seed = 1; seed <= 32; seed++) {
        struct rig other = {.random_state = seed};
        rig_open(&other, SPEC " open_wait=5ms", RIG_NOW);
        fake->acquired = 0;
        fake->fails = FRAZIL_EAGAIN;
        assert_int_equal(fz_keeper_open(other.gen, &granter, FZ_KEEPER_INLINE, FZ_DEADLINE_NONE, NULL), FRAZIL_EAGAIN);
        assert_true(fake->acquired >= 2);
        other.gen->keeper.granter = never_asked; /* closed by the first one */
        rig_close(&other);
    }
}

TEST("The window over which tries to open are spread doubles with each that fails, and ends with open_wait: few tries, "
     "and "
     "none later")
{
    const struct fz_granter never_asked = {.ctx = NULL};
    unsigned tries = 0;

    open_with(SPEC, HORIZON, FZ_KEEPER_INLINE);
    struct fz_granter granter = rig.gen->keeper.granter;
    for (uint64_t seed = 1; seed <= 32; seed++) {
        struct rig other = {.random_state = seed};
        rig_open(&other, SPEC " open_wait=9s", RIG_NOW);
        uint64_t begun_ns = fz_monotonic_ns(other.gen);
        fake->acquired = 0;
        fake->fails = FRAZIL_EUNREACHABLE;
        assert_int_equal(fz_keeper_open(other.gen, &granter, FZ_KEEPER_INLINE, FZ_DEADLINE_NONE, NULL),
                         FRAZIL_EUNREACHABLE);
        assert_true(fz_monotonic_ns(other.gen) - begun_ns < 9 * RIG_S);
        tries += (unsigned)fake->acquired;
        other.gen->keeper.granter = never_asked; /* closed by the first one */
        rig_close(&other);
    }
    assert_in_range(tries, 32 * 8, 32 * 20);
}

static struct rig overtaken;
static unsigned rivals;

/* While this one is being granted something, so is another process with the same word, and is faster. */
static frazil_err acquire_slowly(void *ctx, struct fz_deadline deadline, uint64_t now_tick, struct fz_grant *ret,
                                 frazil_error *reterr)
{
    (void)deadline;
    const struct fz_grant theirs = {.worker = WORKER, .floor = now_tick, .until = now_tick, .version = rivals};
    uint64_t number;

    if (rivals > 0) {
        (void)fz_grant_ring_look(&overtaken.gen->shared->grants, &number);
        assert_true(fz_grant_ring_put(&overtaken.gen->shared->grants, number, &theirs));
        rivals--;
    }
    return rig.gen->keeper.granter.acquire(ctx, FZ_DEADLINE_NONE, now_tick, ret, reterr);
}

TEST("An open that is overtaken goes on at once, also if it may not wait; one that always is says what to do")
{
    const struct fz_granter never_asked = {.ctx = NULL};
    frazil_error err;

    open_with(SPEC, HORIZON, FZ_KEEPER_INLINE);
    struct fz_granter granter = rig.gen->keeper.granter;
    granter.acquire = acquire_slowly;
    overtaken = (struct rig){.random_state = 1};
    rig_open(&overtaken, SPEC " open_wait=0s", RIG_NOW);
    rivals = 3;
    assert_int_equal(fz_keeper_open(overtaken.gen, &granter, FZ_KEEPER_INLINE, FZ_DEADLINE_NONE, &err), FRAZIL_OK);
    assert_int_equal(rivals, 0);
    assert_int_equal(fz_grant_ring_read(&overtaken.gen->shared->grants).until, rig_now_tick(&overtaken) + HORIZON);
    rivals = 1000;
    assert_int_equal(fz_keeper_open(overtaken.gen, &granter, FZ_KEEPER_INLINE, FZ_DEADLINE_NONE, &err), FRAZIL_EAGAIN);
    assert_non_null(strstr(err.message, "open it again"));
    overtaken.gen->keeper.granter = never_asked; /* closed by the first one */
    rig_close(&overtaken);
}
