/* SPDX-License-Identifier: MIT */
/*
 * Frazil\Generator.  One that open() gave belongs to the process: a request finds it as the one before has left it, and
 * pays for the call alone.  One that `new` made belongs to its object.
 */
#include "php_frazil.h"

#include "zend_exceptions.h"
#include "zend_interfaces.h"

/* A generator of the process's, which open() gives. */
struct shared {
    frazil *gen;
    size_t objects; /* that have it */
    bool is_left;   /* it was stopped, and the process has forgotten it: the last object closes it */
};

struct generator {
    frazil *gen;
    struct shared *shared; /* NULL: the object's own */
    zend_object std;
};

static zend_class_entry *generator_class;
static zend_object_handlers generator_handlers;

static struct generator *of_object(zend_object *object)
{
    return (struct generator *)((char *)object - XtOffsetOf(struct generator, std));
}

static zend_object *create(zend_class_entry *ce)
{
    struct generator *generator = zend_object_alloc(sizeof *generator, ce);

    generator->gen = NULL;
    generator->shared = NULL;
    zend_object_std_init(&generator->std, ce);
    object_properties_init(&generator->std, ce);
    generator->std.handlers = &generator_handlers;
    return &generator->std;
}

static void close_shared(struct shared *shared)
{
    frazil_close(shared->gen);
    pefree(shared, 1);
}

static void free_object(zend_object *object)
{
    struct generator *generator = of_object(object);

    if (generator->shared == NULL)
        frazil_close(generator->gen);
    else if (--generator->shared->objects == 0 && generator->shared->is_left)
        close_shared(generator->shared);
    zend_object_std_dtor(object);
}

static int compare(zval *one, zval *other)
{
    ZEND_COMPARE_OBJECTS_FALLBACK(one, other);
    const frazil *gen = of_object(Z_OBJ_P(one))->gen;

    return gen != NULL && gen == of_object(Z_OBJ_P(other))->gen ? 0 : ZEND_UNCOMPARABLE;
}

/* The properties that var_dump and JSON show. */
static zend_array *properties_for(zend_object *object, zend_prop_purpose purpose)
{
    frazil *gen = of_object(object)->gen;
    char text[FRAZIL_FINGERPRINT_SIZE];
    frazil_info info;
    zval shown;

    if (purpose != ZEND_PROP_PURPOSE_DEBUG && purpose != ZEND_PROP_PURPOSE_JSON)
        return zend_std_get_properties_for(object, purpose);
    array_init(&shown);
    if (gen != NULL) {
        frazil_get_info(gen, &info, sizeof info);
        if (frazil_layout_fingerprint(info.layout, text, sizeof text, NULL) == FRAZIL_OK)
            add_assoc_string(&shown, "layout", text);
        frazil_add_number(&shown, "worker", info.worker);
    }
    return Z_ARR(shown);
}

/* The generator of $this; NULL: it was never constructed, and an exception was thrown. */
static zend_always_inline frazil *gen_of(zval *this)
{
    frazil *gen = of_object(Z_OBJ_P(this))->gen;

    if (UNEXPECTED(gen == NULL))
        frazil_throw_usage("the generator was not constructed");
    return gen;
}

/* ---- opening --------------------------------------------------------------------- */

void frazil_close_generators(HashTable *generators)
{
    struct shared *shared;

    if (generators == NULL)
        return;
    ZEND_HASH_FOREACH_PTR(generators, shared)
    {
        close_shared(shared);
    }
    ZEND_HASH_FOREACH_END();
    zend_hash_destroy(generators);
    pefree(generators, 1);
}

/* A generator that was stopped stays with those who have it, and whoever opens the spec again gets a new one. */
static void leave_shared(struct shared *left)
{
    struct shared *shared;
    zend_string *spec;

    ZEND_HASH_FOREACH_STR_KEY_PTR(FRAZIL_G(generators), spec, shared)
    {
        if (shared == left) {
            left->is_left = true;
            zend_hash_del(FRAZIL_G(generators), spec);
            break;
        }
    }
    ZEND_HASH_FOREACH_END();
}

/* The process's generator of that spec, opened if it is not; NULL: an exception was thrown. */
static struct shared *shared_generator(zend_string *spec)
{
    frazil_error err;
    frazil *gen;
    struct shared *shared = FRAZIL_G(generators) == NULL ? NULL : zend_hash_find_ptr(FRAZIL_G(generators), spec);

    if (shared != NULL)
        return shared;
    if (strlen(ZSTR_VAL(spec)) != ZSTR_LEN(spec)) {
        frazil_throw_usage("the spec has a zero byte");
        return NULL;
    }
    if (frazil_open_shared(&gen, ZSTR_VAL(spec), &err) != FRAZIL_OK) {
        frazil_throw(&err);
        return NULL;
    }
    FRAZIL_G(openings)++;
    if (FRAZIL_G(generators) == NULL) {
        FRAZIL_G(generators) = pemalloc(sizeof(HashTable), 1);
        zend_hash_init(FRAZIL_G(generators), 8, NULL, NULL, 1);
    }
    shared = pecalloc(1, sizeof *shared, 1);
    shared->gen = gen;
    zend_hash_str_add_ptr(FRAZIL_G(generators), ZSTR_VAL(spec), ZSTR_LEN(spec), shared);
    return shared;
}

FRAZIL_ARGS(args_open, 0, IS_STATIC, 0)
ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, spec, IS_STRING, 1, "null")
ZEND_END_ARG_INFO()
ZEND_METHOD(Frazil_Generator, open)
{
    zend_string *spec = NULL;

    ZEND_PARSE_PARAMETERS_START(0, 1)
    Z_PARAM_OPTIONAL
    Z_PARAM_STR_OR_NULL(spec)
    ZEND_PARSE_PARAMETERS_END();
    spec = spec == NULL ? ZSTR_EMPTY_ALLOC() : spec;
    struct shared *shared = shared_generator(spec);
    if (shared == NULL)
        RETURN_THROWS();
    object_init_ex(return_value, generator_class);
    of_object(Z_OBJ_P(return_value))->gen = shared->gen;
    of_object(Z_OBJ_P(return_value))->shared = shared;
    shared->objects++;
}

ZEND_BEGIN_ARG_INFO_EX(args_construct, 0, 0, 0)
ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, spec, IS_STRING, 1, "null")
ZEND_END_ARG_INFO()
ZEND_METHOD(Frazil_Generator, __construct)
{
    struct generator *generator = of_object(Z_OBJ_P(ZEND_THIS));
    zend_string *spec = NULL;
    frazil_error err;

    ZEND_PARSE_PARAMETERS_START(0, 1)
    Z_PARAM_OPTIONAL
    Z_PARAM_STR_OR_NULL(spec)
    ZEND_PARSE_PARAMETERS_END();
    spec = spec == NULL ? ZSTR_EMPTY_ALLOC() : spec;
    if (generator->gen != NULL)
        frazil_throw_usage("the generator was constructed already");
    else if (strlen(ZSTR_VAL(spec)) != ZSTR_LEN(spec))
        frazil_throw_usage("the spec has a zero byte");
    else if (frazil_open(&generator->gen, ZSTR_VAL(spec), &err) != FRAZIL_OK)
        frazil_throw(&err);
    else
        FRAZIL_G(openings)++;
}

/* ---- taking ---------------------------------------------------------------------- */

/*
 * Says why the last call of the fast path failed with that code, or succeeds after all.  False: an exception was
 * thrown.  The sentence is of a call that never waits, which has a code of its own.
 */
static zend_never_inline bool explain(frazil *gen, frazil_err code, uint64_t *ret_id)
{
    frazil_error err;

    if (frazil_take(gen, ret_id, 1, 0, &err) == FRAZIL_OK)
        return true;
    err.code = code;
    err.err_class = (int32_t)frazil_err_classify(code);
    frazil_throw(&err);
    return false;
}

static zend_never_inline void throw_too_large(void)
{
    frazil_throw_usage("the layout's ids have reached 2^63, where an int of PHP ends: take them by nextString()");
}

FRAZIL_ARGS(args_int, 0, IS_LONG, 0)
ZEND_END_ARG_INFO()
ZEND_METHOD(Frazil_Generator, next)
{
    ZEND_PARSE_PARAMETERS_NONE();
    frazil *gen = gen_of(ZEND_THIS);
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
    frazil *gen = gen_of(ZEND_THIS);
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
    frazil *gen = gen_of(ZEND_THIS);
    uint64_t retry_ns;
    uint64_t id;

    if (gen == NULL)
        RETURN_THROWS();
    frazil_err code = frazil_try_next(gen, &id, &retry_ns);
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
    take(return_value, gen_of(ZEND_THIS), n, FRAZIL_WAIT_DEFAULT);
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
    take(return_value, gen_of(ZEND_THIS), n, (uint64_t)wait_ns);
}

FRAZIL_ARGS_NUMBER(args_next_at, 1)
FRAZIL_ARG(unixMs, IS_LONG)
ZEND_END_ARG_INFO()
ZEND_METHOD(Frazil_Generator, nextAt)
{
    frazil_error err;
    zend_long unix_ms;
    uint64_t id;

    ZEND_PARSE_PARAMETERS_START(1, 1)
    Z_PARAM_LONG(unix_ms)
    ZEND_PARSE_PARAMETERS_END();
    frazil *gen = gen_of(ZEND_THIS);
    if (gen == NULL)
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
    frazil *gen = gen_of(ZEND_THIS);
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
    frazil_sno id;
    uint32_t meta;

    ZEND_PARSE_PARAMETERS_START(0, 1)
    Z_PARAM_OPTIONAL
    Z_PARAM_LONG(meta_long)
    ZEND_PARSE_PARAMETERS_END();
    frazil *gen = gen_of(ZEND_THIS);
    if (gen == NULL || !frazil_get_small(meta_long, "the metabyte", UINT8_MAX, &meta))
        RETURN_THROWS();
    frazil_err code = frazil_sno_try_next(gen, (uint8_t)meta, &id, &retry_ns);
    if (code == FRAZIL_EAGAIN)
        RETURN_NULL();
    if (code != FRAZIL_OK && frazil_sno_take(gen, (uint8_t)meta, &id, 1, 0, &err) != FRAZIL_OK) {
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
    frazil *gen = gen_of(ZEND_THIS);
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
FRAZIL_ARG(unixMs, IS_LONG)
ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, meta, IS_LONG, 0, "0")
ZEND_END_ARG_INFO()
ZEND_METHOD(Frazil_Generator, snoNextAt)
{
    zend_long meta_long = 0;
    zend_long unix_ms;
    frazil_error err;
    frazil_sno id;
    uint32_t meta;

    ZEND_PARSE_PARAMETERS_START(1, 2)
    Z_PARAM_LONG(unix_ms)
    Z_PARAM_OPTIONAL
    Z_PARAM_LONG(meta_long)
    ZEND_PARSE_PARAMETERS_END();
    frazil *gen = gen_of(ZEND_THIS);
    if (gen == NULL || !frazil_get_small(meta_long, "the metabyte", UINT8_MAX, &meta))
        RETURN_THROWS();
    if (frazil_sno_next_at(gen, unix_ms, (uint8_t)meta, &id, &err) != FRAZIL_OK) {
        frazil_throw(&err);
        RETURN_THROWS();
    }
    set_sno(return_value, &id);
}

/* ---- looking at it --------------------------------------------------------------- */

FRAZIL_ARGS(args_array, 0, IS_ARRAY, 0)
ZEND_END_ARG_INFO()
ZEND_METHOD(Frazil_Generator, info)
{
    static const char *const KINDS[] = {"memory", "file", "grant", "slots"};
    ZEND_PARSE_PARAMETERS_NONE();
    frazil *gen = gen_of(ZEND_THIS);
    frazil_info info;

    if (gen == NULL)
        RETURN_THROWS();
    frazil_get_info(gen, &info, sizeof info);
    array_init(return_value);
    frazil_add_number(return_value, "worker", info.worker);
    frazil_add_number(return_value, "sequence_min", info.sequence_min);
    frazil_add_number(return_value, "sequence_max", info.sequence_max);
    frazil_add_number(return_value, "sequence", info.sequence);
    frazil_add_number(return_value, "length", info.capacity - info.available);
    frazil_add_number(return_value, "capacity", info.capacity);
    frazil_add_number(return_value, "collision_ppm", info.collision_ppm);
    add_assoc_bool(return_value, "counter_in_use", info.counter_in_use != 0);
    add_assoc_bool(return_value, "state_is_new", info.state_is_new != 0);
    add_assoc_string(return_value, "state",
                     info.state < sizeof KINDS / sizeof KINDS[0] ? KINDS[info.state] : "unknown");
}

ZEND_METHOD(Frazil_Generator, health)
{
    static const char *const STATES[] = {"serving", "needs_grant", "behind", "fenced", "exhausted", "stopped"};
    ZEND_PARSE_PARAMETERS_NONE();
    frazil *gen = gen_of(ZEND_THIS);
    frazil_health health;

    if (gen == NULL)
        RETURN_THROWS();
    frazil_get_health(gen, &health, sizeof health, NULL);
    array_init(return_value);
    add_assoc_string(return_value, "state",
                     (size_t)health.state < sizeof STATES / sizeof STATES[0] ? STATES[health.state] : "unknown");
    frazil_add_number(return_value, "worker", health.worker);
    add_assoc_bool(return_value, "needs_grant", health.needs_grant != 0);
    add_assoc_long(return_value, "grant_end_unix_ms", health.grant_end_unix_ms);
    add_assoc_string(return_value, "last_error", frazil_err_name((frazil_err)health.last_code));
    frazil_add_number(return_value, "failures", health.failures);
}

ZEND_METHOD(Frazil_Generator, stats)
{
    ZEND_PARSE_PARAMETERS_NONE();
    frazil_stat stats[FRAZIL_STATS_MOST];
    frazil *gen = gen_of(ZEND_THIS);

    if (gen == NULL)
        RETURN_THROWS();
    size_t count = frazil_get_stats(gen, stats, FRAZIL_STATS_MOST);
    array_init(return_value);
    for (size_t i = 0; i < count; i++)
        frazil_add_number(return_value, stats[i].name, stats[i].value);
}

ZEND_METHOD(Frazil_Generator, available)
{
    ZEND_PARSE_PARAMETERS_NONE();
    frazil *gen = gen_of(ZEND_THIS);
    frazil_info info;

    if (gen == NULL)
        RETURN_THROWS();
    frazil_get_info(gen, &info, sizeof info);
    RETURN_LONG((zend_long)info.available);
}

ZEND_BEGIN_ARG_WITH_RETURN_OBJ_INFO_EX(args_layout, 0, 0, Frazil\\Layout, 0)
ZEND_END_ARG_INFO()
ZEND_METHOD(Frazil_Generator, layout)
{
    ZEND_PARSE_PARAMETERS_NONE();
    frazil *gen = gen_of(ZEND_THIS);
    frazil_info info;

    if (gen == NULL)
        RETURN_THROWS();
    frazil_get_info(gen, &info, sizeof info);
    frazil_set_layout(return_value, info.layout);
}

FRAZIL_ARGS(args_void, 0, IS_VOID, 0)
ZEND_END_ARG_INFO()
ZEND_METHOD(Frazil_Generator, stop)
{
    ZEND_PARSE_PARAMETERS_NONE();
    frazil *gen = gen_of(ZEND_THIS);

    struct shared *shared = of_object(Z_OBJ_P(ZEND_THIS))->shared;

    if (gen == NULL)
        RETURN_THROWS();
    frazil_stop(gen);
    if (shared != NULL && !shared->is_left)
        leave_shared(shared);
}

/* clang-format off */
static const zend_function_entry generator_methods[] = {
    FRAZIL_STATIC(Frazil_Generator, open, args_open)
    FRAZIL_METHOD(Frazil_Generator, __construct, args_construct)
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
    FRAZIL_METHOD(Frazil_Generator, info, args_array)
    FRAZIL_METHOD(Frazil_Generator, health, args_array)
    FRAZIL_METHOD(Frazil_Generator, stats, args_array)
    FRAZIL_METHOD(Frazil_Generator, available, args_int)
    FRAZIL_METHOD(Frazil_Generator, layout, args_layout)
    FRAZIL_METHOD(Frazil_Generator, stop, args_void)
    ZEND_FE_END
};
/* clang-format on */

void frazil_register_generator(void)
{
    zend_class_entry ce;

    INIT_CLASS_ENTRY(ce, "Frazil\\Generator", generator_methods);
    generator_class = zend_register_internal_class(&ce);
    generator_class->ce_flags |= ZEND_ACC_FINAL | ZEND_ACC_NO_DYNAMIC_PROPERTIES | ZEND_ACC_NOT_SERIALIZABLE;
    generator_class->create_object = create;
    memcpy(&generator_handlers, zend_get_std_object_handlers(), sizeof generator_handlers);
    generator_handlers.offset = XtOffsetOf(struct generator, std);
    generator_handlers.free_obj = free_object;
    generator_handlers.clone_obj = NULL;
    generator_handlers.compare = compare;
    generator_handlers.get_properties_for = properties_for;
}
