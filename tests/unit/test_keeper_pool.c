/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: a few threads look after all generators of a process, none waits for another one's coordinator,
 * and no thread outlives the last generator.
 */
#include <dirent.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "frazil.h"
#include "generator/keeper_pool.h"
#include "lib/callers.h"
#include "lib/scratch.h"
#include "lib/test.h"
#include "os/deadline.h"

EACH_IN_SCRATCH

enum { MANY = 64, QUEUE_WIDTH = 4, A_LOOK_NS = 1000000 };

/* In place of a generator: counts the looks, and on demand does not come back from one. */
struct subject {
    struct fz_keeper_task task;
    uint64_t due_in_ns; /* each look says so */
    atomic_bool is_held;
    atomic_uint inside;
    atomic_uint looks;
};

static uint64_t look(void *ctx)
{
    struct subject *subject = ctx;

    atomic_fetch_add(&subject->inside, 1);
    while (atomic_load(&subject->is_held))
        pause_ns(A_LOOK_NS);
    atomic_fetch_add(&subject->looks, 1);
    atomic_fetch_sub(&subject->inside, 1);
    return subject->due_in_ns;
}

static void join(struct subject *subject, const char *url, uint64_t due_in_ns)
{
    subject->task = (struct fz_keeper_task){.look = look, .ctx = subject, .queue = fz_keeper_pool_queue(url)};
    assert_int_equal(fz_keeper_pool_join(&subject->task, due_in_ns), 0);
}

/* Of this process. */
static unsigned count_threads(void)
{
    DIR *folder = opendir("/proc/self/task");
    unsigned count = 0;

    if (folder == NULL) {
        skip();
        return 0;
    }
    for (const struct dirent *entry; (entry = readdir(folder)) != NULL;)
        count += entry->d_name[0] != '.';
    closedir(folder);
    return count;
}

/* A thread that was joined may still be listed for a moment. */
static void await_threads(unsigned n)
{
    while (count_threads() > n)
        pause_ns(A_LOOK_NS);
}

static unsigned count_inside(const struct subject *subjects, unsigned n)
{
    unsigned inside = 0;

    for (unsigned i = 0; i < n; i++)
        inside += atomic_load(&subjects[i].inside);
    return inside;
}

static void await_looks(const struct subject *subject, unsigned looks)
{
    while (atomic_load(&subject->looks) < looks)
        pause_ns(A_LOOK_NS);
}

static void hold_all(struct subject *subjects, unsigned n, bool is_held)
{
    for (unsigned i = 0; i < n; i++)
        atomic_store(&subjects[i].is_held, is_held);
}

TEST("A generator that joins is looked after when it said, and then whenever a look says")
{
    struct subject often = {.due_in_ns = A_LOOK_NS};
    struct subject once = {.due_in_ns = UINT64_MAX};

    join(&often, NULL, 0);
    join(&once, NULL, A_LOOK_NS);
    await_looks(&often, 5);
    await_looks(&once, 1);
    assert_true(fz_keeper_pool_leave(&often.task, FZ_DEADLINE_NONE, NULL));
    assert_true(fz_keeper_pool_leave(&once.task, FZ_DEADLINE_NONE, NULL));
    assert_int_equal(once.looks, 1);
}

TEST("A generator in a hurry is looked after before it is due")
{
    struct subject subject = {.due_in_ns = UINT64_MAX};

    join(&subject, NULL, UINT64_MAX);
    fz_keeper_pool_hurry(&subject.task);
    await_looks(&subject, 1);
    fz_keeper_pool_hurry(&subject.task);
    await_looks(&subject, 2);
    assert_true(fz_keeper_pool_leave(&subject.task, FZ_DEADLINE_NONE, NULL));
}

TEST("While one coordinator is silent four threads wait for it, and the generators of another one are looked after")
{
    static struct subject silent[MANY];
    struct subject other = {.due_in_ns = A_LOOK_NS};

    hold_all(silent, MANY, true);
    for (unsigned i = 0; i < MANY; i++) {
        silent[i].due_in_ns = UINT64_MAX;
        join(&silent[i], "redis://silent/shop", 0);
    }
    join(&other, "redis://other/shop", 0);
    while (count_inside(silent, MANY) < QUEUE_WIDTH)
        pause_ns(A_LOOK_NS);
    await_looks(&other, 20);
    assert_int_equal(count_inside(silent, MANY), QUEUE_WIDTH);
    await_threads(1 + QUEUE_WIDTH + 2); /* the four, and two for the other coordinator */
    hold_all(silent, MANY, false);
    for (unsigned i = 0; i < MANY; i++) {
        await_looks(&silent[i], 1);
        assert_true(fz_keeper_pool_leave(&silent[i].task, FZ_DEADLINE_NONE, NULL));
    }
    assert_true(fz_keeper_pool_leave(&other.task, FZ_DEADLINE_NONE, NULL));
    await_threads(1);
}

/* How often threads of this process have gone to sleep. */
static long count_sleeps(void)
{
    struct rusage usage;

    assert_int_equal(getrusage(RUSAGE_SELF, &usage), 0);
    return usage.ru_nvcsw;
}

TEST("A look wakes up one thread to stand in, and not all that there are")
{
    enum { THREADS = 12, LOOKS = 100, SLEEPS_PER_LOOK = 10 };
    static const char *const urls[] = {"redis://a/x", "redis://b/x", "redis://c/x"};
    static struct subject subjects[THREADS];
    struct subject often = {.due_in_ns = A_LOOK_NS};

    hold_all(subjects, THREADS, true);
    for (unsigned i = 0; i < THREADS; i++) {
        subjects[i].due_in_ns = UINT64_MAX;
        join(&subjects[i], urls[i % 3], 0);
    }
    while (count_inside(subjects, THREADS) < THREADS)
        pause_ns(A_LOOK_NS);
    hold_all(subjects, THREADS, false);
    while (count_inside(subjects, THREADS) > 0)
        pause_ns(A_LOOK_NS);
    join(&often, NULL, 0);
    await_looks(&often, 1);
    long before = count_sleeps();
    while (atomic_load(&often.looks) < LOOKS)
        pause_ns(50 * A_LOOK_NS); /* this thread sleeps, too */
    long sleeps = count_sleeps() - before;
    assert_true(sleeps < (long)atomic_load(&often.looks) * SLEEPS_PER_LOOK);
    assert_true(fz_keeper_pool_leave(&often.task, FZ_DEADLINE_NONE, NULL));
    for (unsigned i = 0; i < THREADS; i++)
        assert_true(fz_keeper_pool_leave(&subjects[i].task, FZ_DEADLINE_NONE, NULL));
}

TEST("Threads that nobody needs any more end, and one is left")
{
    struct subject slow[QUEUE_WIDTH] = {{.due_in_ns = UINT64_MAX}};

    hold_all(slow, QUEUE_WIDTH, true);
    for (unsigned i = 0; i < QUEUE_WIDTH; i++) {
        slow[i].due_in_ns = UINT64_MAX;
        join(&slow[i], NULL, 0);
    }
    while (count_inside(slow, QUEUE_WIDTH) < QUEUE_WIDTH)
        pause_ns(A_LOOK_NS);
    assert_true(count_threads() >= 1 + QUEUE_WIDTH);
    hold_all(slow, QUEUE_WIDTH, false);
    await_threads(2);
    for (unsigned i = 0; i < QUEUE_WIDTH; i++)
        assert_true(fz_keeper_pool_leave(&slow[i].task, FZ_DEADLINE_NONE, NULL));
    await_threads(1);
}

static void *let_go_soon(void *ctx)
{
    struct subject *subject = ctx;

    pause_ns(50 * A_LOOK_NS);
    atomic_store(&subject->is_held, false);
    return NULL;
}

TEST("A generator that leaves waits for its own look, and for nobody else's")
{
    struct subject silent = {.due_in_ns = UINT64_MAX, .is_held = true};
    struct subject other = {.due_in_ns = UINT64_MAX};
    pthread_t thread;

    join(&silent, "redis://silent/shop", 0);
    join(&other, "redis://other/shop", 0);
    while (atomic_load(&silent.inside) == 0)
        pause_ns(A_LOOK_NS);
    assert_true(fz_keeper_pool_leave(&other.task, FZ_DEADLINE_NONE, NULL));
    assert_int_equal(silent.looks, 0);
    assert_int_equal(pthread_create(&thread, NULL, let_go_soon, &silent), 0);
    assert_true(fz_keeper_pool_leave(&silent.task, FZ_DEADLINE_NONE, NULL));
    assert_int_equal(silent.looks, 1);
    pthread_join(thread, NULL);
}

static atomic_uint left;

static void note_left(void *ctx)
{
    const struct subject *subject = ctx;

    atomic_store(&left, atomic_load(&subject->looks));
}

TEST("A generator that leaves with a deadline leaves the rest to the thread whose look lasts beyond it")
{
    struct subject silent = {.due_in_ns = UINT64_MAX, .is_held = true};
    struct subject other = {.due_in_ns = UINT64_MAX};

    atomic_store(&left, 0);
    join(&silent, "redis://silent/shop", 0);
    while (atomic_load(&silent.inside) == 0)
        pause_ns(A_LOOK_NS);
    assert_false(fz_keeper_pool_leave(&silent.task, fz_deadline_in(A_LOOK_NS), note_left));
    join(&other, "redis://other/shop", 0);
    await_looks(&other, 1);
    assert_int_equal(left, 0);
    atomic_store(&silent.is_held, false);
    while (atomic_load(&left) == 0)
        pause_ns(A_LOOK_NS);
    assert_int_equal(left, 1);
    assert_true(fz_keeper_pool_leave(&other.task, FZ_DEADLINE_NONE, NULL));
    assert_null(silent.task.pool);
}

static void *join_and_leave(void *ctx)
{
    for (unsigned i = 0; i < 200 / INSTRUMENT_SLOWDOWN; i++) {
        struct subject subject = {.due_in_ns = 1};
        join(&subject, ctx, i % 2 == 0 ? 0 : UINT64_MAX);
        if (i % 2 == 0)
            await_looks(&subject, 1);
        (void)fz_keeper_pool_leave(&subject.task, FZ_DEADLINE_NONE, NULL);
    }
    return NULL;
}

TEST("Threads of the program join and leave at once, also while the last one leaves")
{
    static char urls[][12] = {"redis://one", "redis://two", "redis://two", "redis://six"};
    pthread_t threads[4];

    for (unsigned i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, join_and_leave, urls[i]), 0);
    for (unsigned i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    await_threads(1);
}

/* A child's verdict: nobody looks after what its parent joined, and it has a pool of its own. */
static void judge_child(struct subject *parents, unsigned looks)
{
    struct subject own = {.due_in_ns = A_LOOK_NS};
    bool is_good = !fz_keeper_pool_is_ours(&parents->task);

    join(&own, NULL, 0);
    await_looks(&own, 5);
    is_good = is_good && fz_keeper_pool_is_ours(&own.task) && atomic_load(&parents->looks) == looks;
    assert_true(fz_keeper_pool_leave(&own.task, FZ_DEADLINE_NONE, NULL));
    _exit(is_good ? 0 : 1);
}

TEST("A child that is born while threads are at work has a pool of its own, and its parent's goes on")
{
    struct subject busy[2] = {{.due_in_ns = 1}, {.due_in_ns = 1}};
    int status;

    join(&busy[0], NULL, 0);
    join(&busy[1], "redis://one", 0);
    for (unsigned i = 0; i < 50 / INSTRUMENT_SLOWDOWN + 1; i++) {
        pid_t pid = fork();
        if (pid == 0)
            judge_child(&busy[0], atomic_load(&busy[0].looks));
        assert_true(pid > 0);
        assert_int_equal(waitpid(pid, &status, 0), pid);
        assert_int_equal(status, 0);
        assert_true(fz_keeper_pool_is_ours(&busy[0].task));
        await_looks(&busy[0], atomic_load(&busy[0].looks) + 1);
    }
    assert_true(fz_keeper_pool_leave(&busy[0].task, FZ_DEADLINE_NONE, NULL));
    assert_true(fz_keeper_pool_leave(&busy[1].task, FZ_DEADLINE_NONE, NULL));
}

TEST("All who wait for the same servers have one queue, whatever they ask them for")
{
    assert_int_equal(fz_keeper_pool_queue("redis://a:6379/shop"), fz_keeper_pool_queue("redis://a:6379/audit?tls=yes"));
    assert_int_equal(fz_keeper_pool_queue("etcd://a,b"), fz_keeper_pool_queue("etcd://a,b?timeout=1s"));
    assert_int_not_equal(fz_keeper_pool_queue("redis://a/shop"), fz_keeper_pool_queue("redis://b/shop"));
    assert_int_not_equal(fz_keeper_pool_queue("redis://a/shop"), fz_keeper_pool_queue(NULL));
}

TEST(
    "Many generators with files, each with keeper=thread, have the threads of one queue at the most, and none when all "
    "are "
    "closed")
{
    frazil *gens[MANY];
    frazil_error err;
    uint64_t id;

    for (unsigned i = 0; i < MANY; i++) {
        char spec[600];
        snprintf(spec, sizeof spec, "worker=fixed:%u keeper=thread state=file run_dir=%s/run state_dir=%s/state", i,
                 scratch, scratch);
        if (frazil_open(&gens[i], spec, &err) != FRAZIL_OK)
            fail_msg("%s", err.message);
        assert_int_equal(frazil_next(gens[i], &id), FRAZIL_OK);
    }
    assert_true(count_threads() >= 2);
    await_threads(1 + 1 + QUEUE_WIDTH);
    for (unsigned i = 0; i < MANY; i++)
        frazil_close(gens[i]);
    await_threads(1);
}
