/* SPDX-License-Identifier: MIT */
/* Opening a generator, with each source of a worker id that needs no coordinator. */
#include "bench_cases.h"
#include "bench_clock.h"

#include <stdio.h>

bool bench_open_often(const struct bench_rig *rig, const char *keys, bool kept, uint64_t count, double *ret_ns)
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
    return bench_open_often(rig, "worker=fixed:127 state=memory", false, count, ret_ns);
}

static bool run_open_inline(struct bench_rig *rig, uint64_t count, double *ret_ns)
{
    return bench_open_often(rig, "worker=fixed:127 keeper=inline", true, count, ret_ns);
}

static bool run_open_thread(struct bench_rig *rig, uint64_t count, double *ret_ns)
{
    return bench_open_often(rig, "worker=fixed:127 keeper=thread", true, count, ret_ns);
}

static bool run_open_lock(struct bench_rig *rig, uint64_t count, double *ret_ns)
{
    return bench_open_often(rig, "worker=file-lock keeper=inline", true, count, ret_ns);
}

static bool run_open_env(struct bench_rig *rig, uint64_t count, double *ret_ns)
{
    return bench_open_often(rig, "worker=env:" BENCH_WORKER_VARIABLE " keeper=inline", true, count, ret_ns);
}

static bool run_open_ordinal(struct bench_rig *rig, uint64_t count, double *ret_ns)
{
    return bench_open_often(rig, "worker=ordinal hostname=orders-7 keeper=inline", true, count, ret_ns);
}

static bool run_open_hash(struct bench_rig *rig, uint64_t count, double *ret_ns)
{
    return bench_open_often(rig, "worker=hostname-hash hostname=orders-7 expect=2 keeper=inline", true, count, ret_ns);
}

/* A lease over a coordinator, without a network to it. */
static bool run_open_lease(struct bench_rig *rig, uint64_t count, double *ret_ns)
{
    char keys[BENCH_PATH_SIZE + 64];

    (void)snprintf(keys, sizeof keys, "worker=%s keeper=inline", rig->lease_url);
    return bench_open_often(rig, keys, false, count, ret_ns);
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
