/* SPDX-License-Identifier: MIT */
/* frazil opaque: ids that say nothing without the key, there and back. */
#include "command.h"
#include "complain.h"
#include "options.h"

#ifndef FRAZIL_HAVE_OPAQUE

static int cmd_opaque_run(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    complain("opaque ids were not built into this command: build frazil with -DFRAZIL_OPAQUE=ON");
    return STATUS_USAGE;
}

#else

#include "hex.h"
#include "ids.h"
#include "key_file.h"
#include "output.h"
#include "values.h"

#include <frazil/opaque.h>

struct coding {
    frazil_opaque_key key;
    int form; /* of the ids */
};

static int encrypt_one(void *ctx, const struct value *value)
{
    const struct coding *coding = ctx;
    uint8_t block[FRAZIL_OPAQUE_SIZE];
    char text[FRAZIL_OPAQUE_LEN + 1];
    frazil_error err;
    struct id id;

    if (ids_parse_data(FRAZIL_LAYOUT_64, coding->form, value->text, value->len, &id, &err) != FRAZIL_OK)
        return values_complain_error(value, &err);
    frazil_err code = frazil_opaque_encrypt(&coding->key, id.number, block);
    if (code != FRAZIL_OK) {
        complain("%s", frazil_strerror(code));
        return complain_status(code);
    }
    hex_write(block, sizeof block, text);
    output_format("%s\n", text);
    return STATUS_OK;
}

static int decrypt_one(void *ctx, const struct value *value)
{
    const struct coding *coding = ctx;
    uint8_t block[FRAZIL_OPAQUE_SIZE];
    size_t position;
    uint64_t id;

    if (value->len != FRAZIL_OPAQUE_LEN || !hex_read(value->text, sizeof block, block, &position))
        return values_complain(value, "an opaque id is 32 hex digits");
    frazil_err code = frazil_opaque_decrypt(&coding->key, block, &id);
    if (code == FRAZIL_ECHECKSUM)
        return values_complain(value, "it was not made with this key, or it was altered");
    if (code != FRAZIL_OK) {
        complain("%s", frazil_strerror(code));
        return complain_status(code);
    }
    output_u64(id);
    output_string("\n");
    return STATUS_OK;
}

static int cmd_opaque_run(int argc, char **argv)
{
    const char *key_file = NULL, *form = NULL;
    struct coding coding;
    struct arguments args;
    bool decrypt = false;
    int status;
    const struct option_row rows[] = {
        {"key-file", 'k', OPTION_TEXT, &key_file, "F", "16 bytes, or 32 hex digits; mode 0600", 0},
        {"decrypt", 'd', OPTION_FLAG, &decrypt, NULL, "back to ids", 0},
        {"form", 'f', OPTION_TEXT, &form, "FORM", "the form of the ids (default dec)", 0},
        {0},
    };
    static const struct option_help help = {"opaque", "--key-file F [--decrypt] [VALUE]...",
                                            "Prints each id as 32 hex digits that tell nothing without the key.",
                                            "  (umask 077; head -c 16 /dev/urandom > key)\n"
                                            "  frazil opaque --key-file key 116831209127936",
                                            NULL};

    if (!options_read(&help, rows, argc, argv, &args, &status))
        return status;
    if (key_file == NULL) {
        complain("opaque needs --key-file F, a file of 16 bytes or 32 hex digits");
        return STATUS_USAGE;
    }
    if (decrypt && form != NULL) {
        complain("--form is for ids: what --decrypt reads has one form, 32 hex digits");
        return STATUS_USAGE;
    }
    if (!ids_form_choose("--form", form, &coding.form))
        return STATUS_USAGE;
    status = key_file_read(key_file, &coding.key);
    if (status == STATUS_OK)
        status = values_each(&args, decrypt ? decrypt_one : encrypt_one, &coding);
    frazil_opaque_key_wipe(&coding.key);
    return status;
}

#endif

const struct command cmd_opaque = {"opaque", "ids that say nothing without a key, and back", cmd_opaque_run};
