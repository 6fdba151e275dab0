/* SPDX-License-Identifier: MIT */
#include "limit.h"

#include "clock.h"
#include "complain.h"
#include "stats.h"

#include <pthread.h>
#include <stdlib.h>

static double larger(double a, double b)
{
    return a > b ? a : b;
}

static frazil_err take_one(frazil *gen, frazil_layout_kind kind)
{
    frazil_sno sno;
    uint64_t id;

    return kind == FRAZIL_LAYOUT_SNO ? frazil_sno_next(gen, 0, &sno) : frazil_next(gen, &id);
}

/* ---- whether there is a limit --------------------------------------------------- */

/* Of longer ticks not even a few pass in a time that one waits for. */
enum { TICK_MAX_MS = 1000 };

static double tick_ns_of(const frazil_generator_info *info)
{
    return info->layout.tick_ms * 1e6;
}

static frazil_err take_some(frazil *gen, frazil_layout_kind kind, uint64_t n)
{
    frazil_err err = FRAZIL_OK;

    for (uint64_t i = 0; i < n && err == FRAZIL_OK; i++)
        err = take_one(gen, kind);
    return err;
}

/*
 * Takes ids until a tick was full and made it wait; after three ticks in which none did, it gives up.
 * No less than a quarter of a second, in which a generator comes as far ahead of the clock as it may.
 */
static frazil_err reach(frazil *gen, const frazil_generator_info *info, bool *ret_reached)
{
    uint64_t some = info->capacity < 1024 ? info->capacity : 1024;
    double until = bench_now_ns() + larger(3 * tick_ns_of(info), 2.5e8);
    frazil_err err = FRAZIL_OK;
    frazil_stats before, now;

    frazil_get_stats(gen, &before);
    do {
        err = take_some(gen, info->layout.kind, some);
        frazil_get_stats(gen, &now);
        *ret_reached = now.full > before.full && now.waits > before.waits;
    } while (err == FRAZIL_OK && !*ret_reached && bench_now_ns() < until);
    return err;
}

/* Why there is nothing to measure at the limit; NULL if there is, and then the generator has come to it. */
static frazil_err find_limit(const struct bench_limit *limit, const frazil_generator_info *info, const char **ret_none)
{
    bool reached = false;
    frazil_err err = FRAZIL_OK;

    *ret_none = "a tick of this layout is longer than a second: its limit is not measured";
    if (info->layout.tick_ms <= TICK_MAX_MS) {
        err = reach(limit->gen, info, &reached);
        *ret_none = reached ? NULL : "one caller cannot use up a tick: this layout has no limit to measure";
    }
    return err;
}

/* ---- the rate ---------------------------------------------------------------- */

struct rate {
    double share; /* of the layout's ids, % */
    double cpu;   /* of a core, % */
};

/*
 * Takes the ids of whole ticks.  Where it begins in a tick does not matter: as each one is used up, it
 * ends at the same place.
 */
static frazil_err measure_rate(const struct bench_limit *limit, const frazil_generator_info *info, struct rate *ret)
{
    uint64_t ticks = 0;
    double cpu = bench_worked_ns(), start = bench_now_ns(), ns = 0;
    frazil_err err = FRAZIL_OK;

    for (; err == FRAZIL_OK && ns < limit->window_ns; ticks++) {
        err = take_some(limit->gen, info->layout.kind, info->capacity);
        ns = bench_now_ns() - start;
    }
    cpu = bench_worked_ns() - cpu;
    if (err == FRAZIL_OK)
        *ret = (struct rate){.share = 100 * (double)ticks * tick_ns_of(info) / ns, .cpu = 100 * cpu / ns};
    return err;
}

#define LIMIT "At the layout's limit"

static const struct bench_row share_row = {.group = LIMIT,
                                           .key = "rate_share",
                                           .name = "one thread: share of all ids",
                                           .unit = "%",
                                           .targets = {{BENCH_AT_LEAST, 99.9, NULL}}};

static void add_no_limit(const char *why, struct bench_table *table)
{
    struct bench_row *row = bench_table_add(table, &share_row);

    row->missed = why;
    bench_row_miss(row);
}

static void run_rate(const struct bench_limit *limit, const frazil_generator_info *info, struct bench_table *table)
{
    static const struct bench_row cpu_row = {.group = LIMIT,
                                             .key = "rate_cpu",
                                             .name = "the same: use of a core",
                                             .unit = "%",
                                             .targets = {{BENCH_AT_MOST, 15, NULL}}};
    struct bench_row *share = bench_table_add(table, &share_row);
    struct bench_row *cpu = bench_table_add(table, &cpu_row);
    struct rate rate;

    for (unsigned i = 0; i < limit->rounds && measure_rate(limit, info, &rate) == FRAZIL_OK; i++) {
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

/* What a latency is called in the table, how much of the calls are not longer, and what is asked of it. */
struct percentile {
    const char *key, *name, *unit;
    double share;
    double unit_ns; /* 0: a tick */
    double at_most; /* 0: nothing is asked */
};

enum { PERCENTILES_MAX = 8 };

static const struct percentile alone_percentiles[] = {
    {"alone_p50", "p50", "ns", 0.5, 1, 0},          {"alone_p99", "p99", "ns", 0.99, 1, 0},
    {"alone_p999", "p99.9", "ns", 0.999, 1, 0},     {"alone_p9999", "p99.99", "ns", 0.9999, 1, 0},
    {"alone_max", "longest of all", "ns", 1, 1, 0}, {0},
};

static const struct percentile crowd_percentiles[] = {
    {"limit_p50", "p50", "us", 0.5, 1000, 0},
    {"limit_p99", "p99", "us", 0.99, 1000, 0},
    {"limit_p999", "p99.9", "us", 0.999, 1000, 0},
    {"limit_p9999", "p99.99", "us", 0.9999, 1000, 0},
    {"limit_max", "longest of all", "us", 1, 1000, 0},
    {"limit_p50_ticks", "p50 in ticks", "ticks", 0.5, 0, 0},
    {"limit_p999_ticks", "p99.9 in ticks", "ticks", 0.999, 0, 2},
    {"limit_max_ticks", "longest in ticks", "ticks", 1, 0, 0},
    {0},
};

/* Rows of percentiles, of each round, and of the longest call of all rounds. */
struct latencies {
    const struct percentile *percentiles;
    struct bench_row *rows[PERCENTILES_MAX];
    double tick_ns;
    double longest_ns;
};

static struct latencies latencies_begin(const char *group, const struct percentile *percentiles, double tick_ns,
                                        struct bench_table *table)
{
    struct latencies ret = {.percentiles = percentiles, .tick_ns = tick_ns};

    for (size_t i = 0; percentiles[i].key != NULL; i++) {
        const struct percentile *p = &percentiles[i];
        struct bench_row row = {.group = group, .key = p->key, .name = p->name, .unit = p->unit};
        if (p->at_most > 0)
            row.targets[0] = (struct bench_target){BENCH_AT_MOST, p->at_most, NULL};
        ret.rows[i] = bench_table_add(table, &row);
    }
    return ret;
}

static double unit_ns_of(const struct latencies *latencies, const struct percentile *p)
{
    return p->unit_ns > 0 ? p->unit_ns : latencies->tick_ns;
}

/* Adds a round. */
static void latencies_add(struct latencies *latencies, const struct bench_histogram *histogram, double ns_per_unit)
{
    for (size_t i = 0; latencies->percentiles[i].key != NULL; i++) {
        const struct percentile *p = &latencies->percentiles[i];
        double ns = (double)bench_histogram_quantile(histogram, p->share) * ns_per_unit;
        if (p->share < 1)
            bench_row_add(latencies->rows[i], ns / unit_ns_of(latencies, p));
        else
            latencies->longest_ns = larger(latencies->longest_ns, ns);
    }
}

/* After the last round. */
static void latencies_end(struct latencies *latencies)
{
    for (size_t i = 0; latencies->percentiles[i].key != NULL; i++) {
        const struct percentile *p = &latencies->percentiles[i];
        if (p->share == 1)
            bench_row_add(latencies->rows[i], latencies->longest_ns / unit_ns_of(latencies, p));
    }
}

static bool run_alone(struct bench_rig *rig, const struct bench_limit *limit, struct bench_table *table)
{
    struct latencies latencies = latencies_begin("Latency, alone, no limit", alone_percentiles, 0, table);
    double ns_per_unit;

    for (unsigned round = 0; round < limit->rounds; round++) {
        struct caller caller = {.gen = rig->gen, .kind = FRAZIL_LAYOUT_64};
        if (!run_callers(&caller, 1, limit->window_ns, &ns_per_unit) || !bench_went_well(caller.err))
            return false;
        latencies_add(&latencies, &caller.histogram, ns_per_unit);
    }
    latencies_end(&latencies);
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

/*
 * A tick goes to the few callers that are awake first, as if they were drawn; with so many ticks for each
 * caller, chance does not leave anyone with a quarter of an equal share, and a caller that starves has less.
 */
enum { FAIR_TICKS = 30, FAIR_SHARE = 25 };

static struct bench_row *add_fewest_row(double ticks_of_each, struct bench_table *table)
{
    struct bench_row row = {
        .group = CROWD, .key = "limit_fewest", .name = "who got fewest, of an equal share", .unit = "%"};

    if (ticks_of_each >= FAIR_TICKS)
        row.targets[0] = (struct bench_target){BENCH_AT_LEAST, FAIR_SHARE, NULL};
    return bench_table_add(table, &row);
}

/* All callers for a while; *ret_refused says that the generator does not wait.  False after a complaint. */
static bool run_crowd_once(const struct bench_limit *limit, struct caller *callers, double window_ns,
                           double *ret_ns_per_unit, bool *ret_refused)
{
    frazil_generator_info info;

    frazil_get_info(limit->gen, &info);
    for (unsigned i = 0; i < limit->threads; i++)
        callers[i] = (struct caller){.gen = limit->gen, .kind = info.layout.kind};
    if (!run_callers(callers, limit->threads, window_ns, ret_ns_per_unit))
        return false;
    *ret_refused = any_refused(callers, limit->threads);
    return true;
}

/* Latencies in rounds; shares of the same callers over as long as all of those. */
static bool run_crowd_rounds(const struct bench_limit *limit, struct caller *callers, struct latencies *latencies,
                             struct bench_row *fewest)
{
    double ns_per_unit;
    bool refused = false;

    for (unsigned round = 0; round < limit->rounds; round++) {
        if (!run_crowd_once(limit, callers, limit->window_ns, &ns_per_unit, &refused))
            return false;
        if (refused)
            return true;
        (void)merge_callers(callers, limit->threads);
        latencies_add(latencies, &callers[0].histogram, ns_per_unit);
    }
    if (!run_crowd_once(limit, callers, limit->rounds * limit->window_ns, &ns_per_unit, &refused))
        return false;
    if (!refused)
        bench_row_add(fewest, merge_callers(callers, limit->threads));
    return true;
}

static bool run_crowd(const struct bench_limit *limit, double tick_ns, struct bench_table *table)
{
    static const struct bench_row threads_row = {.group = CROWD, .key = "limit_threads", .name = "threads", .unit = ""};
    struct bench_row *threads = bench_table_add(table, &threads_row);
    struct latencies latencies = latencies_begin(CROWD, crowd_percentiles, tick_ns, table);
    struct bench_row *fewest = add_fewest_row(limit->rounds * limit->window_ns / tick_ns / limit->threads, table);
    struct caller *callers = calloc(limit->threads, sizeof *callers);
    bool ok = callers != NULL ? run_crowd_rounds(limit, callers, &latencies, fewest) : bench_went_well(FRAZIL_ENOMEM);

    if (ok && bench_row_samples(fewest) > 0) {
        bench_row_add(threads, limit->threads);
        latencies_end(&latencies);
    }
    free(callers);
    return ok;
}

#define ALL_ROUNDS_NS 2e9

/* Rounds of a tick at least; of long ones fewer, so that it comes to an end. */
static struct bench_limit fit_to_ticks(const struct bench_limit *limit, double tick_ns)
{
    struct bench_limit fitted = *limit;

    if (tick_ns > limit->window_ns) {
        fitted.window_ns = tick_ns;
        if (fitted.rounds * tick_ns > ALL_ROUNDS_NS)
            fitted.rounds = 1 + (unsigned)(ALL_ROUNDS_NS / tick_ns);
    }
    return fitted;
}

bool bench_limit_run(struct bench_rig *rig, const struct bench_limit *limit, struct bench_table *table)
{
    frazil_generator_info info;
    const char *none;

    frazil_get_info(limit->gen, &info);
    const struct bench_limit fitted = fit_to_ticks(limit, tick_ns_of(&info));
    bool refused = find_limit(&fitted, &info, &none) != FRAZIL_OK;
    if (none != NULL && !refused)
        add_no_limit(none, table);
    else if (!refused)
        run_rate(&fitted, &info, table);
    if (!run_alone(rig, limit, table))
        return false;
    return refused || none != NULL || run_crowd(&fitted, tick_ns_of(&info), table);
}
