/* SPDX-License-Identifier: MIT */
#include "settings.h"

#include <stdlib.h>
#include <string.h>

#include "core/sentence.h"
#include "core/wipe.h"
#include "os/fail_errno.h"
#include "os/file.h"
#include "os/host.h"
#include "quotes.h"
#include "worker_sources.h"

enum { CONFIG_SIZE_MAX = 65536 };

void fz_settings_forget(char *value)
{
    if (value != NULL)
        fz_wipe(value, strlen(value));
    free(value);
}

/* A text that is read from left to right; offsets in sentences count from 1. */
struct reader {
    const char *text;
    const char *at;
    const char *where;
    bool is_spec; /* else it may be any file that was taken for a config file: nothing of it may be shown */
    frazil_error *reterr;
};

static uint64_t position(const struct reader *reader)
{
    return (uint64_t)(reader->at - reader->text) + 1;
}

/* For frazil_error: the bytes before that place, of a text that is the caller's. */
static int64_t place_in_spec(const struct reader *reader, const char *at)
{
    return reader->is_spec ? (int64_t)(at - reader->text) : FRAZIL_NO_POSITION;
}

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static void skip_space(struct reader *reader)
{
    while (is_space(*reader->at))
        reader->at++;
}

/* The source of worker ids that was written without "worker=", or with a ':' in place of the '='; NULL: none. */
static const struct fz_worker_source *source_meant(const char *text, size_t len)
{
    static const char key[] = "worker:";
    const size_t key_len = sizeof key - 1;
    const struct fz_worker_source *source;

    if (text[len] == '=')
        return NULL;
    if (len > key_len && memcmp(text, key, key_len) == 0) {
        text += key_len;
        len -= key_len;
    }
    for (size_t i = 0; (source = fz_worker_source_at(i)) != NULL; i++) {
        size_t name_len = strlen(source->name);
        if (name_len > 0 && len >= name_len && memcmp(text, source->name, name_len) == 0 &&
            (source->argument[0] == ':' ? len > name_len && text[name_len] == ':' : len == name_len))
            break;
    }
    return source;
}

/* No key is called like the text, which ends at what follows a key; value was given for it. */
static frazil_err unknown_key(const struct reader *reader, const char *text, size_t len, const char *value,
                              size_t value_len)
{
    char advice[64];
    struct fz_sentence s = fz_sentence_in(advice, sizeof advice);

    const struct fz_worker_source *source = source_meant(text, len);
    if (source != NULL) {
        fz_sentence_str(&s, ": did you mean worker=");
        fz_sentence_str(&s, source->name);
        fz_sentence_str(&s, source->argument);
        fz_sentence_char(&s, '?');
    } else {
        fz_key_say_meant(&s, text, len, value, value_len, "; frazil.spec(5) lists the keys");
    }
    if (!reader->is_spec)
        return fz_fail(reader->reterr, FRAZIL_ESPEC, "%s: unknown key%s", reader->where, advice);
    /* Cut at its first '=', a URL would show a part of its password. */
    if (strncmp(text + strcspn(text, ": \t\r\n"), "://", 3) == 0)
        return fz_fail_at(reader->reterr, place_in_spec(reader, text), FRAZIL_ESPEC,
                          "%s: expected a key at character %u, not a URL: write worker=URL", reader->where,
                          (uint64_t)(text - reader->text) + 1);
    /* The whole text is passed along: a password with spaces in it may have been cut here, and end further on. */
    size_t before = (size_t)(text - reader->text), behind = strlen(text + len);
    return fz_fail_at(reader->reterr, place_in_spec(reader, text), FRAZIL_ESPEC, "%s: unknown key %P%s", reader->where,
                      reader->text, before, len, behind, advice);
}

static frazil_err read_key(struct reader *reader, enum fz_key *ret)
{
    const char *start = reader->at;
    size_t len = strcspn(start, "= \t\r\n");

    reader->at += len;
    enum fz_key key = fz_key_named(start, len);
    if (key == FZ_KEYS_TOTAL)
        return unknown_key(reader, start, len, start + len + (start[len] == '=' ? 1 : 0),
                           start[len] == '=' ? strcspn(start + len + 1, " \t\r\n") : 0);
    *ret = key;
    return FRAZIL_OK;
}

/* A value begins right behind the '=': behind a space stands the next pair, if a script has left the value empty. */
static frazil_err read_equals(struct reader *reader, enum fz_key key)
{
    skip_space(reader);
    if (*reader->at != '=')
        return fz_fail_at(reader->reterr, place_in_spec(reader, reader->at), FRAZIL_ESPEC,
                          "%s: the key %s at character %u has no value: write %s=value", reader->where,
                          fz_key_name(key), position(reader), fz_key_name(key));
    reader->at++;
    return FRAZIL_OK;
}

/* A value in quotes, of which reader stands at the first; the text is copied to buf without them. */
static frazil_err read_quoted(struct reader *reader, char *buf)
{
    const char *quote = reader->at;
    uint64_t opened_at = position(reader);

    for (reader->at++; *reader->at != '\''; reader->at++) {
        if (*reader->at == '\\' && (reader->at[1] == '\'' || reader->at[1] == '\\'))
            reader->at++;
        if (*reader->at == '\0')
            return fz_fail_at(reader->reterr, place_in_spec(reader, quote), FRAZIL_ESPEC,
                              "%s: the quote opened at character %u is not closed", reader->where, opened_at);
        *buf++ = *reader->at;
    }
    reader->at++;
    *buf = '\0';
    if (*reader->at != '\0' && !is_space(*reader->at))
        return fz_fail_at(reader->reterr, place_in_spec(reader, reader->at), FRAZIL_ESPEC,
                          "%s: a space is missing after the closing quote, at character %u", reader->where,
                          position(reader));
    return FRAZIL_OK;
}

static frazil_err read_plain(struct reader *reader, char *buf)
{
    if (*reader->at == '"')
        return fz_fail_at(reader->reterr, place_in_spec(reader, reader->at), FRAZIL_ESPEC,
                          "%s: a double quote at character %u: quote a value by ' instead", reader->where,
                          position(reader));
    for (; *reader->at != '\0' && !is_space(*reader->at); reader->at++) {
        if (*reader->at == '\'')
            return fz_fail_at(reader->reterr, place_in_spec(reader, reader->at), FRAZIL_ESPEC,
                              "%s: a quote inside a value, at character %u: quote the whole value, and write \\' for a "
                              "quote in it",
                              reader->where, position(reader));
        *buf++ = *reader->at;
    }
    *buf = '\0';
    return FRAZIL_OK;
}

/* Reads a value into a new allocation, which is never larger than what is left of the text. */
static frazil_err read_value(struct reader *reader, enum fz_key key, char **ret)
{
    char *value = calloc(strlen(reader->at) + 1, 1); /* zeros, so that one that is read in part has an end, too */

    if (value == NULL)
        return fz_fail(reader->reterr, FRAZIL_ENOMEM, "out of memory");
    const char *start = reader->at;
    frazil_err err = *reader->at == '\'' ? read_quoted(reader, value) : read_plain(reader, value);
    /* clang-tidy loses sight of fz_fail, which never returns FRAZIL_OK. */
    /* NOLINTNEXTLINE(clang-analyzer-core.*) */
    if (err == FRAZIL_OK && value[0] == '\0')
        err = fz_fail_at(reader->reterr, place_in_spec(reader, start), FRAZIL_ESPEC,
                         "%s: the value of %s is empty: write it right after the '=', or leave the key out",
                         reader->where, fz_key_name(key));
    if (err != FRAZIL_OK) {
        fz_settings_forget(value);
        return err;
    }
    *ret = value;
    return FRAZIL_OK;
}

/* Reads one pair; seen marks the keys that this source has given so far. */
static frazil_err read_pair(struct reader *reader, struct fz_settings *settings, bool seen[FZ_KEYS_TOTAL])
{
    const char *start = reader->at;
    enum fz_key key = FZ_KEYS_TOTAL;
    char *value = NULL;

    frazil_err err = read_key(reader, &key);
    if (err == FRAZIL_OK)
        err = read_equals(reader, key);
    if (err == FRAZIL_OK)
        err = read_value(reader, key, &value);
    if (err != FRAZIL_OK)
        return err;
    if (seen[key]) {
        fz_settings_forget(value);
        return fz_fail_at(reader->reterr, place_in_spec(reader, start), FRAZIL_ESPEC,
                          "%s: the key %s is given twice: leave one out", reader->where, fz_key_name(key));
    }
    seen[key] = true;
    if (settings->value[key] == NULL) {
        settings->value[key] = value;
        settings->from_elsewhere[key] = !reader->is_spec;
    } else {
        fz_settings_forget(value);
    }
    return FRAZIL_OK;
}

frazil_err fz_settings_add_text(struct fz_settings *settings, const char *text, const char *where, frazil_error *reterr)
{
    struct reader reader = {.text = text, .at = text, .where = where, .is_spec = true, .reterr = reterr};
    bool seen[FZ_KEYS_TOTAL] = {false};

    for (skip_space(&reader); *reader.at != '\0'; skip_space(&reader)) {
        frazil_err err = read_pair(&reader, settings, seen);
        if (err != FRAZIL_OK)
            return err;
    }
    return FRAZIL_OK;
}

/* One line of a config file, which was cut out of it. */
static frazil_err add_line(struct fz_settings *settings, const char *line, bool seen[FZ_KEYS_TOTAL], const char *where,
                           frazil_error *reterr)
{
    struct reader reader = {.text = line, .at = line, .where = where, .reterr = reterr};
    const char *stray = strchr(line, '\r');

    /* Where lines end with it alone the whole file would be one, and lost behind the first '#'. */
    if (stray != NULL)
        return fz_fail(reterr, FRAZIL_ESPEC,
                       "%s: a carriage return at character %u, which is not the end of the line: lines end with LF or "
                       "CR LF",
                       where, (uint64_t)(stray - line) + 1);
    skip_space(&reader);
    if (*reader.at == '\0' || *reader.at == '#')
        return FRAZIL_OK;
    frazil_err err = read_pair(&reader, settings, seen);
    if (err != FRAZIL_OK)
        return err;
    if (seen[FZ_KEY_CONFIG])
        return fz_fail(reterr, FRAZIL_ESPEC, "%s: a config file cannot name another", where);
    skip_space(&reader);
    if (*reader.at != '\0')
        return fz_fail(reterr, FRAZIL_ESPEC,
                       "%s: more than one pair on a line, at character %u: quote a value with spaces as '...'", where,
                       position(&reader));
    return FRAZIL_OK;
}

/* Editors of Windows put it before a text. */
static const char byte_order_mark[] = "\xef\xbb\xbf";

frazil_err fz_settings_add_lines(struct fz_settings *settings, const char *text, const char *where,
                                 frazil_error *reterr)
{
    bool seen[FZ_KEYS_TOTAL] = {false};
    uint64_t number = 1;
    frazil_err err = FRAZIL_OK;

    if (strncmp(text, byte_order_mark, strlen(byte_order_mark)) == 0)
        text += strlen(byte_order_mark);
    while (err == FRAZIL_OK && *text != '\0') {
        size_t len = strcspn(text, "\n");
        bool ends_with_cr = len > 0 && text[len] == '\n' && text[len - 1] == '\r';
        char place[256];
        struct fz_sentence sentence = fz_sentence_in(place, sizeof place);
        fz_sentence_quoted(&sentence, where, strlen(where));
        fz_sentence_str(&sentence, ", line ");
        fz_sentence_u64(&sentence, number++);
        char *line = strndup(text, ends_with_cr ? len - 1 : len);
        if (line == NULL)
            return fz_fail(reterr, FRAZIL_ENOMEM, "out of memory");
        err = add_line(settings, line, seen, place, reterr);
        fz_settings_forget(line);
        text += len + (text[len] == '\n' ? 1 : 0);
    }
    return err;
}

/* The value of a key in the environment; NULL: it has none. */
static const char *variable_of(enum fz_key key)
{
    char name[FZ_KEY_VARIABLE_SIZE];

    fz_key_variable(key, name);
    return fz_environment(name);
}

/*
 * Fails if the user who starts a program with more rights has given the key.  Not to read it is no answer: the program
 * may have one worker id then that another one is to have.
 */
static frazil_err refuse_foreign(enum fz_key key, frazil_error *reterr)
{
    char name[FZ_KEY_VARIABLE_SIZE];
    char beginning[FZ_KEY_VARIABLE_SIZE + 1];
    struct fz_sentence s = fz_sentence_in(beginning, sizeof beginning);

    fz_key_variable(key, name);
    fz_sentence_str(&s, name);
    fz_sentence_char(&s, '=');
    if (fz_foreign_variable(beginning) == NULL)
        return FRAZIL_OK;
    return fz_fail(reterr, FRAZIL_ESPEC,
                   "%s is set in the environment, but this program does not read that, as it %s: write %s= in the "
                   "spec%s, and unset the variable",
                   name, fz_more_rights, fz_key_name(key),
                   key == FZ_KEY_CONFIG ? "" : " or in the file that config= names there");
}

static frazil_err add_variable(struct fz_settings *settings, enum fz_key key, const char *value, frazil_error *reterr)
{
    char name[FZ_KEY_VARIABLE_SIZE];

    fz_key_variable(key, name);
    char *plain = fz_unquoted(value);
    if (plain == NULL)
        return fz_fail(reterr, FRAZIL_ENOMEM, "out of memory");
    if (value[0] == '\'' && strcmp(plain, value) == 0) {
        fz_settings_forget(plain);
        return fz_fail(reterr, FRAZIL_ESPEC,
                       "%s begins with a quote in the environment, and does not end with the next one: quote the whole "
                       "value, and write \\' for a quote in it",
                       name);
    }
    /* Taken as not given, FRAZIL_WORKER=$UNSET would silently be another worker id. */
    if (plain[0] == '\0') {
        fz_settings_forget(plain);
        return fz_fail(reterr, FRAZIL_ESPEC, "%s is set in the environment, but empty: unset it, or give it a value",
                       name);
    }
    settings->value[key] = plain;
    settings->from_elsewhere[key] = true;
    return FRAZIL_OK;
}

static bool says_nothing(const struct fz_settings *settings)
{
    for (int key = 0; key < FZ_KEYS_TOTAL; key++) {
        if (settings->value[key] != NULL)
            return false;
    }
    return true;
}

/* The program decides what ids look like, the operator where it runs. */
static frazil_err add_environment(struct fz_settings *settings, frazil_environment environment, frazil_error *reterr)
{
    bool for_ids = environment == FRAZIL_ENVIRONMENT_ALL || says_nothing(settings);
    frazil_err err = FRAZIL_OK;

    if (environment == FRAZIL_ENVIRONMENT_NONE)
        return FRAZIL_OK;
    for (int i = 0; i < FZ_KEYS_TOTAL && err == FRAZIL_OK; i++) {
        enum fz_key key = (enum fz_key)i;
        const char *value = variable_of(key);
        bool counts = for_ids || !fz_key_is_of_ids(key);
        if (settings->value[key] != NULL)
            continue;
        if (value == NULL)
            err = counts && fz_environment_is_foreign() ? refuse_foreign(key, reterr) : FRAZIL_OK;
        else if (counts)
            err = add_variable(settings, key, value, reterr);
        else
            settings->passed_over[key] = true;
    }
    return err;
}

static frazil_err add_config_file(struct fz_settings *settings, frazil_error *reterr)
{
    const char *path = settings->value[FZ_KEY_CONFIG];
    size_t len;

    if (path == NULL)
        return FRAZIL_OK;
    char *text = malloc(CONFIG_SIZE_MAX);
    if (text == NULL)
        return fz_fail(reterr, FRAZIL_ENOMEM, "out of memory");
    int sys = fz_file_read(path, text, CONFIG_SIZE_MAX, &len);
    frazil_err err;
    if (sys != 0) {
        err = fz_fail_errno(reterr, sys, "cannot read the config file", path, "");
    } else if (strlen(text) != len) {
        err = fz_fail(reterr, FRAZIL_ESPEC,
                      "the config file %q holds a zero byte at %u: save it as UTF-8, if it is UTF-16", path,
                      (uint64_t)strlen(text) + 1);
    } else {
        err = fz_settings_add_lines(settings, text, path, reterr);
    }
    fz_wipe(text, CONFIG_SIZE_MAX);
    free(text);
    return err;
}

frazil_err fz_settings_complete(struct fz_settings *settings, frazil_environment environment, frazil_error *reterr)
{
    frazil_err err = add_environment(settings, environment, reterr);

    return err == FRAZIL_OK ? add_config_file(settings, reterr) : err;
}

/* The first variable that is no setting. */
struct slip {
    char name[FZ_KEY_VARIABLE_SIZE]; /* "": none was found */
    char advice[FZ_KEY_ADVICE_SIZE];
};

static void note_slip(void *ctx, const char *name, const char *advice)
{
    struct slip *slip = ctx;

    if (slip->name[0] != '\0')
        return;
    memcpy(slip->name, name, strlen(name) + 1);
    memcpy(slip->advice, advice, strlen(advice) + 1);
}

frazil_err fz_settings_check_environment(const struct fz_settings *settings, frazil_environment environment,
                                         frazil_error *reterr)
{
    struct slip slip = {.name = ""};

    if (environment == FRAZIL_ENVIRONMENT_NONE)
        return FRAZIL_OK;
    fz_key_find_slips(settings->value[FZ_KEY_WORKER], note_slip, &slip);
    if (slip.name[0] == '\0')
        return FRAZIL_OK;
    return fz_fail(reterr, FRAZIL_ESPEC, "%s is set in the environment, but is not a setting%s", slip.name,
                   slip.advice);
}

frazil_err fz_settings_copy(struct fz_settings *ret, const struct fz_settings *settings, frazil_error *reterr)
{
    struct fz_settings copy = *settings;
    bool complete = true;

    for (int key = 0; key < FZ_KEYS_TOTAL; key++) {
        if (settings->value[key] == NULL)
            continue;
        copy.value[key] = strdup(settings->value[key]);
        complete = complete && copy.value[key] != NULL;
    }
    if (!complete) {
        fz_settings_free(&copy);
        return fz_fail(reterr, FRAZIL_ENOMEM, "out of memory");
    }
    *ret = copy;
    return FRAZIL_OK;
}

frazil_err fz_settings_find_key(enum fz_key *ret, const char *key, const char *value, size_t len, frazil_error *reterr)
{
    const struct reader reader = {.text = key, .at = key, .where = "options", .is_spec = true, .reterr = reterr};

    *ret = fz_key_named(key, strlen(key));
    return *ret != FZ_KEYS_TOTAL ? FRAZIL_OK : unknown_key(&reader, key, strlen(key), value, value == NULL ? 0 : len);
}

frazil_err fz_settings_set(struct fz_settings *settings, const char *key, const char *value, size_t len,
                           frazil_error *reterr)
{
    enum fz_key named;
    char *copy = NULL;

    frazil_err err = fz_settings_find_key(&named, key, value, len, reterr);
    if (err != FRAZIL_OK)
        return err;
    if (value != NULL && len == 0)
        return fz_fail(reterr, FRAZIL_ESPEC, "options: the value of %s is empty: give it one, or leave the key out",
                       fz_key_name(named));
    if (value != NULL && memchr(value, '\0', len) != NULL)
        return fz_fail(reterr, FRAZIL_ESPEC, "options: the value of %s holds a zero byte", fz_key_name(named));
    if (value != NULL && (copy = strndup(value, len)) == NULL)
        return fz_fail(reterr, FRAZIL_ENOMEM, "out of memory");
    fz_settings_forget(settings->value[named]);
    settings->value[named] = copy;
    return FRAZIL_OK;
}

/* Moves values to where they replace others. */
static void move_values(struct fz_settings *to, struct fz_settings *from)
{
    for (int key = 0; key < FZ_KEYS_TOTAL; key++) {
        if (from->value[key] == NULL)
            continue;
        fz_settings_forget(to->value[key]);
        to->value[key] = from->value[key];
        from->value[key] = NULL;
    }
}

frazil_err fz_settings_set_spec(struct fz_settings *settings, const char *text, size_t len, frazil_error *reterr)
{
    struct fz_settings given = {.value = {NULL}};

    const char *zero = memchr(text, '\0', len);
    if (zero != NULL)
        return fz_fail_at(reterr, zero - text, FRAZIL_ESPEC, "spec: it holds a zero byte");
    char *copy = strndup(text, len);
    if (copy == NULL)
        return fz_fail(reterr, FRAZIL_ENOMEM, "out of memory");
    frazil_err err = fz_settings_add_text(&given, copy, "spec", reterr);
    if (err == FRAZIL_OK)
        move_values(settings, &given);
    fz_settings_free(&given);
    fz_settings_forget(copy);
    return err;
}

void fz_settings_free(struct fz_settings *settings)
{
    for (int key = 0; key < FZ_KEYS_TOTAL; key++)
        fz_settings_forget(settings->value[key]);
    *settings = (struct fz_settings){.value = {NULL}};
}
