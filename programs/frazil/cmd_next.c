/* SPDX-License-Identifier: MIT */
/* frazil next: new ids. */
#include "command.h"
#include "complain.h"
#include "default_worker.h"
#include "fields.h"
#include "ids.h"
#include "opening_progress.h"
#include "options.h"
#include "output.h"
#include "spec.h"
#include "stop.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BATCH_MAX 4096

/* The options of the command. */
struct request {
    struct option_u64 count;
    bool forever;
    uint64_t n; /* ids; for ever: UINT64_MAX, which nobody lives to see */
    struct option_u64 meta;
    struct option_time at; /* ids of that time, and not of now */
    const char *rate_text;
    const char *form_text;
    bool json;
    bool quiet;  /* only errors on stderr */
    double rate; /* ids a second; 0: as fast as it goes */
    int form;
};

/* The generator, and the kind of its ids. */
struct source {
    frazil *gen;
    bool quiet;
    struct ids_layout layout;
    uint8_t meta;
};

/* Said once, when the first id of a worker is made: what was chosen, and for what it is not enough. */
static void note_default(const struct source *source)
{
    frazil_info info;

    frazil_get_info(source->gen, &info, sizeof info);
    if (info.state_is_new && !source->quiet)
        complain(DEFAULT_WORKER_NOTE);
}

/* Said each time: each process draws another one. */
static void note_unclaimed(const struct source *source, const frazil_options *options)
{
    char worker[sizeof UNCLAIMED_WORKER];

    if (!source->quiet && frazil_options_get(options, "worker", worker, sizeof worker, NULL, NULL) == FRAZIL_OK &&
        strcmp(worker, UNCLAIMED_WORKER) == 0)
        complain(UNCLAIMED_WORKER_NOTE);
}

/* Said as seldom as the first, of a worker id that another host may have, too. */
static void note_collision(const struct source *source, const frazil_info *info)
{
    const uint32_t worth_a_word_ppm = 10000;

    if (info->collision_ppm > worth_a_word_ppm && info->state_is_new && !source->quiet)
        complain("the probability that two of the expected hosts share a worker id, and make the same ids, is "
                 "%u.%04u %%; see WORKER IDS in man frazil.spec",
                 (unsigned)(info->collision_ppm / 10000), (unsigned)(info->collision_ppm % 10000));
}

/* Said as seldom, of an epoch that is a few weeks of 1970. */
static void note_epoch(const struct source *source, const frazil_info *info)
{
    if (info->state_is_new && !source->quiet)
        options_note_seconds("epoch", "", info->layout->epoch_unix_ms);
}

/* A call whose wait a signal has ended is no error: the signal says what happened. */
static int failed(const frazil_error *err)
{
    int status = complain_status(err->code);

    return stop_wanted() && status == STATUS_TEMPORARY ? status : complain_error(err);
}

/* An empty spec has the whole environment count. */
static frazil_err read_spec(frazil_options *options, const struct arguments *args, frazil_error *err)
{
    char *spec = spec_join(args);

    if (spec == NULL) {
        *err = (frazil_error){.code = FRAZIL_ENOMEM, .message = "out of memory"};
        return FRAZIL_ENOMEM;
    }
    frazil_err code = frazil_options_spec(options, spec, strlen(spec), err);
    free(spec);
    if (code == FRAZIL_OK && args->count == 0)
        code = frazil_options_environment(options, FRAZIL_ENVIRONMENT_ALL, err);
    return code;
}

static frazil_err open_with_progress(struct source *source, const frazil_options *options, frazil_error *err)
{
    struct opening_progress progress;

    opening_progress_begin(&progress, source->quiet);
    frazil_err code = frazil_open_with(&source->gen, options, err);
    opening_progress_end(&progress);
    return code;
}

static frazil_err open_with(struct source *source, const struct arguments *args, bool *ret_assumed, frazil_error *err)
{
    frazil_options *options;

    frazil_err code = frazil_options_open(&options, err);
    if (code != FRAZIL_OK)
        return code;
    code = read_spec(options, args, err);
    if (code == FRAZIL_OK)
        code = default_worker_check(options, ret_assumed, err);
    if (code == FRAZIL_OK)
        code = open_with_progress(source, options, err);
    if (code == FRAZIL_OK)
        note_unclaimed(source, options);
    frazil_options_close(options);
    return code;
}

static int open_source(struct source *source, const struct arguments *args)
{
    bool assumed = false;
    frazil_info info;
    frazil_error err;

    int status = open_with(source, args, &assumed, &err) == FRAZIL_OK ? STATUS_OK : failed(&err);
    if (status != STATUS_OK)
        return status;
    assert(source->gen != NULL);
    if (assumed)
        note_default(source);
    frazil_get_info(source->gen, &info, sizeof info);
    note_collision(source, &info);
    note_epoch(source, &info);
    source->layout.layout = *info.layout;
    ids_layout_label(&source->layout);
    return STATUS_OK;
}

static bool is_sno(const struct source *source)
{
    return source->layout.layout.kind == FRAZIL_LAYOUT_SNO;
}

/* Refuses options that this kind of ids does not have. */
static int check_request(const struct request *request, const struct source *source)
{
    struct id id = {.kind = source->layout.layout.kind};
    char ignored[IDS_TEXT_SIZE];
    frazil_error err;

    if (request->meta.given && !is_sno(source)) {
        complain("--meta is for snos: the ids of the layout %s have no metabyte", source->layout.label);
        return STATUS_USAGE;
    }
    if (ids_format(&id, request->form, ignored, &err) != FRAZIL_OK)
        return complain_error(&err);
    return STATUS_OK;
}

static void print_id(const struct request *request, const struct source *source, const struct id *id)
{
    char text[IDS_TEXT_SIZE];
    frazil_error err;

    if (request->json)
        fields_json(&source->layout, id, false);
    else if (id->kind == FRAZIL_LAYOUT_64 && request->form == IDS_FORM_ANY)
        output_u64(id->number);
    else if (ids_format(id, request->form, text, &err) == FRAZIL_OK)
        output_string(text);
    output_string("\n");
}

/* Takes n ids and prints them. */
static int batch(const struct request *request, const struct source *source, size_t n)
{
    static uint64_t numbers[BATCH_MAX];
    static frazil_sno snos[BATCH_MAX];
    struct id id = {.kind = source->layout.layout.kind};
    frazil_error err;
    frazil_err code = is_sno(source) ? frazil_sno_take(source->gen, source->meta, snos, n, FRAZIL_WAIT_DEFAULT, &err)
                                     : frazil_take(source->gen, numbers, n, FRAZIL_WAIT_DEFAULT, &err);

    if (code != FRAZIL_OK)
        return failed(&err);
    for (size_t i = 0; i < n; i++) {
        if (is_sno(source))
            id.sno = snos[i];
        else
            id.number = numbers[i];
        print_id(request, source, &id);
    }
    return STATUS_OK;
}

/*
 * How many ids to take at once: the rest of the tick, so that no id waits in the buffer for the next tick.
 */
static size_t batch_size(const struct source *source, uint64_t left)
{
    frazil_info info;

    assert(source->gen != NULL);
    frazil_get_info(source->gen, &info, sizeof info);
    uint64_t n = info.available;

    if (n == 0) {
        output_flush(); /* the next one has to be waited for */
        n = 1;
    }
    if (n > BATCH_MAX)
        n = BATCH_MAX;
    return (size_t)(n < left ? n : left);
}

static int run_fast(const struct request *request, const struct source *source)
{
    uint64_t left = request->n;
    int status = STATUS_OK;

    while (left > 0 && status == STATUS_OK && !output_broken() && !stop_wanted()) {
        size_t n = batch_size(source, left);
        status = batch(request, source, n);
        left -= n;
    }
    return status;
}

/* ---- at a rate ------------------------------------------------------------ */

/*
 * One id after the other on a schedule that each id's number gives, so that
 * lateness does not add up; a command that was stopped for long does not catch up in a rush.
 */
static int run_at_rate(const struct request *request, const struct source *source)
{
    const double late_max_s = 1.0 + 1.0 / request->rate;
    double start = stop_seconds_now();
    uint64_t scheduled = 0;
    int status = STATUS_OK;

    for (uint64_t done = 0; done < request->n; done++) {
        double due = start + (double)scheduled / request->rate;
        double now = stop_seconds_now();
        if (now - due > late_max_s) {
            start = due = now;
            scheduled = 0;
        }
        if (now < due)
            stop_sleep_until(due);
        if (stop_wanted())
            break;
        scheduled++;
        status = batch(request, source, 1);
        output_flush();
        if (status != STATUS_OK || output_broken())
            break;
    }
    return status;
}

/* ---- of another time ------------------------------------------------------ */

/* Ids of one tick only: behind its last one, the sequence would begin again. */
static int run_at_time(const struct request *request, const struct source *source)
{
    struct id id = {.kind = source->layout.layout.kind};
    frazil_info info;
    frazil_error err;

    frazil_get_info(source->gen, &info, sizeof info);
    uint64_t most = (uint64_t)info.sequence_max - info.sequence_min + 1;
    if (request->n > most) {
        complain("--at gives the ids of one tick, of which there are %" PRIu64 ": -n may be at most that", most);
        return STATUS_USAGE;
    }
    for (uint64_t i = 0; i < request->n && !output_broken(); i++) {
        frazil_err code = is_sno(source)
                              ? frazil_sno_next_at(source->gen, request->at.unix_ms, source->meta, &id.sno, &err)
                              : frazil_next_at(source->gen, request->at.unix_ms, &id.number, &err);
        if (code != FRAZIL_OK)
            return complain_error(&err);
        print_id(request, source, &id);
    }
    return STATUS_OK;
}

static int run(const struct request *request, const struct source *source)
{
    if (request->at.given)
        return run_at_time(request, source);
    return request->rate > 0 ? run_at_rate(request, source) : run_fast(request, source);
}

static bool read_rate(const char *text, double *ret)
{
    char *end;
    bool digits_only = text != NULL && strspn(text, "0123456789.") == strlen(text);

    if (text == NULL)
        return true;
    *ret = strtod(text, &end);
    if (digits_only && *text != '\0' && *end == '\0' && *ret >= 1e-6 && *ret <= 1e9)
        return true;
    complain("--rate takes ids a second, from 0.000001 to 1000000000, such as 100 or 0.5, not %s", quoted(text));
    return false;
}

/* Users of other generators write `next 10`. */
static bool is_count(const struct arguments *args)
{
    size_t digits = args->count == 1 ? strspn(args->values[0], "0123456789") : 0;
    return digits > 0 && args->values[0][digits] == '\0';
}

static int cmd_next_run(int argc, char **argv)
{
    struct request request = {.form_text = NULL};
    struct source source = {0};
    struct arguments args;
    int status;
    const struct option_row rows[] = {
        {"count", 'n', OPTION_U64, &request.count, "N", "how many (default 1)", 0},
        {"forever", 0, OPTION_FLAG, &request.forever, NULL, "print ids until the command is stopped", 0},
        {"rate", 'r', OPTION_TEXT, &request.rate_text, "R", "at most R a second, each written at once", 0},
        {"at", 'a', OPTION_TIME, &request.at, "TIME", "ids of another time, for old records", 0},
        {"form", 'f', OPTION_TEXT, &request.form_text, "FORM", "text form (default dec; for snos: sno or hex)", 0},
        {"json", 'j', OPTION_FLAG, &request.json, NULL, "one object per line, with the fields", 0},
        {"meta", 'm', OPTION_U64, &request.meta, "N", "the metabyte of snos (default 0)", 255},
        {"quiet", 'q', OPTION_FLAG, &request.quiet, NULL, "only errors on stderr", 0},
        {0},
    };
    static const struct option_help help = {
        "next", "[OPTION]... [SPEC]...", "Prints new ids, one per line.",
        "SPEC is key=value pairs: layout, epoch, tick, behaviour, worker, datacenter,\n"
        "base, count, expect, on_full, on_backward, max_lead, max_wait, start, ...; man\n"
        "frazil.spec has all.  FRAZIL_<KEY> of the environment sets a key left out.\n" IDS_FORM_HELP "\n\n"
        "  frazil next worker=fixed:1\n"
        "  frazil next -n 1000 layout=twitter worker=fixed:7 datacenter=3\n"
        "  frazil next --form crockford layout=41/12/10 epoch=2026-01-01 worker=ordinal",
        NULL};

    if (!options_read(&help, rows, argc, argv, &args, &status))
        return status;
    if (!ids_form_choose("--form", request.form_text, &request.form) || !read_rate(request.rate_text, &request.rate))
        return STATUS_USAGE;
    if (request.at.given && request.rate > 0) {
        complain("--at and --rate exclude each other");
        return STATUS_USAGE;
    }
    if (request.count.given && request.forever) {
        complain("--count and --forever exclude each other");
        return STATUS_USAGE;
    }
    request.n = request.forever ? UINT64_MAX : request.count.given ? request.count.value : 1;
    if (is_count(&args)) {
        complain("%s is not a spec: for that many ids write -n N", quoted(args.values[0]));
        return STATUS_USAGE;
    }
    source.quiet = request.quiet;
    stop_watch();
    status = open_source(&source, &args);
    if (status != STATUS_OK)
        return status;
    source.meta = (uint8_t)request.meta.value;
    status = check_request(&request, &source);
    if (status == STATUS_OK)
        status = run(&request, &source);
    output_flush(); /* all ids are written before the worker id is given back */
    stop_allow_waits();
    frazil_close(source.gen);
    return status;
}

const struct command cmd_next = {"next", "new ids", cmd_next_run};
