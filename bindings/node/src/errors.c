/* SPDX-License-Identifier: MIT */
/* Errors of the library as FrazilError, which JavaScript defines. */
#include "addon.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { FIELDS = 7 };

static napi_value text_value(napi_env env, const char *text)
{
    napi_value value = NULL;

    (void)napi_create_string_utf8(env, text, NAPI_AUTO_LENGTH, &value);
    return value;
}

static napi_value number_value(napi_env env, double number)
{
    napi_value value = NULL;

    (void)napi_create_double(env, number, &value);
    return value;
}

napi_value make_error(napi_env env, const struct addon *addon, frazil_err err, const frazil_error *why)
{
    bool known = why != NULL && why->code == (int32_t)err;
    const char *message = known ? why->message : frazil_strerror(err);
    napi_value field[FIELDS];
    napi_value error_class = NULL;
    napi_value error = NULL;

    field[0] = text_value(env, message);
    field[1] = text_value(env, frazil_err_name(err));
    field[2] = text_value(env, frazil_err_class_name(frazil_err_classify(err)));
    field[3] = number_value(env, known ? (double)why->retry_ns / 1e6 : 0);
    field[4] = number_value(env, known ? (double)why->behind_us / 1e3 : 0);
    field[5] = number_value(env, known ? (double)why->position : (double)FRAZIL_NO_POSITION);
    field[6] = number_value(env, known ? (double)why->sys_errno : 0);
    if (addon->error_class == NULL || napi_get_reference_value(env, addon->error_class, &error_class) != napi_ok ||
        error_class == NULL || napi_new_instance(env, error_class, FIELDS, field, &error) != napi_ok)
        return NULL;
    return error;
}

napi_value throw_error(struct args *args, frazil_err err, const frazil_error *why)
{
    if (!args->wrong) {
        napi_value error = make_error(args->env, args->addon, err, why);
        if (error != NULL)
            (void)napi_throw(args->env, error);
        args->wrong = true;
    }
    return NULL;
}

static napi_value throw_sentence(struct args *args, frazil_err err, const char *format, va_list list)
{
    frazil_error why = {.code = err, .position = FRAZIL_NO_POSITION};

    (void)vsnprintf(why.message, sizeof why.message, format, list);
    return throw_error(args, err, &why);
}

napi_value throw_wrong(struct args *args, const char *format, ...)
{
    va_list list;

    va_start(list, format);
    (void)throw_sentence(args, FRAZIL_EINVAL, format, list);
    va_end(list);
    return NULL;
}

napi_value throw_range(struct args *args, const char *format, ...)
{
    va_list list;

    va_start(list, format);
    (void)throw_sentence(args, FRAZIL_ERANGE, format, list);
    va_end(list);
    return NULL;
}
