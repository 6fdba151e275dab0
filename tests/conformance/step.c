/* SPDX-License-Identifier: MIT */
#include "step.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void step_begin(struct step *step, json_t *members)
{
    memset(step, 0, sizeof *step);
    step->left = json_copy(members);
}

void step_end(struct step *step)
{
    json_decref(step->left);
}

void step_wrong(struct step *step, const char *format, ...)
{
    va_list arguments;

    if (step->why[0] != '\0')
        return;
    va_start(arguments, format);
    (void)vsnprintf(step->why, sizeof step->why, format, arguments);
    va_end(arguments);
}

void step_finish(struct step *step, bool succeeded)
{
    const char *key;
    json_t *value;

    json_object_foreach(step->left, key, value)
    {
        step_wrong(step, "it has a member '%s' that this call does not know", key);
    }
    if (succeeded && step->compared == 0)
        step_wrong(step, "nothing is expected of it");
}

/* Takes a member away and lends it: the case itself still has it.  NULL: it is not there. */
static json_t *take(struct step *step, const char *key)
{
    json_t *value = json_object_get(step->left, key);

    if (value != NULL)
        (void)json_object_del(step->left, key);
    return value;
}

/* The same of what has to be there, and of a type. */
static json_t *need(struct step *step, const char *key, json_type type)
{
    json_t *value = take(step, key);

    if (value != NULL && json_typeof(value) == type)
        return value;
    step_wrong(step, value == NULL ? "it needs a member '%s'" : "its member '%s' is of another type", key);
    return NULL;
}

/* ---- inputs ------------------------------------------------------------- */

const char *in_text(struct step *step, const char *key)
{
    const json_t *value = need(step, key, JSON_STRING);

    return value == NULL ? "" : json_string_value(value);
}

uint64_t in_u64(struct step *step, const char *key)
{
    const char *text = in_text(step, key);
    char *end;

    errno = 0;
    uintmax_t value = strtoumax(text, &end, 10);
    if (errno != 0 || end == text || *end != '\0' || text[0] < '0' || text[0] > '9' || value > UINT64_MAX)
        step_wrong(step, "its member '%s' is no number in decimal digits", key);
    return (uint64_t)value;
}

int64_t in_i64(struct step *step, const char *key)
{
    const char *text = in_text(step, key);
    char *end;

    errno = 0;
    intmax_t value = strtoimax(text, &end, 10);
    if (errno != 0 || end == text || *end != '\0' || value < INT64_MIN || value > INT64_MAX)
        step_wrong(step, "its member '%s' is no number in decimal digits", key);
    return (int64_t)value;
}

uint32_t in_small(struct step *step, const char *key)
{
    const json_t *value = need(step, key, JSON_INTEGER);

    if (value == NULL)
        return 0;
    if (json_integer_value(value) < 0 || json_integer_value(value) > UINT32_MAX)
        step_wrong(step, "its member '%s' has not 32 bits", key);
    return (uint32_t)json_integer_value(value);
}

bool in_bool(struct step *step, const char *key)
{
    const json_t *value = take(step, key);

    if (!json_is_boolean(value))
        step_wrong(step, "it needs a member '%s', true or false", key);
    return json_is_true(value);
}

static int digit_of(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

size_t in_bytes(struct step *step, const char *key, uint8_t ret[BYTES_MOST])
{
    const char *text = in_text(step, key);
    size_t len = strlen(text) / 2;

    if (strlen(text) % 2 != 0 || len > BYTES_MOST || strspn(text, "0123456789abcdef") != strlen(text)) {
        step_wrong(step, "its member '%s' is not in pairs of hex digits", key);
        return 0;
    }
    for (size_t i = 0; i < len; i++)
        ret[i] = (uint8_t)(digit_of(text[2 * i]) * 16 + digit_of(text[2 * i + 1]));
    return len;
}

frazil_sno in_sno(struct step *step, const char *key)
{
    uint8_t bytes[BYTES_MOST] = {0};
    frazil_sno id;

    if (in_bytes(step, key, bytes) != sizeof id.bytes)
        step_wrong(step, "its member '%s' is not of ten bytes", key);
    memcpy(id.bytes, bytes, sizeof id.bytes);
    return id;
}

/* ---- outputs ----------------------------------------------------------- */

/* Holds the text of an answer against a member that has to be of that type; without the member nothing is asked. */
static void compare(struct step *step, const char *key, json_type type, const char *answer)
{
    char expected[WHY_SIZE] = "";
    const json_t *value = take(step, key);

    if (value == NULL)
        return;
    step->compared++;
    if (json_typeof(value) != type)
        step_wrong(step, "its member '%s' is of another type", key);
    else if (type == JSON_INTEGER)
        (void)snprintf(expected, sizeof expected, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
    else
        (void)snprintf(expected, sizeof expected, "%s", json_string_value(value));
    if (strcmp(expected, answer) != 0)
        step_wrong(step, "'%s' is %s, expected was %s", key, answer, expected);
}

void out_text(struct step *step, const char *key, const char *value)
{
    compare(step, key, JSON_STRING, value);
}

void out_u64(struct step *step, const char *key, uint64_t value)
{
    char text[24];

    (void)snprintf(text, sizeof text, "%" PRIu64, value);
    compare(step, key, JSON_STRING, text);
}

void out_i64(struct step *step, const char *key, int64_t value)
{
    char text[24];

    (void)snprintf(text, sizeof text, "%" PRId64, value);
    compare(step, key, JSON_STRING, text);
}

void out_small(struct step *step, const char *key, uint64_t value)
{
    char text[24];

    (void)snprintf(text, sizeof text, "%" PRIu64, value);
    compare(step, key, JSON_INTEGER, text);
}

void out_bool(struct step *step, const char *key, bool value)
{
    const json_t *expected = take(step, key);

    if (expected == NULL)
        return;
    step->compared++;
    if (!json_is_boolean(expected) || json_is_true(expected) != value)
        step_wrong(step, "'%s' is %s", key, value ? "true" : "false");
}

static void write_hex(char *ret, const void *bytes, size_t len)
{
    const uint8_t *at = bytes;

    *ret = '\0';
    for (size_t i = 0; i < len; i++)
        (void)snprintf(ret + 2 * i, 3, "%02x", (unsigned)at[i]);
}

void out_bytes(struct step *step, const char *key, const void *bytes, size_t len)
{
    char text[2 * BYTES_MOST + 1];

    write_hex(text, bytes, len);
    compare(step, key, JSON_STRING, text);
}

void out_sno(struct step *step, const char *key, const frazil_sno *id)
{
    out_bytes(step, key, id->bytes, sizeof id->bytes);
}

/* The list of a key, of n strings; NULL: it is not asked for, or is wrong. */
static const json_t *list_of(struct step *step, const char *key, size_t n)
{
    const json_t *list = take(step, key);

    if (list == NULL)
        return NULL;
    step->compared++;
    if (json_is_array(list) && json_array_size(list) == n)
        return list;
    step_wrong(step, "'%s' is no list of %zu", key, n);
    return NULL;
}

static void compare_item(struct step *step, const char *key, const json_t *list, size_t i, const char *answer)
{
    const char *expected = json_string_value(json_array_get(list, i));

    if (expected == NULL || strcmp(expected, answer) != 0)
        step_wrong(step, "'%s' has %s at place %zu, expected was %s", key, answer, i, expected == NULL ? "" : expected);
}

void out_u64s(struct step *step, const char *key, const uint64_t *values, size_t n)
{
    const json_t *list = list_of(step, key, n);
    char text[24];

    for (size_t i = 0; list != NULL && i < n; i++) {
        (void)snprintf(text, sizeof text, "%" PRIu64, values[i]);
        compare_item(step, key, list, i, text);
    }
}

void out_snos(struct step *step, const char *key, const frazil_sno *ids, size_t n)
{
    const json_t *list = list_of(step, key, n);
    char text[2 * FRAZIL_SNO_SIZE + 1];

    for (size_t i = 0; list != NULL && i < n; i++) {
        write_hex(text, ids[i].bytes, sizeof ids[i].bytes);
        compare_item(step, key, list, i, text);
    }
}

void out_between(struct step *step, const char *key, uint64_t value)
{
    char low_key[40];
    char high_key[40];

    (void)snprintf(low_key, sizeof low_key, "%s_from", key);
    (void)snprintf(high_key, sizeof high_key, "%s_to", key);
    if (json_object_get(step->left, low_key) == NULL && json_object_get(step->left, high_key) == NULL)
        return;
    step->compared++;
    uint64_t low = in_small(step, low_key);
    uint64_t high = in_small(step, high_key);
    if (value < low || value > high)
        step_wrong(step, "'%s' is %" PRIu64 ", expected was %" PRIu64 " to %" PRIu64, key, value, low, high);
}
