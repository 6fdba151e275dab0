/* SPDX-License-Identifier: MIT */
#include "keys.h"

#include <string.h>

#include "core/decimal.h"
#include "core/lower.h"
#include "core/nearest.h"
#include "core/sentence.h"
#include "os/host.h"

enum { KEY_NAME_SIZE = 20 };

/* In place, not pointed to: a pointer in a library is relocated, and costs more than the longest of these. */
static const char key_names[][KEY_NAME_SIZE] = {
#define KEY_NAME(identifier, name, whose, kind, member, needs, where) name,
    FZ_KEYS(KEY_NAME)
#undef KEY_NAME
};

const char *fz_key_name(enum fz_key key)
{
    return key_names[key];
}

bool fz_key_is_of_ids(enum fz_key key)
{
    enum { IDS = 1, PLACE = 0 };
    static const bool is_of_ids[] = {
#define KEY_OF_IDS(identifier, name, whose, kind, member, needs, where) whose,
        FZ_KEYS(KEY_OF_IDS)
#undef KEY_OF_IDS
    };

    return is_of_ids[key];
}

enum fz_key fz_key_named(const char *name, size_t len)
{
    int key = 0;

    while (key < FZ_KEYS_TOTAL && (strlen(key_names[key]) != len || memcmp(key_names[key], name, len) != 0))
        key++;
    return (enum fz_key)key;
}

static char upper(char c)
{
    return (char)(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
}

void fz_key_variable(enum fz_key key, char name[FZ_KEY_VARIABLE_SIZE])
{
    size_t len = strlen(FZ_ENVIRONMENT_PREFIX);

    memcpy(name, FZ_ENVIRONMENT_PREFIX, len);
    for (const char *c = key_names[key]; *c != '\0'; c++)
        name[len++] = upper(*c);
    name[len] = '\0';
}

/* ---- names that are no keys ------------------------------------------------------- */

enum { SYNONYM_SIZE = 16, BEFORE_SIZE = 8 };

static const struct synonym {
    char word[SYNONYM_SIZE];
    char before[BEFORE_SIZE]; /* of a number of theirs */
    enum fz_key key;
} synonyms[] = {
#define SYNONYM_ROW(word, identifier, before) {word, before, FZ_KEY_##identifier},
    FZ_KEY_SYNONYMS(SYNONYM_ROW)
#undef SYNONYM_ROW
};

/* Whether a name is the word, however it is cased and divided: workerId, worker_id, WORKER-ID. */
static bool is_spelling_of(const char *word, const char *name, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        if (name[i] == '_' || name[i] == '-')
            continue;
        if (*word == '\0' || fz_lower(name[i]) != *word)
            return false;
        word++;
    }
    return *word == '\0';
}

/* The setting that others call so; NULL: none. */
static const struct synonym *synonym_of(const char *name, size_t len)
{
    for (size_t i = 0; i < sizeof synonyms / sizeof synonyms[0]; i++) {
        if (is_spelling_of(synonyms[i].word, name, len))
            return &synonyms[i];
    }
    return NULL;
}

/* Writes the value of another generator in our way.  It may be anything: only a number is shown. */
static void say_value(struct fz_sentence *s, const struct synonym *synonym, const char *value, size_t len)
{
    uint64_t number;

    fz_sentence_char(s, '=');
    fz_sentence_str(s, synonym->before);
    if (fz_decimal_parse(value, len, &number))
        fz_sentence_u64(s, number);
    else
        fz_sentence_char(s, 'N');
}

/* Whether a name is the word with more behind it, or half of the word: PARTITION_ID, CONF. */
static bool is_relative_of(const char *word, const char *name, size_t len)
{
    size_t i = 0;

    while (i < len && word[i] != '\0' && word[i] == fz_lower(name[i]))
        i++;
    return word[i] == '\0' ? i < len && (name[i] == '_' || name[i] == '-') : i == len && 2 * i >= strlen(word);
}

/* The key whose name is the nearest, or else the first one that is related, or the end of the table. */
static enum fz_key nearest_key(const char *name, size_t len)
{
    struct fz_nearest near = fz_nearest_to(name, len);
    int key = 0;

    for (int i = 0; i < FZ_KEYS_TOTAL; i++)
        fz_nearest_offer(&near, key_names[i]);
    while (key < FZ_KEYS_TOTAL &&
           (near.word != NULL ? key_names[key] != near.word : !is_relative_of(key_names[key], name, len)))
        key++;
    return (enum fz_key)key;
}

void fz_key_say_meant(struct fz_sentence *s, const char *name, size_t len, const char *value, size_t value_len,
                      const char *otherwise)
{
    const struct synonym *synonym = synonym_of(name, len);
    enum fz_key key = synonym != NULL ? synonym->key : nearest_key(name, len);

    if (key == FZ_KEYS_TOTAL) {
        fz_sentence_str(s, otherwise);
        return;
    }
    fz_sentence_str(s, ": did you mean ");
    fz_sentence_str(s, key_names[key]);
    if (synonym != NULL)
        say_value(s, synonym, value, value_len);
    fz_sentence_char(s, '?');
}

/* ---- variables that are no settings ------------------------------------------------ */

/* Whether a variable is a key's, which is what nearly all of them are; name is without the prefix. */
static bool is_setting(const char *name, size_t len)
{
    for (int key = 0; key < FZ_KEYS_TOTAL; key++) {
        size_t i = 0;
        while (i < len && key_names[key][i] != '\0' && upper(key_names[key][i]) == name[i])
            i++;
        if (i == len && key_names[key][i] == '\0')
            return true;
    }
    return false;
}

enum { OWNER_SIZE = 10 };

static const char other_owners[][OWNER_SIZE] = {
#define OWNER_NAME(word) word,
    FZ_OTHER_VARIABLES(OWNER_NAME)
#undef OWNER_NAME
};

/* Whether it begins with that word. */
static bool has_first_word(const char *name, size_t len, const char *word)
{
    size_t word_len = strlen(word);

    return len >= word_len && memcmp(name, word, word_len) == 0 && (len == word_len || name[word_len] == '_');
}

/* Whether it is no mistake: another part of frazil reads it, or Kubernetes tells of a service with it. */
static bool is_of_others(const char *name, size_t len)
{
    for (size_t i = 0; i < sizeof other_owners / sizeof other_owners[0]; i++) {
        if (has_first_word(name, len, other_owners[i]))
            return true;
    }
    for (size_t i = 0; i < len; i++) {
        if ((i == 0 || name[i - 1] == '_') &&
            (has_first_word(name + i, len - i, "PORT") || has_first_word(name + i, len - i, "SERVICE")))
            return true;
    }
    return false;
}

/* Tells of a variable, "NAME=VALUE" behind the prefix, that is no key's. */
static void find_slip(const char *name, fz_key_slip visit, void *ctx)
{
    size_t len = strcspn(name, "=");
    const char *value = name + len + (name[len] == '=' ? 1 : 0);
    char typed[FZ_KEY_VARIABLE_SIZE], variable[FZ_KEY_VARIABLE_SIZE], advice[FZ_KEY_ADVICE_SIZE];

    if (is_setting(name, len) || is_of_others(name, len))
        return;
    const struct synonym *synonym = synonym_of(name, len);
    enum fz_key key = synonym != NULL ? synonym->key : nearest_key(name, len);
    struct fz_sentence s = fz_sentence_in(typed, sizeof typed);
    fz_sentence_str(&s, FZ_ENVIRONMENT_PREFIX);
    fz_sentence_typed(&s, name, len);
    s = fz_sentence_in(advice, sizeof advice);
    if (key == FZ_KEYS_TOTAL) {
        fz_sentence_str(&s, ": unset it, or give it a name that does not begin with " FZ_ENVIRONMENT_PREFIX
                            "; frazil.spec(5) lists the settings");
    } else {
        fz_key_variable(key, variable);
        fz_sentence_str(&s, ": did you mean ");
        fz_sentence_str(&s, variable);
        if (synonym != NULL)
            say_value(&s, synonym, value, strlen(value));
        fz_sentence_str(&s, "? Otherwise unset it");
    }
    visit(ctx, typed, advice);
}

/* Whether worker=env:NAME reads a variable, "NAME=VALUE". */
static bool reads(const char *worker, const char *variable)
{
    const char *source = "env:";
    size_t len = strcspn(variable, "=");

    return worker != NULL && strncmp(worker, source, strlen(source)) == 0 && strlen(worker) == strlen(source) + len &&
           memcmp(worker + strlen(source), variable, len) == 0;
}

void fz_key_find_slips(const char *worker, fz_key_slip visit, void *ctx)
{
    for (char *const *variable = fz_environment_untrusted(); *variable != NULL; variable++) {
        if (strncmp(*variable, FZ_ENVIRONMENT_PREFIX, strlen(FZ_ENVIRONMENT_PREFIX)) == 0 && !reads(worker, *variable))
            find_slip(*variable + strlen(FZ_ENVIRONMENT_PREFIX), visit, ctx);
    }
}
