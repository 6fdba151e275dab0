/* SPDX-License-Identifier: MIT */
/* frazil bench: what ids cost on this machine, beside what they are made of. */
#include "cases.h"
#include "clock.h"
#include "command.h"
#include "complain.h"
#include "limit.h"
#include "machine.h"
#include "operations/leases.h"
#include "options.h"
#include "output.h"
#include "spec.h"

#include <stdlib.h>
#include <string.h>

/* What is asked for. */
struct request {
    struct option_u64 rounds;
    struct option_u64 threads;
    bool quick;
    bool json;
};

/* How long to measure. */
struct effort {
    unsigned rounds;
    double sample_ns;
    unsigned limit_rounds; /* long ones, that many calls fit into */
    double window_ns;
};

#define SHORTEST_WINDOW_NS 2e7

/* What is measured at the limit takes as long in more rounds as in fewer. */
static void set_rounds(struct effort *effort, unsigned rounds)
{
    double all_ns = effort->limit_rounds * effort->window_ns;
    unsigned most = (unsigned)(all_ns / SHORTEST_WINDOW_NS);

    effort->rounds = rounds;
    effort->limit_rounds = rounds < most ? rounds : most;
    effort->window_ns = all_ns / effort->limit_rounds;
}

static struct effort effort_of(const struct request *request)
{
    struct effort effort = request->quick ? (struct effort){3, 3e5, 2, 2e7} : (struct effort){61, 2e6, 5, 4e8};

    if (request->rounds.given)
        set_rounds(&effort, (unsigned)request->rounds.value);
    return effort;
}

/* The spec when there is none: the default layout, and nothing that is kept. */
static char no_arguments[] = "layout=frazil worker=fixed:0 state=memory";

/* ---- the generator of the spec ------------------------------------------------ */

static frazil *open_spec(const char *spec, frazil_generator_info *ret_info)
{
    frazil_error err;
    frazil *gen = NULL;

    if (frazil_open(&gen, spec, &err) != FRAZIL_OK) {
        (void)complain_error(&err);
        return NULL;
    }
    frazil_get_info(gen, ret_info);
    return gen;
}

#define SPEC_GROUP "Opening and closing, as the spec says"

/* How long its coordinator takes to answer, if it has one: then each round has its place, answered or not. */
static void measure_round_trip(const char *spec, struct bench_row *row)
{
    uint64_t us;
    frazil_err err = fz_leases_round_trip(spec, &us, NULL);

    if (err == FRAZIL_OK)
        bench_row_add(row, (double)us);
    else if (err != FRAZIL_ESPEC)
        bench_row_miss(row);
}

/* Opens and closes what the spec says; a coordinator answers meanwhile. */
static bool run_spec_opens(const char *spec, unsigned rounds, struct bench_table *table)
{
    static const struct bench_row rows[] = {
        BENCH_ROW_HELD_TO(SPEC_GROUP, "spec_open", "opening", "us", {BENCH_TIMES, 0, "spec_round_trip"}),
        BENCH_ROW_HELD_TO(SPEC_GROUP, "spec_close", "closing", "us", {BENCH_TIMES, 0, "spec_round_trip"}),
        {.group = SPEC_GROUP,
         .key = "spec_round_trip",
         .name = "one read of its coordinator",
         .unit = "us",
         .missed = "its coordinator did not answer"}};
    struct bench_row *opening = bench_table_add(table, &rows[0]);
    struct bench_row *closing = bench_table_add(table, &rows[1]);
    struct bench_row *round_trip = bench_table_add(table, &rows[2]);
    frazil_generator_info ignored;

    for (unsigned i = 0; i < rounds; i++) {
        double start = bench_now_ns();
        frazil *gen = open_spec(spec, &ignored);
        double opened = bench_now_ns();
        if (gen == NULL)
            return false;
        frazil_close(gen);
        bench_row_add(opening, (opened - start) / 1000);
        bench_row_add(closing, (bench_now_ns() - opened) / 1000);
        measure_round_trip(spec, round_trip);
    }
    return true;
}

/* ---- everything ---------------------------------------------------------------- */

/* All cases of the lists in turns, so that what is compared was measured under the same conditions. */
static bool run_cases(struct bench_rig *rig, const struct effort *effort, struct bench_table *table)
{
    return bench_cases_run(rig, table, bench_calls, effort->rounds, effort->sample_ns) &&
           bench_cases_run(rig, table, bench_pairs, effort->rounds, effort->sample_ns) &&
           bench_opens_run(rig, table, effort->rounds, effort->sample_ns);
}

static bool run_growth(struct bench_rig *rig, const struct effort *effort, struct bench_table *table)
{
    return bench_rig_open_growth(rig) && bench_cases_run(rig, table, bench_growth, effort->rounds, effort->sample_ns);
}

static bool run_all(struct bench_rig *rig, const struct request *request, const char *spec, frazil *gen,
                    struct bench_table *table)
{
    const struct effort effort = effort_of(request);
    const struct bench_limit limit = {.gen = gen,
                                      .threads = (unsigned)request->threads.value,
                                      .rounds = effort.limit_rounds,
                                      .window_ns = effort.window_ns};

    return bench_rig_open(rig) && run_cases(rig, &effort, table) && bench_limit_run(rig, &limit, table) &&
           run_spec_opens(spec, effort.rounds, table) && run_growth(rig, &effort, table);
}

/* How time is told to the generators of the rows, and to the one that the spec names, which may have another clock. */
struct clock_paths {
    bool rows_count, spec_counts;
};

static struct clock_paths paths_of(const struct bench_rig *rig, const frazil_generator_info *spec)
{
    frazil_generator_info rows = {.counter_in_use = false};

    if (rig->gen != NULL)
        frazil_get_info(rig->gen, &rows);
    return (struct clock_paths){.rows_count = rows.counter_in_use, .spec_counts = spec->counter_in_use};
}

static const char *path_name(bool counts)
{
    return counts ? "counter" : "clock";
}

static const char *path_words(bool counts)
{
    return counts ? "processor's counter, and by the clock once a tick" : "clock, for each id";
}

static void print_heading(const struct request *request, const char *spec, const struct clock_paths *paths)
{
    struct effort effort = effort_of(request);
    struct bench_machine machine;

    bench_machine_read(&machine);
    output_format("frazil %s, %s\n%s, %ld processors, %s\n", frazil_version(), machine.compiler, machine.cpu,
                  machine.cpus, machine.system);
    output_format("Time is told by the %s%s.\n", path_words(paths->rows_count),
                  paths->rows_count ? "" : ": there is no counter to trust");
    output_format(
        "%u rounds, in which the rows of a group take turns; latencies, and what is at the limit: %u of %.0f ms\n",
        effort.rounds, effort.limit_rounds, effort.window_ns / 1e6);
    output_string("The generator at its limit: ");
    output_foreign(typed(spec, strlen(spec)));
    output_string("\n");
    if (paths->rows_count != paths->spec_counts)
        output_format("To it alone time is told by the %s.\n", path_words(paths->spec_counts));
}

static void json_text(const char *key, const char *value)
{
    output_format(",\"%s\":", key);
    output_json_string(value);
}

static void print_json(const struct request *request, const char *spec, const struct clock_paths *paths,
                       const struct bench_table *table)
{
    struct effort effort = effort_of(request);
    struct bench_machine machine;

    bench_machine_read(&machine);
    output_format("{\"frazil\":\"%s\"", frazil_version());
    json_text("compiler", machine.compiler);
    json_text("cpu", machine.cpu);
    output_format(",\"cpus\":%ld", machine.cpus);
    json_text("system", machine.system);
    json_text("clock_path", path_name(paths->rows_count));
    json_text("spec", typed(spec, strlen(spec)));
    json_text("spec_clock_path", path_name(paths->spec_counts));
    output_format(",\"limit_rounds\":%u,\"rounds\":%u,\"rows\":", effort.limit_rounds, effort.rounds);
    bench_table_json(table);
    output_string("}\n");
}

static void print_all(const struct request *request, const char *spec, const struct clock_paths *paths,
                      const struct bench_table *table)
{
    if (request->json) {
        print_json(request, spec, paths, table);
    } else {
        print_heading(request, spec, paths);
        bench_table_print(table);
    }
}

static int run(const struct request *request, const char *spec)
{
    struct bench_table *table = calloc(1, sizeof *table);
    struct bench_rig *rig = aligned_alloc(alignof(struct bench_rig), sizeof *rig);
    struct clock_paths paths = {0};
    frazil_generator_info info;
    frazil *gen = open_spec(spec, &info);
    int status = gen == NULL ? STATUS_USAGE : STATUS_FATAL;

    if (gen != NULL && table != NULL && rig != NULL) {
        *rig = (struct bench_rig){0};
        if (run_all(rig, request, spec, gen, table))
            status = STATUS_OK;
        paths = paths_of(rig, &info);
        bench_rig_close(rig);
    }
    if (status == STATUS_OK)
        print_all(request, spec, &paths, table);
    frazil_close(gen);
    free(rig);
    free(table);
    return status;
}

static int cmd_bench_run(int argc, char **argv)
{
    struct request request = {.threads = {false, 64}};
    struct arguments args;
    int status;
    const struct option_row rows[] = {
        {"rounds", 'n', OPTION_U64, &request.rounds, "N", "of which the medians are shown (default 61)",
         BENCH_ROUNDS_MAX},
        {"threads", 't', OPTION_U64, &request.threads, "N", "at the limit at a time (default 64)", BENCH_THREADS_MAX},
        {"quick", 'q', OPTION_FLAG, &request.quick, NULL, "in a second or two: figures of little worth", 0},
        {"json", 'j', OPTION_FLAG, &request.json, NULL, "one object, a row a line", 0},
        {0},
    };
    static const struct option_help help = {
        "bench [OPTION]... [SPEC]...", "Measures what ids cost here, beside what they are made of.",
        "Most rows are of generators of its own, whose layout does not limit them and\n"
        "whose files are gone afterwards.  SPEC, as for next, names the generator that is\n"
        "taken to its limit, opened and closed; ids of it are used up.  The default is\n"
        "layout=frazil worker=fixed:0 state=memory.\n"
        "Ids that cost a nanosecond are measured in peace: nothing else should run.\n\n"
        "  frazil bench\n"
        "  frazil bench --threads 8 layout=sno state=memory\n"
        "  frazil bench --json >bench.json"};

    if (!options_read(&help, rows, argc, argv, &args, &status))
        return status;
    if ((request.rounds.given && request.rounds.value == 0) || request.threads.value == 0) {
        complain("bench measures nothing in 0 rounds, or with 0 threads");
        return STATUS_USAGE;
    }
    char *default_args[] = {no_arguments};
    char *spec = spec_join(args.count > 0 ? &args : &(struct arguments){1, default_args}, "");
    if (spec == NULL) {
        complain("out of memory");
        return STATUS_FATAL;
    }
    status = run(&request, spec);
    free(spec);
    return status;
}

const struct command cmd_bench = {"bench", "what ids cost on this machine", cmd_bench_run};
