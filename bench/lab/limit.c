/* SPDX-License-Identifier: MIT */
/* A generator at its limit, and how long calls take: by one thread and by many. */
#include "lab.h"

#include "histogram.h"

#include <stdlib.h>

/* The spec's generator at its limit. */
struct limit {
    frazil *gen;
    frazil_layout_kind kind;
    uint64_t capacity; /* ids of a tick */
    double tick_ns;
    unsigned threads;
    unsigned rounds;
    double window_ns; /* of each round */
};

static double larger(double a, double b)
{
    return a > b ? a : b;
}

/* ---- whether there is a limit ------------------------------------------------- */

/* Of longer ticks not even a few pass in a time that a person waits for. */
static const double tick_max_ns = 1e9;

static frazil_err take_some(const struct limit *limit, uint64_t n)
{
    frazil_err err = FRAZIL_OK;

    for (uint64_t i = 0; i < n && err == FRAZIL_OK; i++)
        err = bench_take_one(limit->gen, limit->kind);
    return err;
}

/*
 * Takes ids until a tick was full and made it wait; gives up after three ticks in which none did.
 * It takes a quarter of a second at least, in which a generator comes as far ahead of the clock as it may.
 */
static frazil_err reach(const struct limit *limit, bool *ret_reached)
{
    uint64_t some = limit->capacity < 1024 ? limit->capacity : 1024;
    double until = bench_now_ns() + larger(3 * limit->tick_ns, 2.5e8);
    frazil_err err = FRAZIL_OK;
    frazil_stat before[FRAZIL_STATS_MOST], now[FRAZIL_STATS_MOST];

    (void)frazil_get_stats(limit->gen, before, FRAZIL_STATS_MOST);
    do {
        err = take_some(limit, some);
        (void)frazil_get_stats(limit->gen, now, FRAZIL_STATS_MOST);
        *ret_reached = now[FRAZIL_STAT_FULL].value > before[FRAZIL_STAT_FULL].value &&
                       now[FRAZIL_STAT_WAITS].value > before[FRAZIL_STAT_WAITS].value;
    } while (err == FRAZIL_OK && !*ret_reached && bench_now_ns() < until);
    return err;
}

/* Why there is nothing to measure at the limit; NULL if there is, and then the generator has come to it. */
static frazil_err find_limit(const struct limit *limit, const char **ret_none)
{
    bool reached = false;
    frazil_err err = FRAZIL_OK;

    *ret_none = "a tick of this layout is longer than a second: its limit is not measured";
    if (limit->tick_ns <= tick_max_ns) {
        err = reach(limit, &reached);
        *ret_none = reached ? NULL : "one caller cannot use up a tick: this layout has no limit to measure";
    }
    return err;
}

/* ---- the rate ----------------------------------------------------------------- */

struct rate {
    double share; /* of the layout's ids, % */
    double cpu;   /* of a core, % */
};

/* Takes the ids of whole ticks.  As each one is used up, it does not matter where in a tick it begins. */
static frazil_err measure_rate(const struct limit *limit, struct rate *ret)
{
    uint64_t ticks = 0;
    double cpu = bench_worked_ns(), start = bench_now_ns(), ns = 0;
    frazil_err err = FRAZIL_OK;

    for (; err == FRAZIL_OK && ns < limit->window_ns; ticks++) {
        err = take_some(limit, limit->capacity);
        ns = bench_now_ns() - start;
    }
    cpu = bench_worked_ns() - cpu;
    if (err == FRAZIL_OK)
        *ret = (struct rate){.share = 100 * (double)ticks * limit->tick_ns / ns, .cpu = 100 * cpu / ns};
    return err;
}

#define AT_LIMIT .group = "One thread at the layout's limit", .unit = "%"

static const struct bench_label share_label = {AT_LIMIT, .key = "rate_share", .name = "ids issued, % of the layout's",
                                               .targets = {{BENCH_AT_LEAST, 99.9, NULL}}};
static const struct bench_label cpu_label = {AT_LIMIT, .key = "rate_cpu", .name = "CPU time, % of a core",
                                             .targets = {{BENCH_AT_MOST, 15, NULL}}};

static void add_no_limit(const char *why, struct bench_table *table)
{
    struct bench_label label = share_label;

    label.missed = why;
    bench_row_miss(bench_table_add(table, &label));
}

static void run_rate(const struct limit *limit, struct bench_table *table)
{
    struct bench_row *share = bench_table_add(table, &share_label);
    struct bench_row *cpu = bench_table_add(table, &cpu_label);
    struct rate rate;

    for (unsigned i = 0; i < limit->rounds && measure_rate(limit, &rate) == FRAZIL_OK; i++) {
        bench_row_add(share, rate.share);
        bench_row_add(cpu, rate.cpu);
    }
}

/* ---- callers ------------------------------------------------------------------ */

/* One of the threads that take ids and note how long each took. */
struct caller {
    frazil *gen;
    frazil_layout_kind kind;
    const atomic_bool *stop;
    frazil_err err;
    struct lab_histogram histogram; /* in units of bench_stamp */
};

static void *call(void *arg)
{
    struct caller *caller = arg;

    while (caller->err == FRAZIL_OK && !atomic_load_explicit(caller->stop, memory_order_relaxed)) {
        uint64_t start = bench_stamp();
        caller->err = bench_take_one(caller->gen, caller->kind);
        uint64_t end = bench_stamp();
        /* Counters may differ between CPUs; clamp negative intervals to 0. */
        lab_histogram_add(&caller->histogram, end > start ? end - start : 0);
    }
    return NULL;
}

/* Callers of a generator for a while; false after a complaint. */
static bool run_callers(struct caller *callers, unsigned count, frazil *gen, frazil_layout_kind kind, double window_ns,
                        double *ret_ns_per_unit)
{
    atomic_bool stop = false;

    for (unsigned i = 0; i < count; i++)
        callers[i] = (struct caller){.gen = gen, .kind = kind, .stop = &stop};
    return bench_crowd_run(count, call, callers, sizeof *callers, &stop, window_ns, ret_ns_per_unit);
}

/* Merges what the callers have noted into the first one's; returns the smallest share of one of them, % of equal. */
static double merge_callers(struct caller *callers, unsigned count)
{
    uint64_t smallest = callers[0].histogram.count;

    for (unsigned i = 1; i < count; i++) {
        if (callers[i].histogram.count < smallest)
            smallest = callers[i].histogram.count;
        lab_histogram_merge(&callers[0].histogram, &callers[i].histogram);
    }
    uint64_t all = callers[0].histogram.count;
    return all == 0 ? 0 : 100 * (double)smallest * count / (double)all;
}

static bool any_refused(const struct caller *callers, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        if (callers[i].err != FRAZIL_OK)
            return true;
    }
    return false;
}

/* ---- percentiles -------------------------------------------------------------- */

/* A row of latencies: its name in the table, the share of calls that are not longer, and its target. */
struct percentile {
    const char *key, *name, *unit;
    double share;   /* 1: the longest call of all rounds; of others, each round has one */
    double unit_ns; /* 0: a tick */
    double at_most; /* 0: no target */
};

enum { PERCENTILES_MAX = 8 };

static const struct percentile alone_percentiles[] = {
    {"alone_p50", "p50", "ns", 0.5, 1, 0},        {"alone_p99", "p99", "ns", 0.99, 1, 0},
    {"alone_p999", "p99.9", "ns", 0.999, 1, 0},   {"alone_p9999", "p99.99", "ns", 0.9999, 1, 0},
    {"alone_max", "longest call", "ns", 1, 1, 0}, {0},
};

static const struct percentile crowd_percentiles[] = {
    {"limit_p50", "p50", "us", 0.5, 1000, 0},
    {"limit_p99", "p99", "us", 0.99, 1000, 0},
    {"limit_p999", "p99.9", "us", 0.999, 1000, 0},
    {"limit_p9999", "p99.99", "us", 0.9999, 1000, 0},
    {"limit_max", "longest call", "us", 1, 1000, 0},
    {"limit_p50_ticks", "p50, in ticks", "ticks", 0.5, 0, 0},
    {"limit_p999_ticks", "p99.9, in ticks", "ticks", 0.999, 0, 2},
    {"limit_max_ticks", "longest call, in ticks", "ticks", 1, 0, 0},
    {0},
};

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
        struct bench_label label = {.group = group, .key = p->key, .name = p->name, .unit = p->unit};
        if (p->at_most > 0)
            label.targets[0] = (struct bench_target){BENCH_AT_MOST, p->at_most, NULL};
        ret.rows[i] = bench_table_add(table, &label);
    }
    return ret;
}

static double unit_ns_of(const struct latencies *latencies, const struct percentile *p)
{
    return p->unit_ns > 0 ? p->unit_ns : latencies->tick_ns;
}

/* Adds a round. */
static void latencies_add(struct latencies *latencies, const struct lab_histogram *histogram, double ns_per_unit)
{
    for (size_t i = 0; latencies->percentiles[i].key != NULL; i++) {
        const struct percentile *p = &latencies->percentiles[i];
        double ns = (double)lab_histogram_quantile(histogram, p->share) * ns_per_unit;
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

/* ---- latency ------------------------------------------------------------------ */

static bool run_alone(struct bench_session *session)
{
    struct latencies latencies =
        latencies_begin("Latency, one thread, no limit", alone_percentiles, 0, &session->table);
    struct caller caller;
    double ns_per_unit;

    for (unsigned round = 0; round < session->long_rounds; round++) {
        if (!run_callers(&caller, 1, session->rig.gen, FRAZIL_LAYOUT_64, session->window_ns, &ns_per_unit) ||
            !bench_went_well(caller.err))
            return false;
        latencies_add(&latencies, &caller.histogram, ns_per_unit);
    }
    latencies_end(&latencies);
    return true;
}

#define CROWD "Latency, many threads at the limit"

/*
 * A tick goes to the few callers that are awake first, as if they were drawn.  With 30 ticks for each caller, chance
 * leaves nobody below a quarter of an equal share; a caller that starves has less.
 */
enum { FAIR_TICKS = 30, FAIR_SHARE = 25 };

static struct bench_row *add_share_row(const struct limit *limit, struct bench_table *table)
{
    struct bench_label label = {
        .group = CROWD, .key = "limit_smallest_share", .name = "smallest thread's share, % of equal", .unit = "%"};

    if (limit->rounds * limit->window_ns / limit->tick_ns / limit->threads >= FAIR_TICKS)
        label.targets[0] = (struct bench_target){BENCH_AT_LEAST, FAIR_SHARE, NULL};
    return bench_table_add(table, &label);
}

/* All callers for a while; *ret_refused says that the generator does not wait.  False after a complaint. */
static bool run_crowd_once(const struct limit *limit, struct caller *callers, double window_ns, double *ret_ns_per_unit,
                           bool *ret_refused)
{
    if (!run_callers(callers, limit->threads, limit->gen, limit->kind, window_ns, ret_ns_per_unit))
        return false;
    *ret_refused = any_refused(callers, limit->threads);
    return true;
}

/* Latencies in rounds; shares of the same callers over as long as all of those. */
static bool run_crowd_rounds(const struct limit *limit, struct caller *callers, struct latencies *latencies,
                             struct bench_row *share)
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
        bench_row_add(share, merge_callers(callers, limit->threads));
    return true;
}

static bool run_crowd(const struct limit *limit, struct bench_table *table)
{
    static const struct bench_label threads_label = {
        .group = CROWD, .key = "limit_threads", .name = "threads", .unit = ""};
    struct bench_row *threads = bench_table_add(table, &threads_label);
    struct latencies latencies = latencies_begin(CROWD, crowd_percentiles, limit->tick_ns, table);
    struct bench_row *share = add_share_row(limit, table);
    struct caller *callers = calloc(limit->threads, sizeof *callers);
    bool ok = callers != NULL ? run_crowd_rounds(limit, callers, &latencies, share) : bench_went_well(FRAZIL_ENOMEM);

    if (ok && bench_row_samples(share) > 0) {
        bench_row_add(threads, limit->threads);
        latencies_end(&latencies);
    }
    free(callers);
    return ok;
}

/* ---- all of it ---------------------------------------------------------------- */

#define ALL_ROUNDS_NS 2e9

/* Rounds of a tick at least; of long ones fewer, so that it comes to an end. */
static struct limit limit_of(const struct bench_session *session)
{
    struct limit limit = {.gen = session->gen,
                          .kind = (frazil_layout_kind)session->info.layout->kind,
                          .capacity = session->info.capacity,
                          .tick_ns = session->info.layout->tick_ms * 1e6,
                          .threads = session->request->threads,
                          .rounds = session->long_rounds,
                          .window_ns = session->window_ns};

    if (limit.tick_ns > limit.window_ns) {
        limit.window_ns = limit.tick_ns;
        if (limit.rounds * limit.tick_ns > ALL_ROUNDS_NS)
            limit.rounds = 1 + (unsigned)(ALL_ROUNDS_NS / limit.tick_ns);
    }
    return limit;
}

bool lab_limit_run(struct bench_session *session)
{
    const struct limit limit = limit_of(session);
    const char *none;
    bool refused = find_limit(&limit, &none) != FRAZIL_OK;

    if (none != NULL && !refused)
        add_no_limit(none, &session->table);
    else if (!refused)
        run_rate(&limit, &session->table);
    if (!run_alone(session))
        return false;
    return refused || none != NULL || run_crowd(&limit, &session->table);
}
