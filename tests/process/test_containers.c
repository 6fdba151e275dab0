/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: containers that share a run and a state directory are processes
 * of one host to frazil, although each of them is process 1 of a PID namespace of its
 * own.  They share a word, never issue an id twice, keep each other's worker ids, and
 * outlive each other.  flock tells them apart, not the process id.
 */
#define _GNU_SOURCE /* unshare */
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/bound.h"
#include "lib/callers.h"
#include "lib/idset.h"
#include "lib/rig.h"
#include "lib/scratch.h"
#include "lib/test.h"

enum {
    CONTAINERS = 4,
    ROUNDS = 24 / (INSTRUMENT_SLOWDOWN > 4 ? 4 : 1),
    IDS = 20000 / INSTRUMENT_SLOWDOWN,
    BATCH = 500
};
enum { NOT_PERMITTED = 77, COMPLAINED = 1 };

static const char *scratch;
static int said_fds[2]; /* a byte from each container that has come so far */

BEFORE_ALL
{
    assert_int_equal(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
}

BEFORE_EACH
{
    scratch = scratch_make();
    assert_int_equal(pipe(said_fds), 0);
}

AFTER_EACH
{
    close(said_fds[0]);
    close(said_fds[1]);
    scratch_remove(scratch);
}

/* In a container. */
static void check(bool good, const char *what)
{
    if (good)
        return;
    print_error("%s\n", what);
    _exit(COMPLAINED);
}

static void say(char what)
{
    check(write(said_fds[1], &what, 1) == 1, "cannot say anything");
}

static char hear(void)
{
    char what;

    assert_int_equal(read(said_fds[0], &what, 1), 1);
    return what;
}

/* Forks the first process of a new PID namespace: 0 there, -1 where that is not permitted. */
static pid_t fork_first(void)
{
    if (unshare(CLONE_NEWPID) != 0 && unshare(CLONE_NEWPID | CLONE_NEWUSER) != 0)
        return -1;
    pid_t pid = fork();
    if (pid == 0)
        bound_to(0); /* a parent outside of the namespace has no number in it */
    return pid;
}

static int exit_status_of(pid_t pid)
{
    int status;

    if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
        return COMPLAINED;
    return WEXITSTATUS(status);
}

/* Starts a container: work(arg) in process 1.  Its outer process leads a group with which it can be killed. */
static pid_t start(void (*work)(void *arg), void *arg)
{
    pid_t pid = bound_fork();

    assert_true(pid >= 0);
    if (pid == 0) {
        (void)setpgid(0, 0);
        pid_t first = fork_first();
        if (first == 0) {
            check(getpid() == 1, "this is not the first process");
            work(arg);
            _exit(0);
        }
        if (first < 0)
            say('-');
        _exit(first < 0 ? NOT_PERMITTED : exit_status_of(first));
    }
    (void)setpgid(pid, pid);
    return pid;
}

/* Process 1 dies for itself: what it held is free when it, too, has been waited for, as a child of its reaper. */
static void end(pid_t pid)
{
    (void)kill(-pid, SIGKILL);
    while (waitpid(-pid, NULL, 0) > 0)
        continue;
}

static bool can_make_namespaces(void)
{
    pid_t pid = bound_fork();

    if (pid == 0) {
        pid_t first = fork_first();
        if (first == 0)
            _exit(0);
        _exit(first < 0 ? NOT_PERMITTED : exit_status_of(first));
    }
    return exit_status_of(pid) == 0;
}

/* As a macro, so that skip() leaves the test. */
#define NEED_NAMESPACES()                                                                                              \
    do {                                                                                                               \
        if (!can_make_namespaces()) {                                                                                  \
            print_message("SKIPPED: no PID namespace can be made here\n");                                             \
            skip();                                                                                                    \
        }                                                                                                              \
    } while (0)

static frazil *open_here(const char *worker, frazil_error *reterr)
{
    char spec[900];
    frazil *gen = NULL;

    snprintf(spec, sizeof spec,
             "layout=frazil %s state=file namespace=n run_dir=%s/run state_dir=%s/state max_wait=20s", worker, scratch,
             scratch);
    return frazil_open(&gen, spec, reterr) == FRAZIL_OK ? gen : NULL;
}

static frazil *open_ok(const char *worker)
{
    frazil_error err;
    frazil *gen = open_here(worker, &err);

    check(gen != NULL, err.message);
    return gen;
}

static void take(frazil *gen, struct idset *set)
{
    uint64_t batch[BATCH];
    frazil_error err;

    for (size_t n = 0; n < IDS; n += BATCH) {
        check(frazil_take(gen, batch, BATCH, 20 * RIG_S, &err) == FRAZIL_OK, err.message);
        idset_add_n(set, batch, BATCH);
    }
}

/* ---- a child that is process 1, too -------------------------------------------------- */

static void fork_and_take(void *arg)
{
    struct idset *sets = arg;
    frazil *gen = open_ok("worker=fixed:3");
    frazil_local *handle;
    uint64_t id;

    check(frazil_local_open(&handle, gen, NULL) == FRAZIL_OK, "no handle");
    check(frazil_local_next(handle, &id) == FRAZIL_OK, "no id from a handle");
    idset_add(&sets[0], id);
    pid_t child = fork_first();
    struct idset *own = child == 0 ? &sets[1] : &sets[0];
    for (unsigned i = 0; i < 1000; i++) {
        check(frazil_local_next(handle, &id) == FRAZIL_OK, "no id from a handle");
        idset_add(own, id);
    }
    take(gen, own);
    frazil_local_close(handle);
    if (child == 0) {
        check(getpid() == 1, "the child is not the first process");
        frazil_close(gen);
        _exit(0);
    }
    check(exit_status_of(child) == 0, "the child has failed");
    take(gen, own); /* the child's close has taken nothing away */
    frazil_close(gen);
}

TEST("Process 1, and a child of it that is process 1 of another namespace, use one generator")
{
    struct idset *sets = idsets_open(2, 3 * IDS);
    uint64_t twice = 0;

    NEED_NAMESPACES();
    assert_int_equal(exit_status_of(start(fork_and_take, sets)), 0);
    assert_true(sets[0].count >= (size_t)2 * IDS);
    assert_true(sets[1].count >= IDS);
    assert_int_equal(idsets_duplicates(sets, 2, &twice), 0);
    idsets_close(sets, 2);
}

/* ---- containers beside each other -------------------------------------------------------- */

/* Opens, takes, now and then closes; until it is killed or has enough. */
static void serve(void *arg)
{
    frazil *gen = open_ok("worker=fixed:3");

    say('+');
    take(gen, arg);
    frazil_close(gen);
}

TEST("Containers come, share the word and are killed while they open or take: no id twice")
{
    struct idset *sets = idsets_open(ROUNDS, IDS);
    pid_t pids[CONTAINERS] = {0};
    uint64_t twice = 0;

    NEED_NAMESPACES();
    for (unsigned round = 0; round < ROUNDS; round++) {
        pid_t *pid = &pids[round % CONTAINERS];
        if (*pid != 0)
            end(*pid);
        *pid = start(serve, &sets[round]);
        if (round % 3 != 0)
            assert_int_equal(hear(), '+');
    }
    for (unsigned i = 0; i < CONTAINERS; i++) {
        if (i == 0)
            end(pids[i]);
        else
            assert_int_equal(exit_status_of(pids[i]), 0);
    }
    assert_true(idsets_count(sets, ROUNDS) >= (size_t)(CONTAINERS - 1) * IDS);
    assert_int_equal(idsets_duplicates(sets, ROUNDS, &twice), 0);
    idsets_close(sets, ROUNDS);
}

/* Takes a worker id by its lock, says which, and keeps it until it is killed. */
static void hold_a_worker(void *arg)
{
    frazil_info info;
    frazil *gen = open_ok("worker=file-lock");

    (void)arg;
    frazil_get_info(gen, &info, sizeof info);
    say((char)('0' + info.worker));
    for (;;)
        pause();
}

TEST("Each container has a worker id of its own; one that was killed has left it to the next")
{
    pid_t pids[2];

    NEED_NAMESPACES();
    for (unsigned i = 0; i < 2; i++) {
        pids[i] = start(hold_a_worker, NULL);
        assert_int_equal(hear(), '0' + i);
    }
    end(pids[0]);
    pids[0] = start(hold_a_worker, NULL);
    assert_int_equal(hear(), '0');
    end(pids[0]);
    end(pids[1]);
}

/* ---- refusals ------------------------------------------------------------------------ */

static void hold_a_part(void *arg)
{
    frazil *gen = open_ok(arg);

    say(gen == NULL ? '-' : '+');
    for (;;)
        pause();
}

static char low[] = "worker=fixed:3 seq_min=0 seq_max=99";

TEST("Sequence bounds that overlap with those of another container are refused; those beside it are not")
{
    frazil_error err;

    NEED_NAMESPACES();
    pid_t pid = start(hold_a_part, low);
    assert_int_equal(hear(), '+');
    assert_null(open_here("worker=fixed:3 seq_min=99 seq_max=199", &err));
    assert_int_equal(err.code, FRAZIL_EWORKER);
    assert_null(open_here("worker=fixed:3", &err));
    frazil *gen = open_here("worker=fixed:3 seq_min=100 seq_max=199", &err);
    if (gen == NULL)
        fail_msg("%s", err.message);
    frazil_close(gen);
    end(pid);
}
