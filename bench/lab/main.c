/* SPDX-License-Identifier: MIT */
/*
 * frazil-lab: what docs/performance.md shows beside the table of costs of `frazil bench`.  It measures in sessions of
 * that command, prints as it does, and is not installed.
 */
#include "lab.h"

#include "command.h"
#include "complain.h"
#include "options.h"
#include "output.h"
#include "spec.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool measure_pairs(struct bench_session *session)
{
    return bench_cases_run(session, lab_pairs);
}

static bool measure_sources(struct bench_session *session)
{
    return bench_opens_run(session, lab_sources);
}

static bool measure_growth(struct bench_session *session)
{
    return lab_open_growth(&session->rig) && bench_cases_run(session, lab_growth) && bench_cases_run(session, lab_more);
}

static const struct part {
    const char *name;
    bool (*measure)(struct bench_session *session);
} parts[] = {
    {"pairs", measure_pairs},
    {"sources", measure_sources},
    {"limit", lab_limit_run},
    {"growth", measure_growth},
};

enum { PARTS = sizeof parts / sizeof parts[0] };

/* The only part to measure; NULL: all of them. */
static const char *wanted;

static bool measure(struct bench_session *session)
{
    bool ok = lab_open(&session->rig);

    for (size_t i = 0; i < PARTS && ok; i++) {
        if (wanted == NULL || strcmp(parts[i].name, wanted) == 0)
            ok = parts[i].measure(session);
    }
    lab_close(&session->rig);
    return ok;
}

/* ---- the command line --------------------------------------------------------- */

static bool read_part(const char *text)
{
    for (size_t i = 0; i < PARTS; i++) {
        if (strcmp(parts[i].name, text) == 0)
            wanted = parts[i].name;
    }
    if (wanted == NULL)
        complain("there is no part %s: it is pairs, sources, limit or growth", quoted(text));
    return wanted != NULL;
}

static bool read_number(const char *text, uint64_t max, unsigned *ret)
{
    uint64_t number;

    if (!options_parse_u64(text, &number) || number == 0 || number > max) {
        complain("%s is no number from 1 to %u", quoted(text), (unsigned)max);
        return false;
    }
    *ret = (unsigned)number;
    return true;
}

static bool read_options(int argc, char **argv, struct bench_request *request)
{
    bool ok = true;

    opterr = 0;
    for (int option; ok && (option = getopt(argc, argv, "p:n:t:qj")) != -1;) {
        if (option == 'p')
            ok = read_part(optarg);
        else if (option == 'n')
            ok = read_number(optarg, BENCH_ROUNDS_MAX, &request->rounds);
        else if (option == 't')
            ok = read_number(optarg, BENCH_THREADS_MAX, &request->threads);
        else if (option == 'q')
            request->quick = true;
        else if (option == 'j')
            request->json = true;
        else {
            complain("usage: frazil-lab [-p PART] [-n ROUNDS] [-t THREADS] [-q (quick)] [-j (JSON)] [SPEC]...");
            ok = false;
        }
    }
    return ok;
}

static char default_spec[] = "layout=frazil worker=fixed:0 state=memory";

int main(int argc, char **argv)
{
    struct bench_request request = {.threads = 64};
    char *default_args[] = {default_spec};

    if (!read_options(argc, argv, &request))
        return STATUS_USAGE;
    struct arguments args = {argc - optind, argv + optind};
    char *spec = spec_join(args.count > 0 ? &args : &(struct arguments){1, default_args});
    int status = STATUS_FATAL;
    if (spec != NULL) {
        request.spec = spec;
        status = bench_session_run(&request, measure);
    }
    free(spec);
    output_flush();
    return output_failure() == 0 ? status : STATUS_FATAL;
}
