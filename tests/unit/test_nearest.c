/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: a word with a slip in it leads to the word that was meant,
 * and one that means something else leads nowhere.
 */

#include "core/nearest.h"
#include "lib/test.h"

static const char *const words[] = {"worker", "workers", "layout",   "epoch", "ip",
                                    "state",  "start",   "max_wait", "base",  "file-lock"};

/* The word that is found for len characters, or "". */
static const char *nearest(const char *text, size_t len)
{
    struct fz_nearest search = fz_nearest_to(text, len);

    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        fz_nearest_offer(&search, words[i]);
    return search.word == NULL ? "" : search.word;
}

TEST("A letter that is wrong, missing, too much or exchanged; more slips than a word of its length may have")
{
    static const struct {
        const char *typed;
        const char *word;
    } rows[] = {
        {"wroker", "worker"},
        {"workre", "worker"},
        {"orker", "worker"},
        {"woorker", "worker"},
        {"wrker", "worker"},
        {"wxrkxr", "worker"},
        {"wxrxxr", ""},
        {"WORKER", "worker"},
        {"workers", "workers"},
        {"workes", "worker"},
        {"worker", "worker"},
        {"epcoh", "epoch"},
        {"epxxh", ""},
        {"stat", "state"},
        {"sart", "start"},
        {"maxwait", "max_wait"},
        {"max-wait", "max_wait"},
        {"file-locks", "file-lock"},
        {"filelock", "file-lock"},
        {"IP", "ip"},
        {"pi", "ip"},
        {"ix", ""},
        {"i", ""},
        {"ipp", ""},
        {"speed", ""},
        {"", ""},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const char *word = nearest(rows[i].typed, strlen(rows[i].typed));
        if (strcmp(word, rows[i].word) != 0)
            fail_msg("'%s' leads to '%s', not to '%s'", rows[i].typed, word, rows[i].word);
    }
}

TEST("Exactly len characters are looked at, and a text of any length is no trouble")
{
    char long_text[300];

    assert_string_equal(nearest("wroker=fixed:1", 6), "worker");
    memset(long_text, 'w', sizeof long_text);
    for (size_t len = 0; len <= sizeof long_text; len++)
        assert_string_equal(nearest(long_text, len), "");
}

TEST("The sentence names the word, or ends as it is told to")
{
    struct fz_nearest search = fz_nearest_to("wroker", 6);
    char text[64];
    struct fz_sentence s = fz_sentence_in(text, sizeof text);

    fz_nearest_say(&s, &search, "; see the manual");
    assert_string_equal(text, "; see the manual");
    fz_nearest_offer(&search, "worker");
    s = fz_sentence_in(text, sizeof text);
    fz_nearest_say(&s, &search, "; see the manual");
    assert_string_equal(text, ": did you mean worker?");
}
