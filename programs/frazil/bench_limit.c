/* SPDX-License-Identifier: MIT */
#include "bench_limit.h"

#include "bench_clock.h"
#include "bench_stats.h"
#include "complain.h"

#include <pthread.h>
#include <stdlib.h>

static frazil_err take_one(frazil *gen, frazil_layout_kind kind)
{
    frazil_sno sno;
    uint64_t id;

    return kind == FRAZIL_LAYOUT_SNO ? frazil_sno_next(gen, 0, &sno) : frazil_next(gen, &id);
}

/* ---- the rate ---------------------------------------------------------------- */

struct rate {
    double share; /* of the layout's ids, % */
    double cpu;   /* of a core, % */
};

/* Takes n ids and says how long that took, by the clock and of this thread's time. */
static frazil_err take_timed(frazil *gen, frazil_layout_kind kind, uint64_t n, double *ret_ns, double *ret_cpu_ns)
{
    frazil_err err = FRAZIL_OK;
    double cpu = bench_worked_ns();
    double start = bench_now_ns();

    for (uint64_t i = 0; i < n && err == FRAZIL_OK; i++)
        err = take_one(gen, kind);
    *ret_ns = bench_now_ns() - start;
    *ret_cpu_ns = bench_worked_ns() - cpu;
    return err;
}

/* Two ticks are used up first, so that it begins, as it ends, with the last id of a tick. */
static frazil_err measure_rate(const struct bench_limit *limit, struct rate *ret)
{
    frazil_generator_info info;
    double ns, cpu_ns;

    frazil_get_info(limit->gen, &info);
    double tick_ns = info.layout.tick_ms * 1e6;
    uint64_t ticks = 1 + (uint64_t)(limit->window_ns / tick_ns);
    frazil_err err = take_timed(limit->gen, info.layout.kind, 2 * info.capacity, &ns, &cpu_ns);
    if (err == FRAZIL_OK)
        err = take_timed(limit->gen, info.layout.kind, ticks * info.capacity, &ns, &cpu_ns);
    if (err == FRAZIL_OK)
        *ret = (struct rate){.share = 100 * (double)ticks * tick_ns / ns, .cpu = 100 * cpu_ns / ns};
    return err;
}

#define LIMIT "At the layout's limit"

static void run_rate(const struct bench_limit *limit, struct bench_table *table)
{
    static const struct bench_row share_row = {.group = LIMIT,
                                               .key = "rate_share",
                                               .name = "one thread: share of all ids",
                                               .unit = "%",
                                               .targets = {{BENCH_AT_LEAST, 99.9, NULL}}};
    static const struct bench_row cpu_row = {.group = LIMIT,
                                             .key = "rate_cpu",
                                             .name = "the same: use of a core",
                                             .unit = "%",
                                             .targets = {{BENCH_AT_MOST, 15, NULL}}};
    struct bench_row *share = bench_table_add(table, &share_row);
    struct bench_row *cpu = bench_table_add(table, &cpu_row);
    struct rate rate;

    for (unsigned i = 0; i < limit->rounds && measure_rate(limit, &rate) == FRAZIL_OK; i++) {
        bench_row_add(share, rate.share);
        bench_row_add(cpu, rate.cpu);
    }
}

/* ---- latency ------------------------------------------------------------------ */

/* One of the threads that take ids and note how long each took. */
struct caller {
    frazil *gen;
    frazil_layout_kind kind;
    const atomic_bool *stop;
    struct bench_histogram histogram; /* in units of stamp() */
    frazil_err err;
};

/* The cheapest clock there is. */
static uint64_t stamp(void)
{
    return BENCH_HAS_COUNTER ? bench_counter() : (uint64_t)bench_now_ns();
}

static void *call(void *arg)
{
    struct caller *caller = arg;

    while (caller->err == FRAZIL_OK && !atomic_load_explicit(caller->stop, memory_order_relaxed)) {
        uint64_t start = stamp();
        caller->err = take_one(caller->gen, caller->kind);
        /* A counter that another processor has a little earlier does not make a call endless. */
        uint64_t end = stamp();
        bench_histogram_add(&caller->histogram, end > start ? end - start : 0);
    }
    return NULL;
}

static void sleep_ns(double ns)
{
    struct timespec at;

    (void)clock_gettime(CLOCK_MONOTONIC, &at);
    at.tv_sec += (time_t)((ns + (double)at.tv_nsec) / 1e9);
    at.tv_nsec = (long)((uint64_t)(ns + (double)at.tv_nsec) % 1000000000);
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL) != 0)
        continue;
}

/* Nanoseconds of a unit of stamp(), from one and the same stretch of time on both. */
struct scale {
    double start_ns;
    uint64_t start;
};

static struct scale scale_begin(void)
{
    return (struct scale){.start_ns = bench_now_ns(), .start = stamp()};
}

static double scale_end(const struct scale *scale)
{
    return (bench_now_ns() - scale->start_ns) / (double)(stamp() - scale->start);
}

/* Runs the callers for a while; false after a complaint. */
static bool run_callers(struct caller *callers, unsigned count, double window_ns, double *ret_ns_per_unit)
{
    pthread_t threads[BENCH_THREADS_MAX];
    atomic_bool stop = false;
    unsigned started = 0;
    struct scale scale = scale_begin();

    for (; started < count; started++) {
        callers[started].stop = &stop;
        if (pthread_create(&threads[started], NULL, call, &callers[started]) != 0)
            break;
    }
    if (started == count)
        sleep_ns(window_ns);
    atomic_store(&stop, true);
    for (unsigned i = 0; i < started; i++)
        (void)pthread_join(threads[i], NULL);
    *ret_ns_per_unit = scale_end(&scale);
    if (started < count)
        complain("%u threads cannot be started: only %u can", count, started);
    return started == count;
}

/* What a latency is called in the table, and how much of the calls are not longer. */
struct percentile {
    const char *key, *name;
    double share;
};

static const struct percentile alone_percentiles[] = {
    {"alone_p50", "p50", 0.5},         {"alone_p99", "p99", 0.99},  {"alone_p999", "p99.9", 0.999},
    {"alone_p9999", "p99.99", 0.9999}, {"alone_max", "longest", 1}, {NULL, NULL, 0},
};

static const struct percentile crowd_percentiles[] = {
    {"limit_p50", "p50", 0.5},         {"limit_p99", "p99", 0.99},  {"limit_p999", "p99.9", 0.999},
    {"limit_p9999", "p99.99", 0.9999}, {"limit_max", "longest", 1}, {NULL, NULL, 0},
};

static const struct percentile crowd_in_ticks[] = {
    {"limit_p50_ticks", "p50 in ticks", 0.5},
    {"limit_p999_ticks", "p99.9 in ticks", 0.999},
    {"limit_max_ticks", "longest in ticks", 1},
    {NULL, NULL, 0},
};

/* Adds a row for each percentile, in some unit. */
static void add_percentiles(struct bench_table *table, const char *group, const struct percentile *percentiles,
                            const struct bench_histogram *histogram, double ns_per_count, const char *unit,
                            double unit_ns)
{
    for (; percentiles->key != NULL; percentiles++) {
        struct bench_row row = {.group = group, .key = percentiles->key, .name = percentiles->name, .unit = unit};
        if (percentiles == &crowd_in_ticks[1])
            row.targets[0] = (struct bench_target){BENCH_AT_MOST, 2, NULL};
        double ns = (double)bench_histogram_quantile(histogram, percentiles->share) * ns_per_count;
        bench_row_add(bench_table_add(table, &row), ns / unit_ns);
    }
}

static bool run_alone(struct bench_rig *rig, const struct bench_limit *limit, struct bench_table *table)
{
    struct caller caller = {.gen = rig->gen, .kind = FRAZIL_LAYOUT_64};
    double ns_per_unit;

    if (!run_callers(&caller, 1, limit->rounds * limit->window_ns, &ns_per_unit) || !bench_went_well(caller.err))
        return false;
    add_percentiles(table, "Latency, alone, no limit", alone_percentiles, &caller.histogram, ns_per_unit, "ns", 1);
    return true;
}

/* Merges what the callers have noted into the first one's; returns the fewest that one had, in % of an equal share. */
static double merge_callers(struct caller *callers, unsigned count)
{
    uint64_t fewest = callers[0].histogram.count;

    for (unsigned i = 1; i < count; i++) {
        if (callers[i].histogram.count < fewest)
            fewest = callers[i].histogram.count;
        bench_histogram_merge(&callers[0].histogram, &callers[i].histogram);
    }
    uint64_t all = callers[0].histogram.count;
    return all == 0 ? 0 : 100 * (double)fewest * count / (double)all;
}

static bool any_refused(const struct caller *callers, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        if (callers[i].err != FRAZIL_OK)
            return true;
    }
    return false;
}

#define CROWD "Latency, many threads at the limit"

static void add_crowd_rows(const struct bench_limit *limit, struct caller *callers, double ns_per_unit, double tick_ns,
                           struct bench_table *table)
{
    static const struct bench_row threads_row = {.group = CROWD, .key = "limit_threads", .name = "threads", .unit = ""};
    static const struct bench_row fewest_row = {
        .group = CROWD, .key = "limit_fewest", .name = "who got fewest, of an equal share", .unit = "%"};
    double fewest = merge_callers(callers, limit->threads);
    const struct bench_histogram *all = &callers[0].histogram;

    bench_row_add(bench_table_add(table, &threads_row), limit->threads);
    add_percentiles(table, CROWD, crowd_percentiles, all, ns_per_unit, "us", 1000);
    add_percentiles(table, CROWD, crowd_in_ticks, all, ns_per_unit, "ticks", tick_ns);
    bench_row_add(bench_table_add(table, &fewest_row), fewest);
}

static bool run_crowd(const struct bench_limit *limit, struct bench_table *table)
{
    struct caller *callers = calloc(limit->threads, sizeof *callers);
    frazil_generator_info info;
    double ns_per_unit;

    if (callers == NULL)
        return bench_went_well(FRAZIL_ENOMEM);
    frazil_get_info(limit->gen, &info);
    for (unsigned i = 0; i < limit->threads; i++)
        callers[i] = (struct caller){.gen = limit->gen, .kind = info.layout.kind};
    bool ok = run_callers(callers, limit->threads, limit->rounds * limit->window_ns, &ns_per_unit);
    if (ok && !any_refused(callers, limit->threads))
        add_crowd_rows(limit, callers, ns_per_unit, info.layout.tick_ms * 1e6, table);
    free(callers);
    return ok;
}

bool bench_limit_run(struct bench_rig *rig, const struct bench_limit *limit, struct bench_table *table)
{
    run_rate(limit, table);
    return run_alone(rig, limit, table) && run_crowd(limit, table);
}
