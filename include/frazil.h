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
 * - A function that can explain its failure takes the caller's frazil_error as its last argument, reterr, which may be
 *   NULL.
 * - _open creates a handle, and _close frees it.  A handle is closed once; closing NULL does nothing.
 * - _get_ fills a struct that may grow.  Its size argument is the sizeof of the program's own struct.  The rest of a
 *   longer one (newer header) becomes zero; a shorter one (older header) gets the members that it has.  A struct
 *   without a size grows only into its reserved members.  These are 0, and a program sets them to 0 in a struct that it
 *   fills.
 * - flags are 0 or the named bits; any other bit is FRAZIL_EINVAL.
 * - An enum is an int.  Later versions may add values, and no value ever changes its meaning.
 * - A macro for a buffer size, such as FRAZIL_TEXT_SIZE, is large enough for every version with this soname.
 * - The library never prints, exits, installs a signal handler, or keeps an error in hidden
 *   state.
 *
 * Signals: no function of frazil may be called from a signal handler.
 *
 * frazil(7) explains how ids stay unique, and frazil.spec(5) lists all settings of a generator.  frazil/admin.h,
 * frazil/coordinators.h, frazil/extras.h and frazil/opaque.h belong to separate libraries.
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

/* The version of these headers, which follows Semantic Versioning. */
#define FRAZIL_VERSION "1.0.0"
#define FRAZIL_VERSION_MAJOR 1 /* raised when programs must change */
#define FRAZIL_VERSION_MINOR 0 /* raised when something is added */
#define FRAZIL_VERSION_PATCH 0 /* raised for bug fixes */

/* The same as one increasing number: major * 1,000,000 + minor * 1,000 + patch. */
#define FRAZIL_VERSION_NUMBER (FRAZIL_VERSION_MAJOR * 1000000 + FRAZIL_VERSION_MINOR * 1000 + FRAZIL_VERSION_PATCH)
FRAZIL_API uint32_t frazil_version_number(void);

/*
 * Whether a library with this version number suits programs compiled with these headers.  It has the same major version
 * and the same or a newer minor one.  For bindings, which load whatever library is installed.
 */
#define FRAZIL_VERSION_FITS(number)                                                                                    \
    ((number) / 1000000 == FRAZIL_VERSION_MAJOR && (number) / 1000 % 1000 + 1 > FRAZIL_VERSION_MINOR)

/* The version of the loaded library, "1.2.3".  Never freed.  Any thread. */
FRAZIL_API const char *frazil_version(void);

/* A constant of these headers.  It does not grow. */
typedef struct frazil_constant {
    const char *name; /* "FRAZIL_EFULL".  Never freed */
    int64_t value;    /* an unsigned 64-bit constant has the same 64 bits here */
} frazil_constant;

/*
 * Fills ret with at most n of the numeric macros and enumerators of this header and frazil/extras.h, for languages that
 * cannot read headers.  Returns how many there are, which may be more than n.  The order may change between versions.
 * ret may be NULL if n is 0.  Any thread.
 */
FRAZIL_API size_t frazil_get_constants(frazil_constant *ret, size_t n);

FRAZIL_END_DECLS

#endif
