/* SPDX-License-Identifier: MIT */
/* frazil bench: the table of costs on this machine: of ids, and of the parts that an id is made of. */
#include "bench.h"
#include "command.h"
#include "complain.h"
#include "options.h"
#include "spec.h"

static bool measure(struct bench_session *session)
{
    return bench_cases_run(session, bench_calls) && bench_opens_run(session, bench_opens) && bench_spec_run(session);
}

/* The spec when there is none: the default layout, and nothing that is kept. */
static char no_arguments[] = "layout=frazil worker=fixed:0 state=memory";

static int run(const char *spec, const void *options)
{
    struct bench_request request = *(const struct bench_request *)options;

    request.spec = spec;
    return bench_session_run(&request, measure);
}

static int cmd_bench_run(int argc, char **argv)
{
    struct option_u64 rounds = {false, 0}, threads = {false, 64};
    const struct arguments usual = {1, (char *[]){no_arguments}};
    struct bench_request request = {.quick = false};
    struct arguments args;
    int status;
    const struct option_row rows[] = {
        {"rounds", 'n', OPTION_U64, &rounds, "N", "how many rounds; it shows their medians (default 61)",
         BENCH_ROUNDS_MAX},
        {"threads", 't', OPTION_U64, &threads, "N", "threads that share SPEC's generator (default 64)",
         BENCH_THREADS_MAX},
        {"quick", 'q', OPTION_FLAG, &request.quick, NULL, "measure for a second: rough figures", 0},
        {"json", 'j', OPTION_FLAG, &request.json, NULL, "one object, one row per line", 0},
        {0},
    };
    static const struct option_help help = {
        "bench", "[OPTION]... [SPEC]...", "Measures what ids cost here, and what the parts of an id cost.",
        "Most rows measure generators of its own, whose layout does not limit them and\n"
        "whose files are removed afterwards.  SPEC, as for next, names a generator that\n"
        "is opened, closed and shared by threads; its ids are used up.  The default is\n"
        "layout=frazil worker=fixed:0 state=memory.\n"
        "Nothing else should run meanwhile.\n\n"
        "  frazil bench\n"
        "  frazil bench --threads 8 layout=sno worker=fixed:0 state=memory\n"
        "  frazil bench --json >bench.json",
        NULL};

    if (!options_read(&help, rows, argc, argv, &args, &status))
        return status;
    if ((rounds.given && rounds.value == 0) || threads.value == 0) {
        complain("bench measures nothing in 0 rounds, or with 0 threads");
        return STATUS_USAGE;
    }
    request.rounds = (unsigned)rounds.value;
    request.threads = (unsigned)threads.value;
    return spec_run(args.count > 0 ? &args : &usual, run, &request);
}

const struct command cmd_bench = {"bench", "what ids cost on this machine", cmd_bench_run};
