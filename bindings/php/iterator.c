/* SPDX-License-Identifier: MIT */
/* Frazil\Generator in foreach: ids without an end.  Each round takes one. */
#include "php_frazil.h"

#include "zend_interfaces.h"

struct iterator {
    zend_object_iterator std;
    zval id; /* undefined: there was none, and an exception was thrown */
    zend_ulong number;
};

static void drop(zend_object_iterator *it)
{
    zval_ptr_dtor(&it->data);
}

static zend_result is_valid(zend_object_iterator *it)
{
    return Z_ISUNDEF(((struct iterator *)it)->id) ? FAILURE : SUCCESS;
}

static zval *current(zend_object_iterator *it)
{
    return &((struct iterator *)it)->id;
}

static void key(zend_object_iterator *it, zval *ret)
{
    ZVAL_LONG(ret, (zend_long)((struct iterator *)it)->number);
}

static void take(struct iterator *it)
{
    zend_call_method_with_0_params(Z_OBJ(it->std.data), Z_OBJCE(it->std.data), NULL, "next", &it->id);
}

static void move_forward(zend_object_iterator *it)
{
    ((struct iterator *)it)->number++;
    take((struct iterator *)it);
}

static void begin(zend_object_iterator *it)
{
    ((struct iterator *)it)->number = 0;
    take((struct iterator *)it);
}

static const zend_object_iterator_funcs functions = {
    .dtor = drop,
    .valid = is_valid,
    .get_current_data = current,
    .get_current_key = key,
    .move_forward = move_forward,
    .rewind = begin,
};

zend_object_iterator *frazil_iterator(zend_class_entry *ce, zval *object, int by_ref)
{
    (void)ce;
    if (by_ref) {
        zend_throw_error(NULL, "An iterator cannot be used with foreach by reference");
        return NULL;
    }
    struct iterator *it = emalloc(sizeof *it);
    zend_iterator_init(&it->std);
    ZVAL_OBJ_COPY(&it->std.data, Z_OBJ_P(object));
    it->std.funcs = &functions;
    it->number = 0;
    ZVAL_UNDEF(&it->id);
    return &it->std;
}
