/* SPDX-License-Identifier: MIT */
/*
 * Frazil\Generator: opening it, and looking at it.  One that open() gave belongs to the process: a request finds it as
 * the one before has left it, and pays for the call alone.  One that `new` made belongs to its object.
 */
#include "php_frazil.h"

#include "zend_exceptions.h"
#include "zend_interfaces.h"

#include <time.h>

/* A generator of the process's, which open() gives. */
struct frazil_php_shared {
    frazil *gen;
    uint64_t cursor; /* behind the last event that was read, by whichever object */
    size_t objects;  /* that have it */
    bool is_left;    /* it was stopped, and the process has forgotten it: the last object closes it */
};

static zend_class_entry *generator_class;
static zend_object_handlers generator_handlers;

static zend_object *create(zend_class_entry *ce)
{
    struct frazil_php_generator *generator = zend_object_alloc(sizeof *generator, ce);

    generator->gen = NULL;
    generator->cursor = 0;
    generator->shared = NULL;
    zend_object_std_init(&generator->std, ce);
    object_properties_init(&generator->std, ce);
    generator->std.handlers = &generator_handlers;
    return &generator->std;
}

static void close_shared(struct frazil_php_shared *shared)
{
    frazil_close(shared->gen);
    pefree(shared, 1);
}

static void free_object(zend_object *object)
{
    struct frazil_php_generator *generator = frazil_generator_of(object);

    if (generator->shared == NULL)
        frazil_close(generator->gen);
    else if (--generator->shared->objects == 0 && generator->shared->is_left)
        close_shared(generator->shared);
    zend_object_std_dtor(object);
}

static int compare(zval *one, zval *other)
{
    ZEND_COMPARE_OBJECTS_FALLBACK(one, other);
    const frazil *gen = frazil_generator_of(Z_OBJ_P(one))->gen;

    return gen != NULL && gen == frazil_generator_of(Z_OBJ_P(other))->gen ? 0 : ZEND_UNCOMPARABLE;
}

/* The properties that var_dump and JSON show. */
static zend_array *properties_for(zend_object *object, zend_prop_purpose purpose)
{
    frazil *gen = frazil_generator_of(object)->gen;
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

/* ---- opening --------------------------------------------------------------------- */

/* How long the end of the process may take in all: to give back worker ids to a coordinator, which may be silent. */
static const uint64_t END_NS = UINT64_C(2000000000);

static uint64_t now_ns(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static void close_before(uint64_t end_ns, frazil *gen)
{
    uint64_t time_ns = now_ns();
    frazil_info info;

    frazil_get_info(gen, &info, sizeof info);
    /*
     * A worker id that is not given back is free when its grant has ended: the process ends, so it does not need the
     * answer.
     */
    if (info.state == FRAZIL_STATE_GRANT || info.state == FRAZIL_STATE_SLOTS)
        (void)!frazil_close_within(gen, time_ns < end_ns ? end_ns - time_ns : 0);
    else
        frazil_close(gen);
}

void frazil_close_generators(HashTable *generators)
{
    struct frazil_php_shared *shared;
    uint64_t end_ns = now_ns() + END_NS;

    if (generators == NULL)
        return;
    ZEND_HASH_FOREACH_PTR(generators, shared)
    {
        close_before(end_ns, shared->gen);
        pefree(shared, 1);
    }
    ZEND_HASH_FOREACH_END();
    zend_hash_destroy(generators);
    pefree(generators, 1);
}

/*
 * Forgets a stopped generator, under each spelling of its spec, so that the next opening makes a new one.  It stays
 * with the objects that have it.
 */
static void forget(const frazil *gen)
{
    struct frazil_php_shared *shared;
    zend_string *spec;

    ZEND_HASH_FOREACH_STR_KEY_PTR(FRAZIL_G(generators), spec, shared)
    {
        if (shared->gen != gen)
            continue;
        zend_hash_del(FRAZIL_G(generators), spec);
        shared->is_left = true;
        if (shared->objects == 0)
            close_shared(shared);
    }
    ZEND_HASH_FOREACH_END();
}

static bool is_stopped(frazil *gen)
{
    frazil_health health;

    frazil_get_health(gen, &health, sizeof health, NULL);
    return health.state == FRAZIL_HEALTH_STOPPED;
}

/* The process's generator of that spec, opened if it is not; NULL: an exception was thrown. */
static struct frazil_php_shared *shared_generator(zend_string *spec)
{
    frazil_error err;
    frazil *gen;
    struct frazil_php_shared *shared =
        FRAZIL_G(generators) == NULL ? NULL : zend_hash_find_ptr(FRAZIL_G(generators), spec);

    if (shared != NULL && !is_stopped(shared->gen))
        return shared;
    if (shared != NULL) /* another thread has stopped it, and has forgotten it in its own table alone */
        forget(shared->gen);
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
ZEND_ARG_TYPE_MASK(0, spec, MAY_BE_STRING | MAY_BE_ARRAY | MAY_BE_NULL, "null")
ZEND_END_ARG_INFO()
ZEND_METHOD(Frazil_Generator, open)
{
    zend_string *text = NULL;
    HashTable *options = NULL;

    ZEND_PARSE_PARAMETERS_START(0, 1)
    Z_PARAM_OPTIONAL
    Z_PARAM_ARRAY_HT_OR_STR_OR_NULL(options, text)
    ZEND_PARSE_PARAMETERS_END();
    zend_string *spec = frazil_spec(text, options);
    if (spec == NULL)
        RETURN_THROWS();
    struct frazil_php_shared *shared = shared_generator(spec);
    zend_string_release(spec);
    if (shared == NULL)
        RETURN_THROWS();
    object_init_ex(return_value, generator_class);
    frazil_generator_of(Z_OBJ_P(return_value))->gen = shared->gen;
    frazil_generator_of(Z_OBJ_P(return_value))->shared = shared;
    shared->objects++;
}

ZEND_BEGIN_ARG_INFO_EX(args_construct, 0, 0, 0)
ZEND_ARG_TYPE_MASK(0, spec, MAY_BE_STRING | MAY_BE_ARRAY | MAY_BE_NULL, "null")
ZEND_END_ARG_INFO()
ZEND_METHOD(Frazil_Generator, __construct)
{
    struct frazil_php_generator *generator = frazil_generator_of(Z_OBJ_P(ZEND_THIS));
    zend_string *text = NULL;
    HashTable *options = NULL;
    frazil_error err;

    ZEND_PARSE_PARAMETERS_START(0, 1)
    Z_PARAM_OPTIONAL
    Z_PARAM_ARRAY_HT_OR_STR_OR_NULL(options, text)
    ZEND_PARSE_PARAMETERS_END();
    zend_string *spec = frazil_spec(text, options);
    if (spec == NULL)
        RETURN_THROWS();
    if (generator->gen != NULL)
        frazil_throw_usage("the generator was constructed already");
    else if (strlen(ZSTR_VAL(spec)) != ZSTR_LEN(spec))
        frazil_throw_usage("the spec has a zero byte");
    else if (frazil_open(&generator->gen, ZSTR_VAL(spec), &err) != FRAZIL_OK)
        frazil_throw(&err);
    else
        FRAZIL_G(openings)++;
    zend_string_release(spec);
}

/* ---- looking at it --------------------------------------------------------------- */

/* False: an exception was thrown. */
static bool look(zval *object, frazil_info *ret)
{
    frazil *gen = frazil_gen_of(object);

    if (gen == NULL)
        return false;
    frazil_get_info(gen, ret, sizeof *ret);
    return true;
}

FRAZIL_ARGS(args_array, 0, IS_ARRAY, 0)
ZEND_END_ARG_INFO()
ZEND_METHOD(Frazil_Generator, info)
{
    static const char *const KINDS[] = {"memory", "file", "grant", "slots"};
    ZEND_PARSE_PARAMETERS_NONE();
    frazil_info info;

    if (!look(ZEND_THIS, &info))
        RETURN_THROWS();
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
    frazil *gen = frazil_gen_of(ZEND_THIS);
    frazil_health health;

    if (gen == NULL)
        RETURN_THROWS();
    frazil_get_health(gen, &health, sizeof health, NULL);
    array_init(return_value);
    add_assoc_string(return_value, "state",
                     (size_t)health.state < sizeof STATES / sizeof STATES[0] ? STATES[health.state] : "unknown");
    add_assoc_bool(return_value, "serving",
                   health.state == FRAZIL_HEALTH_SERVING || health.state == FRAZIL_HEALTH_NEEDS_GRANT);
    frazil_add_number(return_value, "worker", health.worker);
    add_assoc_bool(return_value, "needs_grant", health.needs_grant != 0);
    if (health.grant_end_unix_ms == INT64_MAX)
        add_assoc_null(return_value, "grant_end_unix_ms");
    else
        add_assoc_long(return_value, "grant_end_unix_ms", health.grant_end_unix_ms);
    add_assoc_string(return_value, "last_error", frazil_err_name((frazil_err)health.last_code));
    frazil_add_number(return_value, "failures", health.failures);
}

ZEND_METHOD(Frazil_Generator, stats)
{
    ZEND_PARSE_PARAMETERS_NONE();
    frazil_stat stats[FRAZIL_STATS_MOST];
    frazil *gen = frazil_gen_of(ZEND_THIS);

    if (gen == NULL)
        RETURN_THROWS();
    size_t count = frazil_get_stats(gen, stats, FRAZIL_STATS_MOST);
    array_init(return_value);
    for (size_t i = 0; i < count; i++)
        frazil_add_number(return_value, stats[i].name, stats[i].value);
}

static void add_event(zval *events, const frazil_event *event)
{
    zval row;

    array_init(&row);
    add_assoc_string(&row, "kind", frazil_event_name(event->kind));
    if (event->code == FRAZIL_OK)
        add_assoc_null(&row, "code");
    else
        add_assoc_string(&row, "code", frazil_err_name((frazil_err)event->code));
    frazil_add_number(&row, "worker", event->worker);
    add_assoc_long(&row, "unix_ms", event->unix_ms);
    frazil_add_number(&row, "value", event->value);
    frazil_add_number(&row, "missed", event->missed);
    add_next_index_zval(events, &row);
}

ZEND_METHOD(Frazil_Generator, events)
{
    ZEND_PARSE_PARAMETERS_NONE();
    frazil *gen = frazil_gen_of(ZEND_THIS);
    struct frazil_php_generator *self = frazil_generator_of(Z_OBJ_P(ZEND_THIS));
    uint64_t *cursor = self->shared == NULL ? &self->cursor : &self->shared->cursor;
    frazil_event event;

    if (gen == NULL)
        RETURN_THROWS();
    array_init(return_value);
    while (frazil_next_event(gen, cursor, &event, sizeof event))
        add_event(return_value, &event);
}

FRAZIL_ARGS(args_int, 0, IS_LONG, 0)
ZEND_END_ARG_INFO()
ZEND_METHOD(Frazil_Generator, available)
{
    ZEND_PARSE_PARAMETERS_NONE();
    frazil_info info;

    if (!look(ZEND_THIS, &info))
        RETURN_THROWS();
    RETURN_LONG((zend_long)info.available);
}

ZEND_BEGIN_ARG_WITH_RETURN_OBJ_INFO_EX(args_layout, 0, 0, Frazil\\Layout, 0)
ZEND_END_ARG_INFO()
ZEND_METHOD(Frazil_Generator, layout)
{
    ZEND_PARSE_PARAMETERS_NONE();
    frazil_info info;

    if (!look(ZEND_THIS, &info))
        RETURN_THROWS();
    frazil_set_layout(return_value, info.layout);
}

FRAZIL_ARGS(args_void, 0, IS_VOID, 0)
ZEND_END_ARG_INFO()
ZEND_METHOD(Frazil_Generator, stop)
{
    ZEND_PARSE_PARAMETERS_NONE();
    frazil *gen = frazil_gen_of(ZEND_THIS);

    struct frazil_php_shared *shared = frazil_generator_of(Z_OBJ_P(ZEND_THIS))->shared;

    if (gen == NULL)
        RETURN_THROWS();
    frazil_stop(gen);
    if (shared != NULL && !shared->is_left)
        forget(gen);
}

ZEND_BEGIN_ARG_WITH_RETURN_OBJ_INFO_EX(args_iterator, 0, 0, Iterator, 0)
ZEND_END_ARG_INFO()
ZEND_METHOD(Frazil_Generator, getIterator)
{
    ZEND_PARSE_PARAMETERS_NONE();
    zend_create_internal_iterator_zval(return_value, ZEND_THIS);
}

/* clang-format off */
static const zend_function_entry generator_methods[] = {
    FRAZIL_STATIC(Frazil_Generator, open, args_open)
    FRAZIL_METHOD(Frazil_Generator, __construct, args_construct)
    FRAZIL_METHOD(Frazil_Generator, info, args_array)
    FRAZIL_METHOD(Frazil_Generator, health, args_array)
    FRAZIL_METHOD(Frazil_Generator, stats, args_array)
    FRAZIL_METHOD(Frazil_Generator, events, args_array)
    FRAZIL_METHOD(Frazil_Generator, available, args_int)
    FRAZIL_METHOD(Frazil_Generator, layout, args_layout)
    FRAZIL_METHOD(Frazil_Generator, stop, args_void)
    FRAZIL_METHOD(Frazil_Generator, getIterator, args_iterator)
    ZEND_FE_END
};
/* clang-format on */

void frazil_register_generator(void)
{
    zend_class_entry ce;

    INIT_CLASS_ENTRY(ce, "Frazil\\Generator", generator_methods);
    generator_class = zend_register_internal_class(&ce);
    zend_register_functions(generator_class, frazil_taking_methods, &generator_class->function_table,
                            MODULE_PERSISTENT);
    generator_class->ce_flags |= ZEND_ACC_FINAL | ZEND_ACC_NO_DYNAMIC_PROPERTIES | ZEND_ACC_NOT_SERIALIZABLE;
    generator_class->create_object = create;
    generator_class->get_iterator = frazil_iterator;
    zend_class_implements(generator_class, 1, zend_ce_aggregate);
    memcpy(&generator_handlers, zend_get_std_object_handlers(), sizeof generator_handlers);
    generator_handlers.offset = XtOffsetOf(struct frazil_php_generator, std);
    generator_handlers.free_obj = free_object;
    generator_handlers.clone_obj = NULL;
    generator_handlers.compare = compare;
    generator_handlers.get_properties_for = properties_for;
}
