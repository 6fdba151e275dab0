/* SPDX-License-Identifier: MIT */
#include "php_frazil.h"

#include "ext/spl/spl_exceptions.h"
#include "zend_exceptions.h"

static zend_class_entry *interface; /* Frazil\Exception */
static zend_class_entry *usage_class;
static zend_class_entry *retry_class;
static zend_class_entry *fenced_class;
static zend_class_entry *fatal_class;

static zend_class_entry *class_of(int32_t err_class)
{
    switch (err_class) {
    case FRAZIL_CLASS_USAGE:
        return usage_class;
    case FRAZIL_CLASS_RETRY:
        return retry_class;
    case FRAZIL_CLASS_FENCED:
        return fenced_class;
    default:
        return fatal_class;
    }
}

void frazil_throw(const frazil_error *err)
{
    zval exception;

    object_init_ex(&exception, class_of(err->err_class));
    zend_object *object = Z_OBJ(exception);
    zend_update_property_string(object->ce, object, ZEND_STRL("message"), err->message);
    zend_update_property_long(object->ce, object, ZEND_STRL("code"), err->code);
    zend_update_property_string(object->ce, object, ZEND_STRL("error"), frazil_err_name((frazil_err)err->code));
    zend_update_property_string(object->ce, object, ZEND_STRL("errorClass"),
                                frazil_err_class_name((frazil_err_class)err->err_class));
    zend_update_property_long(object->ce, object, ZEND_STRL("retryNs"),
                              err->retry_ns > ZEND_LONG_MAX ? ZEND_LONG_MAX : (zend_long)err->retry_ns);
    zend_update_property_long(object->ce, object, ZEND_STRL("behindUs"), err->behind_us);
    zend_update_property_long(object->ce, object, ZEND_STRL("errno"), err->sys_errno);
    if (err->position != FRAZIL_NO_POSITION)
        zend_update_property_long(object->ce, object, ZEND_STRL("position"), err->position);
    zend_throw_exception_object(&exception);
}

static void throw_sentence(frazil_err code, const char *sentence)
{
    frazil_error err = {.code = code, .err_class = (int32_t)frazil_err_classify(code), .position = FRAZIL_NO_POSITION};

    snprintf(err.message, sizeof err.message, "%s", sentence);
    frazil_throw(&err);
}

void frazil_throw_usage(const char *sentence)
{
    throw_sentence(FRAZIL_EINVAL, sentence);
}

void frazil_throw_code(frazil_err code)
{
    throw_sentence(code, frazil_strerror(code));
}

static zend_class_entry *register_class(const char *name, zend_class_entry *parent)
{
    zend_class_entry ce;

    INIT_CLASS_ENTRY_EX(ce, name, strlen(name), NULL);
    zend_class_entry *class = zend_register_internal_class_ex(&ce, parent);
    zend_class_implements(class, 1, interface);
    zend_declare_property_string(class, ZEND_STRL("error"), "", ZEND_ACC_PUBLIC);
    zend_declare_property_string(class, ZEND_STRL("errorClass"), "", ZEND_ACC_PUBLIC);
    zend_declare_property_long(class, ZEND_STRL("retryNs"), 0, ZEND_ACC_PUBLIC);
    zend_declare_property_long(class, ZEND_STRL("behindUs"), 0, ZEND_ACC_PUBLIC);
    zend_declare_property_long(class, ZEND_STRL("errno"), 0, ZEND_ACC_PUBLIC);
    zend_declare_property_null(class, ZEND_STRL("position"), ZEND_ACC_PUBLIC);
    return class;
}

void frazil_register_exceptions(void)
{
    zend_class_entry ce;

    INIT_CLASS_ENTRY(ce, "Frazil\\Exception", NULL);
    interface = zend_register_internal_interface(&ce);
    zend_class_implements(interface, 1, zend_ce_throwable);
    usage_class = register_class("Frazil\\UsageException", spl_ce_InvalidArgumentException);
    retry_class = register_class("Frazil\\RetryException", spl_ce_RuntimeException);
    fenced_class = register_class("Frazil\\FencedException", spl_ce_RuntimeException);
    fatal_class = register_class("Frazil\\FatalException", spl_ce_RuntimeException);
}
