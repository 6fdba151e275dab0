/* SPDX-License-Identifier: MIT */
/* Values of JavaScript as values of C, and back.  Nothing is rounded or cut off: what does not fit throws. */
#include "addon.h"

#include <stdlib.h>
#include <string.h>

/* Above this, whole numbers of JavaScript are no longer exact. */
#define SAFE_MOST 9007199254740991.0

static napi_valuetype type_of(struct args *args, size_t i)
{
    napi_valuetype type = napi_undefined;

    (void)napi_typeof(args->env, args->value[i], &type);
    return type;
}

bool is_missing(struct args *args, size_t i)
{
    napi_valuetype type = type_of(args, i);

    return type == napi_undefined || type == napi_null;
}

/* ---- numbers -------------------------------------------------------------------------- */

/* A whole number from low to high, both exact in a double. */
static double whole(struct args *args, size_t i, const char *name, double low, double high)
{
    double value = 0;

    if (type_of(args, i) != napi_number || napi_get_value_double(args->env, args->value[i], &value) != napi_ok ||
        !(value >= low && value <= high) || value != (double)(int64_t)value) {
        (void)throw_wrong(args, "%s must be a whole number from %.0f to %.0f", name, low, high);
        return 0;
    }
    return value;
}

static uint64_t bigint(struct args *args, size_t i, const char *name)
{
    uint64_t value = 0;
    bool lossless = false;

    if (napi_get_value_bigint_uint64(args->env, args->value[i], &value, &lossless) != napi_ok || !lossless) {
        (void)throw_wrong(args, "%s must be from 0 to 18446744073709551615", name);
        return 0;
    }
    return value;
}

uint64_t arg_u64(struct args *args, size_t i, const char *name)
{
    if (type_of(args, i) == napi_bigint)
        return bigint(args, i, name);
    return (uint64_t)whole(args, i, name, 0, SAFE_MOST);
}

uint32_t arg_u32(struct args *args, size_t i, const char *name)
{
    return (uint32_t)whole(args, i, name, 0, UINT32_MAX);
}

static int64_t text_ms(struct args *args, size_t i, const char *name)
{
    frazil_error why = {.code = 0};
    int64_t unix_ms = 0;
    size_t len;
    const char *text = arg_text(args, i, name, &len);

    if (args->wrong)
        return 0;
    frazil_err err = frazil_time_parse(text, len, &unix_ms, &why);
    if (err != FRAZIL_OK)
        (void)throw_error(args, err, &why);
    return unix_ms;
}

int64_t arg_ms(struct args *args, size_t i, const char *name)
{
    bool is_date = false;
    double value = 0;

    (void)napi_is_date(args->env, args->value[i], &is_date);
    if (!is_date && type_of(args, i) != napi_number) {
        (void)throw_wrong(args, "%s must be a Date, or Unix milliseconds as a number", name);
        return 0;
    }
    if (!is_date)
        return (int64_t)whole(args, i, name, -SAFE_MOST, SAFE_MOST);
    if (napi_get_date_value(args->env, args->value[i], &value) != napi_ok || value != value) {
        (void)throw_wrong(args, "%s is an invalid Date", name);
        return 0;
    }
    return (int64_t)value;
}

int64_t arg_time(struct args *args, size_t i, const char *name)
{
    return type_of(args, i) == napi_string ? text_ms(args, i, name) : arg_ms(args, i, name);
}

bool arg_bool(struct args *args, size_t i)
{
    bool value = false;

    return type_of(args, i) == napi_boolean && napi_get_value_bool(args->env, args->value[i], &value) == napi_ok &&
           value;
}

/* ---- texts and bytes ----------------------------------------------------------------------- */

const char *arg_text(struct args *args, size_t i, const char *name, size_t *ret_len)
{
    size_t len = 0;

    *ret_len = 0;
    if (type_of(args, i) != napi_string || args->texts == TEXTS_MOST) {
        (void)throw_wrong(args, "%s must be a string", name);
        return "";
    }
    (void)napi_get_value_string_utf8(args->env, args->value[i], NULL, 0, &len);
    char *text = malloc(len + 1);
    if (text == NULL) {
        (void)throw_error(args, FRAZIL_ENOMEM, NULL);
        return "";
    }
    args->text[args->texts++] = text;
    (void)napi_get_value_string_utf8(args->env, args->value[i], text, len + 1, ret_len);
    return text;
}

static bool typed_array(struct args *args, size_t i, napi_typedarray_type type, void **ret, size_t *ret_len)
{
    bool is_array = false;
    napi_typedarray_type found;

    return napi_is_typedarray(args->env, args->value[i], &is_array) == napi_ok && is_array &&
           napi_get_typedarray_info(args->env, args->value[i], &found, ret_len, ret, NULL, NULL) == napi_ok &&
           found == type;
}

uint8_t *arg_bytes(struct args *args, size_t i, const char *name, size_t *ret_len)
{
    void *data = NULL;

    if (typed_array(args, i, napi_uint8_array, &data, ret_len))
        return data;
    *ret_len = 0;
    (void)throw_wrong(args, "%s must be a Uint8Array, as a Buffer is", name);
    return NULL;
}

uint64_t *arg_words(struct args *args, size_t i, const char *name, size_t *ret_len)
{
    void *data = NULL;

    if (typed_array(args, i, napi_biguint64_array, &data, ret_len))
        return data;
    *ret_len = 0;
    (void)throw_wrong(args, "%s must be a BigUint64Array", name);
    return NULL;
}

/* A number is refused even where it is exact: the next id might not be, and a program should learn that at once. */
uint64_t arg_id(struct args *args, size_t i)
{
    frazil_error why = {.code = 0};
    napi_valuetype type = type_of(args, i);
    frazil_err err = FRAZIL_OK;
    uint64_t id = 0;
    size_t len;

    if (type == napi_bigint)
        return bigint(args, i, "an id");
    if (type == napi_string) {
        const char *text = arg_text(args, i, "an id", &len);
        if (!args->wrong)
            err = frazil_id_parse(FRAZIL_TEXT_DEC, text, len, &id, &why);
    } else if (type == napi_object) {
        const uint8_t *bytes = arg_bytes(args, i, "an id that is an object", &len);
        if (!args->wrong)
            err = frazil_bytes_read(bytes, len, &id, &why);
    } else
        (void)throw_wrong(args,
                          "an id must be a bigint, a string of decimal digits or 8 bytes: a number above 2^53 has "
                          "lost digits");
    if (err != FRAZIL_OK)
        (void)throw_error(args, err, &why);
    return id;
}

frazil_sno arg_sno(struct args *args, size_t i)
{
    frazil_error why = {.code = 0};
    frazil_sno id = {.bytes = {0}};
    frazil_err err;
    size_t len;

    if (type_of(args, i) == napi_string) {
        const char *text = arg_text(args, i, "a sno", &len);
        if (!args->wrong && (err = frazil_sno_decode(text, len, &id, &why)) != FRAZIL_OK)
            (void)throw_error(args, err, &why);
        return id;
    }
    const uint8_t *bytes = arg_bytes(args, i, "a sno that is not a string", &len);
    if (!args->wrong && len != FRAZIL_SNO_SIZE)
        (void)throw_wrong(args, "a sno has 16 characters or %d bytes", FRAZIL_SNO_SIZE);
    if (!args->wrong)
        memcpy(id.bytes, bytes, FRAZIL_SNO_SIZE);
    return id;
}

void *arg_external(struct args *args, size_t i)
{
    void *data = NULL;

    if (type_of(args, i) != napi_external || napi_get_value_external(args->env, args->value[i], &data) != napi_ok)
        (void)throw_wrong(args, "this is not a handle of frazil");
    return data;
}

/* ---- results ---------------------------------------------------------------------------------- */

napi_value make_id(struct args *args, uint64_t id)
{
    napi_value value = NULL;

    (void)napi_create_bigint_uint64(args->env, id, &value);
    return value;
}

napi_value make_number(struct args *args, double number)
{
    napi_value value = NULL;

    (void)napi_create_double(args->env, number, &value);
    return value;
}

napi_value make_ms(struct args *args, int64_t unix_ms)
{
    frazil_error why = {.code = FRAZIL_ERANGE,
                        .position = FRAZIL_NO_POSITION,
                        .message = "this time is too far away for an exact JavaScript number"};

    if ((double)unix_ms > SAFE_MOST || (double)unix_ms < -SAFE_MOST)
        return throw_error(args, FRAZIL_ERANGE, &why);
    return make_number(args, (double)unix_ms);
}

napi_value make_bool(struct args *args, bool truth)
{
    napi_value value = NULL;

    (void)napi_get_boolean(args->env, truth, &value);
    return value;
}

napi_value make_text(struct args *args, const char *text, size_t len)
{
    napi_value value = NULL;

    (void)napi_create_string_utf8(args->env, text, len, &value);
    return value;
}

napi_value make_bytes(struct args *args, const void *bytes, size_t len)
{
    napi_value buffer = NULL;
    void *data = NULL;

    if (napi_create_buffer_copy(args->env, len, bytes, &data, &buffer) != napi_ok)
        return throw_error(args, FRAZIL_ENOMEM, NULL);
    return buffer;
}

napi_value make_object(struct args *args)
{
    napi_value value = NULL;

    (void)napi_create_object(args->env, &value);
    return value;
}

void set_member(struct args *args, napi_value object, const char *name, napi_value value)
{
    if (value != NULL)
        (void)napi_set_named_property(args->env, object, name, value);
}
