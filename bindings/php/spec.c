/* SPDX-License-Identifier: MIT */
/* Specs, which a program gives as text, or as an array of options: ['worker' => 7]. */
#include "php_frazil.h"

#include "zend_smart_str.h"

/* A value in quotes, in which \' and \\ stand for themselves. */
static void add_quoted(smart_str *spec, const zend_string *value)
{
    smart_str_appendc(spec, '\'');
    for (size_t i = 0; i < ZSTR_LEN(value); i++) {
        if (ZSTR_VAL(value)[i] == '\'' || ZSTR_VAL(value)[i] == '\\')
            smart_str_appendc(spec, '\\');
        smart_str_appendc(spec, ZSTR_VAL(value)[i]);
    }
    smart_str_appendc(spec, '\'');
}

/* A worker is said by a number, or by a source of one. */
static zend_string *number(const zend_string *key, zend_long value)
{
    return zend_string_equals_literal(key, "worker") ? zend_strpprintf(0, "fixed:" ZEND_LONG_FMT, value)
                                                     : zend_long_to_str(value);
}

/* Two bytes say the partition of a sno; NULL: these are not two ints. */
static zend_string *partition(const zend_string *key, HashTable *bytes)
{
    zval *high = zend_hash_index_find_deref(bytes, 0);
    zval *low = zend_hash_index_find_deref(bytes, 1);

    if (!zend_string_equals_literal(key, "partition") || zend_hash_num_elements(bytes) != 2 || high == NULL ||
        low == NULL || Z_TYPE_P(high) != IS_LONG || Z_TYPE_P(low) != IS_LONG)
        return NULL;
    return zend_strpprintf(0, ZEND_LONG_FMT "," ZEND_LONG_FMT, Z_LVAL_P(high), Z_LVAL_P(low));
}

/* The value of an option as text; NULL: it has none, or an exception was thrown. */
static zend_string *text_or_none(const zend_string *key, zval *value)
{
    switch (Z_TYPE_P(value)) {
    case IS_STRING:
        return zend_string_copy(Z_STR_P(value));
    case IS_LONG:
        return number(key, Z_LVAL_P(value));
    case IS_TRUE:
        return zend_string_init(ZEND_STRL("yes"), 0);
    case IS_FALSE:
        return zend_string_init(ZEND_STRL("no"), 0);
    case IS_ARRAY:
        return partition(key, Z_ARRVAL_P(value));
    case IS_OBJECT:
        if (instanceof_function(Z_OBJCE_P(value), php_date_get_interface_ce()))
            return frazil_moment_text(Z_OBJ_P(value));
        if (Z_OBJCE_P(value) == frazil_layout_class)
            return frazil_layout_text(Z_OBJ_P(value));
        return NULL;
    default:
        return NULL;
    }
}

/* The same; NULL: an exception was thrown. */
static zend_string *text_of(const zend_string *key, zval *value)
{
    zend_string *text = text_or_none(key, value);

    if (text == NULL && EG(exception) == NULL)
        zend_argument_type_error(1,
                                 "must have strings, ints, bools, moments and layouts as options, and two ints as "
                                 "partition; '%s' is %s",
                                 ZSTR_VAL(key), zend_zval_type_name(value));
    return text;
}

static bool consists_of(const zend_string *key, const char *characters)
{
    return ZSTR_LEN(key) > 0 && strspn(ZSTR_VAL(key), characters) == ZSTR_LEN(key);
}

/* Whether it can be a key: anything else could say more than its value. */
static bool is_key(const zend_string *key)
{
    return consists_of(key, "abcdefghijklmnopqrstuvwxyz_");
}

/* A spec that was taken for a key may have a password, which the message leaves out. */
static void refuse_key(const zend_string *key)
{
    if (!consists_of(key, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-")) {
        frazil_throw_usage("the options have a key that is not a name of lower-case letters and _, such as max_wait");
        return;
    }
    zend_string *message = zend_strpprintf(
        0, "the options have the key '%s': keys are names of lower-case letters and _, as max_wait", ZSTR_VAL(key));
    frazil_throw_usage(ZSTR_VAL(message));
    zend_string_release(message);
}

static bool add_option(smart_str *spec, const zend_string *key, zval *value)
{
    if (key == NULL) {
        frazil_throw_usage("the options have an element without a key: write ['worker' => 7], or a spec as text");
        return false;
    }
    if (!is_key(key)) {
        refuse_key(key);
        return false;
    }
    ZVAL_DEREF(value);
    if (Z_TYPE_P(value) == IS_NULL) /* not given */
        return true;
    zend_string *text = text_of(key, value);
    if (text == NULL)
        return false;
    if (spec->s != NULL)
        smart_str_appendc(spec, ' ');
    smart_str_append(spec, key);
    smart_str_appendc(spec, '=');
    add_quoted(spec, text);
    zend_string_release(text);
    return true;
}

zend_string *frazil_spec(zend_string *text, HashTable *options)
{
    smart_str spec = {0};
    zend_string *key;
    zval *value;

    if (text != NULL)
        return zend_string_copy(text);
    if (options != NULL) {
        ZEND_HASH_FOREACH_STR_KEY_VAL(options, key, value)
        {
            if (!add_option(&spec, key, value)) {
                smart_str_free(&spec);
                return NULL;
            }
        }
        ZEND_HASH_FOREACH_END();
    }
    smart_str_0(&spec);
    return spec.s == NULL ? ZSTR_EMPTY_ALLOC() : spec.s;
}
