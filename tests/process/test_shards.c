/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: generators of one worker with any sequence bounds never issue an
 * id twice.  Many processes open, fork and are killed at any instruction, their clocks
 * differ, and the run directory is wiped.  Those whose
 * bounds overlap with a living one's are refused; those beside it are not.
 *
 * Each process has a manual clock, so that nothing waits in real time, and writes its
 * ids into shared memory, where they outlive it.
 */
#define _GNU_SOURCE /* MAP_ANONYMOUS */
#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/bound.h"
#include "lib/callers.h"
#include "lib/idset.h"
#include "lib/rig.h"
#include "lib/scratch.h"
#include "lib/test.h"

enum { CHILDREN = 4, KILLS = 240 / INSTRUMENT_SLOWDOWN, IDS_MAX = 6000, TICK_MAX = 64 };

/* 64 sequence numbers, so that generators in one tick are sure to meet. */
static const struct bounds {
    unsigned min;
    unsigned max;
} bounds[] = {{0, 15}, {16, 31}, {8, 23}, {32, 63}, {31, 40}, {0, 63}, {0, 16}, {24, 30}};

enum { BOUNDS = sizeof bounds / sizeof bounds[0] };

/* The children's messages, in memory that is shared. */
struct tally {
    _Atomic unsigned opened;
    _Atomic unsigned refused;
    _Atomic unsigned failed;
    char why[300];
};

static struct tally *tally;
static struct idset *sets;
static const char *scratch;
static int pipe_fds[2]; /* a byte from each process that opened, was refused, or has taken some more ids */

BEFORE_EACH
{
    scratch = scratch_make();
    tally = mmap(NULL, sizeof *tally, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    sets = idsets_open((size_t)KILLS * 2, IDS_MAX);
    assert_true(tally != MAP_FAILED);
    assert_int_equal(pipe(pipe_fds), 0);
}

AFTER_EACH
{
    idsets_close(sets, (size_t)KILLS * 2);
    munmap(tally, sizeof *tally);
    close(pipe_fds[0]);
    close(pipe_fds[1]);
    scratch_remove(scratch);
}

static void say(void)
{
    if (write(pipe_fds[1], "", 1) != 1)
        _exit(9);
}

static void complain(const char *why)
{
    if (atomic_fetch_add(&tally->failed, 1) == 0)
        snprintf(tally->why, sizeof tally->why, "%.299s", why);
    say();
    _exit(1);
}

/* The clock steps by up to 20 s to both sides, and moves on with the rounds. */
static int64_t any_time(uint64_t *random, unsigned round)
{
    return RIG_NOW + (int64_t)round * 500 + (int64_t)(caller_random(random) % 40000) - 20000;
}

/* Takes whole ticks, until it is killed or has nowhere to write. */
static void take(frazil *gen, frazil_manual_clock *clock, struct idset *set, uint64_t *random)
{
    uint64_t batch[TICK_MAX];
    frazil_error err;

    for (unsigned i = 1; set->count + TICK_MAX <= IDS_MAX; i++) {
        if (i % 16 == 0)
            say();
        size_t n = 1 + caller_random(random) % TICK_MAX;
        frazil_err code = frazil_take(gen, batch, n, RIG_S, &err);
        if (code == FRAZIL_OK)
            idset_add_n(set, batch, n);
        else if (code != FRAZIL_ELEASE && code != FRAZIL_EFULL && code != FRAZIL_ECLOCK)
            complain(err.message);
        frazil_manual_clock_advance(clock, caller_random(random) % (1500 * RIG_MS));
        if (caller_random(random) % 40 == 0)
            frazil_manual_clock_set(clock, any_time(random, 0));
    }
}

static frazil *open_part(const struct bounds *part, const struct ports *ports, frazil_error *reterr)
{
    char spec[900];
    frazil *gen = NULL;

    snprintf(
        spec, sizeof spec,
        "layout='41/10/6 epoch=2026-01-01' worker=fixed:7 state=file namespace=n run_dir=%s/run state_dir=%s/state "
        "keeper=inline max_wait=1s start=zero allow_short_life=yes seq_min=%u seq_max=%u",
        scratch, scratch, part->min, part->max);
    return ports_open(&gen, spec, ports, reterr) == FRAZIL_OK ? gen : NULL;
}

/* *sets: one for it and one for a child of its own. */
static void child(unsigned round, struct idset *own)
{
    uint64_t random = round * UINT64_C(0x9e3779b97f4a7c15) + 1;
    frazil_manual_clock *manual;
    frazil_error err;

    close(pipe_fds[0]); /* so that a child of its own, too, ends with the test: it can tell nobody any more */
    for (unsigned i = 0; i < 10; i++)
        (void)caller_random(&random);
    const struct bounds *part = &bounds[caller_random(&random) % BOUNDS];
    if (frazil_manual_clock_open(&manual, any_time(&random, round), 0, NULL) != FRAZIL_OK)
        complain("no clock");
    const frazil_clock clock = port_of(manual);
    const struct ports ports = {.clock = &clock};
    frazil *gen = open_part(part, &ports, &err);
    if (gen == NULL && err.code != FRAZIL_EWORKER && err.code != FRAZIL_ESYS)
        complain(err.message);
    if (gen == NULL) {
        atomic_fetch_add(&tally->refused, 1);
        say();
        _exit(0);
    }
    atomic_fetch_add(&tally->opened, 1);
    say();
    if (caller_random(&random) % 4 == 0 && fork() == 0) {
        own++;
        random ^= 4711;
    }
    take(gen, manual, own, &random);
    if (caller_random(&random) % 2 == 0)
        frazil_close(gen);
    _exit(0);
}

static void wipe_run_directory(void)
{
    char path[600];

    for (size_t i = 0; i < BOUNDS; i++) {
        snprintf(path, sizeof path, "%s/run/n/worker-7.word.shards/%u-%u", scratch, bounds[i].min, bounds[i].max);
        (void)unlink(path);
    }
    snprintf(path, sizeof path, "%s/run/n/worker-7.word", scratch);
    (void)unlink(path);
}

/* Kills a child and its children, which are its process group. */
static void end(pid_t pid)
{
    (void)kill(-pid, SIGKILL);
    assert_int_equal(waitpid(pid, NULL, 0), pid);
}

/* Waits until a process has said that it came so far. */
static void await_one(void)
{
    char byte;

    assert_int_equal(read(pipe_fds[0], &byte, 1), 1);
}

static void run_rounds(bool wipes)
{
    pid_t pids[CHILDREN] = {0};

    for (unsigned round = 0; round < KILLS; round++) {
        pid_t *pid = &pids[round % CHILDREN];
        if (*pid != 0)
            end(*pid);
        if (wipes && round % 37 == 36)
            wipe_run_directory();
        *pid = bound_fork();
        assert_true(*pid >= 0);
        if (*pid == 0) {
            (void)setpgid(0, 0);
            child(round, &sets[(size_t)round * 2]);
        }
        (void)setpgid(*pid, *pid);
        /* Now one is killed while it opens, now while it takes ids: nothing depends on how far they come. */
        if (round % 3 != 0)
            await_one();
    }
    for (unsigned i = 0; i < CHILDREN; i++)
        end(pids[i]);
}

static void check(void)
{
    uint64_t id = 0;

    print_message("%u opened, %u refused, %lu ids\n", tally->opened, tally->refused,
                  (unsigned long)idsets_count(sets, (size_t)KILLS * 2));
    if (tally->failed != 0)
        fail_msg("%s", tally->why);
    assert_int_equal(idsets_duplicates(sets, (size_t)KILLS * 2, &id), 0);
    assert_true(tally->opened > 0);
    assert_true(tally->refused > 0);
}

TEST("No id comes twice, wherever a process is killed while it opens or takes ids")
{
    run_rounds(false);
    check();
}

TEST("The words are removed under the hands of those who have them")
{
    run_rounds(true);
    check();
}

/* ---- refusals between processes ------------------------------------------------------- */

/* Opens in a process of its own, started anew; says how that went. */
static frazil_err open_elsewhere(const struct bounds *part, char why[300])
{
    pid_t pid = fork();

    assert_true(pid >= 0);
    if (pid == 0) {
        frazil_error err = {.code = FRAZIL_OK};
        frazil *gen = open_part(part, NULL, &err);
        snprintf(tally->why, sizeof tally->why, "%.299s", gen == NULL ? err.message : "");
        frazil_close(gen);
        _exit(gen == NULL ? -err.code : 0);
    }
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    memcpy(why, tally->why, 300);
    return -WEXITSTATUS(status);
}

TEST("One process has 10 to 20: whoever overlaps with that is told both bounds; equal ones share the word")
{
    static const struct bounds holder = {10, 20};
    static const struct {
        struct bounds bounds;
        bool allowed;
    } cases[] = {{{10, 20}, true},  {{11, 21}, false}, {{9, 19}, false}, {{10, 30}, false},
                 {{5, 20}, false},  {{12, 15}, false}, {{5, 30}, false}, {{0, 63}, false},
                 {{20, 30}, false}, {{0, 10}, false},  {{0, 9}, true},   {{21, 63}, true}};
    frazil_error err;
    char why[300];

    frazil *gen = open_part(&holder, NULL, &err);
    if (gen == NULL)
        fail_msg("%s", err.message);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char own[32];
        frazil_err code = open_elsewhere(&cases[i].bounds, why);
        if (code != (cases[i].allowed ? FRAZIL_OK : FRAZIL_EWORKER))
            fail_msg("%u to %u: %d: %s", cases[i].bounds.min, cases[i].bounds.max, code, why);
        snprintf(own, sizeof own, "%u to %u", cases[i].bounds.min, cases[i].bounds.max);
        if (!cases[i].allowed && (strstr(why, own) == NULL || strstr(why, "10 to 20") == NULL))
            fail_msg("%s", why);
    }
    frazil_close(gen);
}
