/* SPDX-License-Identifier: MIT */
/* frazil scramble and unscramble: kasumi, there and back. */
#include "command.h"
#include "complain.h"
#include "ids.h"
#include "options.h"
#include "output.h"
#include "values.h"

#include <string.h>

#include <frazil/extras.h>

struct scrambling {
    uint64_t salt;
    bool checked;
    int form; /* of the ids */
};

static int scramble_one(void *ctx, const struct value *value)
{
    const struct scrambling *scrambling = ctx;
    char text[FRAZIL_KASUMI_CHECKED_LEN + 1];
    frazil_error err;
    struct id id;

    if (ids_parse_data(FRAZIL_LAYOUT_64, scrambling->form, value->text, value->len, &id, &err) != FRAZIL_OK)
        return values_complain_error(value, &err);
    frazil_err code = frazil_scramble(scrambling->salt, scrambling->checked ? FRAZIL_KASUMI_CHECKED : 0, id.number,
                                      text, sizeof text, NULL);
    if (code != FRAZIL_OK)
        return values_complain(value, frazil_strerror(code));
    output_string(text);
    output_string("\n");
    return STATUS_OK;
}

static int unscramble_one(void *ctx, const struct value *value)
{
    const struct scrambling *scrambling = ctx;
    frazil_error err;
    uint64_t id;

    if (frazil_unscramble(scrambling->salt, scrambling->checked ? FRAZIL_KASUMI_CHECKED : 0, value->text, value->len,
                          &id, &err) != FRAZIL_OK)
        return values_complain_error(value, &err);
    output_u64(id);
    output_string("\n");
    return STATUS_OK;
}

static int print_new_salt(void)
{
    frazil_error why;
    uint64_t salt;

    if (frazil_salt_new(NULL, &salt, &why) != FRAZIL_OK) {
        complain("%s", why.message);
        return STATUS_FATAL;
    }
    output_u64(salt);
    output_string("\n");
    return STATUS_OK;
}

/* Both ways; only scramble has a use for a new salt. */
static int run_either(const struct option_help *help, int argc, char **argv, values_fn *fn)
{
    struct option_u64 salt = {false, 0};
    struct scrambling scrambling = {.salt = 0};
    const char *form = NULL;
    bool new_salt = false;
    struct arguments args;
    int status;
    const struct option_row salt_row = {"new-salt", 'n', OPTION_FLAG, &new_salt, NULL, "print a new salt, and no id",
                                        0};
    const struct option_row form_row = {"form", 'f', OPTION_TEXT, &form, "FORM", "the form of the ids (default dec)",
                                        0};
    const struct option_row none = {0};
    const struct option_row rows[] = {
        {"salt", 's', OPTION_U64, &salt, "S", "an odd number; its low 32 bits are used", 0},
        {"checksum", 'c', OPTION_FLAG, &scrambling.checked, NULL, "19 characters, five of them check digits", 0},
        fn == scramble_one ? salt_row : none,
        fn == scramble_one ? form_row : none,
        {0},
    };

    if (!options_read(help, rows, argc, argv, &args, &status))
        return status;
    if (new_salt && (salt.given || scrambling.checked || form != NULL || args.count > 0)) {
        complain("scramble --new-salt takes no other argument: first make a salt, then use it");
        return STATUS_USAGE;
    }
    if (new_salt)
        return print_new_salt();
    if (!ids_form_choose("--form", form, &scrambling.form))
        return STATUS_USAGE;
    if (!salt.given || salt.value % 2 == 0) {
        complain("%s needs --salt S, an odd number%s", argv[0],
                 salt.given ? ": an even one cannot be undone" : ": frazil scramble --new-salt makes one");
        return STATUS_USAGE;
    }
    scrambling.salt = salt.value;
    return values_each(&args, fn, &scrambling);
}

static int cmd_scramble_run(int argc, char **argv)
{
    static const struct option_help help = {
        "scramble", "--salt S [--checksum] [ID]...",
        "Prints each id as 14 characters that differ from its neighbours'.",
        "--new-salt prints a new salt.  This hides nothing from an attacker: for that,\n"
        "see frazil help opaque.\n\n"
        "  frazil scramble --salt 1234567891 --checksum 7123456789012345",
        NULL};

    return run_either(&help, argc, argv, scramble_one);
}

static int cmd_unscramble_run(int argc, char **argv)
{
    static const struct option_help help = {
        "unscramble", "--salt S [--checksum] [TEXT]...", "Prints the id of each scrambled text.",
        "  frazil unscramble --salt 1234567891 --checksum hh1vdrvdpq502734rcj", NULL};

    return run_either(&help, argc, argv, unscramble_one);
}

const struct command cmd_scramble = {"scramble", "make neighbouring ids look different", cmd_scramble_run};
const struct command cmd_unscramble = {"unscramble", "ids from scrambled texts", cmd_unscramble_run};
