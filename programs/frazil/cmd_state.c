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

#include "frazil/admin.h"

/* ---- showing ------------------------------------------------------------------- */

static const char *name_state(const frazil_admin_kept *kept)
{
    if (kept->is_wrong)
        return "WRONG";
    if (kept->word.in_use || kept->grant.in_use)
        return "in use";
    return kept->word.exists || kept->grant.exists ? "free" : "new";
}

static const char *name_file(const frazil_admin_file *file)
{
    if (file->wrong_code != FRAZIL_OK)
        return "wrong";
    if (!file->exists)
        return "absent";
    return file->stale ? "stale" : "good";
}

static void print_file(const char *name, const frazil_admin_file *file)
{
    output_format(",\"%s\":{\"path\":", name);
    output_json_string(file->path);
    output_format(",\"state\":\"%s\",\"in_use\":%s", name_file(file), file->in_use ? "true" : "false");
    if (file->wrong_code != FRAZIL_OK) {
        output_string(",\"why\":");
        output_json_sentence(file->wrong);
    }
}

/* Writes what the rows of a lease and of a worker have in common; the object of the word's file is left open. */
static void print_word_json(const frazil_admin_kept *kept)
{
    output_format(",\"ok\":%s,\"sequence_min\":%" PRIu64 ",\"sequence_max\":%" PRIu64,
                  kept->is_wrong ? "false" : "true", kept->seq_min, kept->seq_max);
    print_file("word", &kept->word);
}

static void print_lease_json(const frazil_admin_kept *kept)
{
    output_string("{\"lease\":true");
    print_word_json(kept);
    output_string("}}\n");
}

static void print_worker_json(const frazil_admin_kept *kept)
{
    char from[FIELDS_TEXT_SIZE], until[FIELDS_TEXT_SIZE], highest[FIELDS_TEXT_SIZE];

    output_format("{\"worker\":%" PRIu32, kept->worker);
    print_word_json(kept);
    output_string("}");
    print_file("grant", &kept->grant);
    if (kept->has_grant)
        output_format(",\"from\":\"%s\",\"until\":\"%s\",\"highest\":\"%s\",\"process\":%" PRIu64,
                      fields_time(kept->from_unix_ms, from), fields_time(kept->until_unix_ms, until),
                      fields_time(kept->highest_unix_ms, highest), kept->pid);
    output_string("}}\n");
}

static void print_wrong(const frazil_admin_file *file)
{
    if (file->wrong_code == FRAZIL_OK)
        return;
    output_string("        "); /* a sentence can be longer than output_format writes */
    output_sentence(file->wrong);
    output_string("\n");
}

/* Below a row, indented. */
static void print_part_and_wrong(const frazil_admin_kept *kept)
{
    if (kept->is_part)
        output_format("        sequence numbers %" PRIu64 " to %" PRIu64 "\n", kept->seq_min, kept->seq_max);
    print_wrong(&kept->word);
    print_wrong(&kept->grant);
}

static void print_lease(const frazil_admin_kept *kept)
{
    output_format(" lease  %-6s  %-6s  by the coordinator: see `frazil lease list`\n", name_state(kept),
                  name_file(&kept->word));
    print_part_and_wrong(kept);
}

static void print_worker(const frazil_admin_kept *kept)
{
    char from[FIELDS_TEXT_SIZE], until[FIELDS_TEXT_SIZE], highest[FIELDS_TEXT_SIZE];

    output_format("%6" PRIu32 "  %-6s  %-6s", kept->worker, name_state(kept), name_file(&kept->word));
    if (kept->has_grant)
        output_format("  %-24s  %-24s", fields_time(kept->from_unix_ms, from), fields_time(kept->until_unix_ms, until));
    else
        output_format("  %s", name_file(&kept->grant));
    if (kept->has_grant && kept->pid != 0)
        output_format("  %" PRIu64, kept->pid);
    output_string("\n");
    print_part_and_wrong(kept);
    if (kept->has_grant && kept->highest_unix_ms > kept->until_unix_ms)
        output_format("        its clock was ahead once: times up to %s are taken, too\n",
                      fields_time(kept->highest_unix_ms, highest));
}

static void print_row(const frazil_admin_kept *kept, bool json)
{
    if (kept->is_lease)
        (json ? print_lease_json : print_lease)(kept);
    else
        (json ? print_worker_json : print_worker)(kept);
}

static void print_head(const frazil_admin_state_info *info)
{
    output_string("layout       ");
    output_foreign(info->layout);
    output_string("\nrun files    ");
    output_foreign(info->run_folder);
    output_string("\nstate files  ");
    output_foreign(info->state_folder);
    output_string("\n\n");
    output_string(info->rows == 0
                      ? "nothing is kept here yet\n"
                      : "worker  state   word    granted from              until                     process\n");
}

struct state_options {
    bool all;
    bool json;
};

static int state_show(const char *spec, const void *options)
{
    const struct state_options *show = options;
    frazil_admin_state *state;
    frazil_admin_state_info info;
    frazil_admin_kept kept;
    frazil_error err;
    int status = STATUS_OK;

    if (frazil_admin_state_open(&state, spec, &err) != FRAZIL_OK)
        return complain_error(&err);
    frazil_admin_state_get_info(state, &info, sizeof info);
    if (!show->json)
        print_head(&info);
    for (size_t i = 0; frazil_admin_state_row(state, i, &kept, sizeof kept) == FRAZIL_OK; i++) {
        print_row(&kept, show->json);
        if (kept.is_wrong)
            status = STATUS_BAD_VALUE;
    }
    frazil_admin_state_close(state);
    return status;
}

/* ---- repairing ------------------------------------------------------------------- */

static void print_repair(const frazil_admin_kept *kept, bool json)
{
    if (kept->is_lease)
        output_string(json ? "{\"lease\":true,\"made_anew\":true}\n"
                           : "the lease's word: gone, and processes that start now take another worker id\n");
    else if (json)
        output_format("{\"worker\":%" PRIu32 ",\"sequence_min\":%" PRIu64 ",\"sequence_max\":%" PRIu64
                      ",\"made_anew\":true}\n",
                      kept->worker, kept->seq_min, kept->seq_max);
    else if (kept->is_part)
        output_format("worker %" PRIu32 ", sequence numbers %" PRIu64 " to %" PRIu64 ": recreated\n", kept->worker,
                      kept->seq_min, kept->seq_max);
    else
        output_format("worker %" PRIu32 ": recreated\n", kept->worker);
}

/* Each is shown when it is done; after an error the others are as they were. */
static frazil_err repair(frazil_admin_state *state, const struct state_options *options, size_t *ret_count,
                         frazil_error *reterr)
{
    frazil_admin_kept kept;
    frazil_err err = FRAZIL_OK;

    *ret_count = 0;
    for (size_t i = 0; err == FRAZIL_OK && frazil_admin_state_row(state, i, &kept, sizeof kept) == FRAZIL_OK; i++) {
        if (!options->all && !kept.is_wrong)
            continue;
        err = frazil_admin_state_renew(state, i, options->all ? FRAZIL_ADMIN_ALL : 0, reterr);
        if (err == FRAZIL_OK)
            print_repair(&kept, options->json);
        *ret_count += err == FRAZIL_OK;
    }
    return err;
}

static int state_init(const char *spec, const void *options)
{
    const struct state_options *init = options;
    frazil_admin_state *state;
    frazil_error err;
    size_t count;

    if (frazil_admin_state_open(&state, spec, &err) != FRAZIL_OK)
        return complain_error(&err);
    frazil_err code = repair(state, init, &count, &err);
    frazil_admin_state_close(state);
    if (code != FRAZIL_OK)
        return complain_error(&err);
    if (count == 0 && !init->json)
        output_string("nothing is wrong, nothing was changed; state init --all also recreates intact files\n");
    return STATUS_OK;
}

/* ---- the command ----------------------------------------------------------------- */

static int state_init_run(int argc, char **argv)
{
    struct state_options options = {.all = false};
    struct arguments args;
    int status;
    const struct option_row rows[] = {
        {"all", 'a', OPTION_FLAG, &options.all, NULL, "also files that look valid", 0},
        {"json", 'j', OPTION_FLAG, &options.json, NULL, "one object per line", 0},
        {0},
    };
    static const struct option_help help = {
        "state init", "[OPTION]... [SPEC]...", "Recreates files that are damaged or of another layout.",
        "Give the program's spec.  It refuses while a process uses the worker,\n"
        "and gives up all ids that may have been made until now.  --all is for when a\n"
        "state directory was restored from an old copy, or lost.\n\n"
        "  frazil state init worker=fixed:7",
        NULL};

    if (!options_read(&help, rows, argc, argv, &args, &status))
        return status;
    return spec_run(&args, state_init, &options);
}

static int state_show_run(int argc, char **argv);

static const struct command command_show = {"show", "show the state (the default action)", state_show_run};
static const struct command command_init = {"init", "recreate files that are damaged or of another layout",
                                            state_init_run};
static const struct command *const state_actions[] = {&command_show, &command_init, NULL};

static int state_show_run(int argc, char **argv)
{
    struct state_options options = {.json = false};
    struct arguments args;
    int status;
    const struct option_row rows[] = {
        {"json", 'j', OPTION_FLAG, &options.json, NULL, "one object per line", 0},
        {0},
    };
    static const struct option_help help = {
        "state", "[ACTION] [OPTION]... [SPEC]...",
        "Shows the state files of this host's workers, which prevent repeated ids after\n"
        "restart.",
        "Give the program's spec.  With share=host it shows the lease of this host's\n"
        "processes.\n"
        "Exit status: 1 if a file is wrong.  See also frazil help state init.\n\n"
        "  frazil state worker=fixed:7",
        state_actions};

    if (!options_read(&help, rows, argc, argv, &args, &status))
        return status;
    return spec_run(&args, state_show, &options);
}

static int cmd_state_run(int argc, char **argv)
{
    int status;

    return options_run_action(state_actions, argc, argv, &status) ? status : state_show_run(argc, argv);
}

const struct command cmd_state = {"state", "the state files of this host's workers; repair them", cmd_state_run};
