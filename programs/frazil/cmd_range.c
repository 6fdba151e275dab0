/* SPDX-License-Identifier: MIT */
/* frazil range: the first and the last id of a period. */
#include "command.h"
#include "complain.h"
#include "fields.h"
#include "ids.h"
#include "options.h"
#include "output.h"

#include <inttypes.h>
#include <string.h>

static bool read_time(const char *which, const char *text, int64_t *ret)
{
    frazil_error err;

    if (options_parse_time(text, ret, &err) == FRAZIL_OK) {
        options_note_seconds(which, text, *ret);
        return true;
    }
    complain("%s: %s", which, err.message);
    return false;
}

static frazil_err range_of(const frazil_layout *layout, const int64_t at[2], struct id ends[2], frazil_error *err)
{
    ends[0].kind = ends[1].kind = layout->kind;
    if (layout->kind == FRAZIL_LAYOUT_SNO)
        return frazil_sno_range(at[0], at[1], &ends[0].sno, &ends[1].sno, err);
    return frazil_id_range(layout, at[0], at[1], &ends[0].number, &ends[1].number, err);
}

static void print_json(const struct ids_layout *layout, const int64_t at[2], char texts[2][IDS_TEXT_SIZE])
{
    char from[FIELDS_TEXT_SIZE], to[FIELDS_TEXT_SIZE];

    output_format("{\"layout\":\"%s\",\"from\":\"%s\",\"to\":\"%s\",\"first\":\"%s\",\"last\":\"%s\"}\n", layout->label,
                  fields_time(at[0], from), fields_time(at[1], to), texts[0], texts[1]);
}

static int print_range(const struct ids_layout *layout, int form, bool json, const int64_t at[2])
{
    char texts[2][IDS_TEXT_SIZE];
    struct id ends[2];
    frazil_error err;

    if (range_of(&layout->layout, at, ends, &err) != FRAZIL_OK) {
        complain("%s", err.message);
        return STATUS_BAD_VALUE;
    }
    for (int i = 0; i < 2; i++) {
        if (ids_format(&ends[i], form, texts[i], &err) != FRAZIL_OK)
            return complain_error(&err);
    }
    if (json)
        print_json(layout, at, texts);
    else
        output_format("%s\n%s\n", texts[0], texts[1]);
    return STATUS_OK;
}

static int cmd_range_run(int argc, char **argv)
{
    const char *layout_text = NULL, *form_text = NULL;
    struct ids_layout layout;
    struct arguments args;
    bool json = false;
    int64_t at[2];
    int form, status;
    const struct option_row rows[] = {
        {"layout", 'l', OPTION_TEXT, &layout_text, "L", "preset or description (default frazil)", 0},
        {"form", 'f', OPTION_TEXT, &form_text, "FORM", "text form (default dec; for snos: sno or hex)", 0},
        {"json", 'j', OPTION_FLAG, &json, NULL, "one object", 0},
        {0},
    };
    static const struct option_help help = {
        "range", "[OPTION]... FROM TO",
        "Prints the smallest and the largest id of the ticks from FROM to TO, both\n"
        "included, for WHERE id BETWEEN first AND last.",
        "FROM, TO: RFC 3339 (2026-01-01T00:00:00Z), a date (its midnight in UTC), now, or\n"
        "Unix milliseconds (those that begin with - go after --).\n\n"
        "  frazil range --layout twitter 2022-06-28T00:00:00Z 2022-06-28T23:59:59.999Z",
        NULL};

    if (!options_read(&help, rows, argc, argv, &args, &status))
        return status;
    if (args.count != 2) {
        complain("range takes two times, FROM and TO, not %d", args.count);
        return STATUS_USAGE;
    }
    if (!ids_form_choose("--form", form_text, &form) || !ids_layout_choose(layout_text, &layout))
        return STATUS_USAGE;
    if (!read_time("FROM", args.values[0], &at[0]) || !read_time("TO", args.values[1], &at[1]))
        return STATUS_BAD_VALUE;
    return print_range(&layout, form, json, at);
}

const struct command cmd_range = {"range", "the first and the last id of a period", cmd_range_run};
