/* SPDX-License-Identifier: MIT */
#include "bench.h"

#include "command.h"
#include "complain.h"
#include "output.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- cases in turns ----------------------------------------------------------- */

enum { CASES_MAX = 48, DISTURBED_MAX = 3 };

static uint64_t rounded(const struct bench_case *c, uint64_t count)
{
    uint64_t at_once = c->at_once == 0 ? 1 : c->at_once;

    return (count + at_once - 1) / at_once * at_once;
}

/*
 * Finds how many make a sample of that length.  Give up calibrating after three disturbed samples, and settle for a
 * quarter of the length: two threads that do not run at the same time seem faster than they are.
 */
static bool calibrate(struct bench_rig *rig, const struct bench_case *c, double sample_ns, uint64_t *ret)
{
    uint64_t count = rounded(c, 1);
    double ns = 0;

    for (int disturbed = 0; disturbed < DISTURBED_MAX;) {
        rig->disturbed = false;
        if (!c->run(rig, c, count, &ns))
            return false;
        if (ns < sample_ns / 4)
            count = rounded(c, count * 10); /* too short to extrapolate from */
        else if (!rig->disturbed)
            break;
        else
            disturbed++;
    }
    *ret = rounded(c, 1 + (uint64_t)((double)count * sample_ns / ns / (rig->disturbed ? 4 : 1)));
    return true;
}

static bool sample(struct bench_rig *rig, const struct bench_case *c, uint64_t count, struct bench_row *row)
{
    double ns = 0;

    rig->disturbed = false;
    if (!c->run(rig, c, count, &ns))
        return false;
    if (rig->disturbed)
        bench_row_miss(row);
    else
        bench_row_add(row, ns / (double)count / (c->unit_ns > 0 ? c->unit_ns : 1));
    return true;
}

void bench_tell(struct bench_session *session, const char *group, unsigned round, unsigned rounds)
{
    double now = bench_now_ns();

    if (now - session->told_ns < 1e9 || isnan(session->told_ns))
        return;
    session->told_ns = now;
    complain_progress("measuring, %s: round %u of %u", group, round, rounds);
}

bool bench_cases_run(struct bench_session *session, const struct bench_case *cases)
{
    struct bench_row *rows[CASES_MAX];
    uint64_t counts[CASES_MAX];
    size_t n = 0;

    for (; cases[n].run != NULL; n++) {
        assert(n < CASES_MAX);
        rows[n] = bench_table_add(&session->table, &cases[n].label);
        if (!calibrate(&session->rig, &cases[n], session->sample_ns, &counts[n]))
            return false;
    }
    for (unsigned round = 0; round < session->rounds && !output_broken(); round++) {
        bench_tell(session, cases->label.group, round + 1, session->rounds);
        for (size_t i = 0; i < n; i++) {
            if (!sample(&session->rig, &cases[i], counts[i], rows[i]))
                return false;
        }
    }
    return true;
}

/* ---- the printed rows ---------------------------------------------------------- */

/* Where the generators of the rows take the time from; the spec's generator may have another clock. */
static bool rows_count(const struct bench_session *session)
{
    frazil_info info;

    frazil_get_info(session->rig.gen, &info, sizeof info);
    return info.counter_in_use != 0;
}

static const char *path_words(bool counts)
{
    return counts ? "processor's counter, and from the clock once a tick" : "clock, for each id";
}

static const char *shown_spec(const struct bench_session *session)
{
    return typed(session->request->spec, strlen(session->request->spec));
}

static void print_text(const struct bench_session *session)
{
    bool counts = rows_count(session);
    struct bench_machine machine;

    bench_machine_read(&machine);
    output_format("frazil %s, %s\n%s, %ld processors, %s\n", frazil_version(), machine.compiler, machine.cpu,
                  machine.cpus, machine.system);
    output_format("Ids take the time from the %s%s.\n", path_words(counts),
                  counts ? "" : ": no counter can be trusted");
    output_format("%u rounds, in which the rows of a group take turns; of threads %u rounds of %.0f ms\n",
                  session->rounds, session->long_rounds, session->window_ns / 1e6);
    output_string("SPEC: ");
    output_foreign(shown_spec(session));
    output_string("\n");
    if (counts != session->info.counter_in_use)
        output_format("Ids of SPEC take the time from the %s.\n", path_words(session->info.counter_in_use));
    bench_table_print(&session->table);
}

static void json_text(const char *key, const char *value)
{
    output_format(",\"%s\":", key);
    output_json_string(value);
}

static void print_json(const struct bench_session *session)
{
    struct bench_machine machine;

    bench_machine_read(&machine);
    output_format("{\"frazil\":\"%s\"", frazil_version());
    json_text("compiler", machine.compiler);
    json_text("cpu", machine.cpu);
    output_format(",\"cpus\":%ld", machine.cpus);
    json_text("system", machine.system);
    json_text("clock_path", rows_count(session) ? "counter" : "clock");
    json_text("spec", shown_spec(session));
    json_text("spec_clock_path", session->info.counter_in_use ? "counter" : "clock");
    output_format(",\"limit_rounds\":%u,\"rounds\":%u,\"rows\":", session->long_rounds, session->rounds);
    bench_table_json(&session->table);
    output_string("}\n");
}

/* ---- a session ---------------------------------------------------------------- */

#define SHORTEST_WINDOW_NS 2e7

/* Long rounds take as long together if there are more of them. */
static void choose_effort(struct bench_session *session)
{
    const struct bench_request *request = session->request;

    session->rounds = request->quick ? 3 : 61;
    session->sample_ns = request->quick ? 3e5 : 2e6;
    session->long_rounds = request->quick ? 2 : 5;
    session->window_ns = request->quick ? SHORTEST_WINDOW_NS : 4e8;
    if (request->rounds == 0)
        return;
    double all_ns = session->long_rounds * session->window_ns;
    unsigned most = (unsigned)(all_ns / SHORTEST_WINDOW_NS);
    session->rounds = request->rounds;
    session->long_rounds = request->rounds < most ? request->rounds : most;
    session->window_ns = all_ns / session->long_rounds;
}

static int run(struct bench_session *session, bool (*measure)(struct bench_session *))
{
    frazil_error err;

    if (frazil_open(&session->gen, session->request->spec, &err) != FRAZIL_OK) {
        (void)complain_error(&err);
        return STATUS_USAGE;
    }
    frazil_get_info(session->gen, &session->info, sizeof session->info);
    session->layout = *session->info.layout;
    bool ok = bench_rig_open(&session->rig) && measure(session);
    if (session->told_ns > 0)
        complain_progress("%s", "");
    if (ok && session->request->json)
        print_json(session);
    else if (ok)
        print_text(session);
    bench_rig_close(&session->rig);
    frazil_close(session->gen);
    return ok ? STATUS_OK : STATUS_FATAL;
}

int bench_session_run(const struct bench_request *request, bool (*measure)(struct bench_session *session))
{
    struct bench_session *session = aligned_alloc(alignof(struct bench_session), sizeof *session);

    if (session == NULL) {
        complain("out of memory");
        return STATUS_FATAL;
    }
    memset(session, 0, sizeof *session);
    session->request = request;
    session->told_ns = isatty(STDERR_FILENO) == 1 ? 0 : NAN;
    choose_effort(session);
    int status = run(session, measure);
    free(session);
    return status;
}
