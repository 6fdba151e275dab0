/* SPDX-License-Identifier: MIT */
#define _DEFAULT_SOURCE /* syscall */
#include "forks.h"

#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bound.h"
#include "callers.h"
#include "frazil.h"
#include "ports.h"
#include "test.h"

/* A tick of a second: a block that a handle holds is still current after a fork. */
static const char long_ticks[] = "layout=41/0/22 tick=1s worker=fixed:0";
static const char wide[] = "layout=41/0/22 worker=fixed:0";

static bool pages_are_wiped;

/* The fork under test, and one that no atfork handler hears of. */
static pid_t plain_fork(void)
{
    return bound_fork();
}

static pid_t raw_clone(void)
{
#if defined(__s390__)
    return (pid_t)syscall(SYS_clone, 0, SIGCHLD, 0, 0, 0); /* here the stack comes first */
#else
    return (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
#endif
}

/* Runs work in a child, which ends with its result: 0 if all was well. */
static pid_t start_child(pid_t (*make_child)(void), int (*work)(void *), void *arg)
{
    pid_t pid = make_child();

    if (pid == 0)
        _exit(work(arg));
    assert_true(pid > 0);
    return pid;
}

static void assert_child_was_well(pid_t pid)
{
    int status;

    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

static struct caller caller_for(frazil *gen, struct idset *pair, size_t quota, uint64_t seed)
{
    return (struct caller){.gen = gen,
                           .shared = &pair[0],
                           .local = &pair[1],
                           .quota = quota,
                           .batch_max = 3000,
                           .run_max = 1000,
                           .seed = seed + 1};
}

/* ---- forks while other threads are taking ids --------------------------- */

enum { GENERATIONS = 3, THREADS = 2, FORKS_EACH = 3, TREE_QUOTA = 60000 / INSTRUMENT_SLOWDOWN };
/* One process, its children, theirs and theirs: 1 + 3 + 9 + 27. */
enum { TREE_PROCESSES = 40, PAIRS = TREE_PROCESSES * THREADS };

struct tree {
    frazil *gen;
    struct idset *sets;
    size_t node; /* this process: the children of node i are FORKS_EACH * i + 1 and on */
    int generation;
};

static int grow(void *arg);

/* Forks with threads in the middle of taking ids, so wherever they happen to stand. */
static int fork_children(struct tree *tree, pid_t *children)
{
    for (size_t i = 0; i < FORKS_EACH; i++) {
        struct tree child = *tree;
        child.node = FORKS_EACH * tree->node + 1 + i;
        child.generation++;
        pause_ns(300000);
        children[i] = fork();
        if (children[i] == 0)
            _exit(grow(&child));
        if (children[i] < 0)
            return 1;
    }
    return 0;
}

/* Emulators lose track of threads that are started after a fork among threads: there a child takes its ids alone. */
static bool has_threads(const struct tree *tree)
{
#if defined(FRAZIL_EMULATED)
    return tree->generation == 0;
#else
    (void)tree;
    return true;
#endif
}

static bool begin_taking(const struct tree *tree, struct caller *caller)
{
    return !has_threads(tree) || pthread_create(&caller->thread, NULL, caller_take_ids, caller) == 0;
}

static void end_taking(const struct tree *tree, struct caller *caller)
{
    if (has_threads(tree))
        pthread_join(caller->thread, NULL);
    else
        caller_take_ids(caller);
}

static int grow(void *arg)
{
    struct tree *tree = arg;
    struct caller callers[THREADS];
    pid_t children[FORKS_EACH];
    int bad = 0;

    for (size_t i = 0; i < THREADS; i++) {
        size_t pair = 2 * (tree->node * THREADS + i);
        callers[i] = caller_for(tree->gen, &tree->sets[pair], TREE_QUOTA, pair);
        if (!begin_taking(tree, &callers[i]))
            return 1;
    }
    bool has_children = tree->generation < GENERATIONS;
    if (has_children)
        bad |= fork_children(tree, children);
    for (size_t i = 0; i < THREADS; i++) {
        end_taking(tree, &callers[i]);
        bad |= callers[i].err != FRAZIL_OK;
    }
    for (size_t i = 0; has_children && bad == 0 && i < FORKS_EACH; i++) {
        int status;
        bad |= waitpid(children[i], &status, 0) != children[i] || status != 0;
    }
    return bad;
}

static void run_tree(const char *spec)
{
    struct idset *sets = idsets_open((size_t)2 * PAIRS, TREE_QUOTA);
    struct tree tree = {.gen = open_or_fail(spec), .sets = sets};

    assert_int_equal(grow(&tree), 0);
    assert_int_equal(idsets_count(sets, (size_t)2 * PAIRS), (size_t)PAIRS * TREE_QUOTA);
    idsets_assert_unique_and_increasing(sets, (size_t)2 * PAIRS);
    frazil_close(tree.gen);
    idsets_close(sets, (size_t)2 * PAIRS);
}

static void hold_forks_in_the_middle(void)
{
#if !defined(FRAZIL_EMULATED)
    if (INSTRUMENT_SLOWDOWN != 1)
        skip(); /* a sanitizer's own locks are not made for a fork among threads */
#endif
    run_tree(wide);
    run_tree("worker=fixed:1 max_wait=60s");
}

/* ---- a handle that was inherited ----------------------------------------- */

enum { BLOCK_FORKS = 40, BEFORE_FORK = 1500, AFTER_FORK = 1200 };

struct heir {
    frazil_local *local;
    struct idset *set;
};

static int take_from_handle(void *arg)
{
    struct heir *heir = arg;
    uint64_t id;

    for (int i = 0; i < AFTER_FORK; i++) {
        if (frazil_local_next(heir->local, &id) != FRAZIL_OK)
            return 1;
        idset_add(heir->set, id);
    }
    return 0;
}

/* The child takes from the handle until it holds a block itself, and passes it on. */
static int take_and_pass_on(void *arg)
{
    struct heir *heirs = arg;
    int bad = take_from_handle(&heirs[0]);
    pid_t pid = fork();

    if (pid == 0)
        _exit(take_from_handle(&heirs[1]));
    bad |= take_from_handle(&heirs[0]);
    int status;
    return bad | (waitpid(pid, &status, 0) != pid) | (status != 0);
}

/* Parent, child and grandchild go on with one handle; each of the first two held a block when it forked. */
static void run_inherited_handle(pid_t (*make_child)(void))
{
    frazil *gen = open_or_fail(long_ticks);
    struct idset *sets = idsets_open(3 * BLOCK_FORKS, 3 * (size_t)AFTER_FORK + BEFORE_FORK);
    uint64_t held = 0;
    uint64_t id;

    for (size_t i = 0; i < BLOCK_FORKS; i++) {
        struct idset *set = &sets[3 * i];
        struct heir heirs[2] = {{.set = set + 1}, {.set = set + 2}};
        assert_int_equal(frazil_local_open(&heirs[0].local, gen, NULL), FRAZIL_OK);
        heirs[1].local = heirs[0].local;
        uint64_t issued = stat_of(gen, FRAZIL_STAT_ISSUED);
        for (int k = 0; k < BEFORE_FORK; k++) {
            assert_int_equal(frazil_local_next(heirs[0].local, &id), FRAZIL_OK);
            idset_add(set, id);
        }
        held += stat_of(gen, FRAZIL_STAT_ISSUED) - issued - BEFORE_FORK;
        pid_t pid = start_child(make_child, take_and_pass_on, heirs);
        assert_int_equal(take_from_handle(&(struct heir){.local = heirs[0].local, .set = set}), 0);
        assert_child_was_well(pid);
        frazil_local_close(heirs[0].local);
    }
    /* Where pages are not wiped a handle may hold nothing, ever. */
    if (pages_are_wiped && INSTRUMENT_SLOWDOWN == 1)
        assert_true(held > 0);
    if (!pages_are_wiped)
        assert_int_equal(held, 0);
    idsets_assert_unique_and_increasing(sets, 3 * BLOCK_FORKS);
    idsets_close(sets, 3 * BLOCK_FORKS);
    frazil_close(gen);
}

static void hold_inherited_handle(void)
{
    run_inherited_handle(plain_fork);
}

static void hold_raw_clone(void)
{
    run_inherited_handle(raw_clone);
}

/* ---- many short lives ------------------------------------------------------ */

#if defined(FRAZIL_EMULATED)
enum { STORM = 10000 };
#else
enum { STORM = INSTRUMENT_SLOWDOWN == 1 ? 10000 : 2000 / INSTRUMENT_SLOWDOWN };
#endif
enum { STORM_AT_ONCE = 8, STORM_IDS = 8 };

struct drop {
    frazil *gen;
    frazil_local *local;
    uint64_t *ids;
};

static int live_shortly(void *arg)
{
    struct drop *drop = arg;
    int bad = 0;

    for (int i = 0; i < 3; i++)
        bad |= frazil_next(drop->gen, &drop->ids[i]) != FRAZIL_OK;
    for (int i = 3; i < 5; i++)
        bad |= frazil_local_next(drop->local, &drop->ids[i]) != FRAZIL_OK;
    return bad | (frazil_take(drop->gen, &drop->ids[5], STORM_IDS - 5, FRAZIL_WAIT_DEFAULT, NULL) != FRAZIL_OK);
}

static void hold_storm(void)
{
    struct idset *set = idsets_open(1, (size_t)STORM * STORM_IDS);
    struct drop drop = {.gen = open_or_fail("worker=fixed:1")};
    pid_t alive[STORM_AT_ONCE] = {0};
    uint64_t id;

    assert_int_equal(frazil_local_open(&drop.local, drop.gen, NULL), FRAZIL_OK);
    for (size_t i = 0; i < STORM; i++) {
        pid_t *place = &alive[i % STORM_AT_ONCE];
        if (*place != 0)
            assert_child_was_well(*place);
        drop.ids = set->ids + i * STORM_IDS;
        *place = start_child(plain_fork, live_shortly, &drop);
    }
    for (size_t i = 0; i < STORM_AT_ONCE; i++) {
        if (alive[i] != 0)
            assert_child_was_well(alive[i]);
    }
    set->count = set->size;
    assert_int_equal(idsets_duplicates(set, 1, &id), 0);
    frazil_local_close(drop.local);
    frazil_close(drop.gen);
    idsets_close(set, 1);
}

/* ---- prefork servers ------------------------------------------------------- */

enum { WORKERS = 8, WORKER_QUOTA = 100000 / INSTRUMENT_SLOWDOWN };

static int serve_ids(void *arg)
{
    struct caller *caller = arg;

    caller_take_ids(caller);
    return caller->err != FRAZIL_OK;
}

static int serve_snos(void *arg)
{
    struct caller *caller = arg;

    caller_take_snos(caller);
    return caller->err != FRAZIL_OK;
}

/* Opened before the fork, used by eight children, each with a handle of its own; all of it counted in one place. */
static void run_prefork(const char *spec, int (*serve)(void *))
{
    frazil *gen = open_or_fail(spec);
    struct idset *sets = idsets_open((size_t)2 * WORKERS, WORKER_QUOTA);
    struct caller callers[WORKERS];
    pid_t children[WORKERS];

    for (size_t i = 0; i < WORKERS; i++) {
        callers[i] = caller_for(gen, &sets[2 * i], WORKER_QUOTA, i);
        children[i] = start_child(plain_fork, serve, &callers[i]);
    }
    for (size_t i = 0; i < WORKERS; i++)
        assert_child_was_well(children[i]);
    assert_int_equal(idsets_count(sets, (size_t)2 * WORKERS), (size_t)WORKERS * WORKER_QUOTA);
    idsets_assert_unique_and_increasing(sets, (size_t)2 * WORKERS);
    assert_int_equal(stat_of(gen, FRAZIL_STAT_ISSUED), (size_t)WORKERS * WORKER_QUOTA);
    frazil_close(gen);
    idsets_close(sets, (size_t)2 * WORKERS);
}

static void hold_prefork(void)
{
    run_prefork(wide, serve_ids);
    run_prefork("worker=fixed:1 max_wait=60s", serve_ids);
    run_prefork("layout=sno worker=fixed:1 max_wait=60s", serve_snos);
}

/* ---- kill -9 ------------------------------------------------------------------ */

enum { KILL_ROUNDS = 60 / INSTRUMENT_SLOWDOWN + 1, VICTIMS = 3, KILL_QUOTA = 3000000, SURVIVOR_QUOTA = 2000 };

static int take_for_ever(void *arg)
{
    struct caller *caller = arg;

    caller_take_ids(caller);
    return 1; /* it should have been killed by now */
}

static void kill_child(pid_t pid)
{
    int status;

    assert_int_equal(kill(pid, SIGKILL), 0);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFSIGNALED(status));
}

/* Children are killed wherever they stand: what they got is unique, and the parent goes on as if nothing had been. */
static void run_kills(const char *spec)
{
    frazil *gen = open_or_fail(spec);
    struct idset *sets = idsets_open((size_t)2 * (VICTIMS + 1), KILL_QUOTA);
    uint64_t seed = 7;

    for (size_t round = 0; round < KILL_ROUNDS; round++) {
        struct caller callers[VICTIMS];
        pid_t pids[VICTIMS];
        for (size_t i = 0; i < VICTIMS; i++) {
            callers[i] = caller_for(gen, &sets[2 * i], SIZE_MAX, round * VICTIMS + i);
            pids[i] = start_child(plain_fork, take_for_ever, &callers[i]);
        }
        pause_ns(caller_random(&seed) % 2000000);
        for (size_t i = 0; i < VICTIMS; i++)
            kill_child(pids[i]);
        struct caller survivor = caller_for(gen, &sets[(size_t)2 * VICTIMS], SURVIVOR_QUOTA, round);
        caller_take_ids(&survivor);
        assert_int_equal(survivor.err, FRAZIL_OK);
    }
    idsets_assert_unique_and_increasing(sets, (size_t)2 * (VICTIMS + 1));
    frazil_close(gen);
    idsets_close(sets, (size_t)2 * (VICTIMS + 1));
}

static void hold_kill(void)
{
    run_kills("worker=fixed:1 max_wait=60s");
    run_kills("layout=41/18/5 worker=fixed:1 max_wait=60s");
}

int forks_run(bool wiped)
{
    static struct test tests[] = {
        {.sentence = "Children, their children and theirs, forked while threads take ids: no id twice among all forty "
                     "processes",
         .body = hold_forks_in_the_middle},
        {.sentence = "A handle that a child inherits gives it no id that its parent or another child gets",
         .body = hold_inherited_handle},
        {.sentence = "No handler is run before or after: the block is safe by itself", .body = hold_raw_clone},
        {.sentence = "Thousands of children that take a few ids each and end", .body = hold_storm},
        {.sentence = "Generators that are opened before the fork serve eight children, and count for all of them",
         .body = hold_prefork},
        {.sentence = "Children are killed wherever they stand, and the parent goes on as if nothing had been",
         .body = hold_kill},
    };

    pages_are_wiped = wiped;
    for (size_t i = 0; i < sizeof tests / sizeof tests[0]; i++) {
        tests[i].line = (int)i;
        test_add(&tests[i]);
    }
    return test_run();
}
