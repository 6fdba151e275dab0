/* SPDX-License-Identifier: MIT */
/*
 * Two threads, and two processes, at a time: what an id costs when another one is
 * just being made.  Half of what both work is as long as both take if nobody
 * disturbs them, and does not grow if somebody does.
 */
#include "bench_cases.h"
#include "bench_clock.h"
#include "complain.h"

#include <pthread.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* What one of two does: `which` is 0 or 1. */
typedef bool (*work_fn)(struct bench_rig *rig, unsigned which, uint64_t count);

struct half {
    struct bench_rig *rig;
    work_fn work;
    unsigned which;
    uint64_t count;
    atomic_int *waiting; /* how many have yet to come to the start */
    double worked_ns;
    bool ok;
};

static void *run_half(void *arg)
{
    struct half *half = arg;

    atomic_fetch_sub(half->waiting, 1);
    while (atomic_load(half->waiting) > 0)
        continue;
    double start = bench_worked_ns();
    half->ok = half->work(half->rig, half->which, half->count);
    half->worked_ns = bench_worked_ns() - start;
    return NULL;
}

/* Two threads do half of count each; *ret_elapsed_ns: until both were done. */
static bool try_threads(struct bench_rig *rig, work_fn work, uint64_t count, double *ret_ns, double *ret_elapsed_ns)
{
    atomic_int waiting = 2;
    struct half halves[2];
    pthread_t thread;

    for (unsigned i = 0; i < 2; i++)
        halves[i] = (struct half){.rig = rig, .work = work, .which = i, .count = count / 2, .waiting = &waiting};
    if (pthread_create(&thread, NULL, run_half, &halves[1]) != 0) {
        complain("a second thread cannot be started");
        return false;
    }
    while (atomic_load(&waiting) > 1)
        continue;
    double start = bench_now_ns();
    (void)run_half(&halves[0]);
    (void)pthread_join(thread, NULL);
    *ret_elapsed_ns = bench_now_ns() - start;
    *ret_ns = (halves[0].worked_ns + halves[1].worked_ns) / 2;
    return halves[0].ok && halves[1].ok;
}

static bool work_counter_add(struct bench_rig *rig, unsigned which, uint64_t count)
{
    (void)which;
    for (uint64_t i = 0; i < count; i++) {
        BENCH_KEEP(bench_counter());
        BENCH_KEEP(atomic_fetch_add_explicit(&rig->line, 1, memory_order_relaxed));
    }
    return true;
}

static bool work_next(struct bench_rig *rig, unsigned which, uint64_t count)
{
    double ignored;

    (void)which;
    return bench_take(rig->gen, count, &ignored);
}

static bool work_local(struct bench_rig *rig, unsigned which, uint64_t count)
{
    frazil_err err = FRAZIL_OK;
    uint64_t id;

    for (uint64_t i = 0; i < count && err == FRAZIL_OK; i++) {
        err = frazil_local_next(rig->locals[which], &id);
        BENCH_KEEP(&id);
    }
    return bench_went_well(err);
}

/* ---- two processes ----------------------------------------------------------- */

/* Both begin at a time that lies a little ahead when it is agreed upon. */
static const double start_delay_ns = 300000;

static void wait_until(double ns)
{
    while (bench_now_ns() < ns)
        continue;
}

/* The other process: opens the generator anew, as a stranger would; says when it is ready, and when it is done. */
static bool be_the_other(const struct bench_rig *rig, uint64_t count, int from_parent, int to_parent)
{
    frazil *gen = bench_rig_kept(rig, rig->layout, "worker=fixed:0 keeper=inline");
    double start, worked;

    if (gen == NULL || !bench_take(gen, 1000, &worked) || write(to_parent, "", 1) != 1 ||
        read(from_parent, &start, sizeof start) != (ssize_t)sizeof start)
        return false;
    wait_until(start);
    return bench_take(gen, count, &worked) && write(to_parent, &worked, sizeof worked) == (ssize_t)sizeof worked;
}

/* This process's part. */
static bool meet_the_other(struct bench_rig *rig, uint64_t count, int from_child, int to_child, double *ret_ns,
                           double *ret_elapsed_ns)
{
    double start, worked, others;
    char ready;

    if (read(from_child, &ready, 1) != 1)
        return false;
    start = bench_now_ns() + start_delay_ns;
    if (write(to_child, &start, sizeof start) != (ssize_t)sizeof start)
        return false;
    wait_until(start);
    if (!bench_take(rig->shared, count, &worked) || read(from_child, &others, sizeof others) != (ssize_t)sizeof others)
        return false;
    *ret_elapsed_ns = bench_now_ns() - start;
    *ret_ns = (worked + others) / 2;
    return true;
}

/* As try_threads; there is one kind of work only. */
static bool try_processes(struct bench_rig *rig, work_fn work, uint64_t count, double *ret_ns, double *ret_elapsed_ns)
{
    int to_child[2], to_parent[2];

    (void)work;
    if (pipe(to_child) != 0)
        return bench_went_well(FRAZIL_ESYS);
    if (pipe(to_parent) != 0) {
        (void)close(to_child[0]);
        (void)close(to_child[1]);
        return bench_went_well(FRAZIL_ESYS);
    }
    pid_t child = fork();
    if (child == 0) {
        (void)close(to_child[1]);
        (void)close(to_parent[0]);
        _exit(be_the_other(rig, count / 2, to_child[0], to_parent[1]) ? 0 : 1);
    }
    (void)close(to_child[0]);
    (void)close(to_parent[1]);
    bool ok = child > 0 && meet_the_other(rig, count / 2, to_parent[0], to_child[1], ret_ns, ret_elapsed_ns);
    (void)close(to_child[1]);
    (void)close(to_parent[0]);
    if (child > 0)
        (void)waitpid(child, NULL, 0);
    if (!ok)
        complain("two processes could not be measured");
    return ok;
}

/* ---- both ---------------------------------------------------------------------- */

typedef bool (*try_fn)(struct bench_rig *rig, work_fn work, uint64_t count, double *ret_ns, double *ret_elapsed_ns);

/*
 * Where others take the processors away, the two do not meet: what took much
 * longer than they worked is tried again, a few times.
 */
static bool run(try_fn try, struct bench_rig *rig, work_fn work, uint64_t count, double *ret_ns)
{
    double elapsed_ns = 0;

    for (int tries = 0; tries < 16; tries++) {
        if (!try(rig, work, count, ret_ns, &elapsed_ns))
            return false;
        if (elapsed_ns < *ret_ns * 1.25)
            break;
    }
    return true;
}

static bool run_two_counter_add(struct bench_rig *rig, uint64_t count, double *ret_ns)
{
    return run(try_threads, rig, work_counter_add, count, ret_ns);
}

static bool run_two_next(struct bench_rig *rig, uint64_t count, double *ret_ns)
{
    return run(try_threads, rig, work_next, count, ret_ns);
}

static bool run_two_processes(struct bench_rig *rig, uint64_t count, double *ret_ns)
{
    return run(try_processes, rig, NULL, count, ret_ns);
}

static bool run_two_local(struct bench_rig *rig, uint64_t count, double *ret_ns)
{
    return run(try_threads, rig, work_local, count, ret_ns);
}

#define TWO "Two at a time, an id of both together"

const struct bench_case bench_pairs[] = {
    {.row = BENCH_ROW(TWO, "two_counter_add", "threads: counter read + add", "ns"),
     .run = run_two_counter_add,
     .at_once = 2},
    {.row = BENCH_ROW_HELD_TO(TWO, "two_next", "threads: one generator", "ns", {BENCH_AT_MOST, 1.2, "two_counter_add"}),
     .run = run_two_next,
     .at_once = 2},
    {.row =
         BENCH_ROW_HELD_TO(TWO, "two_processes", "processes: one shared file", "ns", {BENCH_AT_MOST, 1.1, "two_next"}),
     .run = run_two_processes,
     .at_once = 2},
    {.row = BENCH_ROW_HELD_TO(TWO, "two_local", "threads: a handle each", "ns", {BENCH_TIMES_AS_FAST, 1.8, "local"}),
     .run = run_two_local,
     .at_once = 2},
    {.run = NULL},
};
