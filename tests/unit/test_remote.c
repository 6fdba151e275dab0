/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: a generator whose slots come from elsewhere issues exactly these, each once, in order and
 * in time; policies and waits hold as they do for its own; and what the source says is passed on.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/sentence.h"
#include "generator/generator_internal.h"
#include "lease/coordinator.h"
#include "lib/fake_slots.h"
#include "lib/patience.h"
#include "lib/rig.h"
#include "lib/server.h"
#include "lib/test.h"

#define SPEC "layout=41/10/4 worker=fixed:7 state=fake://slots "

enum { CAPACITY = FAKE_SLOTS_CAPACITY };

static struct rig rig;

BEFORE_EACH
{
    memset(&fake_slots, 0, sizeof fake_slots);
    rig = (struct rig){.random_state = 1, .coordinators = fake_slots_coordinators};
}

static uint64_t tick_now(void)
{
    return (uint64_t)(rig_now_ms(&rig) - INT64_C(1767225600000));
}

/* The tick and the place of an id. */
static uint64_t tick_of(uint64_t id)
{
    return id >> 14;
}

static uint64_t place_of(uint64_t id)
{
    return id & 15;
}

/* ---- the tests ------------------------------------------------------------------------ */

TEST("The source is asked for the settings of the spec")
{
    rig_open(&rig, SPEC "start=random max_lead=5ms max_skew=70ms seq_max=7", RIG_NOW);
    assert_string_equal(fake_slots.url, "fake://slots");
    assert_int_equal(fake_slots.request.worker, 7);
    assert_int_equal(fz_bounds_count(&fake_slots.request.bounds), 8);
    assert_true(fake_slots.request.random_start);
    assert_int_equal(fake_slots.request.max_lead_ms, 5);
    assert_int_equal(fake_slots.request.max_skew_ms, 70);
    rig_close(&rig);
    assert_int_equal(fake_slots.closed, 1);
    rig_open(&rig, SPEC "max_lead=none start=zero", RIG_NOW);
    assert_false(fake_slots.request.random_start);
    assert_true(fake_slots.request.max_lead_ms == INT64_MAX);
    rig_close(&rig);
}

TEST("I1, I3: its slots in its order, a batch at a time, and the worker of the spec")
{
    rig_open(&rig, SPEC "batch=5 on_full=lead max_lead=10ms", RIG_NOW);
    fake_slots.lead = 10;
    for (uint64_t i = 0; i < 40; i++) {
        uint64_t id = rig_next(&rig);
        assert_int_equal(tick_of(id), tick_now() + i / CAPACITY);
        assert_int_equal(place_of(id), i % CAPACITY);
        assert_int_equal(rig_parts(&rig, id).worker, 7);
    }
    assert_int_equal(fake_slots.takes, 10); /* a tick of 16 is 5 + 5 + 5 + 1, and of the last one there are 8 */
    assert_int_equal(stat_of(rig.gen, FRAZIL_STAT_ISSUED), 40);
    rig_close(&rig);
}

TEST("Without a batch of its own: 64 or a tick; one at a time for konayuki's counters")
{
    rig_open(&rig, SPEC, RIG_NOW);
    (void)rig_next(&rig);
    assert_int_equal(fake_slots.wanted, CAPACITY);
    rig_close(&rig);
    rig_open(&rig, "worker=fixed:7 state=fake://slots", RIG_NOW);
    (void)rig_next(&rig);
    assert_int_equal(fake_slots.wanted, 64);
    rig_close(&rig);
    rig_open(&rig, "worker=fixed:7 state=konayuki+fake://slots", RIG_NOW);
    (void)rig_next(&rig);
    assert_int_equal(fake_slots.wanted, 1);
    rig_close(&rig);
}

TEST("I6: a batch is not used after its tick")
{
    rig_open(&rig, SPEC "batch=8", RIG_NOW);
    (void)rig_next(&rig);
    frazil_manual_clock_advance(rig.manual, RIG_MS);
    uint64_t id = rig_next(&rig);
    assert_int_equal(tick_of(id), tick_now());
    assert_int_equal(place_of(id), 0);
    assert_int_equal(fake_slots.takes, 2);
    assert_int_equal(stat_of(rig.gen, FRAZIL_STAT_ISSUED), 2);
    rig_close(&rig);
}

TEST("I6: a source that takes longer than a tick to answer gives ids of the time at which the call asked")
{
    rig_open(&rig, SPEC "batch=8", RIG_NOW);
    fake_slots.slow = &rig;
    fake_slots.slow_ns = 5 * RIG_MS;
    fake_slots.good = 3; /* so that asking again for each id ends */
    fake_slots.err = FRAZIL_EREFUSED;
    for (unsigned i = 1; i <= 3; i++) {
        uint64_t asked = tick_now();
        uint64_t id = rig_next(&rig);
        assert_int_equal(tick_of(id), asked);
        assert_int_equal(tick_now(), asked + 5);
        assert_int_equal(fake_slots.takes, i); /* what is left of the batch is not used after its tick */
    }
    rig_close(&rig);
}

TEST("Others take from the same line: many ids come in several runs, all increasing")
{
    uint64_t ids[50];

    rig_open(&rig, SPEC "start=zero", RIG_NOW);
    fake_slots.most = 3;
    fake_slots.lead = 100;
    assert_int_equal(frazil_take(rig.gen, ids, 50, FRAZIL_WAIT_DEFAULT, NULL), FRAZIL_OK);
    for (size_t i = 1; i < 50; i++)
        assert_true(ids[i] > ids[i - 1]);
    assert_int_equal(tick_of(ids[49]), tick_of(ids[0]) + 3);
    assert_int_equal(stat_of(rig.gen, FRAZIL_STAT_ISSUED), 50);
    rig_close(&rig);
}

TEST("A full tick: on_full=wait waits for the next one, however far ahead the slot is; lead does not; error says so")
{
    uint64_t retry_ns = 0;
    uint64_t ids[CAPACITY];
    uint64_t id;

    rig_open(&rig, SPEC "max_lead=5ms", RIG_NOW);
    uint64_t begun = tick_now();
    fake_slots.lead = 5;
    assert_int_equal(frazil_take(rig.gen, ids, CAPACITY, FRAZIL_WAIT_DEFAULT, NULL), FRAZIL_OK);
    assert_int_equal(try_one(rig.gen, &id, &retry_ns), FRAZIL_EAGAIN);
    assert_int_equal(retry_ns, RIG_MS);
    assert_int_equal(tick_now(), begun);
    id = rig_next(&rig);
    assert_int_equal(tick_of(id), begun + 1);
    assert_int_equal(place_of(id), 0); /* the one that could not be waited for before */
    assert_int_equal(tick_now(), begun + 1);
    assert_int_equal(frazil_take(rig.gen, ids, CAPACITY - 1, FRAZIL_WAIT_DEFAULT, NULL), FRAZIL_OK);
    assert_int_equal(place_of(ids[CAPACITY - 2]), CAPACITY - 1);
    assert_int_equal(tick_of(ids[CAPACITY - 2]), begun + 1);
    assert_int_equal(fake_slots.takes, 2);
    rig_close(&rig);

    rig_open(&rig, SPEC "on_full=error", RIG_NOW);
    fake_slots.tick = 0;
    fake_slots.lead = 0;
    assert_int_equal(frazil_take(rig.gen, ids, CAPACITY, FRAZIL_WAIT_DEFAULT, NULL), FRAZIL_OK);
    assert_int_equal(frazil_next(rig.gen, &id), FRAZIL_EFULL);
    assert_int_equal(try_one(rig.gen, &id, &retry_ns), FRAZIL_EFULL);
    rig_close(&rig);
}

TEST("The source has none now: the call waits as long as it may, and no longer")
{
    uint64_t ids[CAPACITY];
    frazil_error err;
    uint64_t id = RIG_UNTOUCHED;

    rig_open(&rig, SPEC "max_wait=10ms", RIG_NOW);
    uint64_t begun = tick_now();
    assert_int_equal(frazil_take(rig.gen, ids, CAPACITY, FRAZIL_WAIT_DEFAULT, NULL), FRAZIL_OK);
    assert_int_equal(tick_of(rig_next(&rig)), begun + 1);
    fake_slots.err = FRAZIL_EFULL;
    fake_slots.retry_ns = 4 * RIG_MS;
    frazil_manual_clock_advance(rig.manual, RIG_MS);
    uint64_t before_ns = rig_monotonic_ns(&rig);
    assert_int_equal(frazil_take(rig.gen, &id, 1, FRAZIL_WAIT_DEFAULT, &err), FRAZIL_EFULL);
    assert_in_range(rig_monotonic_ns(&rig) - before_ns, 6 * RIG_MS, 10 * RIG_MS);
    assert_int_equal(err.retry_ns, 4 * RIG_MS);
    assert_non_null(strstr(err.message, "no remote slot: the source says so"));
    assert_true(id == RIG_UNTOUCHED);
    rig_close(&rig);
}

TEST("A call whose time went by in waiting for slots says so, and does not blame a source that could not answer in "
     "what was left")
{
    uint64_t ids[CAPACITY];
    frazil_error err;
    uint64_t id;

    rig_open(&rig, SPEC "max_wait=10ms", RIG_NOW);
    assert_int_equal(frazil_take(rig.gen, ids, CAPACITY, FRAZIL_WAIT_DEFAULT, NULL), FRAZIL_OK);
    fake_slots.err = FRAZIL_EUNREACHABLE;
    fake_slots.good = 1; /* which says that the tick is full */
    fake_slots.clock = rig.manual;
    fake_slots.silence_ns = 9 * RIG_MS;
    assert_int_equal(frazil_take(rig.gen, &id, 1, FRAZIL_WAIT_DEFAULT, &err), FRAZIL_EFULL);
    assert_non_null(strstr(err.message, "by others that share the worker id"));
    assert_non_null(strstr(err.message, "raise max_wait"));
    assert_true(err.retry_ns > 0);
    assert_int_equal(frazil_take(rig.gen, &id, 1, FRAZIL_WAIT_DEFAULT, &err), FRAZIL_EUNREACHABLE); /* at first */
    rig_close(&rig);
}

TEST("Slots that lie too far ahead to be waited for: the sentence says so, and does not speak of on_full or of ids")
{
    frazil_error err;
    uint64_t id;

    rig_open(&rig, SPEC "max_wait=1s", RIG_NOW);
    fake_slots.lead = 2000;
    fake_slots.tick = tick_now() + 1500;
    assert_int_equal(frazil_take(rig.gen, &id, 1, FRAZIL_WAIT_DEFAULT, &err), FRAZIL_EFULL);
    assert_non_null(strstr(err.message, "those of the next 1 s 500 ms are taken"));
    assert_null(strstr(err.message, "on_full"));
    rig_close(&rig);
}

TEST("No answer is tried again while the call may wait; a refusal is passed on at once, with the source's words")
{
    static const frazil_err refusals[] = {FRAZIL_EWORKER, FRAZIL_ESYS, FRAZIL_ECLOCK};
    frazil_error err;
    uint64_t retry_ns = 4711;
    uint64_t id;

    rig_open(&rig, SPEC "max_wait=1s", RIG_NOW);
    fake_slots.err = FRAZIL_EAGAIN;
    assert_int_equal(frazil_take(rig.gen, &id, 1, FRAZIL_WAIT_DEFAULT, &err), FRAZIL_EAGAIN);
    assert_in_range(fake_slots.takes, 10, 25);
    assert_int_equal(try_one(rig.gen, &id, &retry_ns), FRAZIL_EAGAIN);
    assert_true(retry_ns > 0 && retry_ns < RIG_S);
    for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; i++) {
        fake_slots.err = refusals[i];
        fake_slots.takes = 0;
        assert_int_equal(frazil_take(rig.gen, &id, 1, FRAZIL_WAIT_DEFAULT, &err), refusals[i]);
        assert_int_equal(fake_slots.takes, 1);
        assert_non_null(strstr(err.message, "the source says so"));
    }
    fake_slots.err = FRAZIL_EWORKER;
    assert_int_equal(try_one(rig.gen, &id, &retry_ns), FRAZIL_EWORKER);
    fake_slots.err = FRAZIL_OK;
    (void)rig_next(&rig);
    rig_close(&rig);
}

TEST("I3: a counter for each tick does not know that the clock went back: what it gives then is not issued")
{
    uint64_t id;

    rig_open(&rig, SPEC "batch=1 on_backward=wait max_lead=0 max_wait=1s", RIG_NOW);
    uint64_t first = rig_next(&rig);
    rig_step(&rig, -20);
    fake_slots.tick = 0; /* as a counter for each tick */
    id = rig_next(&rig);
    assert_true(id > first);
    assert_true(tick_now() >= tick_of(first));
    rig_close(&rig);

    rig_open(&rig, SPEC "batch=1 on_backward=error max_lead=0", RIG_NOW);
    fake_slots.tick = 0;
    (void)rig_next(&rig);
    rig_step(&rig, -20);
    fake_slots.tick = 0;
    assert_int_equal(frazil_next(rig.gen, &id), FRAZIL_ECLOCK);
    rig_close(&rig);
}

TEST("I1: a source that hands out again some of what it gave before is not believed, in this tick")
{
    frazil_error err;
    uint64_t id = 0;
    uint64_t last = 0;

    rig_open(&rig, SPEC "batch=5 start=zero on_backward=error", RIG_NOW);
    for (unsigned i = 0; i < 5; i++) {
        id = rig_next(&rig);
        assert_true(id > last);
        last = id;
    }
    fake_slots.place = 3; /* so the next are 3, 4, 5, 6, 7 */
    assert_int_equal(frazil_take(rig.gen, &id, 1, 0, &err), FRAZIL_ECLOCK);
    assert_true(id == last);
    fake_slots.place = 4; /* the last one only */
    assert_int_equal(frazil_take(rig.gen, &id, 1, 0, &err), FRAZIL_ECLOCK);
    fake_slots.place = 5;
    id = rig_next(&rig);
    assert_int_equal(place_of(id), 5);
    rig_close(&rig);
}

TEST("All or none: a call that fails on its way leaves its outputs as they were, and its slots to the next call")
{
    enum { WANTED = 100, RUNS = 11, EACH = 3 };
    uint64_t ids[WANTED];

    rig_open(&rig, SPEC "start=zero on_full=lead max_lead=10ms max_wait=0 batch=1", RIG_NOW);
    fake_slots.most = EACH;
    fake_slots.lead = 10;
    fake_slots.err = FRAZIL_EWORKER;
    fake_slots.good = RUNS;
    for (size_t i = 0; i < WANTED; i++)
        ids[i] = RIG_UNTOUCHED;
    assert_int_equal(frazil_take(rig.gen, ids, WANTED, FRAZIL_WAIT_DEFAULT, NULL), FRAZIL_EWORKER);
    for (size_t i = 0; i < WANTED; i++)
        assert_true(ids[i] == RIG_UNTOUCHED);
    assert_int_equal(stat_of(rig.gen, FRAZIL_STAT_ISSUED), 0);
    unsigned takes = fake_slots.takes;
    /* Ticks of 16 come as 3 + 3 + 3 + 3 + 3 + 1: eleven runs are 31 slots. */
    assert_int_equal(frazil_take(rig.gen, ids, 20, FRAZIL_WAIT_DEFAULT, NULL), FRAZIL_OK);
    assert_int_equal(frazil_take(rig.gen, ids + 20, 11, FRAZIL_WAIT_DEFAULT, NULL), FRAZIL_OK);
    assert_int_equal(fake_slots.takes, takes);
    for (size_t i = 0; i < 31; i++) {
        assert_int_equal(tick_of(ids[i]), tick_now() + i / CAPACITY);
        assert_int_equal(place_of(ids[i]), i % CAPACITY);
    }
    assert_int_equal(stat_of(rig.gen, FRAZIL_STAT_ISSUED), 31);
    rig_close(&rig);
}

TEST("If slots are there, and cannot be waited for, the next call has them; the next tick has not")
{
    uint64_t ids[3 * CAPACITY];

    rig_open(&rig, SPEC "start=zero max_lead=10ms batch=1", RIG_NOW);
    fake_slots.lead = 10;
    uint64_t begun = tick_now();
    ids[0] = RIG_UNTOUCHED;
    assert_int_equal(frazil_take(rig.gen, ids, 2 * CAPACITY, 0, NULL), FRAZIL_EINVAL);
    assert_true(ids[0] == RIG_UNTOUCHED);
    assert_int_equal(tick_now(), begun);
    assert_int_equal(frazil_take(rig.gen, ids, 5, 0, NULL), FRAZIL_OK);
    assert_int_equal(tick_of(ids[0]), begun);
    assert_int_equal(place_of(ids[0]), 0);
    frazil_manual_clock_advance(rig.manual, RIG_MS);
    assert_int_equal(frazil_take(rig.gen, ids, CAPACITY, 0, NULL), FRAZIL_OK);
    assert_int_equal(tick_of(ids[0]), begun + 1);
    assert_int_equal(place_of(ids[0]), 0);
    assert_int_equal(place_of(ids[CAPACITY - 1]), CAPACITY - 1);
    rig_close(&rig);
}

/* When a call that is refused for 200 ms asks again, with random numbers from a seed. */
static uint64_t asks_again_in(uint64_t seed)
{
    uint64_t id;

    rig = (struct rig){.random_state = seed, .coordinators = fake_slots_coordinators};
    rig_open(&rig, SPEC "start=zero max_wait=230ms", RIG_NOW);
    uint64_t begun_ns = rig_monotonic_ns(&rig);
    fake_slots.err = FRAZIL_EFULL;
    fake_slots.retry_ns = 200 * RIG_MS;
    fake_slots.takes = 0;
    assert_int_equal(frazil_next(rig.gen, &id), FRAZIL_EFULL);
    assert_int_equal(fake_slots.takes, 2);
    uint64_t waited_ns = rig_monotonic_ns(&rig) - begun_ns;
    rig_close(&rig);
    return waited_ns;
}

TEST("A crowd that is refused until the same time does not come back as one, and each within its wait")
{
    enum { CROWD = 20 };
    uint64_t first_ns = asks_again_in(1);
    unsigned apart = 0;

    for (uint64_t seed = 1; seed <= CROWD; seed++) {
        uint64_t waited_ns = asks_again_in(seed * 1000003);
        assert_in_range(waited_ns, 200 * RIG_MS, 230 * RIG_MS);
        apart += waited_ns != first_ns;
    }
    assert_true(apart > CROWD / 2);
}

/* A clock in whose first sleep another call takes an id, and the source has no more. */
static frazil_clock sleeping;
static uint64_t taken_meanwhile;

static void sleep_and_take(void *ctx, uint64_t until_ns)
{
    sleeping.sleep_until(ctx, until_ns);
    if (taken_meanwhile != RIG_UNTOUCHED)
        return;
    assert_int_equal(frazil_next(rig.gen, &taken_meanwhile), FRAZIL_OK);
    fake_slots.err = FRAZIL_EWORKER;
    fake_slots.good = 0;
}

TEST("I3: of the slots of a call that fails, those are lost behind which another call has taken some meanwhile")
{
    enum { EACH = 4 };
    uint64_t ids[3 * CAPACITY];
    frazil_error err;

    assert_int_equal(frazil_manual_clock_open(&rig.manual, RIG_NOW, 0, NULL), FRAZIL_OK);
    sleeping = port_of(rig.manual);
    rig.clock = sleeping;
    rig.clock.sleep_until = sleep_and_take;
    const struct ports ports = {.clock = &rig.clock, .coordinators = fake_slots_coordinators};
    assert_int_equal(ports_open(&rig.gen, SPEC "start=zero batch=4", &ports, &err), FRAZIL_OK);
    taken_meanwhile = RIG_UNTOUCHED;
    fake_slots.most = EACH;
    fake_slots.lead = 10;
    fake_slots.tick = tick_now() + 1;
    assert_int_equal(frazil_take(rig.gen, ids, 3 * CAPACITY, FRAZIL_WAIT_DEFAULT, NULL), FRAZIL_EWORKER);
    assert_int_equal(place_of(taken_meanwhile), EACH);
    for (uint64_t place = EACH + 1; place < 2 * EACH; place++) {
        uint64_t id = rig_next(&rig);
        assert_int_equal(tick_of(id), tick_of(taken_meanwhile));
        assert_int_equal(place_of(id), place);
    }
    assert_int_equal(frazil_next(rig.gen, ids), FRAZIL_EWORKER);
    rig_close(&rig);
}

/* ---- threads -------------------------------------------------------------------------- */

enum { CALLERS = 8 };

struct caller {
    pthread_t thread;
    uint64_t wait_ns;
    frazil_err err;
    uint64_t id;
    frazil_error said;
};

static void *call(void *ctx)
{
    struct caller *caller = ctx;

    caller->err = frazil_take(rig.gen, &caller->id, 1, caller->wait_ns, &caller->said);
    return NULL;
}

/* Starts one that asks the source, and others that wait for its answer, as long as they must. */
static void start_callers(struct caller callers[CALLERS], uint64_t wait_ns)
{
    atomic_store(&fake_slots.is_silent, true);
    for (size_t i = 0; i < CALLERS; i++) {
        callers[i] = (struct caller){.wait_ns = wait_ns, .id = RIG_UNTOUCHED};
        assert_int_equal(pthread_create(&callers[i].thread, NULL, call, &callers[i]), 0);
        while (atomic_load(&fake_slots.asked) == 0)
            pause_shortly();
    }
    while (stat_of(rig.gen, FRAZIL_STAT_WAITS) < CALLERS - 1)
        pause_shortly();
}

static void end_callers(struct caller callers[CALLERS])
{
    atomic_store(&fake_slots.is_silent, false);
    for (size_t i = 0; i < CALLERS; i++)
        assert_int_equal(pthread_join(callers[i].thread, NULL), 0);
}

TEST("Those who come while the source is asked wait as long as they may, and do not ask behind it")
{
    struct caller callers[CALLERS];
    frazil_error err;
    uint64_t retry_ns = 0;
    uint64_t id = RIG_UNTOUCHED;

    rig_open(&rig, SPEC "start=zero batch=16", RIG_NOW);
    start_callers(callers, FRAZIL_WAIT_FOREVER);
    assert_int_equal(try_one(rig.gen, &id, &retry_ns), FRAZIL_EAGAIN);
    assert_in_range(retry_ns, 1, RIG_MS);
    assert_int_equal(frazil_take(rig.gen, &id, 1, 5 * RIG_MS, &err), FRAZIL_EAGAIN);
    assert_non_null(strstr(err.message,
                           "another thread waits for the answer of the coordinator 'fake://slots', and this call may"));
    assert_true(id == RIG_UNTOUCHED);
    assert_int_equal(fake_slots.asked, 1);
    end_callers(callers);
    assert_int_equal(fake_slots.takes, 1); /* one batch for all */
    uint64_t seen = 0;
    for (size_t i = 0; i < CALLERS; i++) {
        assert_int_equal(callers[i].err, FRAZIL_OK);
        seen |= UINT64_C(1) << place_of(callers[i].id);
    }
    assert_int_equal(seen, 0xff);
    rig_close(&rig);
}

TEST("One refusal is that of all who wait for it")
{
    struct caller callers[CALLERS];

    rig_open(&rig, SPEC, RIG_NOW);
    fake_slots.err = FRAZIL_EWORKER;
    start_callers(callers, FRAZIL_WAIT_FOREVER);
    end_callers(callers);
    assert_int_equal(fake_slots.takes, 1);
    for (size_t i = 0; i < CALLERS; i++) {
        assert_int_equal(callers[i].err, FRAZIL_EWORKER);
        assert_non_null(strstr(callers[i].said.message, "the source says so"));
        assert_true(callers[i].id == RIG_UNTOUCHED);
    }
    rig_close(&rig);
}

TEST("Before the epoch, and at the layout's end")
{
    uint64_t id;

    rig_open(&rig, SPEC "max_wait=0", INT64_C(1767225600000) - 1000);
    assert_int_equal(frazil_next(rig.gen, &id), FRAZIL_ECLOCK);
    rig_close(&rig);
    rig_open(&rig, "layout=30/10/4 worker=fixed:7 state=fake://slots allow_short_life=yes",
             INT64_C(1767225600000) + (INT64_C(1) << 30));
    assert_int_equal(frazil_next(rig.gen, &id), FRAZIL_EEXHAUSTED);
    assert_int_equal(fake_slots.takes, 0);
    rig_close(&rig);
}

TEST("I5: a child leaves its parent's batch alone, and tells the source that it is another process, once")
{
    uint64_t ids[2] = {0, 0};
    int pipe_fds[2];
    int status;

    rig_open(&rig, SPEC "batch=8", RIG_NOW);
    (void)rig_next(&rig);
    assert_int_equal(pipe(pipe_fds), 0);
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        bool good = frazil_next(rig.gen, &ids[0]) == FRAZIL_OK && frazil_next(rig.gen, &ids[1]) == FRAZIL_OK &&
                    fake_slots.forks == 1 && fake_slots.takes == 2 &&
                    write(pipe_fds[1], ids, sizeof ids) == (ssize_t)sizeof ids;
        frazil_close(rig.gen);
        _exit(good ? 0 : 1);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
    assert_int_equal(read(pipe_fds[0], ids, sizeof ids), sizeof ids);
    close(pipe_fds[0]);
    close(pipe_fds[1]);
    assert_int_equal(place_of(ids[0]), 8);
    assert_int_equal(place_of(ids[1]), 9);
    assert_int_equal(place_of(rig_next(&rig)), 1);
    assert_int_equal(fake_slots.forks, 0);
    assert_int_equal(stat_of(rig.gen, FRAZIL_STAT_ISSUED), 4);
    rig_close(&rig);
}

TEST("Handles hold no slots of their own here")
{
    frazil_local *local;
    uint64_t id;

    rig_open(&rig, SPEC, RIG_NOW);
    assert_int_equal(frazil_local_open(&local, rig.gen, NULL), FRAZIL_OK);
    for (uint64_t i = 0; i < 5; i++) {
        assert_int_equal(frazil_local_next(local, &id), FRAZIL_OK);
        assert_int_equal(place_of(id), i);
    }
    frazil_local_close(local);
    rig_close(&rig);
}

TEST("Settings that do not go together are refused, in a sentence that names them")
{
    const struct ports ports = {.coordinators = fake_slots_coordinators};

    assert_open_refused("layout=sno worker=fixed:1 state=fake://x", &ports, FRAZIL_ESPEC,
                        "cannot be combined with layout=sno");
    assert_open_refused("worker=file-lock state=fake://x", &ports, FRAZIL_ESPEC, "use fixed:N");
    assert_open_refused("worker=fake://x state=fake://x", &ports, FRAZIL_ESPEC, "use fixed:N");
    assert_open_refused("worker=fixed:1 state=fake://x clock=frozen:1780272000000", &ports, FRAZIL_ESPEC,
                        "a frozen clock");
    assert_open_refused("worker=fixed:1 seq_min=1 state=konayuki+fake://x", &ports, FRAZIL_ESPEC,
                        "1 to 4095 cannot be combined with konayuki's counters");
    assert_open_refused("worker=fixed:1 state=fake://x start=spread", &ports, FRAZIL_ESPEC, "use zero or random");
    assert_open_refused("worker=fixed:1 state=memory batch=3", &ports, FRAZIL_ESPEC, "batch='3': is for state=URL");
    assert_open_refused("worker=fixed:1 state=fake://x batch=0", &ports, FRAZIL_ERANGE, "batch=0: must be from 1");
    assert_open_refused("worker=fixed:1 state=fake://x batch=4097", &ports, FRAZIL_ERANGE, "to 4096");
    assert_open_refused("worker=fixed:1 state=fake://refused", &ports, FRAZIL_EWORKER, "refused at once");
    assert_open_refused("worker=fixed:1 state=slotless://x", &ports, FRAZIL_ESPEC, "slotless has no slots");
    assert_open_refused("worker=fixed:1 state=unknown://x", &ports, FRAZIL_ESPEC, "no coordinator is called 'unknown'");
    assert_open_refused("state=fake://x", &ports, FRAZIL_ENOWORKER, "");
}
