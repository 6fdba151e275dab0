/* SPDX-License-Identifier: MIT */
/* Opening a generator, with each source of a worker id that needs no coordinator. */
#include "bench_cases.h"
#include "bench_clock.h"

#include <stdio.h>

/* Opens and closes one count times; the closing is not counted. */
static bool open_often(const struct bench_rig *rig, const char *keys, bool kept, uint64_t count, double *ret_ns)
{
    double ns = 0;

    for (uint64_t i = 0; i < count; i++) {
        double start = bench_now_ns();
        frazil *gen = kept ? bench_rig_kept(rig, rig->pool_layout, keys) : bench_rig_generator(rig->pool_layout, keys);
        ns += bench_now_ns() - start;
        if (gen == NULL)
            return false;
        frazil_close(gen);
    }
    *ret_ns = ns;
    return true;
}

static bool run_open_memory(struct bench_rig *rig, uint64_t count, double *ret_ns)
{
    return open_often(rig, "worker=fixed:127 state=memory", false, count, ret_ns);
}

static bool run_open_inline(struct bench_rig *rig, uint64_t count, double *ret_ns)
{
    return open_often(rig, "worker=fixed:127 keeper=inline", true, count, ret_ns);
}

static bool run_open_thread(struct bench_rig *rig, uint64_t count, double *ret_ns)
{
    return open_often(rig, "worker=fixed:127 keeper=thread", true, count, ret_ns);
}

static bool run_open_lock(struct bench_rig *rig, uint64_t count, double *ret_ns)
{
    return open_often(rig, "worker=file-lock keeper=inline", true, count, ret_ns);
}

static bool run_open_env(struct bench_rig *rig, uint64_t count, double *ret_ns)
{
    return open_often(rig, "worker=env:" BENCH_WORKER_VARIABLE " keeper=inline", true, count, ret_ns);
}

static bool run_open_ordinal(struct bench_rig *rig, uint64_t count, double *ret_ns)
{
    return open_often(rig, "worker=ordinal hostname=orders-7 keeper=inline", true, count, ret_ns);
}

static bool run_open_hash(struct bench_rig *rig, uint64_t count, double *ret_ns)
{
    return open_often(rig, "worker=hostname-hash hostname=orders-7 expect=2 keeper=inline", true, count, ret_ns);
}

/* A lease over a coordinator, without a network to it. */
static bool run_open_lease(struct bench_rig *rig, uint64_t count, double *ret_ns)
{
    char keys[BENCH_PATH_SIZE + 64];

    (void)snprintf(keys, sizeof keys, "worker=%s keeper=inline", rig->lease_url);
    return open_often(rig, keys, false, count, ret_ns);
}

#define OPEN "Opening, files in memory"
#define US .unit_ns = 1000

const struct bench_case bench_opens[] = {
    {.row = BENCH_ROW(OPEN, "open_memory", "fixed, state=memory", "us"), .run = run_open_memory, US},
    {.row = BENCH_ROW_HELD_TO(OPEN, "open_inline", "fixed, keeper=inline", "us", {BENCH_AT_MOST, 50, NULL}),
     .run = run_open_inline,
     US},
    {.row = BENCH_ROW_HELD_TO(OPEN, "open_thread", "fixed, keeper=thread", "us", {BENCH_AT_MOST, 50, NULL}),
     .run = run_open_thread,
     US},
    {.row = BENCH_ROW(OPEN, "open_lock", "file-lock, keeper=inline", "us"), .run = run_open_lock, US},
    {.row = BENCH_ROW(OPEN, "open_env", "env, keeper=inline", "us"), .run = run_open_env, US},
    {.row = BENCH_ROW(OPEN, "open_ordinal", "ordinal, keeper=inline", "us"), .run = run_open_ordinal, US},
    {.row = BENCH_ROW(OPEN, "open_hash", "hostname-hash, keeper=inline", "us"), .run = run_open_hash, US},
    {.row = BENCH_ROW(OPEN, "open_lease", "leased from a folder, keeper=inline", "us"), .run = run_open_lease, US},
    {.run = NULL},
};

/* ---- what must not grow ------------------------------------------------------ */

/* One id of each of so many generators in turns; their memory is near when that is measured. */
static bool take_in_turns(struct bench_rig *rig, unsigned generators, uint64_t count, double *ret_ns)
{
    frazil_err err = FRAZIL_OK;
    unsigned which = 0;
    uint64_t id;

    for (unsigned i = 0; i < generators && err == FRAZIL_OK; i++)
        err = frazil_next(rig->crowd[i], &id);
    double start = bench_worked_ns();
    for (uint64_t i = 0; i < count && err == FRAZIL_OK; i++) {
        err = frazil_next(rig->crowd[which], &id);
        BENCH_KEEP(&id);
        which = which + 1 == generators ? 0 : which + 1;
    }
    *ret_ns = bench_worked_ns() - start;
    return bench_went_well(err);
}

static bool run_crowd_1(struct bench_rig *rig, uint64_t count, double *ret_ns)
{
    return take_in_turns(rig, 1, count, ret_ns);
}

static bool run_crowd_10(struct bench_rig *rig, uint64_t count, double *ret_ns)
{
    return take_in_turns(rig, 10, count, ret_ns);
}

static bool run_crowd_100(struct bench_rig *rig, uint64_t count, double *ret_ns)
{
    return take_in_turns(rig, 100, count, ret_ns);
}

static bool run_crowd_1000(struct bench_rig *rig, uint64_t count, double *ret_ns)
{
    return take_in_turns(rig, 1000, count, ret_ns);
}

/* What memory takes for as many words that lie as far apart. */
static bool run_words_1000(struct bench_rig *rig, uint64_t count, double *ret_ns)
{
    unsigned which = 0;

    for (unsigned i = 0; i < BENCH_CROWD; i++)
        atomic_store_explicit(&rig->pages[i].word, 0, memory_order_relaxed);
    double start = bench_worked_ns();
    for (uint64_t i = 0; i < count; i++) {
        BENCH_KEEP(bench_counter());
        BENCH_KEEP(atomic_fetch_add_explicit(&rig->pages[which].word, 1, memory_order_relaxed));
        which = which + 1 == BENCH_CROWD ? 0 : which + 1;
    }
    *ret_ns = bench_worked_ns() - start;
    return true;
}

static bool run_aged(struct bench_rig *rig, uint64_t count, double *ret_ns)
{
    return bench_take(rig->gen, count, ret_ns);
}

static bool run_far(struct bench_rig *rig, uint64_t count, double *ret_ns)
{
    return bench_take(rig->far, count, ret_ns);
}

static bool run_held(struct bench_rig *rig, uint64_t count, double *ret_ns)
{
    return bench_take(rig->held[BENCH_HELD - 1], count, ret_ns);
}

#define GROWTH "What does not grow, an id"
#define NO_MORE BENCH_AT_MOST, 1.1, "aged"

const struct bench_case bench_growth[] = {
    {.row = BENCH_ROW(GROWTH, "aged", "the generator of all rows above", "ns"), .run = run_aged},
    {.row = BENCH_ROW_HELD_TO(GROWTH, "crowd_1", "1 of 1000 open generators", "ns", {NO_MORE}), .run = run_crowd_1},
    {.row = BENCH_ROW_HELD_TO(GROWTH, "crowd_10", "10 of them in turns", "ns", {NO_MORE}), .run = run_crowd_10},
    {.row = BENCH_ROW(GROWTH, "crowd_100", "100 of them in turns", "ns"), .run = run_crowd_100},
    {.row = BENCH_ROW(GROWTH, "crowd_1000", "all 1000 in turns", "ns"), .run = run_crowd_1000},
    {.row = BENCH_ROW(GROWTH, "words_1000", "1000 words in turns: read + add", "ns"), .run = run_words_1000},
    {.row = BENCH_ROW_HELD_TO(GROWTH, "far", "ticks that count from 1970", "ns", {NO_MORE}), .run = run_far},
    {.row = BENCH_ROW_HELD_TO(GROWTH, "held", "worker 99 of 100 leased here", "ns", {NO_MORE}), .run = run_held},
    {.row = BENCH_ROW(GROWTH, "open_lock_held", "file-lock, 100 workers held", "us"), .run = run_open_lock, US},
    {.run = NULL},
};
