/* SPDX-License-Identifier: MIT */
/*
 * frazil for PHP: what its files know of each other.
 *
 *   module.c          the module and its globals.
 *   exceptions.c      Frazil\Exception and a class for each class of errors.
 *   spec.c            specs, as text and as arrays.
 *   iterator.c        Frazil\Generator in foreach.
 *   values.c          ids that an int of PHP cannot hold, and arrays.
 *   generator.c       Frazil\Generator: opening it, and looking at it.
 *   generator_take.c  Frazil\Generator: taking ids and snos from it.
 *   layout.c          Frazil\Layout.
 *   id.c              Frazil\Id and Frazil\Time: pure functions.
 *   sno.c             Frazil\Sno: pure functions over 80-bit snos.
 */
#ifndef PHP_FRAZIL_H
#define PHP_FRAZIL_H

#if defined(HAVE_CONFIG_H)
#include "config.h"
#endif

#include "php.h"

#include "ext/date/php_date.h" /* knows nothing without the other */

#include "frazil.h"
#ifndef FRAZIL_KASUMI_CHECKED /* the two-file form has it inside */
#include <frazil/extras.h>
#endif

extern zend_module_entry frazil_module_entry;
#define phpext_frazil_ptr &frazil_module_entry

/*
 * The generators of Frazil\Generator::open by spec: they live as long as the process, or the thread of it.  How many
 * were opened, by open() or `new`, is what phpinfo() says.
 */
ZEND_BEGIN_MODULE_GLOBALS(frazil)
HashTable *generators;
zend_ulong openings;
ZEND_END_MODULE_GLOBALS(frazil)
ZEND_EXTERN_MODULE_GLOBALS(frazil)
#define FRAZIL_G(member) ZEND_MODULE_GLOBALS_ACCESSOR(frazil, member)
#if defined(ZTS) && defined(COMPILE_DL_FRAZIL)
ZEND_TSRMLS_CACHE_EXTERN()
#endif

/* ---- exceptions.c ---------------------------------------------------------------- */

extern void frazil_register_exceptions(void);

/* Throws the exception of the error's class. */
extern void frazil_throw(const frazil_error *err);

/* Throws a Frazil\UsageException with FRAZIL_EINVAL. */
extern void frazil_throw_usage(const char *sentence);

/* Throws the exception of that error, with the sentence of the table. */
extern void frazil_throw_code(frazil_err code);

/* ---- values.c -------------------------------------------------------------------- */

/* An unsigned number as a value of PHP: an int, or its decimal text above PHP_INT_MAX. */
extern void frazil_set_number(zval *ret, uint64_t number);

/* An unsigned number given as an int or as decimal text; false: an exception was thrown. */
extern bool frazil_get_number(const zval *value, const char *what, uint64_t *ret);

/* Adds it to an array. */
extern void frazil_add_number(zval *array, const char *key, uint64_t number);

/* An int within 0 and max; false: an exception was thrown. */
extern bool frazil_get_small(zend_long value, const char *what, uint32_t max, uint32_t *ret);

/* The text form of that name; false: an exception was thrown. */
extern bool frazil_get_form(const char *name, frazil_text *ret);

/* A moment that a caller gives: as an object of DateTimeInterface, or, where that is NULL, in Unix milliseconds. */
struct frazil_moment {
    zend_object *object;
    zend_long unix_ms;
};

/* The Unix milliseconds of a moment; false: an exception was thrown. */
extern bool frazil_get_moment(const struct frazil_moment *moment, int64_t *ret_unix_ms);

/* An object of DateTimeInterface as RFC 3339, to the millisecond; NULL: an exception was thrown. */
extern zend_string *frazil_moment_text(zend_object *moment);

/* ---- spec.c ---------------------------------------------------------------------- */

/* The spec that a text or an array says, both of which may be NULL; NULL: an exception was thrown. */
extern zend_string *frazil_spec(zend_string *text, HashTable *options);

/* ---- iterator.c ------------------------------------------------------------------ */

/* The ids of a generator, for foreach. */
extern zend_object_iterator *frazil_iterator(zend_class_entry *ce, zval *object, int by_ref);

/* ---- generator.c ----------------------------------------------------------------- */

struct frazil_php_generator {
    frazil *gen;                      /* NULL: it was never constructed */
    uint64_t cursor;                  /* behind the last event that was read from what is the object's own */
    struct frazil_php_shared *shared; /* what open() gave; NULL: the object's own */
    zend_object std;
};

static zend_always_inline struct frazil_php_generator *frazil_generator_of(zend_object *object)
{
    return (struct frazil_php_generator *)((char *)object - XtOffsetOf(struct frazil_php_generator, std));
}

/* The generator of $this; NULL: it was never constructed, and an exception was thrown. */
static zend_always_inline frazil *frazil_gen_of(zval *this)
{
    frazil *gen = frazil_generator_of(Z_OBJ_P(this))->gen;

    if (UNEXPECTED(gen == NULL))
        frazil_throw_usage("the generator was not constructed");
    return gen;
}

/* ---- generator_take.c ------------------------------------------------------------ */

/* The methods that take; the class has them beside those of generator.c. */
extern const zend_function_entry frazil_taking_methods[];

/* ---- classes --------------------------------------------------------------------- */

extern zend_class_entry *frazil_layout_class;
extern void frazil_register_generator(void);
extern void frazil_register_layout(void);
extern void frazil_register_id(void);
extern void frazil_register_sno(void);
extern void frazil_close_generators(HashTable *generators);

/* A Frazil\Layout of that layout. */
extern void frazil_set_layout(zval *ret, const frazil_layout *layout);

/* The fingerprint of a Frazil\Layout; NULL: an exception was thrown. */
extern zend_string *frazil_layout_text(zend_object *layout);

/* ---- for argument information, which Zend's macros make long ---------------------- */

#define FRAZIL_ARGS(name, required, type, may_be_null)                                                                 \
    ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(name, 0, required, type, may_be_null)
#define FRAZIL_ARGS_NUMBER(name, required)                                                                             \
    ZEND_BEGIN_ARG_WITH_RETURN_TYPE_MASK_EX(name, 0, required, MAY_BE_LONG | MAY_BE_STRING)
#define FRAZIL_ARG(name, type) ZEND_ARG_TYPE_INFO(0, name, type, 0)
#define FRAZIL_ARG_MOMENT(name) ZEND_ARG_OBJ_TYPE_MASK(0, name, DateTimeInterface, MAY_BE_LONG, NULL)
#define FRAZIL_PARAM_MOMENT(moment)                                                                                    \
    Z_PARAM_OBJ_OF_CLASS_OR_LONG((moment).object, php_date_get_interface_ce(), (moment).unix_ms)
#define FRAZIL_ARG_NUMBER(name) ZEND_ARG_TYPE_MASK(0, name, MAY_BE_LONG | MAY_BE_STRING, NULL)
#define FRAZIL_STATIC(class, name, args) ZEND_ME(class, name, args, ZEND_ACC_PUBLIC | ZEND_ACC_STATIC)
#define FRAZIL_METHOD(class, name, args) ZEND_ME(class, name, args, ZEND_ACC_PUBLIC)

#endif
