/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: a child is told from its parent also where both have one
 * process id, as the first processes of two PID namespaces have.
 */
#define _GNU_SOURCE /* unshare */
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include "generator/generator_internal.h"
#include "lease/coordinator.h"
#include "lib/fake_granter.h"
#include "lib/rig.h"
#include "lib/test.h"
#include "os/fork_mark.h"
#include "os/memory.h"

enum { WORKER = 3, HORIZON = 1000, NOT_PERMITTED = 77 };

static int status_of(pid_t pid)
{
    int status;

    assert_true(pid > 0);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

/* Forks the first process of a new PID namespace: 0 there, -1 where that is not permitted. */
static pid_t fork_first(void)
{
    if (unshare(CLONE_NEWPID) != 0 && unshare(CLONE_NEWPID | CLONE_NEWUSER) != 0)
        return -1;
    return fork();
}

/* Runs work in the first process of a namespace, and skips the test where none can be made. */
static void run_as_first(bool (*work)(void))
{
    pid_t pid = fork();

    if (pid == 0) {
        pid_t first = fork_first();
        if (first == 0)
            _exit(getpid() == 1 && work() ? 0 : 1);
        _exit(first < 0 ? NOT_PERMITTED : status_of(first));
    }
    int status = status_of(pid);
    if (status == NOT_PERMITTED) {
        print_message("SKIPPED: no PID namespace can be made here\n");
        skip();
    }
    assert_int_equal(status, 0);
}

/* ---- the mark ------------------------------------------------------------------ */

static struct fz_fork_mark mark;

static bool child_has_another_mark(void)
{
    uint64_t own = fz_fork_mark_read(&mark);
    pid_t child = fork_first();

    if (child == 0)
        _exit(getpid() == 1 && fz_fork_mark_read(&mark) != own ? 0 : 1);
    return child > 0 && status_of(child) == 0 && fz_fork_mark_read(&mark) == own;
}

TEST("A child that is process 1, as its parent is, has another fork mark")
{
    bool wiped = false;
    _Atomic uint64_t *page = fz_map_wiped(sizeof *page, &wiped);

    assert_non_null(page);
    fz_fork_mark_init(&mark, wiped ? page : NULL);
    run_as_first(child_has_another_mark);
    fz_unmap(page, sizeof *page);
}

TEST("The same where the kernel wipes no page")
{
    fz_fork_mark_init(&mark, NULL);
    run_as_first(child_has_another_mark);
}

/* ---- the keeper ---------------------------------------------------------------- */

static struct rig rig;

/* The child has no keeper thread, tells its granter of the fork once, and can close. */
static bool child_keeps_alone(void)
{
    struct fake_granter *fake =
        fake_granter_open(&rig, "layout=frazil worker=fixed:3", WORKER, HORIZON, FZ_KEEPER_THREAD);
    uint64_t id;

    pid_t child = fork_first();
    if (child == 0) {
        if (getpid() != 1 || fz_keeper_has_thread(rig.gen))
            _exit(1); /* to close would wait for a thread that is not there */
        bool good = true;
        for (unsigned i = 1; i <= 2; i++) {
            frazil_manual_clock_advance(rig.manual, (HORIZON - 1) * RIG_MS);
            good = frazil_next(rig.gen, &id) == FRAZIL_OK && fake->forks == 1 && good;
        }
        good = fake->extended == 2 && good;
        frazil_close(rig.gen);
        _exit(good ? 0 : 1);
    }
    bool good = child > 0 && status_of(child) == 0 && fz_keeper_has_thread(rig.gen) && fake->forks == 1;
    frazil_close(rig.gen);
    return good;
}

TEST("Such a child has no keeper thread, tells its granter of the fork once, and can close")
{
    run_as_first(child_keeps_alone);
}

/* ---- slots from elsewhere -------------------------------------------------------- */

/* A source of slots, and how often it was asked and told of a fork. */
static struct {
    unsigned takes;
    unsigned forks;
} source;

static frazil_err take_slots(void *ctx, struct fz_deadline deadline, uint64_t now_tick, uint64_t n,
                             struct fz_slot_run *ret, frazil_error *reterr)
{
    (void)deadline;
    (void)ctx;
    (void)reterr;
    *ret = (struct fz_slot_run){.tick = now_tick, .place = source.takes++ * n, .count = n};
    return FRAZIL_OK;
}

static void note_fork(void *ctx)
{
    (void)ctx;
    source.forks++;
}

static void close_slots(void *ctx)
{
    (void)ctx;
}

static frazil_err open_slots(const frazil_coordinator *self, const struct fz_slots_request *request,
                             struct fz_slot_source *ret, frazil_error *reterr)
{
    (void)self;
    (void)request;
    (void)reterr;
    *ret = (struct fz_slot_source){.ctx = &source, .take = take_slots, .after_fork = note_fork, .close = close_slots};
    return FRAZIL_OK;
}

/* I5: the child leaves the batch to its parent, and takes one of its own. */
static bool child_takes_its_own_slots(void)
{
    static const char *const schemes[] = {"fake", NULL};
    static const frazil_coordinator fake = {FZ_COORDINATOR_BUILD, .part = "fake", .client = "none", .schemes = schemes,
                                            .open_slots = open_slots};
    static const frazil_coordinator *const coordinators[] = {&fake, NULL};

    rig = (struct rig){.random_state = 1, .coordinators = coordinators};
    rig_open(&rig, "layout=frazil worker=fixed:3 state=fake://slots batch=8", RIG_NOW);
    (void)rig_next(&rig);
    pid_t child = fork_first();
    if (child == 0) {
        (void)rig_next(&rig);
        bool good = getpid() == 1 && source.takes == 2 && source.forks == 1;
        frazil_close(rig.gen);
        _exit(good ? 0 : 1);
    }
    bool good = child > 0 && status_of(child) == 0 && source.forks == 0;
    rig_close(&rig);
    return good;
}

TEST("I5: such a child leaves the batch of slots to its parent, and takes one of its own")
{
    run_as_first(child_takes_its_own_slots);
}
