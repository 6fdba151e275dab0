/* SPDX-License-Identifier: MIT */
/*
 * Two threads, and two processes, at a time: what an id costs when another one is
 * just being made.  Both take from one supply until it is used up, so that they
 * end together; half of what both worked is how long that took.
 */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "lab.h"

#include "complain.h"

#include <pthread.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

/* On the monotonic clock, which processes share. */
struct side {
    double start_ns;
    double end_ns;
    double worked_ns;
};

/* Where two meet; in memory that both share when they are processes, too. */
struct meeting {
    alignas(64) atomic_int waiting; /* how many have yet to come to the start */
    atomic_bool failed;
    alignas(64) _Atomic int64_t left; /* ids that nobody has gone to take yet */
    int64_t portion;                  /* how many of them one goes to take at a time */
    alignas(64) struct side sides[2];
};

/* One of the two. */
struct half {
    struct meeting *meeting;
    unsigned which; /* 0 or 1 */
    bool (*work)(const struct half *half, uint64_t count);
    struct bench_rig *rig;
    frazil *gen;
};

/* Few enough to end together, many enough for the supply not to matter. */
enum { PORTIONS = 64 };

/* How long to wait for the other one: it comes at once, or was killed. */
static const double patience_ns = 60e9;

static bool await_the_other(struct meeting *meeting)
{
    double until = bench_now_ns() + patience_ns;

    atomic_fetch_sub(&meeting->waiting, 1);
    while (atomic_load(&meeting->waiting) > 0) {
        if (bench_now_ns() > until)
            return false;
    }
    return !atomic_load(&meeting->failed);
}

static void *run_half(void *arg)
{
    const struct half *half = arg;
    struct meeting *meeting = half->meeting;
    struct side *side = &meeting->sides[half->which];
    bool ok = await_the_other(meeting);
    double worked = bench_worked_ns();
    int64_t left;

    side->start_ns = bench_now_ns();
    while (ok && (left = atomic_fetch_sub_explicit(&meeting->left, meeting->portion, memory_order_relaxed)) > 0)
        ok = half->work(half, (uint64_t)(left < meeting->portion ? left : meeting->portion));
    side->worked_ns = bench_worked_ns() - worked;
    side->end_ns = bench_now_ns();
    if (!ok)
        atomic_store(&meeting->failed, true);
    return NULL;
}

static bool work_counter_add(const struct half *half, uint64_t count)
{
    _Atomic uint64_t *line = &half->rig->line;

    for (uint64_t i = 0; i < count; i++) {
        BENCH_KEEP(bench_counter());
        BENCH_KEEP(atomic_fetch_add_explicit(line, 1, memory_order_relaxed));
    }
    return true;
}

static bool work_next(const struct half *half, uint64_t count)
{
    frazil *gen = half->gen;
    frazil_err err = FRAZIL_OK;
    uint64_t id;

    for (uint64_t i = 0; i < count && err == FRAZIL_OK; i++) {
        err = frazil_next(gen, &id);
        BENCH_KEEP(&id);
    }
    return bench_went_well(err);
}

static bool work_local(const struct half *half, uint64_t count)
{
    frazil_local *local = lab_of(half->rig)->locals[half->which];
    frazil_err err = FRAZIL_OK;
    uint64_t id;

    for (uint64_t i = 0; i < count && err == FRAZIL_OK; i++) {
        err = frazil_local_next(local, &id);
        BENCH_KEEP(&id);
    }
    return bench_went_well(err);
}

/* ---- threads and processes ------------------------------------------------------ */

/* Has both halves done at a time; false, after a complaint, if there is no other one. */
typedef bool (*run_both_fn)(struct half halves[2]);

static bool run_threads(struct half halves[2])
{
    pthread_t thread;

    if (pthread_create(&thread, NULL, run_half, &halves[1]) != 0) {
        complain("a second thread cannot be started");
        return false;
    }
    (void)run_half(&halves[0]);
    (void)pthread_join(thread, NULL);
    return true;
}

/* The other process opens the generator anew, as a stranger would. */
static void be_the_other(struct half *half)
{
    half->gen = bench_rig_kept(half->rig, half->rig->layout, "worker=fixed:0 keeper=inline");
    if (half->gen == NULL || !bench_warm_up(&half->gen, 1))
        atomic_store(&half->meeting->failed, true);
    (void)run_half(half);
}

static bool run_processes(struct half halves[2])
{
    pid_t child = fork();

    if (child < 0) {
        complain("a second process cannot be started");
        return false;
    }
    if (child == 0) {
        be_the_other(&halves[1]);
        _exit(0);
    }
    (void)run_half(&halves[0]);
    (void)waitpid(child, NULL, 0);
    return true;
}

/*
 * Whether both ran all the time, but for a twentieth of it at the most: then both ran at
 * the same time for nine tenths of it, which they cannot on one processor.
 */
static bool have_met(const struct side sides[2])
{
    double start = sides[0].start_ns < sides[1].start_ns ? sides[0].start_ns : sides[1].start_ns;
    double end = sides[0].end_ns > sides[1].end_ns ? sides[0].end_ns : sides[1].end_ns;
    double enough = (end - start) * 0.95;

    return sides[0].worked_ns >= enough && sides[1].worked_ns >= enough;
}

static void prepare(struct meeting *meeting, uint64_t supply)
{
    atomic_store(&meeting->waiting, 2);
    atomic_store(&meeting->left, (int64_t)supply);
    meeting->portion = (int64_t)supply / PORTIONS + 1;
}

/* A shorter run is disturbed less often: the supply is halved a few times. */
enum { TRIES = 16, HALVINGS = 3 };

/* If others take the processors away, the two try again with less; *ret_ns is what count would take. */
static bool try_to_meet(struct bench_rig *rig, run_both_fn run_both, struct half halves[2], uint64_t count,
                        double *ret_ns)
{
    struct meeting *meeting = halves[0].meeting;
    uint64_t supply = count;

    rig->disturbed = true;
    for (int tries = 0; tries < TRIES && rig->disturbed; tries++) {
        supply = (count >> (tries < HALVINGS ? tries : HALVINGS)) | 1;
        prepare(meeting, supply);
        if (!run_both(halves))
            return false;
        if (atomic_load(&meeting->failed)) {
            complain("two at a time could not be measured");
            return false;
        }
        rig->disturbed = !have_met(meeting->sides);
    }
    double worked_ns = (meeting->sides[0].worked_ns + meeting->sides[1].worked_ns) / 2;
    *ret_ns = worked_ns * (double)count / (double)supply;
    return true;
}

static bool run(struct bench_rig *rig, run_both_fn run_both, const struct half *half, uint64_t count, double *ret_ns)
{
    struct half halves[2] = {*half, *half};
    struct meeting *meeting = mmap(NULL, sizeof *meeting, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    if (meeting == MAP_FAILED)
        return bench_went_well(FRAZIL_ENOMEM);
    for (unsigned i = 0; i < 2; i++) {
        halves[i].meeting = meeting;
        halves[i].which = i;
        halves[i].rig = rig;
    }
    bool ok = try_to_meet(rig, run_both, halves, count, ret_ns);
    (void)munmap(meeting, sizeof *meeting);
    return ok;
}

static bool run_two_counter_add(struct bench_rig *rig, const struct bench_case *self, uint64_t count, double *ret_ns)
{
    (void)self;
    return run(rig, run_threads, &(struct half){.work = work_counter_add}, count, ret_ns);
}

static bool run_two_next(struct bench_rig *rig, const struct bench_case *self, uint64_t count, double *ret_ns)
{
    (void)self;
    return run(rig, run_threads, &(struct half){.work = work_next, .gen = rig->gen}, count, ret_ns);
}

static bool run_two_processes(struct bench_rig *rig, const struct bench_case *self, uint64_t count, double *ret_ns)
{
    (void)self;
    return run(rig, run_processes, &(struct half){.work = work_next, .gen = rig->shared}, count, ret_ns);
}

/* One of the two handles alone, in the same rounds as both. */
static bool run_one_local(struct bench_rig *rig, const struct bench_case *self, uint64_t count, double *ret_ns)
{
    const struct half half = {.rig = rig};
    double start = bench_worked_ns();

    (void)self;
    bool ok = work_local(&half, count);

    *ret_ns = bench_worked_ns() - start;
    return ok;
}

static bool run_two_local(struct bench_rig *rig, const struct bench_case *self, uint64_t count, double *ret_ns)
{
    (void)self;
    return run(rig, run_threads, &(struct half){.work = work_local}, count, ret_ns);
}

#define TWO(key, name) BENCH_LABEL("Two at a time, per id of both together", key, name, "ns")
#define AT_MOST(...) .label.targets = {{BENCH_AT_MOST, __VA_ARGS__}}
#define MEETING                                                                                                        \
    .label.missed = "the two did not run at the same time: no two processors were free",                               \
    .at_once = 1000 /* fewer are over at once */

const struct bench_case lab_pairs[] = {
    {TWO("two_counter_add", "threads: counter read + add"), .run = run_two_counter_add, MEETING},
    {TWO("two_next", "threads: one generator"), AT_MOST(1.2, "two_counter_add"), .run = run_two_next, MEETING},
    {TWO("two_processes", "processes: one shared file"), AT_MOST(1.1, "two_next"), .run = run_two_processes, MEETING},
    {TWO("one_local", "one thread: one handle"), .run = run_one_local},
    {TWO("two_local", "threads: a handle each"), AT_MOST(0.55, "one_local"), .run = run_two_local, MEETING},
    {.run = NULL},
};
