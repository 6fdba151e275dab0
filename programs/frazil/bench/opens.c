/* SPDX-License-Identifier: MIT */
/* Opening a generator, with each source of a worker id that needs no coordinator. */
#include "cases.h"
#include "clock.h"
#include "machine.h"

#include <pthread.h>
#include <stdio.h>

/* How many partitions a sample takes. */
enum { AUTO_MAX = 32 };

/* With its state in the scratch directory of a rig, or with no rig as the keys say. */
static bool open_often(const struct bench_rig *rig, const char *layout, const char *keys, uint64_t count,
                       double *ret_ns)
{
    double ns = 0;

    for (uint64_t i = 0; i < count; i++) {
        double start = bench_now_ns();
        frazil *gen = rig != NULL ? bench_rig_kept(rig, layout, keys) : bench_rig_generator(layout, keys);
        ns += bench_now_ns() - start;
        if (gen == NULL)
            return false;
        frazil_close(gen);
    }
    *ret_ns = ns;
    return true;
}

bool bench_open_often(const struct bench_rig *rig, const char *keys, bool kept, uint64_t count, double *ret_ns)
{
    return open_often(kept ? rig : NULL, rig->pool_layout, keys, count, ret_ns);
}

bool bench_open_leased(const struct bench_rig *rig, const char *url, uint64_t count, double *ret_ns)
{
    char keys[BENCH_PATH_SIZE + 64];

    (void)snprintf(keys, sizeof keys, "worker=%s keeper=inline", url);
    return bench_open_often(rig, keys, false, count, ret_ns);
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

static void *end_at_once(void *unused)
{
    return unused;
}

/* What the keeper's thread must cost. */
static bool run_thread(struct bench_rig *rig, uint64_t count, double *ret_ns)
{
    double ns = 0;

    (void)rig;
    for (uint64_t i = 0; i < count; i++) {
        pthread_t thread;
        double start = bench_now_ns();
        int err = pthread_create(&thread, NULL, end_at_once, NULL);
        ns += bench_now_ns() - start;
        if (err != 0 || pthread_join(thread, NULL) != 0)
            return false;
    }
    *ret_ns = ns;
    return true;
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

/*
 * A host without an address of its own, or without one of the version that a source wants, has no
 * such worker id: that is no failure, but no sample either.
 */
static bool open_by_address(struct bench_rig *rig, const char *source, uint64_t count, double *ret_ns)
{
    char spec[BENCH_SPEC_SIZE];
    frazil *probe = NULL;

    (void)snprintf(spec, sizeof spec, "layout=frazil state=memory %s", source);
    rig->disturbed = frazil_open(&probe, spec, NULL) != FRAZIL_OK;
    frazil_close(probe);
    *ret_ns = (double)count * 1e9; /* whoever asks how many it should open need not ask again */
    (void)snprintf(spec, sizeof spec, "%s keeper=inline", source);
    return rig->disturbed || open_often(rig, "layout=frazil", spec, count, ret_ns);
}

/* Needs a layout with 256 workers. */
static bool run_open_octet(struct bench_rig *rig, uint64_t count, double *ret_ns)
{
    return open_by_address(rig, "worker=ip-last-octet", count, ret_ns);
}

static bool run_open_ip_hash(struct bench_rig *rig, uint64_t count, double *ret_ns)
{
    return open_by_address(rig, "worker=ip-hash expect=2", count, ret_ns);
}

/* A process has 65536 partitions in all its life: no more of them than that are used in all rounds there can be. */
static bool run_open_auto(struct bench_rig *rig, uint64_t count, double *ret_ns)
{
    uint64_t some = count < AUTO_MAX ? count : AUTO_MAX;

    (void)rig;
    if (!open_often(NULL, "layout=sno", "worker=auto state=memory", some, ret_ns))
        return false;
    *ret_ns *= (double)count / (double)some;
    return true;
}

/* A lease over a coordinator, without a network to it. */
static bool run_open_lease(struct bench_rig *rig, uint64_t count, double *ret_ns)
{
    return bench_open_leased(rig, rig->lease_url, count, ret_ns);
}

#define OPEN "Opening, files in memory"
#define OPEN_ON_DISK "Opening, files on a disk: not judged"
#define US .unit_ns = 1000
#define BY_ADDRESS(row_key, row_name)                                                                                  \
    {                                                                                                                  \
        .group = OPEN, .key = (row_key), .name = (row_name), .unit = "us",                                             \
        .missed = "this host has no address of its own that would do"                                                  \
    }

static const struct bench_case opens[] = {
    {.row = BENCH_ROW(OPEN, "open_memory", "fixed, state=memory", "us"), .run = run_open_memory, US},
    {.row = BENCH_ROW_HELD_TO(OPEN, "open_inline", "fixed, keeper=inline", "us", {BENCH_AT_MOST, 50, NULL}),
     .run = run_open_inline,
     US},
    {.row = BENCH_ROW_HELD_TO(OPEN, "open_thread", "fixed, keeper=thread", "us", {BENCH_AT_MOST, 50, NULL}),
     .run = run_open_thread,
     US},
    {.row = BENCH_ROW(OPEN, "thread", "pthread_create alone", "us"), .run = run_thread, US},
    {.row = BENCH_ROW(OPEN, "open_lock", "file-lock, keeper=inline", "us"), .run = run_open_lock, US},
    {.row = BENCH_ROW(OPEN, "open_env", "env, keeper=inline", "us"), .run = run_open_env, US},
    {.row = BENCH_ROW(OPEN, "open_ordinal", "ordinal, keeper=inline", "us"), .run = run_open_ordinal, US},
    {.row = BENCH_ROW(OPEN, "open_hash", "hostname-hash, keeper=inline", "us"), .run = run_open_hash, US},
    {.row = BY_ADDRESS("open_octet", "ip-last-octet, keeper=inline"), .run = run_open_octet, US},
    {.row = BY_ADDRESS("open_ip_hash", "ip-hash, keeper=inline"), .run = run_open_ip_hash, US},
    {.row = BENCH_ROW(OPEN, "open_auto", "auto of a sno, state=memory", "us"), .run = run_open_auto, US},
    {.row = BENCH_ROW(OPEN, "open_lease", "leased from a folder, keeper=inline", "us"), .run = run_open_lease, US},
    {.run = NULL},
};

bool bench_opens_run(struct bench_rig *rig, struct bench_table *table, unsigned rounds, double sample_ns)
{
    size_t first = table->count;

    if (!bench_cases_run(rig, table, opens, rounds, sample_ns))
        return false;
    for (size_t i = first; i < table->count && !bench_machine_has_in_memory(rig->dir); i++) {
        table->rows[i].group = OPEN_ON_DISK;
        table->rows[i].targets[0].sense = BENCH_NOTHING;
    }
    return true;
}
