/* SPDX-License-Identifier: MIT */
#include "php_frazil.h"

#include "zend_interfaces.h"

void frazil_set_number(zval *ret, uint64_t number)
{
    if (number <= ZEND_LONG_MAX)
        ZVAL_LONG(ret, (zend_long)number);
    else
        ZVAL_STR(ret, zend_strpprintf(0, ZEND_ULONG_FMT, (zend_ulong)number));
}

bool frazil_get_number(const zval *value, const char *what, uint64_t *ret)
{
    frazil_error err;

    if (Z_TYPE_P(value) == IS_STRING) {
        if (frazil_id_parse(FRAZIL_TEXT_DEC, Z_STRVAL_P(value), Z_STRLEN_P(value), ret, &err) == FRAZIL_OK)
            return true;
        frazil_throw(&err);
        return false;
    }
    if (Z_TYPE_P(value) == IS_LONG && Z_LVAL_P(value) >= 0) {
        *ret = (uint64_t)Z_LVAL_P(value);
        return true;
    }
    char sentence[128];
    snprintf(sentence, sizeof sentence, "%s is an int of 0 or more, or decimal text", what);
    frazil_throw_usage(sentence);
    return false;
}

void frazil_add_number(zval *array, const char *key, uint64_t number)
{
    zval value;

    frazil_set_number(&value, number);
    add_assoc_zval(array, key, &value);
}

bool frazil_get_small(zend_long value, const char *what, uint32_t max, uint32_t *ret)
{
    char sentence[128];

    if (value >= 0 && value <= (zend_long)max) {
        *ret = (uint32_t)value;
        return true;
    }
    snprintf(sentence, sizeof sentence, "%s is " ZEND_LONG_FMT ": must be from 0 to %u", what, value, max);
    frazil_throw_usage(sentence);
    return false;
}

bool frazil_get_form(const char *name, frazil_text *ret)
{
    frazil_error err;

    if (frazil_text_by_name(name, ret, &err) == FRAZIL_OK)
        return true;
    frazil_throw(&err);
    return false;
}

zend_string *frazil_moment_text(zend_object *moment)
{
    zval form, text;

    ZVAL_STRING(&form, "Y-m-d\\TH:i:s.vP");
    zend_call_method_with_1_params(moment, moment->ce, NULL, "format", &text, &form);
    zval_ptr_dtor(&form);
    return Z_TYPE(text) == IS_STRING ? Z_STR(text) : NULL;
}

bool frazil_get_moment(const struct frazil_moment *moment, int64_t *ret_unix_ms)
{
    frazil_error err;

    if (moment->object == NULL) {
        *ret_unix_ms = moment->unix_ms;
        return true;
    }
    zend_string *text = frazil_moment_text(moment->object);
    if (text == NULL)
        return false;
    frazil_err code = frazil_time_parse(ZSTR_VAL(text), ZSTR_LEN(text), ret_unix_ms, &err);
    zend_string_release(text);
    if (code != FRAZIL_OK)
        frazil_throw(&err);
    return code == FRAZIL_OK;
}
