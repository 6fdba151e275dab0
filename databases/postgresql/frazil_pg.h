/* SPDX-License-Identifier: MIT */
/*
 * Ids inside PostgreSQL: what its files know of each other.
 *
 *   settings.c    frazil.worker and the others: text becomes a spec
 *   owner.c       whose worker number a data directory has: a copy of it is refused
 *   generators.c  a backend's generators, and the functions that take ids
 *   fields.c      the pure functions over ids
 */
#ifndef FRAZIL_PG_H
#define FRAZIL_PG_H

#include "postgres.h"

#include "frazil.h"

/* ---- settings.c ------------------------------------------------------------------ */

/* frazil.max_wait, in milliseconds: how long a statement waits for an id. */
extern int frazil_pg_max_wait_ms;
/* frazil.allow_in_recovery */
extern bool frazil_pg_allow_in_recovery;

/* Where the worker number comes from. */
typedef enum frazil_pg_source {
    FRAZIL_PG_FIXED,   /* said, and copied with the data directory: has to have an owner */
    FRAZIL_PG_OUTSIDE, /* env:NAME, ordinal: comes from where a copy has another one */
    FRAZIL_PG_TIMELINE /* derived from the timeline: a promotion begins another one */
} frazil_pg_source;

/* frazil.worker, understood. */
typedef struct frazil_pg_worker {
    frazil_pg_source source;
    char text[128]; /* as the library's key `worker` takes it */
} frazil_pg_worker;

/* Reads frazil.worker; an ERROR that says what would be right if it cannot be understood. */
extern frazil_pg_worker frazil_pg_worker_setting(void);

/* Options for the generator of that name, to be freed by the caller; an ERROR if there is none. */
extern frazil_options *frazil_pg_options(const char *name, const frazil_pg_worker *worker);

/* Says err as an ERROR with its SQLSTATE and hint.  Does not return. */
extern void frazil_pg_fail(frazil_err code, const frazil_error *err) pg_attribute_noreturn();

/* ---- owner.c --------------------------------------------------------------------- */

/*
 * Refuses (ERROR) to go on if the data directory is a copy of the one that the worker number was first used in.  The
 * first caller makes it the owner.
 */
extern void frazil_pg_check_owner(const char *worker);

/* Makes this data directory the owner, whoever was it before. */
extern void frazil_pg_adopt(const char *worker);

#endif
