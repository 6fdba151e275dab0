/* SPDX-License-Identifier: MIT */
/* The part of Node-API that values.c, errors.c and the tables of pure functions use; bridge.mjs is its other side. */
#ifndef FRAZIL_BROWSER_NODE_API_H
#define FRAZIL_BROWSER_NODE_API_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct napi_env__ *napi_env;
typedef struct napi_value__ *napi_value; /* an index into the values of the call; NULL is undefined */
typedef struct napi_ref__ *napi_ref;
typedef struct napi_callback_info__ *napi_callback_info;
typedef enum { napi_ok } napi_status;
typedef enum {
    napi_undefined,
    napi_null,
    napi_boolean,
    napi_number,
    napi_string,
    napi_symbol,
    napi_object,
    napi_function,
    napi_external,
    napi_bigint
} napi_valuetype;
typedef enum { napi_uint8_array = 1, napi_biguint64_array = 10 } napi_typedarray_type;

#define NAPI_AUTO_LENGTH SIZE_MAX

napi_status napi_typeof(napi_env env, napi_value value, napi_valuetype *ret);
napi_status napi_get_value_double(napi_env env, napi_value value, double *ret);
napi_status napi_get_value_bigint_uint64(napi_env env, napi_value value, uint64_t *ret, bool *ret_lossless);
napi_status napi_get_value_bool(napi_env env, napi_value value, bool *ret);
napi_status napi_is_date(napi_env env, napi_value value, bool *ret);
napi_status napi_get_date_value(napi_env env, napi_value value, double *ret);
napi_status napi_get_value_string_utf8(napi_env env, napi_value value, char *to, size_t size, size_t *ret_len);
napi_status napi_is_typedarray(napi_env env, napi_value value, bool *ret);
napi_status napi_get_typedarray_info(napi_env env, napi_value value, napi_typedarray_type *ret_type, size_t *ret_len,
                                     void **ret_data, napi_value *ret_buffer, size_t *ret_offset);
napi_status napi_get_value_external(napi_env env, napi_value value, void **ret);
napi_status napi_create_bigint_uint64(napi_env env, uint64_t number, napi_value *ret);
napi_status napi_create_double(napi_env env, double number, napi_value *ret);
napi_status napi_get_boolean(napi_env env, bool truth, napi_value *ret);
napi_status napi_create_string_utf8(napi_env env, const char *text, size_t len, napi_value *ret);
napi_status napi_create_buffer_copy(napi_env env, size_t len, const void *bytes, void **ret_data, napi_value *ret);
napi_status napi_create_object(napi_env env, napi_value *ret);
napi_status napi_set_named_property(napi_env env, napi_value object, const char *name, napi_value value);
napi_status napi_create_array(napi_env env, napi_value *ret);
napi_status napi_set_element(napi_env env, napi_value array, uint32_t i, napi_value value);
napi_status napi_get_reference_value(napi_env env, napi_ref ref, napi_value *ret);
napi_status napi_new_instance(napi_env env, napi_value of, size_t n, const napi_value *values, napi_value *ret);
napi_status napi_throw(napi_env env, napi_value error);

#endif
