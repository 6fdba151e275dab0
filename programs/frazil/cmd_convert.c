/* SPDX-License-Identifier: MIT */
/* frazil convert: the same id in another text form. */
#include "command.h"
#include "complain.h"
#include "ids.h"
#include "options.h"
#include "output.h"
#include "values.h"

struct conversion {
    frazil_layout_kind kind;
    int from, to;
};

static int convert_one(void *ctx, const struct value *value)
{
    const struct conversion *conversion = ctx;
    char text[IDS_TEXT_SIZE];
    frazil_error err;
    struct id id;

    if (ids_parse(conversion->kind, conversion->from, value->text, value->len, &id, &err) != FRAZIL_OK ||
        ids_format(&id, conversion->to, text, &err) != FRAZIL_OK)
        return values_complain_error(value, &err);
    output_string(text);
    output_string("\n");
    return STATUS_OK;
}

/* One side being sno or uuid makes both sides snos. */
static bool check_forms(const struct conversion *conversion)
{
    int forms[] = {conversion->from, conversion->to};

    if (conversion->kind == FRAZIL_LAYOUT_64)
        return true;
    for (int i = 0; i < 2; i++) {
        if (forms[i] >= 0 && !ids_form_is_of_sno(forms[i])) {
            complain("a sno has 80 bits: its forms are " IDS_SNO_FORM_NAMES ", not %s", ids_form_name(forms[i]));
            return false;
        }
    }
    return true;
}

static int cmd_convert_run(int argc, char **argv)
{
    struct conversion conversion;
    const char *from = NULL, *to = NULL;
    struct arguments args;
    int status;
    const struct option_row rows[] = {
        {"from", 'f', OPTION_TEXT, &from, "FORM", "the form of the values (default: recognised)", 0},
        {"to", 't', OPTION_TEXT, &to, "FORM", "the form to convert them to", 0},
        {0},
    };
    static const struct option_help help = {
        "convert", "[--from FORM] --to FORM [VALUE]...", "Prints ids in another text form, one per line.",
        IDS_FORM_HELP "\n"
                      "With sno or uuid on one side, hex on the other is a sno's 20 digits.  Values\n"
                      "that begin with - go after --.\n\n"
                      "  frazil convert --from dec --to crockford 1541815603606036480\n"
                      "  frazil convert --from sno --to uuid a222222222222222",
        NULL};

    if (!options_read(&help, rows, argc, argv, &args, &status))
        return status;
    if (to == NULL) {
        complain("convert needs --to FORM: one of" IDS_FORM_NAMES);
        return STATUS_USAGE;
    }
    if (!ids_form_choose("--from", from, &conversion.from) || !ids_form_choose("--to", to, &conversion.to))
        return STATUS_USAGE;
    bool is_sno = conversion.from >= IDS_FORM_SNO || conversion.to >= IDS_FORM_SNO;
    conversion.kind = is_sno ? FRAZIL_LAYOUT_SNO : FRAZIL_LAYOUT_64;
    if (!check_forms(&conversion))
        return STATUS_USAGE;
    return values_each(&args, convert_one, &conversion);
}

const struct command cmd_convert = {"convert", "ids in another text form", cmd_convert_run};
