/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: frazil_stop ends every wait and every later call with FRAZIL_ESTOPPED, and neither a stopped call
 * nor a cancelled thread leaves a hole that later ids would have to wait for.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

#include "generator/generator_internal.h"
#include "lib/callers.h"
#include "lib/fake_granter.h"
#include "lib/fake_slots.h"
#include "lib/rig.h"
#include "lib/server.h"
#include "lib/test.h"

enum { CAPACITY = 4096, BATCH_TICKS = 1000 };

#define SPEC "layout=frazil worker=fixed:3 start=zero state=memory max_wait=unlimited "

static struct rig rig;
static atomic_bool sleeps;
static atomic_bool may_wake;

/* Sleeps without an end, as long as the test wants; the clock stands. */
static void long_sleep(void *ctx, uint64_t until_ns)
{
    (void)ctx;
    (void)until_ns;
    atomic_store(&sleeps, true);
    while (!atomic_load(&may_wake))
        pause_ns(1000000);
}

static void open_with(const char *spec)
{
    frazil_clock clock;

    rig_open(&rig, spec, RIG_NOW);
    clock = rig.gen->clock;
    clock.sleep_until = long_sleep;
    rig.gen->clock = clock;
}

BEFORE_EACH
{
    memset(&fake_slots, 0, sizeof fake_slots);
    rig = (struct rig){.random_state = 1, .coordinators = fake_slots_coordinators};
    atomic_store(&sleeps, false);
    atomic_store(&may_wake, false);
}

/* A batch that spans many ticks. */
struct batch {
    pthread_t thread;
    size_t n;
    frazil_err err;
    frazil_error why;
};

static uint64_t ids[CAPACITY * BATCH_TICKS];
static frazil_sno snos[256 * 256 * 4];

static void *take_batch(void *arg)
{
    struct batch *batch = arg;

    batch->err = frazil_take(rig.gen, ids, batch->n, FRAZIL_WAIT_DEFAULT, &batch->why);
    return NULL;
}

static void *take_snos(void *arg)
{
    struct batch *batch = arg;

    batch->err = frazil_sno_take(rig.gen, 0, snos, batch->n, FRAZIL_WAIT_DEFAULT, &batch->why);
    return NULL;
}

/* Starts a call, and returns when it sleeps. */
static void start(struct batch *batch, void *(*take)(void *), size_t n)
{
    *batch = (struct batch){.n = n};
    assert_int_equal(pthread_create(&batch->thread, NULL, take, batch), 0);
    while (!atomic_load(&sleeps))
        pause_ns(1000000);
}

static void assert_stopped(struct batch *batch)
{
    atomic_store(&may_wake, true);
    assert_int_equal(pthread_join(batch->thread, NULL), 0);
    assert_int_equal(batch->err, FRAZIL_ESTOPPED);
    assert_int_equal(batch->why.code, FRAZIL_ESTOPPED);
    assert_non_null(strstr(batch->why.message, "stopped"));
}

static void cancel(struct batch *batch)
{
    void *result = NULL;

    assert_int_equal(pthread_cancel(batch->thread), 0);
    assert_int_equal(pthread_join(batch->thread, &result), 0);
    assert_ptr_equal(result, PTHREAD_CANCELED);
}

TEST("A call that waits for its ticks is stopped and gives its slots back")
{
    struct batch batch;

    open_with(SPEC);
    uint64_t word = atomic_load(rig.gen->word);
    start(&batch, take_batch, (size_t)CAPACITY * BATCH_TICKS);
    assert_true(atomic_load(rig.gen->word) > word);
    frazil_stop(rig.gen);
    assert_stopped(&batch);
    assert_int_equal(stat_of(rig.gen, FRAZIL_STAT_ISSUED), 0);
    assert_int_equal(available_of(rig.gen), CAPACITY);
    rig_close(&rig);
}

TEST("A sno that waits is stopped likewise")
{
    struct batch batch;

    open_with("layout=sno worker=fixed:3 state=memory max_wait=unlimited on_full=wait");
    start(&batch, take_snos, sizeof snos / sizeof snos[0]);
    frazil_stop(rig.gen);
    assert_stopped(&batch);
    assert_int_equal(stat_of(rig.gen, FRAZIL_STAT_ISSUED), 0);
    assert_int_equal(frazil_sno_next(rig.gen, 0, snos), FRAZIL_ESTOPPED);
    assert_int_equal(frazil_sno_next_at(rig.gen, RIG_NOW, 0, snos, NULL), FRAZIL_ESTOPPED);
    rig_close(&rig);
}

TEST("A call that waits for the clock to come back is stopped")
{
    struct batch batch;

    open_with(SPEC "on_backward=wait");
    (void)rig_next(&rig);
    rig_step(&rig, -5000);
    start(&batch, take_batch, 1);
    frazil_stop(rig.gen);
    assert_stopped(&batch);
    rig_close(&rig);
}

/* Slots come from a source, and their ticks lie ahead of the clock. */
static void open_from_elsewhere(void)
{
    open_with("layout=41/10/4 worker=fixed:7 state=fake://slots max_wait=unlimited on_full=wait");
    fake_slots.lead = 2 * BATCH_TICKS;
    fake_slots.tick = rig_now_tick(&rig) + BATCH_TICKS;
}

TEST("A call that waits for slots from elsewhere is stopped, and they are put back in hand")
{
    struct batch batch;

    open_from_elsewhere();
    start(&batch, take_batch, 4);
    frazil_stop(rig.gen);
    assert_stopped(&batch);
    assert_int_equal(stat_of(rig.gen, FRAZIL_STAT_ISSUED), 0);
    rig_close(&rig);
}

TEST("Every call of a stopped generator that takes ids or keeps the grant says so")
{
    struct fake_granter *fake = fake_granter_open(&rig, "layout=frazil worker=fixed:3", 3, 1000, FZ_KEEPER_HOOK);
    frazil_local *local;
    uint64_t id = RIG_UNTOUCHED;
    uint64_t ns;
    frazil_error why;

    assert_int_equal(frazil_local_open(&local, rig.gen, NULL), FRAZIL_OK);
    (void)rig_next(&rig);
    frazil_stop(rig.gen);
    frazil_stop(rig.gen);
    assert_int_equal(frazil_next(rig.gen, &id), FRAZIL_ESTOPPED);
    assert_int_equal(frazil_take(rig.gen, &id, 1, FRAZIL_WAIT_DEFAULT, NULL), FRAZIL_ESTOPPED);
    assert_int_equal(try_one(rig.gen, &id, &ns), FRAZIL_ESTOPPED);
    assert_int_equal(frazil_take(rig.gen, &id, 1, 0, &why), FRAZIL_ESTOPPED);
    assert_int_equal(frazil_next_at(rig.gen, RIG_NOW, &id, &why), FRAZIL_ESTOPPED);
    assert_non_null(strstr(why.message, "stopped"));
    assert_int_equal(frazil_local_next(local, &id), FRAZIL_ESTOPPED);
    assert_int_equal(frazil_keep(rig.gen, FRAZIL_WAIT_FOREVER, &ns, &why), FRAZIL_ESTOPPED);
    assert_int_equal(id, RIG_UNTOUCHED);
    assert_int_equal(stat_of(rig.gen, FRAZIL_STAT_ISSUED), 1);
    frazil_local_close(local);
    fake_granter_end(fake, &rig);
}

TEST("On the real clock the fast path stops as well")
{
    frazil *gen;
    uint64_t id;

    assert_int_equal(frazil_open(&gen, "layout=frazil worker=fixed:3 state=memory", NULL), FRAZIL_OK);
    for (int i = 0; i < 1000; i++)
        assert_int_equal(frazil_next(gen, &id), FRAZIL_OK);
    frazil_stop(gen);
    assert_int_equal(frazil_next(gen, &id), FRAZIL_ESTOPPED);
    frazil_close(gen);
}

TEST("A stop in a child leaves the parent's generator alone, and a child of a stopped one is stopped")
{
    uint64_t id;

    rig_open(&rig, SPEC, RIG_NOW);
    pid_t child = fork();
    if (child == 0) {
        frazil_stop(rig.gen);
        _exit(frazil_next(rig.gen, &id) == FRAZIL_ESTOPPED ? 0 : 1);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_int_equal(frazil_next(rig.gen, &id), FRAZIL_OK);
    frazil_stop(rig.gen);
    child = fork();
    if (child == 0)
        _exit(frazil_next(rig.gen, &id) == FRAZIL_ESTOPPED ? 0 : 1);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    rig_close(&rig);
}

TEST("A cancelled thread gives its slots back: the next id is of this tick")
{
    struct batch batch;

    open_with(SPEC);
    start(&batch, take_batch, (size_t)CAPACITY * BATCH_TICKS);
    cancel(&batch);
    atomic_store(&may_wake, true);
    assert_int_equal(rig_tick_of(&rig, rig_next(&rig)), rig_now_tick(&rig));
    assert_int_equal(stat_of(rig.gen, FRAZIL_STAT_ISSUED), 1);
    rig_close(&rig);
}

static unsigned told_waiting;

static void note_waiting(void *ctx, const frazil_overflow *overflow)
{
    (void)ctx;
    told_waiting = overflow->waiting;
}

TEST("A cancelled thread does not count as waiting any more")
{
    struct batch batch;

    open_with(SPEC);
    frazil_on_overflow(rig.gen, note_waiting, NULL);
    start(&batch, take_batch, CAPACITY + 1);
    cancel(&batch);
    assert_int_equal(told_waiting, 1);
    rig_advance(&rig, 5);
    atomic_store(&sleeps, false);
    start(&batch, take_batch, CAPACITY + 1);
    assert_int_equal(told_waiting, 1);
    frazil_stop(rig.gen);
    assert_stopped(&batch);
    rig_close(&rig);
}

TEST("A cancelled thread gives slots from elsewhere back, and leaves the source to others")
{
    struct batch batch;
    uint64_t id;

    open_from_elsewhere();
    start(&batch, take_batch, 4);
    cancel(&batch);
    unsigned takes = fake_slots.takes;
    rig_advance(&rig, BATCH_TICKS);
    assert_int_equal(frazil_next(rig.gen, &id), FRAZIL_OK);
    assert_int_equal(fake_slots.takes, takes);
    rig_close(&rig);
}
