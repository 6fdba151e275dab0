/* SPDX-License-Identifier: MIT */
/* Frazil\Sno: pure functions over 80-bit snos, each a string of 10 bytes. */
#include "php_frazil.h"

static void set_sno(zval *ret, const frazil_sno *id)
{
    ZVAL_STRINGL(ret, (const char *)id, FRAZIL_SNO_SIZE);
}

/* Ten bytes; false: an exception was thrown. */
static bool get_sno(const zend_string *bytes, frazil_sno *ret)
{
    if (ZSTR_LEN(bytes) != FRAZIL_SNO_SIZE) {
        frazil_throw_usage("a sno has 10 bytes: its text is read by Frazil\\Sno::decode");
        return false;
    }
    memcpy(ret, ZSTR_VAL(bytes), FRAZIL_SNO_SIZE);
    return true;
}

FRAZIL_ARGS(args_text, 1, IS_STRING, 0)
FRAZIL_ARG(text, IS_STRING)
ZEND_END_ARG_INFO()

FRAZIL_ARGS(args_sno, 1, IS_STRING, 0)
FRAZIL_ARG(sno, IS_STRING)
ZEND_END_ARG_INFO()

FRAZIL_ARGS(args_bytes, 1, IS_STRING, 0)
FRAZIL_ARG(bytes, IS_STRING)
ZEND_END_ARG_INFO()

FRAZIL_ARGS(args_column, 1, IS_STRING, 0)
ZEND_ARG_TYPE_INFO(0, bytes, IS_STRING, 1)
ZEND_END_ARG_INFO()

/* Methods that read a sno out of text or bytes: one shape.  Where `nullable`, null is an empty text. */
#define READER(method, function, nullable)                                                                             \
    ZEND_METHOD(Frazil_Sno, method)                                                                                    \
    {                                                                                                                  \
        frazil_error err;                                                                                              \
        zend_string *text;                                                                                             \
        frazil_sno id;                                                                                                 \
                                                                                                                       \
        ZEND_PARSE_PARAMETERS_START(1, 1)                                                                              \
        Z_PARAM_STR_EX(text, nullable, 0)                                                                              \
        ZEND_PARSE_PARAMETERS_END();                                                                                   \
        if (text == NULL)                                                                                              \
            text = ZSTR_EMPTY_ALLOC();                                                                                 \
        if (function(ZSTR_VAL(text), ZSTR_LEN(text), &id, &err) != FRAZIL_OK) {                                        \
            frazil_throw(&err);                                                                                        \
            RETURN_THROWS();                                                                                           \
        }                                                                                                              \
        set_sno(return_value, &id);                                                                                    \
    }

READER(decode, frazil_sno_decode, false)
READER(fromUuid, frazil_sno_uuid_parse, false)
READER(fromUuidBytes, frazil_sno_from_uuid, false)
READER(fromJson, frazil_sno_from_json, false)
READER(fromColumn, frazil_sno_from_column, true)

ZEND_METHOD(Frazil_Sno, encode)
{
    char text[FRAZIL_SNO_LEN];
    zend_string *bytes;
    frazil_sno id;

    ZEND_PARSE_PARAMETERS_START(1, 1)
    Z_PARAM_STR(bytes)
    ZEND_PARSE_PARAMETERS_END();
    if (!get_sno(bytes, &id))
        RETURN_THROWS();
    frazil_sno_encode(&id, text);
    RETURN_STRINGL(text, sizeof text);
}

ZEND_METHOD(Frazil_Sno, toUuid)
{
    char text[FRAZIL_UUID_LEN + 1];
    zend_string *bytes;
    frazil_sno id;
    size_t len;

    ZEND_PARSE_PARAMETERS_START(1, 1)
    Z_PARAM_STR(bytes)
    ZEND_PARSE_PARAMETERS_END();
    if (!get_sno(bytes, &id) || frazil_sno_uuid_format(&id, text, sizeof text, &len) != FRAZIL_OK)
        RETURN_THROWS();
    RETURN_STRINGL(text, len);
}

ZEND_METHOD(Frazil_Sno, toJson)
{
    char text[FRAZIL_SNO_JSON_SIZE];
    zend_string *bytes;
    frazil_sno id;
    size_t len;

    ZEND_PARSE_PARAMETERS_START(1, 1)
    Z_PARAM_STR(bytes)
    ZEND_PARSE_PARAMETERS_END();
    if (!get_sno(bytes, &id) || frazil_sno_to_json(&id, text, sizeof text, &len) != FRAZIL_OK)
        RETURN_THROWS();
    RETURN_STRINGL(text, len);
}

FRAZIL_ARGS(args_compose, 5, IS_STRING, 0)
FRAZIL_ARG_MOMENT(unixMs)
FRAZIL_ARG(ticktock, IS_LONG)
FRAZIL_ARG(meta, IS_LONG)
FRAZIL_ARG(partition, IS_LONG)
FRAZIL_ARG(sequence, IS_LONG)
ZEND_END_ARG_INFO()
ZEND_METHOD(Frazil_Sno, compose)
{
    struct frazil_moment moment;
    zend_long given[4];
    uint32_t numbers[4];
    int64_t unix_ms;
    frazil_error err;
    frazil_sno id;

    ZEND_PARSE_PARAMETERS_START(5, 5)
    FRAZIL_PARAM_MOMENT(moment)
    Z_PARAM_LONG(given[0])
    Z_PARAM_LONG(given[1])
    Z_PARAM_LONG(given[2])
    Z_PARAM_LONG(given[3])
    ZEND_PARSE_PARAMETERS_END();
    if (!frazil_get_moment(&moment, &unix_ms) ||
        !frazil_get_small(given[0], "the tick-tock bit", UINT8_MAX, &numbers[0]) ||
        !frazil_get_small(given[1], "the metabyte", UINT8_MAX, &numbers[1]) ||
        !frazil_get_small(given[2], "the partition", UINT16_MAX, &numbers[2]) ||
        !frazil_get_small(given[3], "the sequence", UINT16_MAX, &numbers[3]))
        RETURN_THROWS();
    frazil_sno_fields fields = {.unix_ms = unix_ms,
                                .ticktock = (uint8_t)numbers[0],
                                .meta = (uint8_t)numbers[1],
                                .partition = (uint16_t)numbers[2],
                                .sequence = (uint16_t)numbers[3]};
    if (frazil_sno_compose(&fields, &id, &err) != FRAZIL_OK) {
        frazil_throw(&err);
        RETURN_THROWS();
    }
    set_sno(return_value, &id);
}

FRAZIL_ARGS(args_decompose, 1, IS_ARRAY, 0)
FRAZIL_ARG(sno, IS_STRING)
ZEND_END_ARG_INFO()
ZEND_METHOD(Frazil_Sno, decompose)
{
    frazil_sno_fields fields;
    zend_string *bytes;
    frazil_sno id;

    ZEND_PARSE_PARAMETERS_START(1, 1)
    Z_PARAM_STR(bytes)
    ZEND_PARSE_PARAMETERS_END();
    if (!get_sno(bytes, &id))
        RETURN_THROWS();
    frazil_sno_decompose(&id, &fields);
    array_init(return_value);
    add_assoc_long(return_value, "unix_ms", fields.unix_ms);
    add_assoc_long(return_value, "ticktock", fields.ticktock);
    add_assoc_long(return_value, "meta", fields.meta);
    add_assoc_long(return_value, "partition", fields.partition);
    add_assoc_long(return_value, "sequence", fields.sequence);
}

FRAZIL_ARGS(args_range, 2, IS_ARRAY, 0)
FRAZIL_ARG_MOMENT(fromUnixMs)
FRAZIL_ARG_MOMENT(toUnixMs)
ZEND_END_ARG_INFO()
ZEND_METHOD(Frazil_Sno, range)
{
    struct frazil_moment from_moment;
    struct frazil_moment to_moment;
    frazil_error err;
    int64_t from;
    int64_t to;
    frazil_sno first;
    frazil_sno last;

    ZEND_PARSE_PARAMETERS_START(2, 2)
    FRAZIL_PARAM_MOMENT(from_moment)
    FRAZIL_PARAM_MOMENT(to_moment)
    ZEND_PARSE_PARAMETERS_END();
    if (!frazil_get_moment(&from_moment, &from) || !frazil_get_moment(&to_moment, &to))
        RETURN_THROWS();
    if (frazil_sno_range(from, to, &first, &last, &err) != FRAZIL_OK) {
        frazil_throw(&err);
        RETURN_THROWS();
    }
    array_init(return_value);
    add_assoc_stringl(return_value, "first", (const char *)&first, FRAZIL_SNO_SIZE);
    add_assoc_stringl(return_value, "last", (const char *)&last, FRAZIL_SNO_SIZE);
}

FRAZIL_ARGS(args_partition_format, 1, IS_STRING, 0)
FRAZIL_ARG(partition, IS_LONG)
ZEND_END_ARG_INFO()
ZEND_METHOD(Frazil_Sno, formatPartition)
{
    char text[FRAZIL_SNO_PARTITION_SIZE];
    zend_long given;
    uint32_t partition;

    ZEND_PARSE_PARAMETERS_START(1, 1)
    Z_PARAM_LONG(given)
    ZEND_PARSE_PARAMETERS_END();
    if (!frazil_get_small(given, "the partition", UINT16_MAX, &partition) ||
        frazil_sno_partition_format((uint16_t)partition, text, sizeof text, NULL) != FRAZIL_OK)
        RETURN_THROWS();
    RETURN_STRING(text);
}

FRAZIL_ARGS(args_partition_parse, 1, IS_LONG, 0)
FRAZIL_ARG(text, IS_STRING)
ZEND_END_ARG_INFO()
ZEND_METHOD(Frazil_Sno, parsePartition)
{
    frazil_error err;
    uint16_t partition;
    char *text;
    size_t len;

    ZEND_PARSE_PARAMETERS_START(1, 1)
    Z_PARAM_STRING(text, len)
    ZEND_PARSE_PARAMETERS_END();
    if (frazil_sno_partition_parse(text, len, &partition, &err) != FRAZIL_OK) {
        frazil_throw(&err);
        RETURN_THROWS();
    }
    RETURN_LONG(partition);
}

/* clang-format off */
static const zend_function_entry sno_methods[] = {
    FRAZIL_STATIC(Frazil_Sno, encode, args_sno)
    FRAZIL_STATIC(Frazil_Sno, decode, args_text)
    FRAZIL_STATIC(Frazil_Sno, compose, args_compose)
    FRAZIL_STATIC(Frazil_Sno, decompose, args_decompose)
    FRAZIL_STATIC(Frazil_Sno, range, args_range)
    FRAZIL_STATIC(Frazil_Sno, toUuid, args_sno)
    FRAZIL_STATIC(Frazil_Sno, fromUuid, args_text)
    FRAZIL_STATIC(Frazil_Sno, fromUuidBytes, args_bytes)
    FRAZIL_STATIC(Frazil_Sno, toJson, args_sno)
    FRAZIL_STATIC(Frazil_Sno, fromJson, args_text)
    FRAZIL_STATIC(Frazil_Sno, fromColumn, args_column)
    FRAZIL_STATIC(Frazil_Sno, formatPartition, args_partition_format)
    FRAZIL_STATIC(Frazil_Sno, parsePartition, args_partition_parse)
    ZEND_FE_END
};
/* clang-format on */

void frazil_register_sno(void)
{
    zend_class_entry ce;

    INIT_CLASS_ENTRY(ce, "Frazil\\Sno", sno_methods);
    zend_register_internal_class(&ce)->ce_flags |= ZEND_ACC_FINAL | ZEND_ACC_EXPLICIT_ABSTRACT_CLASS;
}
