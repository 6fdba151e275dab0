/* SPDX-License-Identifier: MIT */
/*
 * Ids inside PostgreSQL: what its files know of each other.
 *
 *   settings.c    settings become a spec
 *   owner.c       refuses copies of a data directory
 *   keeper.c      the background worker that holds a lease
 *   generators.c  generators of a backend, and functions that take ids
 *   fields.c      the pure functions over ids
 */
#ifndef FRAZIL_PG_H
#define FRAZIL_PG_H

#include "postgres.h"

#include "frazil.h"

/* ---- versions of PostgreSQL ------------------------------------------------------ */

#if PG_VERSION_NUM < 180000
#define pg_noreturn pg_attribute_noreturn()
#endif

#if PG_VERSION_NUM < 150000
#define MarkGUCPrefixReserved(prefix) EmitWarningsOnPlaceholders(prefix)
/* RecoveryInProgress() has set it when it says no. */
#define GetWALInsertionTimeLine() ThisTimeLineID
#endif

/* ---- settings.c ------------------------------------------------------------------ */

/* frazil.max_wait, in milliseconds: how long a statement waits for an id. */
extern int frazil_pg_max_wait_ms;
/* frazil.allow_in_recovery */
extern bool frazil_pg_allow_in_recovery;

/* Where the worker number comes from. */
typedef enum frazil_pg_source {
    FRAZIL_PG_FIXED,      /* said, and copied with the data directory: has to have an owner */
    FRAZIL_PG_OUTSIDE,    /* env:NAME, ordinal: comes from where a copy has another one */
    FRAZIL_PG_TIMELINE,   /* derived from the timeline: a promotion begins another one */
    FRAZIL_PG_COORDINATOR /* a URL: the background worker leases it, and all backends of the host share it */
} frazil_pg_source;

/* frazil.worker, understood. */
typedef struct frazil_pg_worker {
    frazil_pg_source source;
    char text[1024]; /* as the library's key `worker` takes it */
    char last[32];   /* likewise, the largest one of FRAZIL_PG_TIMELINE */
} frazil_pg_worker;

/* Reads frazil.worker; an ERROR with what would be right if it cannot be understood, or frazil is not preloaded. */
extern frazil_pg_worker frazil_pg_worker_setting(void);

/* A WARNING if frazil.worker stands where a base backup takes it along. */
extern void frazil_pg_warn_of_copies(void);

/* The part that a process has in a lease. */
enum frazil_pg_role {
    FRAZIL_PG_MEMBER, /* a backend: finds the lease, or none */
    FRAZIL_PG_KEEPER  /* the background worker: takes and extends it */
};

/*
 * Options for the generator of that name, to be freed by the caller; an ERROR if there is none.  The role matters with
 * FRAZIL_PG_COORDINATOR only.
 */
extern frazil_options *frazil_pg_options(const char *name, const frazil_pg_worker *worker, enum frazil_pg_role role);

/* The name of the generator at that place of frazil.generators, from 0 on; false: there are not so many. */
extern bool frazil_pg_generator_name(int place, char ret[NAMEDATALEN]);

/* Says err as an ERROR with its SQLSTATE and hint.  Does not return. */
pg_noreturn extern void frazil_pg_fail(frazil_err code, const frazil_error *err);

/* ---- keeper.c -------------------------------------------------------------------- */

/* Has the postmaster start the background worker.  In _PG_init of the postmaster only. */
extern void frazil_pg_register_keeper(void);

extern PGDLLEXPORT void frazil_pg_keeper_main(Datum arg);

/* ---- owner.c --------------------------------------------------------------------- */

/*
 * Refuses (ERROR) to go on if the data directory is a copy of the one that the worker number was first used in.  The
 * first caller makes it the owner.
 */
extern void frazil_pg_check_owner(const char *worker);

/* Makes this data directory the owner, whoever was it before. */
extern void frazil_pg_adopt(const char *worker);

#endif
