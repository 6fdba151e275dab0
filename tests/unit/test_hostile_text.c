/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: whatever stands in a key, a value, a spec or a config file, it is read or refused, and so comes to
 * an end.  A sentence about it fits its buffer, has no control character, and does not show the password of a URL.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "config/settings.h"
#include "core/secret.h"
#include "core/sentence.h"
#include "lib/near_miss.h"
#include "lib/patience.h"
#include "lib/test.h"

#define PASSWORD "hunter2"

enum { LONG = 1 << 20, PIECES_MAX = 8, TEXT_SIZE = 256, ROUNDS = 20000 };

static frazil_options *options;

BEFORE_EACH
{
    (void)alarm(PATIENCE_S); /* ends the program, and so the test: one that hangs says nothing by itself */
    assert_int_equal(frazil_options_open(&options, NULL), FRAZIL_OK);
    assert_int_equal(frazil_options_environment(options, FRAZIL_ENVIRONMENT_NONE, NULL), FRAZIL_OK);
}

AFTER_EACH
{
    frazil_options_close(options);
    (void)alarm(0);
}

/* ---- all sentences ------------------------------------------------------------------ */

static void assert_fit_to_be_shown(const frazil_error *why, const char *text)
{
    assert_true(why->length < sizeof why->message);
    assert_int_equal(strlen(why->message), why->length);
    assert_true(why->length > 0);
    for (size_t i = 0; i < why->length; i++)
        assert_in_range((unsigned char)why->message[i], ' ', '~');
    if (strstr(why->message, PASSWORD) != NULL)
        fail_msg("<%s>: %s", text, why->message);
}

static void assert_key_refused(const char *key, const char *sentence)
{
    frazil_error why;

    assert_int_equal(frazil_options_set(options, key, "x", 1, &why), FRAZIL_ESPEC);
    assert_fit_to_be_shown(&why, key);
    assert_string_equal(why.message, sentence);
    assert_int_equal(frazil_options_set(options, key, NULL, 0, &why), FRAZIL_ESPEC);
    assert_string_equal(why.message, sentence);
    assert_int_equal(frazil_options_set(options, key, "x", 1, NULL), FRAZIL_ESPEC);
}

/* ---- keys ------------------------------------------------------------------------------- */

TEST("A key with anything in it is refused, and the sentence shows it whole, but for passwords, and says what helps")
{
    static const char *const rows[][2] = {
        {"a b", "options: unknown key 'a b'; frazil.spec(5) lists the keys"},
        {"max batch", "options: unknown key 'max batch'; frazil.spec(5) lists the keys"},
        {"max wait", "options: unknown key 'max wait': did you mean max_wait?"},
        {" worker", "options: unknown key ' worker': did you mean worker?"},
        {"worker ", "options: unknown key 'worker ': did you mean worker?"},
        {"", "options: unknown key ''; frazil.spec(5) lists the keys"},
        {" ", "options: unknown key ' '; frazil.spec(5) lists the keys"},
        {"a\tb\nc\rd", "options: unknown key 'a\\x09b\\x0ac\\x0dd'; frazil.spec(5) lists the keys"},
        {"\x1b[2J", "options: unknown key '\\x1b[2J'; frazil.spec(5) lists the keys"},
        {"sch\xc3\xb6n \xff", "options: unknown key 'sch\\xc3\\xb6n \\xff'; frazil.spec(5) lists the keys"},
        {"'a b'", "options: unknown key ''a b''; frazil.spec(5) lists the keys"},
        {"a\\ \"b", "options: unknown key 'a\\ \"b'; frazil.spec(5) lists the keys"},
        {"a=b c=d", "options: unknown key 'a=b c=d'; frazil.spec(5) lists the keys"},
        {"password=hunter2 x", "options: unknown key 'password=...'; frazil.spec(5) lists the keys"},
        {"x redis://me:hunter2@h/n y", "options: unknown key 'x redis://...@h/n y'; frazil.spec(5) lists the keys"},
        {"x redis://me:a hunter2", "options: unknown key 'x redis://me:...'; frazil.spec(5) lists the keys"},
        {"token=a/b&x y://:hunter2@h/n", "options: unknown key 'token=......@h/n'; frazil.spec(5) lists the keys"},
        {"redis://me:hun hunter2@h/n", "options: expected a key at character 1, not a URL: write worker=URL"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        assert_key_refused(rows[i][0], rows[i][1]);
}

static char *long_text(const char *unit)
{
    char *text = calloc(LONG + 1, 1);

    assert_non_null(text);
    for (size_t i = 0; i < LONG; i++)
        text[i] = unit[i % strlen(unit)];
    return text;
}

TEST("A key, a value and a spec of a mebibyte are read or refused, of whatever they are")
{
    static const char *const units[] = {"a", " ", "a b", ":", "/", "://", "@", "=", "'", "\\", "?&token=", "%40%3a"};
    frazil_error why;

    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        char *text = long_text(units[i]);
        assert_int_equal(frazil_options_set(options, text, "x", 1, &why), FRAZIL_ESPEC);
        assert_fit_to_be_shown(&why, units[i]);
        if (frazil_options_spec(options, text, LONG, &why) != FRAZIL_OK)
            assert_fit_to_be_shown(&why, units[i]);
        assert_int_equal(frazil_options_set(options, "worker", text, LONG, &why), FRAZIL_OK);
        if (frazil_options_check(options, &why) != FRAZIL_OK)
            assert_fit_to_be_shown(&why, units[i]);
        free(text);
    }
}

TEST("A zero byte is refused in a value, and in a spec at its place")
{
    frazil_error why;

    assert_int_equal(frazil_options_set(options, "worker", "a b\0c", 5, &why), FRAZIL_ESPEC);
    assert_string_equal(why.message, "options: the value of worker holds a zero byte");
    assert_int_equal(frazil_options_spec(options, "a b\0c", 5, &why), FRAZIL_ESPEC);
    assert_int_equal(why.position, 3);
}

/* ---- texts that were drawn ---------------------------------------------------------------- */

static const char *const nasty[] = {
    " ",  "\t",   "\n",   "\r\n",     "'",    "\\",      "\"",        "=",         ":",          "/",        "//",
    "@",  "%40",  "%3a",  "%2F",      "?",    "&",       "#",         ",",         "[",          "]",        "a",
    "b ", "\x1b", "\x7f", "\xc3\xa9", "\xff", "worker=", "max batch", "password=", "token=a/b&", "redis://", "://",
};

/* Pieces, one after the other; returns the length. */
static size_t draw(uint64_t *seed, char *text, size_t len)
{
    for (uint64_t n = seeded_next(seed) % PIECES_MAX; n > 0; n--) {
        const char *piece = nasty[seeded_next(seed) % (sizeof nasty / sizeof nasty[0])];
        memcpy(text + len, piece, strlen(piece));
        len += strlen(piece);
    }
    text[len] = '\0';
    return len;
}

/* Pieces around a URL with a password, which is well written or not; returns the length. */
static size_t draw_around_url(uint64_t *seed, char text[TEXT_SIZE])
{
    static const char *const beginnings[] = {
        "redis://me:", "redis:///me:", "redis:/me:", "redis//me:", "redis:me:", "redis://"};
    static const char *const passwords[] = {PASSWORD, "a " PASSWORD, PASSWORD " b", "a " PASSWORD " b"};
    size_t len = draw(seed, text, 0);

    const char *beginning = beginnings[seeded_next(seed) % (sizeof beginnings / sizeof beginnings[0])];
    const char *password = passwords[seeded_next(seed) % (sizeof passwords / sizeof passwords[0])];
    len += (size_t)snprintf(text + len, TEXT_SIZE - len, "%s%s@h/n", beginning, password);
    return draw(seed, text, len);
}

TEST("From part to part each text comes to an end, and its parts leave nothing out and show no password")
{
    uint64_t seed = 11;

    for (int i = 0; i < ROUNDS; i++) {
        char text[TEXT_SIZE], shown[TEXT_SIZE];
        size_t len = draw_around_url(&seed, text), shown_len = 0, next;
        struct fz_secrets secrets = fz_secrets_of(text, len);
        for (size_t at = 0; at < len; at = next) {
            bool is_secret;
            next = fz_secrets_next(&secrets, at, &is_secret);
            assert_in_range(next, at + 1, len);
            assert_true(is_secret || next == at + 1);
            shown[shown_len++] = is_secret ? '.' : text[at];
        }
        shown[shown_len] = '\0';
        if (strstr(shown, PASSWORD) != NULL)
            fail_msg("<%s>: %s", text, shown);
    }
}

TEST("A piece is shown within its buffer, which may have any size, and without the password of the text around it")
{
    uint64_t seed = 12;

    for (int i = 0; i < ROUNDS; i++) {
        char text[TEXT_SIZE], buf[TEXT_SIZE];
        size_t len = draw_around_url(&seed, text);
        size_t before = seeded_next(&seed) % (len + 1);
        size_t piece = seeded_next(&seed) % (len - before + 1);
        size_t size = 1 + seeded_next(&seed) % sizeof buf;
        memset(buf, '#', sizeof buf);
        struct fz_sentence s = fz_sentence_in(buf, size);
        fz_sentence_quoted_piece(&s, text, before, piece, len - before - piece);
        assert_true(s.len < size);
        assert_int_equal(buf[s.len], '\0');
        for (size_t behind = size; behind < sizeof buf; behind++)
            assert_int_equal(buf[behind], '#');
        if (strstr(buf, "hunter") != NULL || strstr(buf, "unter2") != NULL)
            fail_msg("%zu, %zu of <%s>: %s", before, piece, text, buf);
    }
}

TEST("Options, specs and config files that were drawn are read or refused, with a sentence that can be shown")
{
    uint64_t seed = 13;
    int refused = 0;

    for (int i = 0; i < ROUNDS; i++) {
        char text[TEXT_SIZE];
        size_t len = draw_around_url(&seed, text);
        struct fz_settings settings = {.value = {NULL}};
        frazil_error why[3] = {{.code = FRAZIL_OK}};
        frazil_err err[] = {frazil_options_set(options, text, "x", 1, &why[0]),
                            frazil_options_spec(options, text, len, &why[1]),
                            fz_settings_add_lines(&settings, text, "a file", &why[2])};
        fz_settings_free(&settings);
        for (size_t way = 0; way < 3; way++) {
            if (err[way] == FRAZIL_OK)
                continue;
            assert_int_equal(err[way], FRAZIL_ESPEC);
            assert_fit_to_be_shown(&why[way], text);
            refused++;
        }
    }
    assert_true(refused > ROUNDS);
}

TEST("Values that were drawn are understood or refused, with a sentence and a text of the options that can be shown")
{
    uint64_t seed = 14;

    for (int i = 0; i < ROUNDS; i++) {
        char text[TEXT_SIZE], spec[4096];
        size_t len = draw_around_url(&seed, text);
        enum fz_key key = (enum fz_key)(seeded_next(&seed) % FZ_KEYS_TOTAL);
        frazil_error why;
        if (key == FZ_KEY_CONFIG) /* it names a file of this machine */
            continue;
        assert_int_equal(frazil_options_set(options, "worker", "fixed:1", 7, &why), FRAZIL_OK);
        assert_int_equal(frazil_options_set(options, fz_key_name(key), text, len, &why), FRAZIL_OK);
        if (frazil_options_text(options, 0, spec, sizeof spec, NULL, &why) != FRAZIL_OK)
            assert_fit_to_be_shown(&why, text);
        else if (strstr(spec, PASSWORD) != NULL)
            fail_msg("<%s>: %s", text, spec);
        assert_int_equal(frazil_options_set(options, fz_key_name(key), NULL, 0, &why), FRAZIL_OK);
    }
}
