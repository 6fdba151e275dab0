/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: quotes are one rule.  A text behind `key=` means the same, or is an error, in a spec, in the
 * config file, in a variable of the environment and in frazild.conf.
 */
#include "config_file.h"
#include "lib/test.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <frazil.h>

enum { TEXT_SIZE = 4096 };

static char path[] = "/tmp/frazild-quotes-XXXXXX";
static frazil_options *options;
static frazil_error why;

BEFORE_ALL
{
    int fd = mkstemp(path);

    assert_true(fd >= 0);
    assert_int_equal(close(fd), 0);
}

AFTER_ALL
{
    (void)unlink(path);
}

/* ---- the doors -------------------------------------------------------------------- */

static frazil_err say(const char *pairs, const char *text)
{
    char spec[TEXT_SIZE];

    (void)snprintf(spec, sizeof spec, "worker=fixed:1%s%s", pairs, text);
    return frazil_options_spec(options, spec, strlen(spec), &why);
}

static frazil_err by_spec(const char *text)
{
    return say(" run_dir=", text);
}

static frazil_err by_config_file(const char *text)
{
    FILE *file = fopen(path, "w");

    assert_non_null(file);
    (void)fprintf(file, "run_dir=%s\n", text);
    assert_int_equal(fclose(file), 0);
    return say(" config=", path);
}

static frazil_err by_variable(const char *text)
{
    assert_int_equal(setenv("FRAZIL_RUN_DIR", text, 1), 0);
    return say("", "");
}

/* As the daemon does: the row's value is set. */
static frazil_err by_conf(const char *text)
{
    struct config_file file = {.count = 0};
    struct bytes errors = {.len = 0};
    char conf[TEXT_SIZE];

    (void)snprintf(conf, sizeof conf, "[generator a]\nrun_dir=%s\n", text);
    config_file_read_text(&file, "f.conf", conf, &errors);
    frazil_err err = FRAZIL_ESPEC;
    if (config_is_good(&errors)) {
        const char *value = file.sections[0].rows[0].value;
        err = say("", "");
        if (err == FRAZIL_OK)
            err = frazil_options_set(options, "run_dir", value, strlen(value), &why);
    }
    config_file_free(&file);
    bytes_free(&errors);
    return err;
}

static frazil_err by_value(const char *value)
{
    frazil_err err = say("", "");

    return err == FRAZIL_OK ? frazil_options_set(options, "run_dir", value, strlen(value), &why) : err;
}

typedef frazil_err (*door)(const char *text);

/* What all of the options mean if that text comes through the door; "": it is an error. */
static void meaning_of(door through, const char *text, char ret[TEXT_SIZE])
{
    ret[0] = '\0';
    unsetenv("FRAZIL_RUN_DIR");
    assert_int_equal(frazil_options_open(&options, &why), FRAZIL_OK);
    frazil_err err = through(text);
    if (err == FRAZIL_OK)
        err = frazil_options_text(options, 0, ret, TEXT_SIZE, NULL, &why);
    if (err != FRAZIL_OK) {
        assert_int_equal(err, FRAZIL_ESPEC);
        ret[0] = '\0';
    }
    frazil_options_close(options);
    unsetenv("FRAZIL_RUN_DIR");
}

static const struct {
    const char *name;
    door through;
    bool ends_at_space; /* others have the value alone */
} doors[] = {{"a spec", by_spec, true},
             {"the config file", by_config_file, true},
             {"a variable", by_variable, false},
             {"frazild.conf", by_conf, false}};

enum { DOORS = sizeof doors / sizeof doors[0] };

static void assert_means(size_t which, const char *text, const char *value)
{
    char found[TEXT_SIZE];
    char wanted[TEXT_SIZE] = "";

    meaning_of(doors[which].through, text, found);
    if (value != NULL)
        meaning_of(by_value, value, wanted);
    if (strcmp(found, wanted) != 0)
        fail_msg("%s through %s: '%s', not '%s'", text, doors[which].name, found, wanted);
}

/* ---- the rule ---------------------------------------------------------------------- */

TEST("A value in quotes, and one that needs none, is the same through all doors; wrong quotes are an error in all")
{
    static const char *const rows[][2] = {
        {"/a/b", "/a/b"},
        {"/a\\b", "/a\\b"},
        {"'/a'", "/a"},
        {"'/a b'", "/a b"},
        {"'/a=b # c'", "/a=b # c"},
        {"'/a\\'b\\\\c\\d'", "/a'b\\c\\d"},
        {"'/a\\'b c\\''", "/a'b c'"},
        {"''", NULL},
        {"'", NULL},
        {"'/a", NULL},
        {"'/a b", NULL},
        {"'/a\\'", NULL},
        {"'/a'b", NULL},
        {"'/a' b", NULL},
        {"'/a''b'", NULL},
        {"'/a','/b'", NULL},
        {"", NULL},
    };

    for (size_t row = 0; row < sizeof rows / sizeof rows[0]; row++) {
        for (size_t i = 0; i < DOORS; i++)
            assert_means(i, rows[row][0], rows[row][1]);
    }
}

TEST("Where a value stands alone it needs no quotes; elsewhere that is an error")
{
    static const char *const texts[] = {"/a b", "/a'b", "/a 'b'", "/a'b'"};

    for (size_t row = 0; row < sizeof texts / sizeof texts[0]; row++) {
        for (size_t i = 0; i < DOORS; i++)
            assert_means(i, texts[row], doors[i].ends_at_space ? NULL : texts[row]);
    }
}
