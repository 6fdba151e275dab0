/* SPDX-License-Identifier: MIT */
/* Frazil\Layout: where the fields of an id lie. */
#include "php_frazil.h"

struct layout {
    frazil_layout value;
    zend_object std;
};

zend_class_entry *frazil_layout_class;
static zend_object_handlers layout_handlers;

static struct layout *of_object(zend_object *object)
{
    return (struct layout *)((char *)object - XtOffsetOf(struct layout, std));
}

static zend_object *create(zend_class_entry *ce)
{
    struct layout *layout = zend_object_alloc(sizeof *layout, ce);

    memset(&layout->value, 0, sizeof layout->value);
    zend_object_std_init(&layout->std, ce);
    object_properties_init(&layout->std, ce);
    layout->std.handlers = &layout_handlers;
    return &layout->std;
}

static zend_object *clone_object(zend_object *object)
{
    zend_object *copy = create(object->ce);

    of_object(copy)->value = of_object(object)->value;
    zend_objects_clone_members(copy, object);
    return copy;
}

/* Layouts of equal ids are equal, whatever they are called; there is no smaller one. */
static int compare(zval *one, zval *other)
{
    ZEND_COMPARE_OBJECTS_FALLBACK(one, other);
    const frazil_layout *a = &of_object(Z_OBJ_P(one))->value;
    const frazil_layout *b = &of_object(Z_OBJ_P(other))->value;

    return a->tick_ms != 0 && b->tick_ms != 0 && frazil_layout_equal(a, b) ? 0 : ZEND_UNCOMPARABLE;
}

/* The properties that var_dump and JSON show. */
static zend_array *properties_for(zend_object *object, zend_prop_purpose purpose)
{
    const frazil_layout *layout = &of_object(object)->value;
    char text[FRAZIL_FINGERPRINT_SIZE];
    zval shown;

    if (purpose != ZEND_PROP_PURPOSE_DEBUG && purpose != ZEND_PROP_PURPOSE_JSON)
        return zend_std_get_properties_for(object, purpose);
    array_init(&shown);
    if (layout->tick_ms != 0 && frazil_layout_fingerprint(layout, text, sizeof text, NULL) == FRAZIL_OK) {
        add_assoc_string(&shown, "name", layout->name);
        add_assoc_string(&shown, "fingerprint", text);
    }
    return Z_ARR(shown);
}

void frazil_set_layout(zval *ret, const frazil_layout *layout)
{
    object_init_ex(ret, frazil_layout_class);
    of_object(Z_OBJ_P(ret))->value = *layout;
}

/* The layout of an object; NULL: it was never constructed, and an exception was thrown. */
static const frazil_layout *constructed(zend_object *object)
{
    const frazil_layout *layout = &of_object(object)->value;

    if (layout->tick_ms != 0)
        return layout;
    frazil_throw_usage("the layout was not constructed");
    return NULL;
}

zend_string *frazil_layout_text(zend_object *object)
{
    char text[FRAZIL_FINGERPRINT_SIZE];
    const frazil_layout *layout = constructed(object);
    size_t len;

    if (layout == NULL)
        return NULL;
    frazil_err err = frazil_layout_fingerprint(layout, text, sizeof text, &len);
    if (err != FRAZIL_OK) {
        frazil_throw_code(err);
        return NULL;
    }
    return zend_string_init(text, len, 0);
}

static const frazil_layout *layout_of(zval *this)
{
    return constructed(Z_OBJ_P(this));
}

ZEND_BEGIN_ARG_INFO_EX(args_construct, 0, 0, 1)
FRAZIL_ARG(text, IS_STRING)
ZEND_END_ARG_INFO()
ZEND_METHOD(Frazil_Layout, __construct)
{
    frazil_error err;
    char *text;
    size_t len;

    ZEND_PARSE_PARAMETERS_START(1, 1)
    Z_PARAM_STRING(text, len)
    ZEND_PARSE_PARAMETERS_END();
    if (frazil_layout_parse(text, len, &of_object(Z_OBJ_P(ZEND_THIS))->value, &err) != FRAZIL_OK)
        frazil_throw(&err);
}

FRAZIL_ARGS_NUMBER(args_compose, 3)
FRAZIL_ARG_MOMENT(unixMs)
FRAZIL_ARG(worker, IS_LONG)
FRAZIL_ARG(sequence, IS_LONG)
ZEND_END_ARG_INFO()
ZEND_METHOD(Frazil_Layout, compose)
{
    struct frazil_moment moment;
    zend_long worker;
    zend_long sequence;
    frazil_fields fields = {.unix_ms = 0};
    frazil_error err;
    uint64_t id;

    ZEND_PARSE_PARAMETERS_START(3, 3)
    FRAZIL_PARAM_MOMENT(moment)
    Z_PARAM_LONG(worker)
    Z_PARAM_LONG(sequence)
    ZEND_PARSE_PARAMETERS_END();
    const frazil_layout *layout = layout_of(ZEND_THIS);
    if (layout == NULL || !frazil_get_small(worker, "the worker", UINT32_MAX, &fields.worker) ||
        !frazil_get_small(sequence, "the sequence", UINT32_MAX, &fields.sequence) ||
        !frazil_get_moment(&moment, &fields.unix_ms))
        RETURN_THROWS();
    if (frazil_id_compose(layout, &fields, &id, &err) != FRAZIL_OK) {
        frazil_throw(&err);
        RETURN_THROWS();
    }
    frazil_set_number(return_value, id);
}

FRAZIL_ARGS(args_decompose, 1, IS_ARRAY, 0)
FRAZIL_ARG_NUMBER(id)
ZEND_END_ARG_INFO()
ZEND_METHOD(Frazil_Layout, decompose)
{
    frazil_fields fields;
    frazil_error err;
    uint64_t id = 0;
    zval *given;

    ZEND_PARSE_PARAMETERS_START(1, 1)
    Z_PARAM_ZVAL(given)
    ZEND_PARSE_PARAMETERS_END();
    const frazil_layout *layout = layout_of(ZEND_THIS);
    /* of a sno the library says what it is */
    if (layout == NULL || (layout->kind != FRAZIL_LAYOUT_SNO && !frazil_get_number(given, "an id", &id)))
        RETURN_THROWS();
    if (frazil_id_decompose(layout, id, &fields, &err) != FRAZIL_OK) {
        frazil_throw(&err);
        RETURN_THROWS();
    }
    array_init(return_value);
    add_assoc_long(return_value, "unix_ms", fields.unix_ms);
    frazil_add_number(return_value, "worker", fields.worker);
    frazil_add_number(return_value, "sequence", fields.sequence);
    frazil_add_number(return_value, "datacenter", fields.datacenter);
    frazil_add_number(return_value, "worker_in_datacenter", fields.worker_in_datacenter);
}

FRAZIL_ARGS(args_range, 2, IS_ARRAY, 0)
FRAZIL_ARG_MOMENT(fromUnixMs)
FRAZIL_ARG_MOMENT(toUnixMs)
ZEND_END_ARG_INFO()
ZEND_METHOD(Frazil_Layout, range)
{
    struct frazil_moment from_moment;
    struct frazil_moment to_moment;
    frazil_error err;
    int64_t from;
    int64_t to;
    uint64_t first;
    uint64_t last;

    ZEND_PARSE_PARAMETERS_START(2, 2)
    FRAZIL_PARAM_MOMENT(from_moment)
    FRAZIL_PARAM_MOMENT(to_moment)
    ZEND_PARSE_PARAMETERS_END();
    const frazil_layout *layout = layout_of(ZEND_THIS);
    if (layout == NULL || !frazil_get_moment(&from_moment, &from) || !frazil_get_moment(&to_moment, &to))
        RETURN_THROWS();
    if (frazil_id_range(layout, from, to, &first, &last, &err) != FRAZIL_OK) {
        frazil_throw(&err);
        RETURN_THROWS();
    }
    array_init(return_value);
    frazil_add_number(return_value, "first", first);
    frazil_add_number(return_value, "last", last);
}

FRAZIL_ARGS_NUMBER(args_first, 1)
FRAZIL_ARG_MOMENT(unixMs)
ZEND_END_ARG_INFO()
ZEND_METHOD(Frazil_Layout, first)
{
    struct frazil_moment moment;
    int64_t unix_ms;

    ZEND_PARSE_PARAMETERS_START(1, 1)
    FRAZIL_PARAM_MOMENT(moment)
    ZEND_PARSE_PARAMETERS_END();
    const frazil_layout *layout = layout_of(ZEND_THIS);
    if (layout != NULL && frazil_get_moment(&moment, &unix_ms))
        frazil_set_number(return_value, frazil_id_first(layout, unix_ms));
}

FRAZIL_ARGS(args_array, 0, IS_ARRAY, 0)
ZEND_END_ARG_INFO()
ZEND_METHOD(Frazil_Layout, describe)
{
    ZEND_PARSE_PARAMETERS_NONE();
    const frazil_layout *layout = layout_of(ZEND_THIS);
    frazil_layout_info info;

    if (layout == NULL)
        RETURN_THROWS();
    frazil_layout_get_info(layout, &info, sizeof info);
    array_init(return_value);
    add_assoc_string(return_value, "name", layout->name);
    frazil_add_number(return_value, "workers", info.workers);
    frazil_add_number(return_value, "ids_per_tick", info.ids_per_tick);
    frazil_add_number(return_value, "ids_per_second", info.ids_per_second);
    add_assoc_long(return_value, "first_unix_ms", info.first_unix_ms);
    add_assoc_long(return_value, "last_unix_ms", info.last_unix_ms);
    frazil_add_number(return_value, "max_id", info.max_id);
    add_assoc_long(return_value, "sign_bit_unix_ms", info.sign_bit_unix_ms);
    frazil_add_number(return_value, "total_bits", info.total_bits);
    add_assoc_bool(return_value, "reaches_sign_bit", info.reaches_sign_bit != 0);
    add_assoc_bool(return_value, "fits_53_bits", info.fits_53_bits != 0);
}

FRAZIL_ARGS(args_string, 0, IS_STRING, 0)
ZEND_END_ARG_INFO()
ZEND_METHOD(Frazil_Layout, fingerprint)
{
    ZEND_PARSE_PARAMETERS_NONE();
    zend_string *text = frazil_layout_text(Z_OBJ_P(ZEND_THIS));
    if (text == NULL)
        RETURN_THROWS();
    RETURN_STR(text);
}

FRAZIL_ARGS(args_overlap, 2, IS_ARRAY, 0)
ZEND_ARG_OBJ_INFO(0, after, Frazil\\Layout, 0)
FRAZIL_ARG_MOMENT(sinceUnixMs)
ZEND_END_ARG_INFO()
ZEND_METHOD(Frazil_Layout, overlap)
{
    struct frazil_moment moment;
    zend_object *after;
    int64_t since;
    frazil_overlap overlap;
    frazil_error err;

    ZEND_PARSE_PARAMETERS_START(2, 2)
    Z_PARAM_OBJ_OF_CLASS(after, frazil_layout_class)
    FRAZIL_PARAM_MOMENT(moment)
    ZEND_PARSE_PARAMETERS_END();
    const frazil_layout *before = layout_of(ZEND_THIS);
    const frazil_layout *then = before == NULL ? NULL : constructed(after);
    if (then == NULL || !frazil_get_moment(&moment, &since))
        RETURN_THROWS();
    if (frazil_layout_overlap(before, then, since, &overlap, sizeof overlap, &err) != FRAZIL_OK) {
        frazil_throw(&err);
        RETURN_THROWS();
    }
    array_init(return_value);
    frazil_add_number(return_value, "old_last", overlap.old_last);
    frazil_add_number(return_value, "new_first", overlap.new_first);
    add_assoc_long(return_value, "safe_unix_ms", overlap.safe_unix_ms);
    add_assoc_bool(return_value, "can_collide", overlap.can_collide != 0);
    add_assoc_bool(return_value, "can_missort", overlap.can_missort != 0);
    add_assoc_bool(return_value, "ever_safe", overlap.ever_safe != 0);
}

/* clang-format off */
static const zend_function_entry layout_methods[] = {
    FRAZIL_METHOD(Frazil_Layout, __construct, args_construct)
    FRAZIL_METHOD(Frazil_Layout, compose, args_compose)
    FRAZIL_METHOD(Frazil_Layout, decompose, args_decompose)
    FRAZIL_METHOD(Frazil_Layout, range, args_range)
    FRAZIL_METHOD(Frazil_Layout, first, args_first)
    FRAZIL_METHOD(Frazil_Layout, describe, args_array)
    FRAZIL_METHOD(Frazil_Layout, fingerprint, args_string)
    FRAZIL_METHOD(Frazil_Layout, overlap, args_overlap)
    ZEND_FE_END
};
/* clang-format on */

void frazil_register_layout(void)
{
    zend_class_entry ce;

    INIT_CLASS_ENTRY(ce, "Frazil\\Layout", layout_methods);
    frazil_layout_class = zend_register_internal_class(&ce);
    frazil_layout_class->ce_flags |= ZEND_ACC_FINAL | ZEND_ACC_NO_DYNAMIC_PROPERTIES | ZEND_ACC_NOT_SERIALIZABLE;
    frazil_layout_class->create_object = create;
    memcpy(&layout_handlers, zend_get_std_object_handlers(), sizeof layout_handlers);
    layout_handlers.offset = XtOffsetOf(struct layout, std);
    layout_handlers.clone_obj = clone_object;
    layout_handlers.compare = compare;
    layout_handlers.get_properties_for = properties_for;
}
