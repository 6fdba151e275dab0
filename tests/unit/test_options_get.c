/* SPDX-License-Identifier: MIT */
/* Goal of this test: the meaning of options for one key is told as it is, and nobody need look for it in their text. */
#include <stdlib.h>

#include "frazil/options.h"
#include "lib/test.h"

static frazil_options *options;
static frazil_error why;

BEFORE_EACH
{
    assert_int_equal(frazil_options_open(&options, NULL), FRAZIL_OK);
    assert_int_equal(frazil_options_environment(options, FRAZIL_ENVIRONMENT_NONE, &why), FRAZIL_OK);
}

AFTER_EACH
{
    frazil_options_close(options);
}

static void say(const char *spec)
{
    if (frazil_options_spec(options, spec, strlen(spec), &why) != FRAZIL_OK)
        fail_msg("%s", why.message);
}

static const char *value_of(const char *key)
{
    static char value[256];
    size_t len;

    if (frazil_options_get(options, key, value, sizeof value, &len, &why) != FRAZIL_OK)
        fail_msg("%s: %s", key, why.message);
    assert_int_equal(strlen(value), len);
    return value;
}

TEST("The value of a key is what the options mean, whatever else stands in other values")
{
    say("worker=env:TEST_NUMBER layout='41/10/12 epoch=2020-01-01' run_dir='/a max_wait=9ns it\\'s' max_wait=2s");
    assert_int_equal(setenv("TEST_NUMBER", "7", 1), 0);
    assert_string_equal(value_of("max_wait"), "2000000000ns");
    assert_string_equal(value_of("worker"), "fixed:7");
    assert_string_equal(value_of("run_dir"), "/a max_wait=9ns it's");
    assert_string_equal(value_of("seq_max"), "4095");
    assert_string_equal(value_of("keeper"), "thread");
    assert_string_equal(value_of("state"), "file");
    frazil_layout layout;
    assert_int_equal(frazil_layout_parse(value_of("layout"), strlen(value_of("layout")), &layout, &why), FRAZIL_OK);
    assert_int_equal(unsetenv("TEST_NUMBER"), 0);
}

TEST("The value of a key without a meaning here is empty, and a password is left out of one")
{
    say("worker=redis://me:s3cret@h/n state=memory");
    assert_string_equal(value_of("clock"), "");
    assert_string_equal(value_of("config"), "");
    assert_string_equal(value_of("worker"), "redis://...@h/n");
}

TEST("The value of a key fits, or nothing is written and its length is told")
{
    char value[8] = "as it w";
    size_t len = 0;

    say("worker=fixed:1");
    assert_int_equal(frazil_options_get(options, "worker", value, 7, &len, &why), FRAZIL_EBUFFER);
    assert_int_equal(len, 7);
    assert_string_equal(value, "as it w");
    assert_int_equal(frazil_options_get(options, "worker", value, 8, NULL, NULL), FRAZIL_OK);
    assert_string_equal(value, "fixed:1");
    assert_int_equal(frazil_options_get(options, "wroker", value, sizeof value, &len, &why), FRAZIL_ESPEC);
    assert_non_null(strstr(why.message, "unknown key"));
    assert_int_equal(frazil_options_set(options, "epoch", "2026-02-29", 10, &why), FRAZIL_OK);
    assert_int_equal(frazil_options_get(options, "worker", value, sizeof value, &len, &why), FRAZIL_ELAYOUT);
}

TEST("Each value of the whole text is the value of its key, but that times have the unit for people there")
{
    static const char *const keys[] = {"layout", "on_full", "start", "seq_min",   "worker", "base",
                                       "count",  "on_loss", "state", "namespace", "keeper"};

    char text[4096];

    say("worker=redis://h/n base=2 count=9 horizon=2s");
    assert_int_equal(frazil_options_text(options, 0, text, sizeof text, NULL, &why), FRAZIL_OK);
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        char pair[512];
        const char *value = value_of(keys[i]);
        snprintf(pair, sizeof pair, "%s=%s", keys[i], value);
        assert_int_equal(strstr(text, pair) != NULL, *value != '\0');
    }
    assert_non_null(strstr(text, " max_wait=2s "));
    assert_non_null(strstr(text, " horizon=2s "));
    assert_string_equal(value_of("horizon"), "2000000000ns");
}
