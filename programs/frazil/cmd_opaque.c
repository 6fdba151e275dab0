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

#include "cli/cli.h"
#include "hex.h"
#include "ids.h"
#include "output.h"
#include "values.h"

#include <frazil/opaque.h>

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- the file that holds the key ----------------------------------------------------- */

#define HEX_LEN ((size_t)2 * FRAZIL_OPAQUE_KEY_SIZE)

/* Reads at most size bytes; negative: errno. */
static ssize_t read_all(int fd, uint8_t *buf, size_t size)
{
    size_t len = 0;

    while (len < size) {
        ssize_t n = read(fd, buf + len, size - len);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return -1;
        if (n == 0)
            break;
        len += (size_t)n;
    }
    return (ssize_t)len;
}

/* The key in what the file holds; false if that is no key. */
static bool key_of(const uint8_t *content, size_t len, uint8_t key[FRAZIL_OPAQUE_KEY_SIZE])
{
    size_t position;

    if (len == FRAZIL_OPAQUE_KEY_SIZE) {
        memcpy(key, content, len);
        return true;
    }
    if (len == HEX_LEN + 1 && content[HEX_LEN] == '\n')
        len--;
    return len == HEX_LEN && hex_read((const char *)content, FRAZIL_OPAQUE_KEY_SIZE, key, &position);
}

/* Overwrites a secret, through volatile so that the compiler cannot leave it out. */
static void wipe(void *buf, size_t size)
{
    volatile uint8_t *bytes = buf;

    while (size > 0)
        bytes[--size] = 0;
}

static int read_key(int fd, const char *path, frazil_opaque_key *ret)
{
    uint8_t content[HEX_LEN + 2], key[FRAZIL_OPAQUE_KEY_SIZE];
    struct stat st;
    int status = STATUS_USAGE;

    if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode)) {
        complain("the key file %s is not a regular file: name one", typed(path, strlen(path)));
        return STATUS_USAGE;
    }
    if (!fz_secret_is_kept(fd)) {
        const char *shown = typed(path, strlen(path));
        complain("users other than its owner may use the key file %s: chmod 600 %s", shown, shown);
        return STATUS_USAGE;
    }
    ssize_t len = read_all(fd, content, sizeof content);
    if (len < 0) {
        complain("cannot read %s: %s", typed(path, strlen(path)), strerror(errno));
        return STATUS_FATAL;
    }
    if (!key_of(content, (size_t)len, key)) {
        complain("%s is not a key file: 16 bytes were expected, or 32 hex digits", typed(path, strlen(path)));
    } else {
        frazil_err err = frazil_opaque_key_init(ret, key);
        if (err != FRAZIL_OK)
            complain("%s", frazil_strerror(err));
        status = complain_status(err);
    }
    wipe(content, sizeof content);
    wipe(key, sizeof key);
    return status;
}

/*
 * Reads the key: 16 bytes, or 32 hex digits with or without a line end.  A file that others than its owner may use is
 * refused, as cli/cli.h says.  Complains and returns the exit status; *ret is wiped unless that is STATUS_OK.
 */
static int read_key_file(const char *path, frazil_opaque_key *ret)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY); /* a FIFO is not waited for */

    memset(ret, 0, sizeof *ret);
    if (fd < 0) {
        complain("cannot open the key file %s: %s", typed(path, strlen(path)), strerror(errno));
        return STATUS_FATAL;
    }
    int status = read_key(fd, path, ret);
    (void)close(fd);
    return status;
}

/* ---- ids ---------------------------------------------------------------------------- */

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
                                            "Prints each id as 32 hex digits that reveal nothing without the key.",
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
    status = read_key_file(key_file, &coding.key);
    if (status == STATUS_OK)
        status = values_each(&args, decrypt ? decrypt_one : encrypt_one, &coding);
    frazil_opaque_key_wipe(&coding.key);
    return status;
}

#endif

const struct command cmd_opaque = {"opaque", "encrypt ids, and decrypt them", cmd_opaque_run};
