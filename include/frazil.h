/* SPDX-License-Identifier: MIT */
/*
 * One engine for every id of the Snowflake family.
 *
 *   frazil *gen;
 *   frazil_error err;
 *   uint64_t id;
 *   if (frazil_open(&gen, "layout=twitter worker=fixed:7", &err) != FRAZIL_OK)
 *       errx(1, "%s", err.message);
 *   if (frazil_next(gen, &id) == FRAZIL_OK)
 *       printf("%" PRIu64 "\n", id);
 *   frazil_close(gen);
 *
 * Conventions of the whole library:
 * - A function that can fail returns frazil_err; 0 (FRAZIL_OK) is success.
 * - On failure nothing has changed: outputs named ret_* are untouched and the
 *   generator is as if the call had not been made.
 * - A function that can tell why it failed takes a frazil_error of the caller's as
 *   its last argument, reterr, which may be NULL.
 * - _open makes a thing, and _close ends it: any thing, once, and NULL is allowed.
 * - _get_ fills a struct that may grow.  Its size argument is sizeof of the program's own struct: a longer one of a
 *   newer header is filled up with zeros, a shorter one of an older header as far as it goes.  A struct without a size
 *   does not grow, but into its reserved members.  They are 0, also in structs that a program fills.
 * - flags are 0 or the named bits; another bit is FRAZIL_EINVAL.
 * - An enum is an int.  Later versions may add values to it, and no value ever changes its meaning.
 * - A macro that says a size, such as FRAZIL_TEXT_SIZE, is enough for every version with this soname.
 * - The library never prints, exits, installs a signal handler, or keeps an error in hidden
 *   state.
 *
 * Signals: nothing of frazil may be called from a signal handler, whatever it does.
 *
 * frazil(7) explains how ids stay unique, and frazil.spec(5) has all that a generator can be told.  frazil/admin.h,
 * frazil/coordinators.h, frazil/extras.h and frazil/opaque.h belong to libraries of their own.
 */
#ifndef FRAZIL_H
#define FRAZIL_H

#include "frazil/base.h"
#include "frazil/clock.h"
#include "frazil/coordinator.h"
#include "frazil/error.h"
#include "frazil/generator.h"
#include "frazil/granter.h"
#include "frazil/layout.h"
#include "frazil/lease.h"
#include "frazil/observe.h"
#include "frazil/options.h"
#include "frazil/sno.h"
#include "frazil/text.h"
#include "frazil/time.h"

FRAZIL_BEGIN_DECLS

/* The version of these headers, whose parts follow Semantic Versioning. */
#define FRAZIL_VERSION "0.2.0"
#define FRAZIL_VERSION_MAJOR 0 /* raised when programs have to change */
#define FRAZIL_VERSION_MINOR 2 /* raised when something is added; before 1.0, also when programs have to change */
#define FRAZIL_VERSION_PATCH 0 /* raised when something is mended */

/* The same as a number that grows: 1,000,000 of the first part, 1,000 of the second, 1 of the third. */
#define FRAZIL_VERSION_NUMBER (FRAZIL_VERSION_MAJOR * 1000000 + FRAZIL_VERSION_MINOR * 1000 + FRAZIL_VERSION_PATCH)
FRAZIL_API uint32_t frazil_version_number(void);

/*
 * Whether a library of this version number has what programs compiled with these headers need: their major version, and
 * their minor one or a newer one; before 1.0 their minor version.  For bindings, which load whatever is there.
 */
#define FRAZIL_VERSION_FITS(number)                                                                                    \
    ((number) / 1000000 == FRAZIL_VERSION_MAJOR &&                                                                     \
     (FRAZIL_VERSION_MAJOR == 0 ? (number) / 1000 == FRAZIL_VERSION_MINOR                                              \
                                : (number) / 1000 % 1000 + 1 > FRAZIL_VERSION_MINOR))

/* The version of the library that is running, "1.2.3".  Never freed.  Any thread. */
FRAZIL_API const char *frazil_version(void);

/* A constant of these headers.  It does not grow. */
typedef struct frazil_constant {
    const char *name; /* "FRAZIL_EFULL".  Never freed */
    int64_t value;    /* an unsigned 64-bit constant has the same 64 bits here */
} frazil_constant;

/*
 * Fills ret with the numbers among the macros and enumerators of this header and frazil/extras.h, n at the most, for
 * languages that cannot see them.  Returns how many there are, which may be more than n.  The order may change between
 * versions.  ret may be NULL if n is 0.  Any thread.
 */
FRAZIL_API size_t frazil_get_constants(frazil_constant *ret, size_t n);

FRAZIL_END_DECLS

#endif
