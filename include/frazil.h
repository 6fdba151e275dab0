/* SPDX-License-Identifier: MIT */
/*
 * frazil: one engine for every id of the Snowflake family.
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
 * The headers by subject: error.h, layout.h, time.h, text.h, sno.h, clock.h,
 * coordinator.h, granter.h, generator.h, lease.h.  frazil/opaque.h and frazil/parts.h belong to
 * libraries of their own.
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
#include "frazil/sno.h"
#include "frazil/text.h"
#include "frazil/time.h"

FRAZIL_BEGIN_DECLS

/* The version of these headers, whose parts follow Semantic Versioning. */
#define FRAZIL_VERSION "0.1.0"
#define FRAZIL_VERSION_MAJOR 0 /* raised when programs have to change */
#define FRAZIL_VERSION_MINOR 1 /* raised when something is added; before 1.0, also when programs have to change */
#define FRAZIL_VERSION_PATCH 0 /* raised when something is mended */

/* The version of the library that is running, "0.1.0".  Never freed.  Any thread. */
FRAZIL_API const char *frazil_version(void);

FRAZIL_END_DECLS

#endif
