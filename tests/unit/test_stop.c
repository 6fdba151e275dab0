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
#include "lib/patience.h"
#include "lib/rig.h"
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

static void *open_cancelled(void *arg)
{
    frazil **ret = arg;

    pthread_cancel(pthread_self());
    (void)!frazil_open(ret, SPEC, NULL);
    pthread_testcancel();
    return NULL;
}

static void *close_cancelled(void *arg)
{
    frazil **gen = arg;

    pthread_cancel(pthread_self());
    frazil_close(*gen);
    *gen = NULL;
    pthread_testcancel();
    return NULL;
}

TEST("A thread that is cancelled while it opens or closes ends when it has: it leaves nothing locked")
{
    void *(*const does[])(void *) = {open_cancelled, close_cancelled};
    frazil *gen = NULL;

    for (int round = 0; round < 4; round++) {
        pthread_t thread;
        void *result = NULL;
        assert_int_equal(pthread_create(&thread, NULL, does[round % 2], &gen), 0);
        assert_int_equal(pthread_join(thread, &result), 0);
        assert_ptr_equal(result, PTHREAD_CANCELED);
        assert_int_equal(gen != NULL, round % 2 == 0);
    }
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

TEST("One that waits for the answer to another thread's request is cancelled at once, and the other has its ids")
{
    struct batch asking = {.n = 1}, waiting = {.n = 1};

    open_from_elsewhere();
    fake_slots.tick = rig_now_tick(&rig);
    atomic_store(&fake_slots.is_silent, true);
    assert_int_equal(pthread_create(&asking.thread, NULL, take_batch, &asking), 0);
    AWAIT(atomic_load(&fake_slots.asked) == 1, "nobody asks");
    assert_int_equal(pthread_create(&waiting.thread, NULL, take_batch, &waiting), 0);
    AWAIT(stat_of(rig.gen, FRAZIL_STAT_WAITS) == 1, "nobody waits");
    cancel(&waiting);
    atomic_store(&fake_slots.is_silent, false);
    assert_int_equal(pthread_join(asking.thread, NULL), 0);
    assert_int_equal(asking.err, FRAZIL_OK);
    rig_close(&rig);
}

/* ---- several calls that wait ------------------------------------------------------------ */

enum { WAITERS = 5 };

/* Whichever of them is to go on, and how many have gone to sleep. */
static atomic_bool may_go_on[WAITERS];
static atomic_uint asleep;
static _Thread_local unsigned own_place;

static void sleep_in_place(void *ctx, uint64_t until_ns)
{
    (void)ctx;
    (void)until_ns;
    if (!atomic_load(&may_go_on[own_place]))
        atomic_fetch_add(&asleep, 1);
    while (!atomic_load(&may_go_on[own_place]))
        pause_ns(1000000);
}

struct waiter {
    struct batch batch;
    unsigned place;
};

static void *take_in_place(void *arg)
{
    struct waiter *waiter = arg;

    own_place = waiter->place;
    return take_batch(&waiter->batch);
}

/* Opens a generator of which so many calls wait, one behind the other, for slots of later ticks. */
static uint64_t open_with_waiters(struct waiter waiters[WAITERS])
{
    rig_open(&rig, "layout=frazil worker=fixed:3 start=zero state=memory max_wait=10s on_backward=wait", RIG_NOW);
    rig.gen->clock.sleep_until = sleep_in_place;
    atomic_store(&asleep, 0);
    uint64_t word = atomic_load(rig.gen->word);
    for (unsigned i = 0; i < WAITERS; i++) {
        waiters[i] = (struct waiter){.batch.n = (size_t)CAPACITY * (2 + i), .place = i};
        atomic_store(&may_go_on[i], false);
        assert_int_equal(pthread_create(&waiters[i].batch.thread, NULL, take_in_place, &waiters[i]), 0);
        while (atomic_load(&asleep) <= i)
            pause_ns(1000000);
    }
    return word;
}

/* In which order they end: the one behind all others at last, first, and in between. */
static const unsigned orders[][WAITERS] = {{0, 1, 2, 3, 4}, {4, 3, 2, 1, 0}, {1, 3, 4, 2, 0}, {2, 4, 0, 3, 1}};
enum { ORDERS = sizeof orders / sizeof orders[0] };

static void end_one(struct waiter *waiter)
{
    atomic_store(&may_go_on[waiter->place], true);
    assert_int_equal(pthread_join(waiter->batch.thread, NULL), 0);
}

static void assert_all_given_back(uint64_t word)
{
    assert_int_equal(atomic_load(rig.gen->word), word);
    assert_int_equal(stat_of(rig.gen, FRAZIL_STAT_ISSUED), 0);
    rig_close(&rig);
}

static void stop(void)
{
    frazil_stop(rig.gen);
}

static void set_back(void)
{
    rig_step(&rig, -3600000);
}

static void assert_none_keeps_a_slot(void (*end_waits)(void), frazil_err code)
{
    struct waiter waiters[WAITERS];

    for (size_t order = 0; order < ORDERS; order++) {
        uint64_t word = open_with_waiters(waiters);
        end_waits();
        for (unsigned i = 0; i < WAITERS; i++) {
            end_one(&waiters[orders[order][i]]);
            assert_int_equal(waiters[orders[order][i]].batch.err, code);
        }
        assert_all_given_back(word);
    }
}

TEST("Of several calls that wait none keeps a slot when they are stopped, in whatever order they end")
{
    assert_none_keeps_a_slot(stop, FRAZIL_ESTOPPED);
}

TEST("Likewise when the clock is set back, so that they would have to wait for too long")
{
    assert_none_keeps_a_slot(set_back, FRAZIL_ECLOCK);
}

TEST("Likewise when their threads are cancelled")
{
    struct waiter waiters[WAITERS];

    for (size_t order = 0; order < ORDERS; order++) {
        uint64_t word = open_with_waiters(waiters);
        for (unsigned i = 0; i < WAITERS; i++)
            cancel(&waiters[orders[order][i]].batch);
        assert_all_given_back(word);
    }
}

TEST("One that waits on keeps its slots, and those that lie behind them are given back")
{
    enum { BELOW_TICKS = 2, OWN_TICKS = 3 }; /* of the second one, and of the one before it */
    static const unsigned others[] = {0, 2, 4, 3};
    struct waiter waiters[WAITERS];

    (void)open_with_waiters(waiters);
    uint64_t first = fz_slot_first(&rig.gen->rules, 0, rig_now_tick(&rig));
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        cancel(&waiters[others[i]].batch);
    assert_int_equal(atomic_load(rig.gen->word), first + (BELOW_TICKS + OWN_TICKS) * CAPACITY);
    rig_advance(&rig, BELOW_TICKS + OWN_TICKS - 1);
    end_one(&waiters[1]);
    assert_int_equal(waiters[1].batch.err, FRAZIL_OK);
    assert_int_equal(stat_of(rig.gen, FRAZIL_STAT_ISSUED), OWN_TICKS * CAPACITY);
    rig_close(&rig);
}

TEST("More of them than there is room for: those that are due first keep theirs, and none is given twice")
{
    struct fz_unused *unused;
    struct waiter waiters[WAITERS];

    uint64_t word = open_with_waiters(waiters);
    unused = &rig.gen->private_page->unused;
    unused->process = fz_fork_mark_read(&rig.gen->fork_mark);
    unused->n = FZ_UNUSED_RUNS;
    for (uint64_t i = 0; i < FZ_UNUSED_RUNS; i++)
        unused->runs[i] = (struct fz_unused_run){.first = 1 + 2 * i, .end = 2 + 2 * i};
    for (unsigned i = 0; i < WAITERS; i++)
        cancel(&waiters[i].batch);
    assert_int_equal(unused->n, FZ_UNUSED_RUNS - 1);
    for (unsigned i = 0; i < unused->n; i++)
        assert_true(unused->runs[i].first > 1); /* the first of all had to go */
    assert_all_given_back(word);
}

TEST("A child has none of its parent's, and a lock that a thread of its parent had does not stop it")
{
    struct fz_unused *unused;
    struct batch batch;

    open_with(SPEC);
    (void)rig_next(&rig);
    uint64_t word = atomic_load(rig.gen->word);
    unused = &rig.gen->private_page->unused;
    /* As a child finds them where the kernel does not wipe the page. */
    unused->process = fz_fork_mark_read(&rig.gen->fork_mark) + 1;
    atomic_store(&unused->lock, unused->process);
    unused->runs[0] = (struct fz_unused_run){.first = word - 1, .end = word};
    unused->n = 1;
    start(&batch, take_batch, 2 * CAPACITY);
    cancel(&batch);
    assert_int_equal(atomic_load(rig.gen->word), word);
    assert_int_equal(unused->n, 0);
    assert_int_equal(atomic_load(&unused->lock), 0);
    rig_close(&rig);
}
