/* SPDX-License-Identifier: MIT */
/* frazil state: what this host keeps of its workers, and the way out when a file of it is damaged. */
#include "command.h"
#include "complain.h"
#include "fields.h"
#include "options.h"
#include "output.h"
#include "spec.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "operations/state.h"

/* ---- showing ------------------------------------------------------------------- */

static bool is_in_use(const struct fz_kept *kept)
{
    return kept->word.in_use || kept->grant.in_use;
}

/* The grant can be read. */
static bool has_grant(const struct fz_kept *kept)
{
    return kept->grant.exists && kept->grant.wrong.code == FRAZIL_OK;
}

static const char *name_state(const struct fz_kept *kept)
{
    if (fz_kept_is_wrong(kept))
        return "WRONG";
    if (is_in_use(kept))
        return "in use";
    return kept->word.exists || kept->grant.exists ? "free" : "new";
}

static const char *name_file(const struct fz_kept_file *file)
{
    if (file->wrong.code != FRAZIL_OK)
        return "wrong";
    if (!file->exists)
        return "absent";
    return file->stale ? "stale" : "good";
}

static void print_file(const char *name, const struct fz_kept_file *file)
{
    output_format(",\"%s\":{\"path\":", name);
    output_json_string(file->path);
    output_format(",\"state\":\"%s\",\"in_use\":%s", name_file(file), file->in_use ? "true" : "false");
    if (file->wrong.code != FRAZIL_OK) {
        output_string(",\"why\":");
        output_json_string(file->wrong.message);
    }
}

static void print_json(const struct fz_state *state)
{
    char from[FIELDS_TEXT_SIZE], until[FIELDS_TEXT_SIZE], highest[FIELDS_TEXT_SIZE];

    for (size_t i = 0; i < state->count; i++) {
        const struct fz_kept *kept = &state->workers[i];
        output_format("{\"worker\":%" PRIu32 ",\"ok\":%s,\"sequence_min\":%" PRIu64 ",\"sequence_max\":%" PRIu64,
                      kept->worker, fz_kept_is_wrong(kept) ? "false" : "true", kept->seq_min, kept->seq_max);
        print_file("word", &kept->word);
        output_string("}");
        print_file("grant", &kept->grant);
        if (has_grant(kept))
            output_format(",\"from\":\"%s\",\"until\":\"%s\",\"highest\":\"%s\",\"process\":%" PRIu64,
                          fields_time(kept->from_unix_ms, from), fields_time(kept->until_unix_ms, until),
                          fields_time(kept->highest_unix_ms, highest), kept->pid);
        output_string("}}\n");
    }
}

static void print_wrong(const struct fz_kept_file *file)
{
    if (file->wrong.code == FRAZIL_OK)
        return;
    output_string("        "); /* a sentence can be longer than output_format writes */
    output_foreign(file->wrong.message);
    output_string("\n");
}

static void print_worker(const struct fz_kept *kept)
{
    char from[FIELDS_TEXT_SIZE], until[FIELDS_TEXT_SIZE], highest[FIELDS_TEXT_SIZE];

    output_format("%6" PRIu32 "  %-6s  %-6s", kept->worker, name_state(kept), name_file(&kept->word));
    if (has_grant(kept))
        output_format("  %-24s  %-24s", fields_time(kept->from_unix_ms, from), fields_time(kept->until_unix_ms, until));
    else
        output_format("  %s", name_file(&kept->grant));
    if (has_grant(kept) && kept->pid != 0)
        output_format("  %" PRIu64, kept->pid);
    output_string("\n");
    if (kept->is_part)
        output_format("        sequence numbers %" PRIu64 " to %" PRIu64 "\n", kept->seq_min, kept->seq_max);
    print_wrong(&kept->word);
    print_wrong(&kept->grant);
    if (has_grant(kept) && kept->highest_unix_ms > kept->until_unix_ms)
        output_format("        its clock was ahead once: times up to %s are taken, too\n",
                      fields_time(kept->highest_unix_ms, highest));
}

static void print_text(const struct fz_state *state)
{
    output_string("layout       ");
    output_foreign(state->layout);
    output_string("\nrun files    ");
    output_foreign(state->run_folder);
    output_string("\nstate files  ");
    output_foreign(state->state_folder);
    output_string("\n");
    if (state->count == 0) {
        output_string("\nnothing is kept here yet\n");
        return;
    }
    output_string("\nworker  state   word    granted from              until                     process\n");
    for (size_t i = 0; i < state->count; i++)
        print_worker(&state->workers[i]);
}

struct state_options {
    bool all;
    bool json;
};

static int state_show(const char *spec, const struct state_options *options)
{
    struct fz_state state;
    frazil_error err;
    int status = STATUS_OK;

    if (options->all) {
        complain("--all is for state init");
        return STATUS_USAGE;
    }
    if (fz_state_look(spec, &state, &err) != FRAZIL_OK)
        return complain_error(&err);
    (options->json ? print_json : print_text)(&state);
    for (size_t i = 0; i < state.count; i++) {
        if (fz_kept_is_wrong(&state.workers[i]))
            status = STATUS_BAD_VALUE;
    }
    fz_state_free(&state);
    return status;
}

/* ---- repairing ------------------------------------------------------------------- */

struct repairs {
    const struct state_options *options;
    size_t count;
};

static void print_repair(void *ctx, const struct fz_kept *kept)
{
    struct repairs *repairs = ctx;

    repairs->count++;
    if (repairs->options->json)
        output_format("{\"worker\":%" PRIu32 ",\"sequence_min\":%" PRIu64 ",\"sequence_max\":%" PRIu64
                      ",\"made_anew\":true}\n",
                      kept->worker, kept->seq_min, kept->seq_max);
    else if (kept->is_part)
        output_format("worker %" PRIu32 ", sequence numbers %" PRIu64 " to %" PRIu64 ": made anew\n", kept->worker,
                      kept->seq_min, kept->seq_max);
    else
        output_format("worker %" PRIu32 ": made anew\n", kept->worker);
}

static int state_init(const char *spec, const struct state_options *options)
{
    struct repairs repairs = {.options = options};
    frazil_error err;

    if (fz_state_init(spec, options->all, print_repair, &repairs, &err) != FRAZIL_OK)
        return complain_error(&err);
    if (repairs.count == 0 && !options->json)
        output_string("nothing is wrong, nothing was changed; state init --all makes files anew that look right\n");
    return STATUS_OK;
}

/* ---- the command ----------------------------------------------------------------- */

static int run_action(const struct arguments *args, const struct state_options *options)
{
    bool named_show = args->count > 0 && strcmp(args->values[0], "show") == 0;
    bool named_init = args->count > 0 && strcmp(args->values[0], "init") == 0;
    int named = named_show || named_init;
    const struct arguments rest = {args->count - named, args->values + named};

    char *spec = spec_join(&rest, "");
    if (spec == NULL) {
        complain("out of memory");
        return STATUS_FATAL;
    }
    spec_warn_of_slips();
    int status = named_init ? state_init(spec, options) : state_show(spec, options);
    free(spec);
    return status;
}

static int cmd_state_run(int argc, char **argv)
{
    struct state_options options = {.all = false};
    struct arguments args;
    int status;
    const struct option_row rows[] = {
        {"all", 'a', OPTION_FLAG, &options.all, NULL, "init: also files that look right", 0},
        {"json", 'j', OPTION_FLAG, &options.json, NULL, "one object a line", 0},
        {0},
    };
    static const struct option_help help = {
        "state [show|init] [OPTION]... [SPEC]...",
        "Shows what this host keeps of its workers, so that no id is repeated after a\n"
        "restart; init makes files anew that are damaged or somebody else's.",
        "Give the spec that the program has.  init refuses while a process uses the\n"
        "worker, and gives up all ids that may have been made until now.  --all is for\n"
        "when a state directory was restored from an old copy, or lost.\n"
        "Exit status of show: 1 if a file is wrong.\n\n"
        "  frazil state worker=fixed:7\n"
        "  frazil state init worker=fixed:7"};

    if (!options_read(&help, rows, argc, argv, &args, &status))
        return status;
    return run_action(&args, &options);
}

const struct command cmd_state = {"state", "what this host keeps of its workers; repair it", cmd_state_run};
