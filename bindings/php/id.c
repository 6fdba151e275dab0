/* SPDX-License-Identifier: MIT */
/* Frazil\Id and Frazil\Time: pure functions.  An id above PHP_INT_MAX is decimal text, both ways. */
#include "php_frazil.h"

FRAZIL_ARGS(args_format, 1, IS_STRING, 0)
FRAZIL_ARG_NUMBER(id)
ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, form, IS_STRING, 0, "'dec'")
ZEND_END_ARG_INFO()
ZEND_METHOD(Frazil_Id, format)
{
    char text[FRAZIL_TEXT_SIZE];
    frazil_text form = FRAZIL_TEXT_DEC;
    char *name = NULL;
    size_t len;
    uint64_t id;
    zval *given;

    ZEND_PARSE_PARAMETERS_START(1, 2)
    Z_PARAM_ZVAL(given)
    Z_PARAM_OPTIONAL
    Z_PARAM_STRING(name, len)
    ZEND_PARSE_PARAMETERS_END();
    if (!frazil_get_number(given, "an id", &id) || (name != NULL && !frazil_get_form(name, &form)))
        RETURN_THROWS();
    if (frazil_id_format(form, id, text, sizeof text, &len) != FRAZIL_OK)
        RETURN_THROWS();
    RETURN_STRINGL(text, len);
}

FRAZIL_ARGS_NUMBER(args_parse, 1)
FRAZIL_ARG(text, IS_STRING)
ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, form, IS_STRING, 0, "'dec'")
ZEND_END_ARG_INFO()
ZEND_METHOD(Frazil_Id, parse)
{
    frazil_text form = FRAZIL_TEXT_DEC;
    char *name = NULL;
    frazil_error err;
    size_t name_len;
    size_t len;
    uint64_t id;
    char *text;

    ZEND_PARSE_PARAMETERS_START(1, 2)
    Z_PARAM_STRING(text, len)
    Z_PARAM_OPTIONAL
    Z_PARAM_STRING(name, name_len)
    ZEND_PARSE_PARAMETERS_END();
    if (name != NULL && !frazil_get_form(name, &form))
        RETURN_THROWS();
    if (frazil_id_parse(form, text, len, &id, &err) != FRAZIL_OK) {
        frazil_throw(&err);
        RETURN_THROWS();
    }
    frazil_set_number(return_value, id);
}

FRAZIL_ARGS(args_to_bytes, 1, IS_STRING, 0)
FRAZIL_ARG_NUMBER(id)
ZEND_END_ARG_INFO()
ZEND_METHOD(Frazil_Id, toBytes)
{
    uint8_t bytes[FRAZIL_BYTES_SIZE];
    uint64_t id;
    zval *given;

    ZEND_PARSE_PARAMETERS_START(1, 1)
    Z_PARAM_ZVAL(given)
    ZEND_PARSE_PARAMETERS_END();
    if (!frazil_get_number(given, "an id", &id))
        RETURN_THROWS();
    frazil_bytes_write(id, bytes);
    RETURN_STRINGL((const char *)bytes, sizeof bytes);
}

FRAZIL_ARGS_NUMBER(args_from_bytes, 1)
FRAZIL_ARG(bytes, IS_STRING)
ZEND_END_ARG_INFO()
ZEND_METHOD(Frazil_Id, fromBytes)
{
    frazil_error err;
    char *bytes;
    size_t len;
    uint64_t id;

    ZEND_PARSE_PARAMETERS_START(1, 1)
    Z_PARAM_STRING(bytes, len)
    ZEND_PARSE_PARAMETERS_END();
    if (frazil_bytes_read(bytes, len, &id, &err) != FRAZIL_OK) {
        frazil_throw(&err);
        RETURN_THROWS();
    }
    frazil_set_number(return_value, id);
}

FRAZIL_ARGS(args_shard, 2, IS_LONG, 0)
FRAZIL_ARG_NUMBER(id)
FRAZIL_ARG(shards, IS_LONG)
ZEND_END_ARG_INFO()
ZEND_METHOD(Frazil_Id, shard)
{
    zend_long shards_long;
    uint32_t shards;
    uint32_t shard;
    uint64_t id;
    zval *given;

    ZEND_PARSE_PARAMETERS_START(2, 2)
    Z_PARAM_ZVAL(given)
    Z_PARAM_LONG(shards_long)
    ZEND_PARSE_PARAMETERS_END();
    if (!frazil_get_number(given, "an id", &id) ||
        !frazil_get_small(shards_long, "the number of shards", UINT32_MAX, &shards))
        RETURN_THROWS();
    frazil_err code = frazil_shard(id, shards, &shard);
    if (code != FRAZIL_OK) {
        frazil_throw_code(code);
        RETURN_THROWS();
    }
    RETURN_LONG(shard);
}

FRAZIL_ARGS(args_worker_hash, 2, IS_LONG, 0)
FRAZIL_ARG(text, IS_STRING)
FRAZIL_ARG(workers, IS_LONG)
ZEND_END_ARG_INFO()
ZEND_METHOD(Frazil_Id, workerHash)
{
    zend_long workers_long;
    uint32_t workers;
    uint32_t worker;
    char *text;
    size_t len;

    ZEND_PARSE_PARAMETERS_START(2, 2)
    Z_PARAM_STRING(text, len)
    Z_PARAM_LONG(workers_long)
    ZEND_PARSE_PARAMETERS_END();
    if (!frazil_get_small(workers_long, "the number of workers", UINT32_MAX, &workers))
        RETURN_THROWS();
    frazil_err code = frazil_worker_hash(text, len, workers, &worker);
    if (code != FRAZIL_OK) {
        frazil_throw_code(code);
        RETURN_THROWS();
    }
    RETURN_LONG(worker);
}

FRAZIL_ARGS(args_collision, 2, IS_LONG, 0)
FRAZIL_ARG(hosts, IS_LONG)
FRAZIL_ARG_NUMBER(workers)
ZEND_END_ARG_INFO()
ZEND_METHOD(Frazil_Id, collision)
{
    zend_long hosts_long;
    uint64_t workers;
    uint32_t hosts;
    uint32_t ppm;
    zval *given;

    ZEND_PARSE_PARAMETERS_START(2, 2)
    Z_PARAM_LONG(hosts_long)
    Z_PARAM_ZVAL(given)
    ZEND_PARSE_PARAMETERS_END();
    if (!frazil_get_small(hosts_long, "the number of hosts", UINT32_MAX, &hosts) ||
        !frazil_get_number(given, "the number of workers", &workers))
        RETURN_THROWS();
    frazil_err code = frazil_worker_collision(hosts, workers, &ppm);
    if (code != FRAZIL_OK) {
        frazil_throw_code(code);
        RETURN_THROWS();
    }
    RETURN_LONG(ppm);
}

FRAZIL_ARGS_NUMBER(args_kasumi, 2)
FRAZIL_ARG_NUMBER(salt)
FRAZIL_ARG_NUMBER(id)
ZEND_END_ARG_INFO()
ZEND_METHOD(Frazil_Id, kasumi)
{
    uint64_t scrambled;
    uint64_t salt;
    uint64_t id;
    zval *given_salt;
    zval *given;

    ZEND_PARSE_PARAMETERS_START(2, 2)
    Z_PARAM_ZVAL(given_salt)
    Z_PARAM_ZVAL(given)
    ZEND_PARSE_PARAMETERS_END();
    if (!frazil_get_number(given_salt, "a salt", &salt) || !frazil_get_number(given, "an id", &id))
        RETURN_THROWS();
    frazil_err code = frazil_kasumi(salt, id, &scrambled);
    if (code != FRAZIL_OK) {
        frazil_throw_code(code);
        RETURN_THROWS();
    }
    frazil_set_number(return_value, scrambled);
}

FRAZIL_ARGS(args_scramble, 2, IS_STRING, 0)
FRAZIL_ARG_NUMBER(salt)
FRAZIL_ARG_NUMBER(id)
ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, checked, _IS_BOOL, 0, "false")
ZEND_END_ARG_INFO()
ZEND_METHOD(Frazil_Id, scramble)
{
    char text[FRAZIL_KASUMI_CHECKED_LEN + 1];
    zval *given_salt;
    zval *given;
    bool checked = false;
    uint64_t salt;
    uint64_t id;
    size_t len;

    ZEND_PARSE_PARAMETERS_START(2, 3)
    Z_PARAM_ZVAL(given_salt)
    Z_PARAM_ZVAL(given)
    Z_PARAM_OPTIONAL
    Z_PARAM_BOOL(checked)
    ZEND_PARSE_PARAMETERS_END();
    if (!frazil_get_number(given_salt, "a salt", &salt) || !frazil_get_number(given, "an id", &id))
        RETURN_THROWS();
    frazil_err code = frazil_scramble(salt, checked ? FRAZIL_KASUMI_CHECKED : 0, id, text, sizeof text, &len);
    if (code != FRAZIL_OK) {
        frazil_throw_code(code);
        RETURN_THROWS();
    }
    RETURN_STRINGL(text, len);
}

FRAZIL_ARGS_NUMBER(args_unscramble, 2)
FRAZIL_ARG_NUMBER(salt)
FRAZIL_ARG(text, IS_STRING)
ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, checked, _IS_BOOL, 0, "false")
ZEND_END_ARG_INFO()
ZEND_METHOD(Frazil_Id, unscramble)
{
    bool checked = false;
    zval *given_salt;
    frazil_error err;
    uint64_t salt;
    uint64_t id;
    size_t len;
    char *text;

    ZEND_PARSE_PARAMETERS_START(2, 3)
    Z_PARAM_ZVAL(given_salt)
    Z_PARAM_STRING(text, len)
    Z_PARAM_OPTIONAL
    Z_PARAM_BOOL(checked)
    ZEND_PARSE_PARAMETERS_END();
    if (!frazil_get_number(given_salt, "a salt", &salt))
        RETURN_THROWS();
    if (frazil_unscramble(salt, checked ? FRAZIL_KASUMI_CHECKED : 0, text, len, &id, &err) != FRAZIL_OK) {
        frazil_throw(&err);
        RETURN_THROWS();
    }
    frazil_set_number(return_value, id);
}

/* clang-format off */
static const zend_function_entry id_methods[] = {
    FRAZIL_STATIC(Frazil_Id, format, args_format)
    FRAZIL_STATIC(Frazil_Id, parse, args_parse)
    FRAZIL_STATIC(Frazil_Id, toBytes, args_to_bytes)
    FRAZIL_STATIC(Frazil_Id, fromBytes, args_from_bytes)
    FRAZIL_STATIC(Frazil_Id, shard, args_shard)
    FRAZIL_STATIC(Frazil_Id, workerHash, args_worker_hash)
    FRAZIL_STATIC(Frazil_Id, collision, args_collision)
    FRAZIL_STATIC(Frazil_Id, kasumi, args_kasumi)
    FRAZIL_STATIC(Frazil_Id, scramble, args_scramble)
    FRAZIL_STATIC(Frazil_Id, unscramble, args_unscramble)
    ZEND_FE_END
};
/* clang-format on */

/* ---- instants -------------------------------------------------------------------- */

FRAZIL_ARGS(args_time_format, 1, IS_STRING, 0)
FRAZIL_ARG_MOMENT(unixMs)
ZEND_END_ARG_INFO()
ZEND_METHOD(Frazil_Time, format)
{
    char text[FRAZIL_TIME_SIZE];
    struct frazil_moment moment;
    int64_t unix_ms;
    size_t len;

    ZEND_PARSE_PARAMETERS_START(1, 1)
    FRAZIL_PARAM_MOMENT(moment)
    ZEND_PARSE_PARAMETERS_END();
    if (!frazil_get_moment(&moment, &unix_ms))
        RETURN_THROWS();
    frazil_err code = frazil_time_format(unix_ms, text, sizeof text, &len);
    if (code != FRAZIL_OK) {
        frazil_throw_code(code);
        RETURN_THROWS();
    }
    RETURN_STRINGL(text, len);
}

FRAZIL_ARGS(args_time_parse, 1, IS_LONG, 0)
FRAZIL_ARG(text, IS_STRING)
ZEND_END_ARG_INFO()
ZEND_METHOD(Frazil_Time, parse)
{
    frazil_error err;
    int64_t unix_ms;
    size_t len;
    char *text;

    ZEND_PARSE_PARAMETERS_START(1, 1)
    Z_PARAM_STRING(text, len)
    ZEND_PARSE_PARAMETERS_END();
    if (frazil_time_parse(text, len, &unix_ms, &err) != FRAZIL_OK) {
        frazil_throw(&err);
        RETURN_THROWS();
    }
    RETURN_LONG(unix_ms);
}

/* clang-format off */
static const zend_function_entry time_methods[] = {
    FRAZIL_STATIC(Frazil_Time, format, args_time_format)
    FRAZIL_STATIC(Frazil_Time, parse, args_time_parse)
    ZEND_FE_END
};
/* clang-format on */

void frazil_register_id(void)
{
    zend_class_entry ce;

    INIT_CLASS_ENTRY(ce, "Frazil\\Id", id_methods);
    zend_register_internal_class(&ce)->ce_flags |= ZEND_ACC_FINAL | ZEND_ACC_EXPLICIT_ABSTRACT_CLASS;
    INIT_CLASS_ENTRY(ce, "Frazil\\Time", time_methods);
    zend_register_internal_class(&ce)->ce_flags |= ZEND_ACC_FINAL | ZEND_ACC_EXPLICIT_ABSTRACT_CLASS;
}
