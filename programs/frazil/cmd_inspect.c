/* SPDX-License-Identifier: MIT */
/* frazil inspect: what an id says. */
#include "cli/cli.h"
#include "color.h"
#include "command.h"
#include "complain.h"
#include "fields.h"
#include "guess.h"
#include "ids.h"
#include "options.h"
#include "output.h"
#include "page.h"
#include "picture.h"
#include "rounded.h"
#include "values.h"

#include <inttypes.h>
#include <stdio.h>

struct inspection {
    struct ids_layout layout;
    struct ids_layout sno;
    const char *layout_text, *form_text; /* as typed; NULL: not */
    bool layout_is_named;
    int form;
    bool json;
    bool guess;
    bool forms;
    bool rounded;
    bool page;
    bool started; /* something was printed: blocks are set apart by an empty line */
};

/* The layout of an id: nobody needs to name sno for a text that can be nothing else. */
static const struct ids_layout *layout_of(const struct inspection *inspection, const struct value *value)
{
    bool is_sno =
        inspection->form >= IDS_FORM_SNO || (inspection->form == IDS_FORM_ANY && ids_only_sno(value->text, value->len));

    return is_sno && !inspection->layout_is_named ? &inspection->sno : &inspection->layout;
}

/* The form that a value was read in. */
static int form_of(const struct inspection *inspection, const struct value *value)
{
    struct ids_reading readings[IDS_FORM_COUNT];

    if (inspection->form != IDS_FORM_ANY || ids_readings(value->text, value->len, readings) == 0)
        return inspection->form == IDS_FORM_ANY ? FRAZIL_TEXT_DEC : inspection->form;
    return readings[0].form;
}

/* ---- the ids that a rounded number was ---------------------------------------------- */

/* The time of an id, or "-" where the layout has none: the range can reach beyond its fields. */
static const char *time_of(const frazil_layout *layout, uint64_t id, char buf[FIELDS_TEXT_SIZE])
{
    frazil_fields parts = {0};

    if (frazil_id_decompose(layout, id, &parts, NULL) == FRAZIL_OK)
        return fields_time(parts.unix_ms, buf);
    (void)snprintf(buf, FIELDS_TEXT_SIZE, "-");
    return buf;
}

/* Prints a range with its times, and of what it is, as one line or as one JSON object. */
static void rounded_print(const frazil_layout *layout, struct rounded_range range, bool json)
{
    char first_time[FIELDS_TEXT_SIZE], last_time[FIELDS_TEXT_SIZE];

    (void)time_of(layout, range.first, first_time);
    (void)time_of(layout, range.last, last_time);
    output_format(json ? "{\"first\":\"%" PRIu64 "\",\"last\":\"%" PRIu64
                         "\",\"first_time\":\"%s\",\"last_time\":\"%s\",\"rounded_by\":\"double%s\"}\n"
                       : "%" PRIu64 " to %" PRIu64 "  (%s to %s%s)\n",
                  range.first, range.last, first_time, last_time,
                  !range.is_cut ? ""
                  : json        ? " or spreadsheet"
                                : "; of a double, or cut to 15 digits by a spreadsheet");
}

/* Whether a value can be a decimal number of the form. */
static bool can_be_decimal(const struct inspection *inspection, const struct value *value)
{
    int form = inspection->form;
    bool is_negative = value->len > 0 && value->text[0] == '-';

    return layout_of(inspection, value)->layout.kind == FRAZIL_LAYOUT_64 &&
           (form == IDS_FORM_ANY || form == FRAZIL_TEXT_SIGNED || (form == FRAZIL_TEXT_DEC && !is_negative));
}

/* A value as a number. */
static int rounded_number(const struct inspection *inspection, const struct value *value, struct rounded_range *ret)
{
    const struct ids_layout *layout = layout_of(inspection, value);
    int form = form_of(inspection, value);
    frazil_error err;
    struct id id;

    if (ids_parse(layout->layout.kind, inspection->form, value->text, value->len, &id, &err) != FRAZIL_OK ||
        fields_check(layout, &id, &err) != FRAZIL_OK)
        return values_complain_error(value, &err);
    if (id.kind == FRAZIL_LAYOUT_SNO) {
        complain("--rounded is for 64-bit ids: a sno is not a number");
        return STATUS_BAD_VALUE;
    }
    bool is_decimal = form == FRAZIL_TEXT_DEC || form == FRAZIL_TEXT_DEC_PADDED || form == FRAZIL_TEXT_SIGNED;
    *ret = is_decimal ? rounded_as_decimal(id.number, form == FRAZIL_TEXT_SIGNED) : rounded_as(id.number);
    return STATUS_OK;
}

/* A value as a number, or as the text of a rounded one. */
static int rounded_one(void *ctx, const struct value *value)
{
    const struct inspection *inspection = ctx;
    struct rounded_range range;
    enum rounded_result result = ROUNDED_OTHER;

    if (can_be_decimal(inspection, value))
        result = rounded_read(value->text, value->len, inspection->form == FRAZIL_TEXT_SIGNED, &range);
    if (result == ROUNDED_NO_ID)
        return values_complain(value, "no id rounds to this number: ids are whole numbers, from 0 to 2^64 - 1, or as "
                                      "signed ones from -2^63 to 2^63 - 1");
    int status = result == ROUNDED_READ ? STATUS_OK : rounded_number(inspection, value, &range);
    if (status == STATUS_OK)
        rounded_print(&layout_of(inspection, value)->layout, range, inspection->json);
    return status;
}

/* ---- one value ---------------------------------------------------------------------- */

static int inspect_one(void *ctx, const struct value *value)
{
    struct inspection *inspection = ctx;
    const struct ids_layout *layout = layout_of(inspection, value);
    frazil_error err;
    struct id id;

    if (ids_parse(layout->layout.kind, inspection->form, value->text, value->len, &id, &err) != FRAZIL_OK ||
        fields_check(layout, &id, &err) != FRAZIL_OK)
        return values_complain_error(value, &err);
    if (inspection->json) {
        fields_json(layout, &id, inspection->forms);
        output_string("\n");
        return STATUS_OK;
    }
    if (inspection->started)
        output_string("\n");
    inspection->started = true;
    fields_text(layout, &id, inspection->forms);
    if (color_in_use())
        picture_draw(&layout->layout, &id);
    if (fields_is_future(layout, &id))
        guess_suggest(layout->label, &(struct ids_reading){.form = form_of(inspection, value), .id = id});
    return STATUS_OK;
}

static int guess_one(void *ctx, const struct value *value)
{
    struct inspection *inspection = ctx;
    struct ids_reading readings[IDS_FORM_COUNT];
    size_t count = ids_readings(value->text, value->len, readings);

    if (inspection->form != IDS_FORM_ANY) {
        frazil_error err;
        frazil_layout_kind kind = inspection->form >= IDS_FORM_SNO ? FRAZIL_LAYOUT_SNO : FRAZIL_LAYOUT_64;
        readings[0].form = inspection->form;
        if (ids_parse(kind, inspection->form, value->text, value->len, &readings[0].id, &err) != FRAZIL_OK)
            return values_complain_error(value, &err);
        count = 1;
    }
    if (count == 0)
        return values_complain(value, ids_why_none(value->text, value->len));
    if (inspection->started && !inspection->json)
        output_string("\n");
    inspection->started = true;
    guess_print(value->text, value->len, inspection->layout_is_named ? &inspection->layout : NULL, readings, count,
                inspection->json);
    return STATUS_OK;
}

static int page_one(void *ctx, const struct value *value)
{
    const struct inspection *inspection = ctx;

    page_print(FRAZIL_PAGE, value->text, value->len, inspection->layout_text, inspection->form_text);
    return STATUS_OK;
}

static int cmd_inspect_run(int argc, char **argv)
{
    struct inspection inspection = {.started = false};
    const char *layout = NULL, *form = NULL, *color = NULL;
    struct arguments args;
    int status;
    const struct option_row rows[] = {
        {"layout", 'l', OPTION_TEXT, &layout, "L", "preset or description (default frazil)", 0},
        {"guess", 'g', OPTION_FLAG, &inspection.guess, NULL, "how plausible each known layout is", 0},
        {"form", 'f', OPTION_TEXT, &form, "FORM", "the form of the ids, if it is ambiguous", 0},
        {"json", 'j', OPTION_FLAG, &inspection.json, NULL, "one object per line", 0},
        {"forms", 0, OPTION_FLAG, &inspection.forms, NULL, "also the id in each text form", 0},
        {"rounded", 'r', OPTION_FLAG, &inspection.rounded, NULL, "which ids a rounded number can have been", 0},
        {"page", 'p', OPTION_FLAG, &inspection.page, NULL, "the address of the page that draws it", 0},
        {"color", 0, OPTION_TEXT, &color, "WHEN", "colours and a picture: auto, always, never", 0},
        {0},
    };
    static const struct option_help help = {
        "inspect", "[OPTION]... [ID]...", "Takes ids apart: time, age, worker, sequence.",
        "L: a preset (frazil layout lists them) or a description with its keys, in one\n"
        "argument.  Without --layout, FRAZIL_LAYOUT of the environment is used.\n" IDS_FORM_HELP "\n\n"
        "  frazil inspect --layout twitter 1541815603606036480\n"
        "  frazil inspect --layout 'flake epoch=1300000000000' 4794480928292039691\n"
        "  frazil inspect --guess 175928847299117063",
        NULL};

    if (!options_read(&help, rows, argc, argv, &args, &status))
        return status;
    if (!color_choose(color) || !ids_form_choose("--form", form, &inspection.form) ||
        !ids_layout_choose(layout, &inspection.layout) || !ids_layout_choose("sno", &inspection.sno))
        return STATUS_USAGE;
    inspection.layout_is_named = layout != NULL || fz_typed_variable("FRAZIL_LAYOUT") != NULL;
    inspection.layout_text = layout;
    inspection.form_text = form;
    if (inspection.page && !page_is_there(FRAZIL_PAGE))
        return STATUS_FATAL;
    return values_each(&args,
                       inspection.page      ? page_one
                       : inspection.guess   ? guess_one
                       : inspection.rounded ? rounded_one
                                            : inspect_one,
                       &inspection);
}

const struct command cmd_inspect = {"inspect", "decode an id, or find its layout", cmd_inspect_run};
