/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: threads that take ids from one generator in every way at
 * once never get the same id twice, each gets increasing ones, nobody starves,
 * and the statistics count exactly what was taken.
 */
#include <stdatomic.h>

#include <sched.h>

#include "frazil.h"
#include "lib/callers.h"
#include "lib/ports.h"
#include "lib/test.h"

enum { THREADS = 8, MANY_THREADS = 64 };

/* A run of threads on one generator. */
struct run {
    const char *spec;
    size_t threads;
    size_t quota; /* ids for each */
    size_t batch_max;
    size_t run_max;
    bool locals;
};

static void assert_counted(frazil *gen, size_t taken)
{
    assert_int_equal(stat_of(gen, FRAZIL_STAT_ISSUED), taken);
}

/* Sequence numbers lie within the generator's bounds and the worker is its own. */
static void assert_parts(frazil *gen, const struct idset *sets, size_t n)
{
    frazil_info info;
    frazil_fields fields;

    frazil_get_info(gen, &info, sizeof info);
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < sets[i].count; k++) {
            if (frazil_id_decompose(info.layout, sets[i].ids[k], &fields, NULL) != FRAZIL_OK ||
                fields.worker != info.worker || fields.sequence < info.sequence_min ||
                fields.sequence > info.sequence_max)
                fail_msg("set %zu, id %zu: worker %u, sequence %u", i, k, fields.worker, fields.sequence);
        }
    }
}

/*
 * The rules for 64-bit ids.  The ids of a handle are in order among themselves only: its
 * blocks interleave with the ids that its thread takes otherwise.
 */
static void run_threads(const struct run *run)
{
    size_t quota = run->quota / INSTRUMENT_SLOWDOWN + 1;
    frazil *gen = open_or_fail(run->spec);
    struct idset *sets = idsets_open(2 * run->threads, quota);
    struct caller callers[MANY_THREADS];

    for (size_t i = 0; i < run->threads; i++)
        callers[i] = (struct caller){.gen = gen,
                                     .shared = &sets[2 * i],
                                     .local = run->locals ? &sets[2 * i + 1] : NULL,
                                     .quota = quota,
                                     .batch_max = run->batch_max,
                                     .run_max = run->run_max,
                                     .seed = 0x9e3779b97f4a7c15 * (i + 1)};
    callers_run(callers, run->threads, caller_take_ids);
    assert_int_equal(idsets_count(sets, 2 * run->threads), run->threads * quota);
    idsets_assert_unique_and_increasing(sets, 2 * run->threads);
    assert_parts(gen, sets, 2 * run->threads);
    if (!run->locals)
        assert_counted(gen, run->threads * quota);
    idsets_close(sets, 2 * run->threads);
    frazil_close(gen);
}

TEST("Where nothing limits: eight threads, five million ids each, all ways mixed")
{
    run_threads(&(struct run){.spec = "layout=41/0/22 worker=fixed:0",
                              .threads = THREADS,
                              .quota = 5000000,
                              .batch_max = 5000,
                              .run_max = 1000,
                              .locals = true});
}

TEST("Without handles, whose unused blocks count as skipped, every id is counted and no other")
{
    run_threads(&(struct run){.spec = "layout=41/0/22 worker=fixed:0",
                              .threads = THREADS,
                              .quota = 1000000,
                              .batch_max = 5000,
                              .run_max = 1000});
}

TEST("The default layout is full all the time: tickets, waits, batches over several ticks")
{
    run_threads(&(struct run){.spec = "worker=fixed:5",
                              .threads = THREADS,
                              .quota = 250000,
                              .batch_max = 8192,
                              .run_max = 3000,
                              .locals = true});
}

TEST("Sixty-four threads on sixteen ids a tick: each gets its ids, none is lost")
{
    run_threads(&(struct run){.spec = "layout=41/18/4 worker=fixed:77 max_wait=none",
                              .threads = MANY_THREADS,
                              .quota = 150,
                              .batch_max = 3,
                              .run_max = 4});
}

TEST("Two ids a tick, with handles that are too small to hold a block")
{
    run_threads(&(struct run){.spec = "layout=41/20/1 worker=fixed:77 max_wait=none start=zero",
                              .threads = 16,
                              .quota = 60,
                              .batch_max = 5,
                              .run_max = 4,
                              .locals = true});
}

TEST("Bounds of the sequence leave holes in the line of slots; every id keeps to them")
{
    run_threads(&(struct run){.spec = "layout=41/6/16 worker=fixed:9 seq_min=1000 seq_max=5095 max_wait=60s",
                              .threads = THREADS,
                              .quota = 200000,
                              .batch_max = 8192,
                              .run_max = 1000,
                              .locals = true});
}

TEST("A hole of one place, next to a tick of a few: adding lands in the hole and beyond it")
{
    run_threads(&(struct run){.spec = "layout=41/18/4 worker=fixed:9 seq_min=1 seq_max=14 max_wait=none",
                              .threads = 32,
                              .quota = 300,
                              .batch_max = 40,
                              .run_max = 10});
}

TEST("The sequence above the worker, in ticks of 10 ms")
{
    run_threads(&(struct run){.spec = "layout=39/8s/16w tick=10ms worker=fixed:60000 max_wait=60s",
                              .threads = THREADS,
                              .quota = 2000,
                              .batch_max = 600,
                              .run_max = 200,
                              .locals = true});
}

TEST("Ids ahead of the clock instead of waits")
{
    run_threads(&(struct run){.spec = "behaviour=sfid worker=fixed:3",
                              .threads = THREADS,
                              .quota = 1000000,
                              .batch_max = 5000,
                              .run_max = 1000,
                              .locals = true});
}

TEST("A random start in each tick: no slot is taken by adding")
{
    run_threads(&(struct run){.spec = "worker=fixed:3 start=random max_wait=60s",
                              .threads = THREADS,
                              .quota = 100000,
                              .batch_max = 3000,
                              .run_max = 1000,
                              .locals = true});
}

/* Snos, one by one and in batches; without steps of the clock there is one side, and it increases. */
static void run_snos(const char *spec, size_t quota)
{
    frazil *gen = open_or_fail(spec);
    struct caller callers[THREADS];

    quota = quota / INSTRUMENT_SLOWDOWN + 1;
    struct idset *sets = idsets_open(THREADS, quota);
    for (size_t i = 0; i < THREADS; i++)
        callers[i] = (struct caller){.gen = gen,
                                     .shared = &sets[i],
                                     .quota = quota,
                                     .batch_max = 5000,
                                     .run_max = 2000,
                                     .seed = 0x9e3779b97f4a7c15 * (i + 1)};
    callers_run(callers, THREADS, caller_take_snos);
    idsets_assert_unique_and_increasing(sets, THREADS);
    assert_counted(gen, THREADS * quota);
    idsets_close(sets, THREADS);
    frazil_close(gen);
}

TEST("Snos are unique and increase in each thread, one by one and in batches")
{
    run_snos("layout=sno worker=fixed:513 max_wait=60s", 1000000);
}

TEST("Snos of a part of the sequence are unique and increase in each thread, too")
{
    run_snos("layout=sno worker=fixed:513 seq_min=8192 seq_max=16383 max_wait=60s", 100000);
}

/* A clock that is later at each reading, whoever reads it, and moved on by sleeping. */
static _Atomic uint64_t ticking_ns;

static void ticking_now(void *ctx, frazil_instant *ret)
{
    enum { READING_NS = 50000, READINGS_A_YIELD = 16 }; /* a yield takes milliseconds on a busy machine */
    uint64_t ns = atomic_fetch_add((_Atomic uint64_t *)ctx, READING_NS);

    if (ns / READING_NS % READINGS_A_YIELD == 0)
        sched_yield(); /* here a caller that looks at the word too late would see others' progress */
    *ret =
        (frazil_instant){.unix_ms = INT64_C(1800000000000) + (int64_t)(ns / 1000000), .ns = (uint32_t)(ns % 1000000)};
}

static uint64_t ticking_monotonic_ns(void *ctx)
{
    return atomic_load((_Atomic uint64_t *)ctx);
}

static void ticking_sleep_until(void *ctx, uint64_t ns)
{
    _Atomic uint64_t *now_ns = ctx;
    uint64_t seen = atomic_load(now_ns);

    while (seen < ns && !atomic_compare_exchange_weak(now_ns, &seen, ns))
        ;
}

TEST("Where the clock never goes back nobody is ever told that it did, however the threads overtake each other")
{
    const frazil_clock clock = {sizeof(frazil_clock), &ticking_ns, ticking_now, ticking_monotonic_ns,
                                ticking_sleep_until};
    const struct ports ports = {.clock = &clock};
    struct idset *sets = idsets_open(THREADS, 50000);
    struct caller callers[THREADS];
    frazil *gen;

    assert_int_equal(ports_open(&gen, "layout=41/18/4 worker=fixed:1 on_backward=error", &ports, NULL), FRAZIL_OK);
    for (size_t i = 0; i < THREADS; i++)
        callers[i] = (struct caller){.gen = gen,
                                     .shared = &sets[i],
                                     .quota = 50000 / INSTRUMENT_SLOWDOWN,
                                     .batch_max = 3,
                                     .run_max = 20,
                                     .seed = i + 1,
                                     .clock = &clock};
    callers_run(callers, THREADS, caller_take_ids);
    idsets_assert_unique_and_increasing(sets, THREADS);
    assert_int_equal(stat_of(gen, FRAZIL_STAT_BACKWARD_STEPS), 0);
    assert_int_equal(stat_of(gen, FRAZIL_STAT_BACKWARD_MAX_US), 0);
    idsets_close(sets, THREADS);
    frazil_close(gen);
}
