/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: a spec and a config file that can be read are the same settings when they are written once more,
 * and what is made of them is a configuration that can be used.  A key and its value, whatever they are, are taken or
 * refused.
 */
#include <stdlib.h>
#include <string.h>

#include "config/decide_internal.h"
#include "fuzz.h"

/* Room for every setting as a pair, if each character is escaped. */
static size_t size_written(const struct fz_settings *settings)
{
    size_t size = 1;

    for (int key = 0; key < FZ_KEYS_TOTAL; key++) {
        if (settings->value[key] != NULL)
            size += strlen(fz_key_name((enum fz_key)key)) + 2 * strlen(settings->value[key]) + 4;
    }
    return size;
}

/* Writes name='value' and a space; returns where they end. */
static char *write_pair(char *at, const char *name, const char *value)
{
    size_t len = strlen(name);

    memcpy(at, name, len);
    at += len;
    *at++ = '=';
    *at++ = '\'';
    for (; *value != '\0'; value++) {
        if (*value == '\'' || *value == '\\')
            *at++ = '\\';
        *at++ = *value;
    }
    *at++ = '\'';
    *at++ = ' ';
    return at;
}

static void require_same(const struct fz_settings *a, const struct fz_settings *b)
{
    for (int key = 0; key < FZ_KEYS_TOTAL; key++) {
        REQUIRE((a->value[key] == NULL) == (b->value[key] == NULL));
        REQUIRE(a->value[key] == NULL || strcmp(a->value[key], b->value[key]) == 0);
    }
}

static void write_again(const struct fz_settings *settings)
{
    struct fz_settings again = {.value = {NULL}};
    char *text = malloc(size_written(settings));

    REQUIRE(text != NULL);
    char *at = text;
    for (int key = 0; key < FZ_KEYS_TOTAL; key++) {
        if (settings->value[key] != NULL)
            at = write_pair(at, fz_key_name((enum fz_key)key), settings->value[key]);
    }
    *at = '\0';
    REQUIRE(fz_settings_add_text(&again, text, "spec", NULL) == FRAZIL_OK);
    require_same(settings, &again);
    fz_settings_free(&again);
    free(text);
}

static void require_usable(const struct fz_decision *decision)
{
    const struct fz_slot_rules *rules = &decision->rules;

    REQUIRE(frazil_layout_validate(&decision->layout, NULL) == FRAZIL_OK);
    REQUIRE(rules->capacity >= 1 && rules->capacity - 1 <= (UINT64_MAX >> (64 - rules->seq_bits)) - rules->seq_min);
    REQUIRE(rules->floor + rules->capacity == UINT64_C(1) << rules->seq_bits);
    REQUIRE(decision->lease.max_skew_ms >= 0);
}

/* As the doctor reads it, to whom a source without a number is no error. */
static void decide(struct fz_settings *settings)
{
    const struct fz_occasion occasion = {.opening = FZ_OPENING_EXAMINATION};
    struct fz_decision decision;
    frazil_error why;

    fuzz_fill(&decision, sizeof decision);
    frazil_err err = fz_decide_settings(&decision, settings, &occasion, &why);
    if (err == FRAZIL_OK) {
        require_usable(&decision);
        fz_decision_free(&decision);
        return;
    }
    fuzz_require_error(err, &why);
    REQUIRE(err == FRAZIL_ESPEC || err == FRAZIL_ELAYOUT || err == FRAZIL_ERANGE || err == FRAZIL_ENOTBUILT);
    REQUIRE(fuzz_is_untouched(&decision, sizeof decision));
}

typedef frazil_err (*add_fn)(struct fz_settings *settings, const char *text, const char *where, frazil_error *reterr);

static void read_settings(add_fn add, const char *text)
{
    struct fz_settings settings = {.value = {NULL}};
    frazil_error why;
    frazil_err err = add(&settings, text, "here", &why);

    if (err == FRAZIL_OK) {
        write_again(&settings);
        decide(&settings);
    } else {
        fuzz_require_error(err, &why);
        REQUIRE(err == FRAZIL_ESPEC);
    }
    fz_settings_free(&settings);
}

/*
 * Options that are said one by one: the input up to its first line end is the key, the rest the value, which may hold
 * zero bytes.
 */
static void set_option(const uint8_t *data, size_t size)
{
    const uint8_t *end = size == 0 ? NULL : memchr(data, '\n', size);
    size_t key_size = end == NULL ? size : (size_t)(end - data);
    size_t value_at = end == NULL ? size : key_size + 1;
    char *key = fuzz_string(data, key_size);
    frazil_options *options;
    frazil_error why;

    REQUIRE(frazil_options_open(&options, NULL) == FRAZIL_OK);
    frazil_err err = frazil_options_set(options, key, (const char *)data + value_at, size - value_at, &why);
    REQUIRE(err == FRAZIL_OK || err == FRAZIL_ESPEC);
    if (err == FRAZIL_OK) {
        REQUIRE(fz_key_named(key, strlen(key)) != FZ_KEYS_TOTAL && size > value_at);
    } else {
        fuzz_require_error(err, &why);
        fuzz_require_secret_kept(key, why.message);
    }
    err = frazil_options_spec(options, (const char *)data, size, &why);
    REQUIRE(err == FRAZIL_OK || err == FRAZIL_ESPEC);
    if (err != FRAZIL_OK)
        fuzz_require_error(err, &why);
    frazil_options_close(options);
    free(key);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = fuzz_string(data, size);

    read_settings(fz_settings_add_text, text);
    read_settings(fz_settings_add_lines, text);
    set_option(data, size);
    free(text);
    return 0;
}
