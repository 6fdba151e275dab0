/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: a grant that several processes and threads share is
 * extended by one of them at a time, whichever of them has died, was forked without a keeper thread, or closes
 * first.
 */
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "generator/extension_lock.h"
#include "generator/generator_internal.h"
#include "lib/callers.h"
#include "lib/fake_granter.h"
#include "lib/idset.h"
#include "lib/rig.h"
#include "lib/test.h"

enum { WORKER = 3, HORIZON = 1000, SHORT_HORIZON = 60 };

#define SPEC "layout=frazil worker=fixed:3 state=memory"

static struct fake_granter *fake;
static struct rig rig;

static void open_manual(enum fz_keeper_mode mode)
{
    fake = fake_granter_open(&rig, SPEC, WORKER, HORIZON, mode);
}

static void close_manual(unsigned closed)
{
    rig_close(&rig);
    assert_int_equal(fake->closed, closed);
    fake_granter_free(fake);
}

static frazil *open_real(uint64_t horizon, enum fz_keeper_mode mode)
{
    frazil_error err;
    frazil *gen;

    if (frazil_open(&gen, SPEC, &err) != FRAZIL_OK)
        fail_msg("%s", err.message);
    fake = fake_granter_new(WORKER, horizon);
    fake_granter_install(fake, gen, mode);
    return gen;
}

static bool takes(frazil *gen)
{
    uint64_t id;

    return frazil_next(gen, &id) == FRAZIL_OK;
}

static int status_of(pid_t pid)
{
    int status;

    assert_int_equal(waitpid(pid, &status, 0), pid);
    return status;
}

TEST("A process was killed in its turn: before long the next one goes on, again and again")
{
    struct fz_extension_lock lock;

    open_manual(FZ_KEEPER_INLINE);
    for (unsigned i = 1; i <= 3; i++) {
        pid_t pid = fork();
        if (pid == 0) {
            if (fz_extension_lock_try(rig.gen, &lock))
                raise(SIGKILL);
            _exit(1);
        }
        assert_true(WIFSIGNALED(status_of(pid)));
        frazil_manual_clock_advance(rig.manual, (HORIZON - 1) * RIG_MS);
        while (fake->extended < i) {
            assert_true(takes(rig.gen));
            pause_ns(RIG_MS);
        }
    }
    close_manual(1);
}

TEST("A process in its turn is not disturbed: the hook says so and the granter is not asked")
{
    struct fz_extension_lock lock;
    uint64_t next_ns;
    frazil_error err;

    fake = fake_granter_open(&rig, SPEC, WORKER, 100 * HORIZON, FZ_KEEPER_HOOK); /* so that the turn lasts 10 s */
    frazil_manual_clock_advance(rig.manual, (100 * HORIZON - 1) * RIG_MS);
    assert_true(fz_extension_lock_try(rig.gen, &lock));
    pid_t pid = fork();
    if (pid == 0)
        _exit(frazil_keep(rig.gen, FRAZIL_WAIT_FOREVER, &next_ns, &err) == FRAZIL_EAGAIN && takes(rig.gen) ? 0 : 1);
    assert_int_equal(status_of(pid), 0);
    assert_int_equal(fake->extended, 0);
    fz_extension_lock_release(rig.gen, &lock);
    close_manual(1);
}

TEST("I5: a child has no keeper thread and extends by itself, through a granter that was told of the fork once; its "
     "parent goes on with what the child was granted")
{
    open_manual(FZ_KEEPER_THREAD);
    pid_t pid = fork();
    if (pid == 0) {
        bool good = !fz_keeper_has_thread(rig.gen);
        for (unsigned i = 1; i <= 3; i++) {
            frazil_manual_clock_advance(rig.manual, (HORIZON - 1) * RIG_MS);
            good = takes(rig.gen) && fake->forks == 1 && good;
        }
        good = fake->extended == 3 && good;
        pid_t grandchild = fork();
        if (grandchild == 0) {
            frazil_manual_clock_advance(rig.manual, (HORIZON - 1) * RIG_MS);
            _exit(takes(rig.gen) && fake->forks == 2 && fake->extended == 4 ? 0 : 1);
        }
        frazil_close(rig.gen);
        _exit(waitpid(grandchild, &(int){0}, 0) == grandchild && good && fake->forks == 2 ? 0 : 1);
    }
    assert_int_equal(status_of(pid), 0);
    assert_true(fz_keeper_has_thread(rig.gen));
    assert_int_equal(fz_grant_ring_read(&rig.gen->shared->grants).until, fake_granter_last(fake).until);
    frazil_manual_clock_advance(rig.manual, 3 * HORIZON * RIG_MS);
    assert_true(takes(rig.gen));
    close_manual(2);
}

static void *take_one(void *arg)
{
    _Atomic int *ret = arg;

    *ret = takes(rig.gen) ? 1 : 2;
    return NULL;
}

TEST("After a long sleep of the machine the grant has ended for all threads at once: one of them extends it, and the "
     "others wait for that as long as they may")
{
    pthread_t threads[2];
    _Atomic int result[2] = {0, 0};

    open_manual(FZ_KEEPER_INLINE);
    frazil_manual_clock_advance(rig.manual, 3 * HORIZON * RIG_MS);
    fake->holds = true;
    assert_int_equal(pthread_create(&threads[0], NULL, take_one, &result[0]), 0);
    while (!fake->inside)
        pause_ns(100000);
    assert_int_equal(pthread_create(&threads[1], NULL, take_one, &result[1]), 0);
    while (rig.gen->shared->waits == 0 && result[1] == 0)
        pause_ns(100000);
    fake->holds = false;
    for (unsigned i = 0; i < 2; i++) {
        pthread_join(threads[i], NULL);
        assert_int_equal(result[i], 1);
    }
    assert_int_equal(fake->extended, 1);
    close_manual(1);
}

TEST("A child that never extended anything closes, and its parent's connection is not ended with it")
{
    open_manual(FZ_KEEPER_INLINE);
    pid_t pid = fork();
    if (pid == 0) {
        frazil_close(rig.gen);
        _exit(fake->forks == 1 && fake->closed == 1 ? 0 : 1);
    }
    assert_int_equal(status_of(pid), 0);
    close_manual(2);
}

/* ---- real time ---------------------------------------------------------------- */

/* Waits until the granter has been asked so many times more. */
static void await_extensions(unsigned more)
{
    unsigned target = atomic_load(&fake->extended) + more;

    while (atomic_load(&fake->extended) < target)
        pause_ns(RIG_MS);
}

TEST("The thread extends though nobody takes an id, over failures, and ends when the generator is closed")
{
    frazil *gen = open_real(SHORT_HORIZON, FZ_KEEPER_THREAD);

    await_extensions(4);
    fake->fails = FRAZIL_EAGAIN;
    await_extensions(2);
    fake->fails = FRAZIL_OK;
    await_extensions(2);
    frazil_close(gen);
    unsigned extended = fake->extended;
    pause_ns(3 * SHORT_HORIZON * RIG_MS);
    assert_int_equal(fake->extended, extended);
    assert_int_equal(fake->closed, 1);
    fake_granter_free(fake);
}

TEST("A signal of the program's is never taken by the thread, and the caller's mask is as it was")
{
    const struct timespec at_once = {.tv_sec = 0};
    sigset_t wanted;
    sigset_t mask;

    frazil *gen = open_real(SHORT_HORIZON, FZ_KEEPER_THREAD);
    assert_int_equal(pthread_sigmask(SIG_SETMASK, NULL, &mask), 0);
    assert_int_equal(sigismember(&mask, SIGUSR1), 0);
    assert_int_equal(sigismember(&mask, SIGTERM), 0);
    sigemptyset(&wanted);
    sigaddset(&wanted, SIGUSR1);
    sigaddset(&wanted, SIGTERM);
    /* Their default is to end the process, if any thread takes them. */
    pthread_sigmask(SIG_BLOCK, &wanted, NULL);
    kill(getpid(), SIGUSR1);
    kill(getpid(), SIGTERM);
    await_extensions(2);
    assert_true(sigtimedwait(&wanted, NULL, &at_once) > 0);
    assert_true(sigtimedwait(&wanted, NULL, &at_once) > 0);
    pthread_sigmask(SIG_UNBLOCK, &wanted, NULL);
    frazil_close(gen);
    fake_granter_free(fake);
}

/* Short, and yet long enough for a call to use what it was granted. */
enum { BRIEF_HORIZON = 15 * INSTRUMENT_SLOWDOWN, BRIEF_OVER_MS = 25 * INSTRUMENT_SLOWDOWN };

TEST("Parent and child close in either order, also when the thread was at it when the child was born: nobody hangs")
{
    for (unsigned i = 0; i < 60; i++) {
        int fds[2];
        char byte;
        frazil *gen = open_real(BRIEF_HORIZON, FZ_KEEPER_THREAD);
        assert_int_equal(pipe(fds), 0);
        await_extensions(i % 3);
        pid_t pid = fork();
        if (pid == 0) {
            close(fds[1]);
            if (i % 2 == 1 && read(fds[0], &byte, 1) != 0) /* the parent closes first */
                _exit(2);
            if (i % 2 == 1)
                pause_ns(BRIEF_OVER_MS * RIG_MS);
            bool good = takes(gen) && fake->forks >= i % 2;
            frazil_close(gen);
            _exit(good ? 0 : 1);
        }
        close(fds[0]);
        if (i % 2 == 0)
            assert_int_equal(status_of(pid), 0);
        frazil_close(gen);
        close(fds[1]);
        if (i % 2 == 1)
            assert_int_equal(status_of(pid), 0);
        assert_int_equal(fake->closed, 2);
        fake_granter_free(fake);
    }
}

/* ---- many at once --------------------------------------------------------------- */

enum { THREADS = 4, IDS = 200000 / INSTRUMENT_SLOWDOWN };

struct taker {
    frazil *gen;
    struct idset *ids;
    bool by_handle;
    frazil_err err;
    pthread_t thread;
};

static void *take(void *arg)
{
    struct taker *taker = arg;
    frazil_local *local = NULL;
    uint64_t id;

    taker->err = frazil_local_open(&local, taker->gen, NULL);
    while (taker->err == FRAZIL_OK && taker->ids->count < taker->ids->size) {
        taker->err = taker->by_handle ? frazil_local_next(local, &id) : frazil_next(taker->gen, &id);
        if (taker->err == FRAZIL_OK)
            idset_add(taker->ids, id);
        else if (taker->err == FRAZIL_ELEASE || taker->err == FRAZIL_EFULL) /* the floor is a little ahead */
            taker->err = FRAZIL_OK;
    }
    frazil_local_close(local);
    return NULL;
}

/* Every id lies in a grant of the worker it bears. */
static void assert_granted(const frazil *gen, const struct idset *ids)
{
    for (size_t i = 0; i < ids->count; i++) {
        frazil_fields fields;
        assert_int_equal(frazil_id_decompose(&gen->layout, ids->ids[i], &fields, NULL), FRAZIL_OK);
        uint64_t tick = (uint64_t)(fields.unix_ms - gen->layout.epoch_unix_ms);
        if (!fake_granter_covers(fake, (uint32_t)fields.worker, tick))
            fail_msg("id %zu: tick %lu of worker %lu was not granted", i, (unsigned long)tick,
                     (unsigned long)fields.worker);
    }
}

/* The worker changes again and again, each time with a floor above all before, as if stolen by turns. */
static void change_workers(frazil *gen, unsigned changes)
{
    struct fz_extension_lock lock;

    for (unsigned i = 1; i <= changes; i++) {
        while (!fz_extension_lock_wait(gen, fz_deadline_in(RIG_S), NULL, &lock))
            ;
        uint64_t floor = fake_granter_last(fake).until + 1;
        fake_granter_say(fake, WORKER + i % 5, floor, floor + 20);
        fz_extension_lock_release(gen, &lock);
        while (fake_granter_last(fake).floor < floor)
            pause_ns(RIG_MS);
    }
}

TEST("I1 and I2 while threads and handles take ids, the keeper extends and the worker changes")
{
    struct idset *sets = idsets_open(THREADS, IDS);
    struct taker takers[THREADS];
    frazil *gen = open_real(40, FZ_KEEPER_THREAD);

    for (unsigned i = 0; i < THREADS; i++) {
        takers[i] = (struct taker){.gen = gen, .ids = &sets[i], .by_handle = i % 2 == 0};
        assert_int_equal(pthread_create(&takers[i].thread, NULL, take, &takers[i]), 0);
    }
    change_workers(gen, 8);
    for (unsigned i = 0; i < THREADS; i++) {
        pthread_join(takers[i].thread, NULL);
        assert_int_equal(takers[i].err, FRAZIL_OK);
        assert_granted(gen, &sets[i]);
    }
    assert_int_equal(idsets_duplicates(sets, THREADS, NULL), 0);
    assert_int_equal(fake->overlaps, 0);
    assert_true(gen->shared->keeper.replaced >= 8);
    frazil_close(gen);
    fake_granter_free(fake);
    idsets_close(sets, THREADS);
}

static void *extend_often(void *arg)
{
    for (unsigned i = 0; i < 20000 / INSTRUMENT_SLOWDOWN; i++) {
        frazil_err err = fz_keeper_extend(arg, FZ_DEADLINE_NONE, NULL);
        assert_true(err == FRAZIL_OK || err == FRAZIL_EAGAIN);
    }
    return NULL;
}

TEST("The granter is asked by one at a time")
{
    pthread_t threads[THREADS];

    /* A horizon of one tick: it wants to be extended all the time. */
    frazil *gen = open_real(1, FZ_KEEPER_INLINE);
    for (unsigned i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, extend_often, gen), 0);
    for (unsigned i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(fake->overlaps, 0);
    frazil_close(gen);
    fake_granter_free(fake);
}
