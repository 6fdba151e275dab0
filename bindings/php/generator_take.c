/* SPDX-License-Identifier: MIT */
/* Frazil\Generator: taking ids and snos from it. */
#include "php_frazil.h"

/* ---- taking ---------------------------------------------------------------------- */

/*
 * The wait of a call that only asks for the reason.  With state=URL one that never waits would ask the coordinator, for
 * as long as the URL's timeout; in a nanosecond it says what came of the last request.
 */
static uint64_t reason_wait(frazil *gen)
{
    frazil_info info;

    frazil_get_info(gen, &info, sizeof info);
    return info.state == FRAZIL_STATE_SLOTS ? 1 : 0;
}

/*
 * Says why the last call of the fast path failed with that code, or succeeds after all.  False: an exception was
 * thrown.  The sentence is of a call that never waits, which has a code of its own.
 */
static zend_never_inline bool explain(frazil *gen, frazil_err code, uint64_t *ret_id)
{
    frazil_error err;

    if (frazil_take(gen, ret_id, 1, reason_wait(gen), &err) == FRAZIL_OK)
        return true;
    err.code = code;
    err.err_class = (int32_t)frazil_err_classify(code);
    frazil_throw(&err);
    return false;
}

static zend_never_inline void throw_too_large(void)
{
    frazil_throw_usage("the layout's ids have reached 2^63, above PHP's int: take them with nextString()");
}

FRAZIL_ARGS(args_int, 0, IS_LONG, 0)
ZEND_END_ARG_INFO()
ZEND_METHOD(Frazil_Generator, next)
{
    ZEND_PARSE_PARAMETERS_NONE();
    frazil *gen = frazil_gen_of(ZEND_THIS);
    uint64_t id;

    if (UNEXPECTED(gen == NULL))
        RETURN_THROWS();
    frazil_err code = frazil_next(gen, &id);
    if (UNEXPECTED(code != FRAZIL_OK) && !explain(gen, code, &id))
        RETURN_THROWS();
    if (UNEXPECTED(id > ZEND_LONG_MAX)) {
        throw_too_large();
        RETURN_THROWS();
    }
    RETURN_LONG((zend_long)id);
}

FRAZIL_ARGS(args_form, 0, IS_STRING, 0)
ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, form, IS_STRING, 0, "'dec'")
ZEND_END_ARG_INFO()
ZEND_METHOD(Frazil_Generator, nextString)
{
    char text[FRAZIL_TEXT_SIZE];
    frazil_text form = FRAZIL_TEXT_DEC;
    char *name = NULL;
    size_t len;
    uint64_t id;

    ZEND_PARSE_PARAMETERS_START(0, 1)
    Z_PARAM_OPTIONAL
    Z_PARAM_STRING(name, len)
    ZEND_PARSE_PARAMETERS_END();
    frazil *gen = frazil_gen_of(ZEND_THIS);
    if (gen == NULL || (name != NULL && !frazil_get_form(name, &form)))
        RETURN_THROWS();
    frazil_err code = frazil_next(gen, &id);
    if (code != FRAZIL_OK && !explain(gen, code, &id))
        RETURN_THROWS();
    if (frazil_id_format(form, id, text, sizeof text, &len) != FRAZIL_OK)
        RETURN_THROWS();
    RETURN_STRINGL(text, len);
}

FRAZIL_ARGS(args_try, 0, IS_LONG, 1)
ZEND_END_ARG_INFO()
ZEND_METHOD(Frazil_Generator, tryNext)
{
    ZEND_PARSE_PARAMETERS_NONE();
    frazil *gen = frazil_gen_of(ZEND_THIS);
    uint64_t retry_ns;
    size_t taken;
    uint64_t id;

    if (gen == NULL)
        RETURN_THROWS();
    frazil_err code = frazil_try_take(gen, &id, 1, &taken, &retry_ns, NULL);
    if (code == FRAZIL_EAGAIN)
        RETURN_NULL();
    if (code != FRAZIL_OK && !explain(gen, code, &id))
        RETURN_THROWS();
    if (id > ZEND_LONG_MAX) {
        throw_too_large();
        RETURN_THROWS();
    }
    RETURN_LONG((zend_long)id);
}

enum { BATCH_MAX = 1000000 };

/* n ids as an array; wait_ns as frazil_take. */
static void take(zval *return_value, frazil *gen, zend_long n, uint64_t wait_ns)
{
    frazil_error err;
    uint32_t count;

    if (gen == NULL || !frazil_get_small(n, "the number of ids", BATCH_MAX, &count))
        return;
    uint64_t *ids = safe_emalloc(count, sizeof *ids, sizeof *ids);
    if (frazil_take(gen, ids, count, wait_ns, &err) != FRAZIL_OK) {
        efree(ids);
        frazil_throw(&err);
        return;
    }
    if (count > 0 && ids[count - 1] > ZEND_LONG_MAX) {
        efree(ids);
        throw_too_large();
        return;
    }
    array_init_size(return_value, count);
    zend_hash_real_init_packed(Z_ARRVAL_P(return_value));
    ZEND_HASH_FILL_PACKED(Z_ARRVAL_P(return_value))
    {
        for (uint32_t i = 0; i < count; i++) {
            ZEND_HASH_FILL_SET_LONG((zend_long)ids[i]);
            ZEND_HASH_FILL_NEXT();
        }
    }
    ZEND_HASH_FILL_END();
    efree(ids);
}

FRAZIL_ARGS(args_next_n, 1, IS_ARRAY, 0)
FRAZIL_ARG(n, IS_LONG)
ZEND_END_ARG_INFO()
ZEND_METHOD(Frazil_Generator, nextN)
{
    zend_long n;

    ZEND_PARSE_PARAMETERS_START(1, 1)
    Z_PARAM_LONG(n)
    ZEND_PARSE_PARAMETERS_END();
    take(return_value, frazil_gen_of(ZEND_THIS), n, FRAZIL_WAIT_DEFAULT);
}

FRAZIL_ARGS(args_take, 2, IS_ARRAY, 0)
FRAZIL_ARG(n, IS_LONG)
FRAZIL_ARG(waitNs, IS_LONG)
ZEND_END_ARG_INFO()
ZEND_METHOD(Frazil_Generator, take)
{
    zend_long n;
    zend_long wait_ns;

    ZEND_PARSE_PARAMETERS_START(2, 2)
    Z_PARAM_LONG(n)
    Z_PARAM_LONG(wait_ns)
    ZEND_PARSE_PARAMETERS_END();
    if (wait_ns < 0) {
        frazil_throw_usage("the wait is negative");
        RETURN_THROWS();
    }
    take(return_value, frazil_gen_of(ZEND_THIS), n, (uint64_t)wait_ns);
}

FRAZIL_ARGS_NUMBER(args_next_at, 1)
FRAZIL_ARG_MOMENT(unixMs)
ZEND_END_ARG_INFO()
ZEND_METHOD(Frazil_Generator, nextAt)
{
    struct frazil_moment moment;
    frazil_error err;
    int64_t unix_ms;
    uint64_t id;

    ZEND_PARSE_PARAMETERS_START(1, 1)
    FRAZIL_PARAM_MOMENT(moment)
    ZEND_PARSE_PARAMETERS_END();
    frazil *gen = frazil_gen_of(ZEND_THIS);
    if (gen == NULL || !frazil_get_moment(&moment, &unix_ms))
        RETURN_THROWS();
    if (frazil_next_at(gen, unix_ms, &id, &err) != FRAZIL_OK) {
        frazil_throw(&err);
        RETURN_THROWS();
    }
    frazil_set_number(return_value, id);
}

/* ---- snos ------------------------------------------------------------------------ */

static void set_sno(zval *ret, const frazil_sno *id)
{
    ZVAL_STRINGL(ret, (const char *)id, FRAZIL_SNO_SIZE);
}

FRAZIL_ARGS(args_sno_next, 0, IS_STRING, 0)
ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, meta, IS_LONG, 0, "0")
ZEND_END_ARG_INFO()
ZEND_METHOD(Frazil_Generator, snoNext)
{
    zend_long meta_long = 0;
    frazil_error err;
    frazil_sno id;
    uint32_t meta;

    ZEND_PARSE_PARAMETERS_START(0, 1)
    Z_PARAM_OPTIONAL
    Z_PARAM_LONG(meta_long)
    ZEND_PARSE_PARAMETERS_END();
    frazil *gen = frazil_gen_of(ZEND_THIS);
    if (gen == NULL || !frazil_get_small(meta_long, "the metabyte", UINT8_MAX, &meta))
        RETURN_THROWS();
    if (frazil_sno_take(gen, (uint8_t)meta, &id, 1, FRAZIL_WAIT_DEFAULT, &err) != FRAZIL_OK) {
        frazil_throw(&err);
        RETURN_THROWS();
    }
    set_sno(return_value, &id);
}

FRAZIL_ARGS(args_sno_try, 0, IS_STRING, 1)
ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, meta, IS_LONG, 0, "0")
ZEND_END_ARG_INFO()
ZEND_METHOD(Frazil_Generator, snoTryNext)
{
    zend_long meta_long = 0;
    frazil_error err;
    uint64_t retry_ns;
    size_t taken;
    frazil_sno id;
    uint32_t meta;

    ZEND_PARSE_PARAMETERS_START(0, 1)
    Z_PARAM_OPTIONAL
    Z_PARAM_LONG(meta_long)
    ZEND_PARSE_PARAMETERS_END();
    frazil *gen = frazil_gen_of(ZEND_THIS);
    if (gen == NULL || !frazil_get_small(meta_long, "the metabyte", UINT8_MAX, &meta))
        RETURN_THROWS();
    frazil_err code = frazil_sno_try_take(gen, (uint8_t)meta, &id, 1, &taken, &retry_ns, &err);
    if (code == FRAZIL_EAGAIN)
        RETURN_NULL();
    if (code != FRAZIL_OK) {
        frazil_throw(&err);
        RETURN_THROWS();
    }
    set_sno(return_value, &id);
}

FRAZIL_ARGS(args_sno_next_n, 1, IS_ARRAY, 0)
FRAZIL_ARG(n, IS_LONG)
ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, meta, IS_LONG, 0, "0")
ZEND_END_ARG_INFO()
ZEND_METHOD(Frazil_Generator, snoNextN)
{
    zend_long meta_long = 0;
    zend_long n;
    frazil_error err;
    uint32_t count;
    uint32_t meta;

    ZEND_PARSE_PARAMETERS_START(1, 2)
    Z_PARAM_LONG(n)
    Z_PARAM_OPTIONAL
    Z_PARAM_LONG(meta_long)
    ZEND_PARSE_PARAMETERS_END();
    frazil *gen = frazil_gen_of(ZEND_THIS);
    if (gen == NULL || !frazil_get_small(n, "the number of ids", BATCH_MAX, &count) ||
        !frazil_get_small(meta_long, "the metabyte", UINT8_MAX, &meta))
        RETURN_THROWS();
    frazil_sno *ids = safe_emalloc(count, sizeof *ids, sizeof *ids);
    if (frazil_sno_take(gen, (uint8_t)meta, ids, count, FRAZIL_WAIT_DEFAULT, &err) != FRAZIL_OK) {
        efree(ids);
        frazil_throw(&err);
        RETURN_THROWS();
    }
    array_init_size(return_value, count);
    for (uint32_t i = 0; i < count; i++) {
        zval id;
        set_sno(&id, &ids[i]);
        add_next_index_zval(return_value, &id);
    }
    efree(ids);
}

FRAZIL_ARGS(args_sno_next_at, 1, IS_STRING, 0)
FRAZIL_ARG_MOMENT(unixMs)
ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, meta, IS_LONG, 0, "0")
ZEND_END_ARG_INFO()
ZEND_METHOD(Frazil_Generator, snoNextAt)
{
    struct frazil_moment moment;
    zend_long meta_long = 0;
    int64_t unix_ms;
    frazil_error err;
    frazil_sno id;
    uint32_t meta;

    ZEND_PARSE_PARAMETERS_START(1, 2)
    FRAZIL_PARAM_MOMENT(moment)
    Z_PARAM_OPTIONAL
    Z_PARAM_LONG(meta_long)
    ZEND_PARSE_PARAMETERS_END();
    frazil *gen = frazil_gen_of(ZEND_THIS);
    if (gen == NULL || !frazil_get_small(meta_long, "the metabyte", UINT8_MAX, &meta) ||
        !frazil_get_moment(&moment, &unix_ms))
        RETURN_THROWS();
    if (frazil_sno_next_at(gen, unix_ms, (uint8_t)meta, &id, &err) != FRAZIL_OK) {
        frazil_throw(&err);
        RETURN_THROWS();
    }
    set_sno(return_value, &id);
}

/* clang-format off */
const zend_function_entry frazil_taking_methods[] = {
    FRAZIL_METHOD(Frazil_Generator, next, args_int)
    FRAZIL_METHOD(Frazil_Generator, nextString, args_form)
    FRAZIL_METHOD(Frazil_Generator, tryNext, args_try)
    FRAZIL_METHOD(Frazil_Generator, nextN, args_next_n)
    FRAZIL_METHOD(Frazil_Generator, take, args_take)
    FRAZIL_METHOD(Frazil_Generator, nextAt, args_next_at)
    FRAZIL_METHOD(Frazil_Generator, snoNext, args_sno_next)
    FRAZIL_METHOD(Frazil_Generator, snoTryNext, args_sno_try)
    FRAZIL_METHOD(Frazil_Generator, snoNextN, args_sno_next_n)
    FRAZIL_METHOD(Frazil_Generator, snoNextAt, args_sno_next_at)
    ZEND_FE_END
};
/* clang-format on */
