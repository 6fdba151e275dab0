/* SPDX-License-Identifier: MIT */
/*
 * Ids inside PostgreSQL: what its files know of each other.
 *
 *   module.c      what PostgreSQL calls first
 *   settings.c    the settings, as they were written
 *   errors.c      errors of the library become those of PostgreSQL
 *   worker.c      frazil.worker, understood
 *   options.c     frazil.generators: the options of each generator
 *   owner.c       refuses worker numbers in copies of a data directory
 *   keeper.c      the background worker that holds a lease, or extends grants
 *   generators.c  generators of a backend, inherited or opened, and functions that take ids
 *   past.c        ids for past times
 *   fields.c      the pure functions over ids
 *   ranges.c      ranges of time as ranges of ids, also for the planner
 */
#ifndef FRAZIL_PG_H
#define FRAZIL_PG_H

#include "postgres.h"

#include "fmgr.h"
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

/* Milliseconds from 1970 to 2000, where timestamps begin.  For it include utils/timestamp.h. */
#define POSTGRES_EPOCH_UNIX_MS ((int64)(POSTGRES_EPOCH_JDATE - UNIX_EPOCH_JDATE) * SECS_PER_DAY * 1000)

/* ---- errors.c -------------------------------------------------------------------- */

/* Says err as an ERROR with its SQLSTATE and hint.  Does not return. */
pg_noreturn extern void frazil_pg_fail(frazil_err code, const frazil_error *err);

/* In PG_CATCH: takes the ERROR, which is over then. */
extern void frazil_pg_catch(frazil_error *ret);

/* ---- settings.c ------------------------------------------------------------------ */

/* As the configuration has them; strings are NULL if nothing was said. */
struct frazil_pg_settings {
    bool are_made; /* frazil was preloaded by the postmaster */
    char *worker;
    char *generators;
    char *run_dir;
    char *state_dir;
    char *host_dir;
    int max_wait_ms; /* how long a statement waits for an id */
    bool allow_in_recovery;
    int past_most_s; /* how long ago the times of frazil_at may be */
};

extern struct frazil_pg_settings frazil_pg_settings;

/* Makes the settings known.  In _PG_init of the postmaster only. */
extern void frazil_pg_make_settings(void);

/* ---- worker.c -------------------------------------------------------------------- */

/* Whether the worker number is leased from a coordinator. */
extern bool frazil_pg_is_url(const char *text);

/* Where the worker number comes from.  All but a lease may come with a copy of the data directory. */
typedef enum frazil_pg_source {
    FRAZIL_PG_FIXED,
    FRAZIL_PG_OUTSIDE,    /* env:NAME, ordinal: a copy should have another one */
    FRAZIL_PG_TIMELINE,   /* derived from the timeline: a promotion begins another one */
    FRAZIL_PG_COORDINATOR /* a URL: the background worker leases it, and all backends of the host share it */
} frazil_pg_source;

/* frazil.worker, understood. */
typedef struct frazil_pg_worker {
    frazil_pg_source source;
    char text[1024]; /* as the library's key `worker` takes it */
    char last[32];   /* likewise, the largest one of FRAZIL_PG_TIMELINE */
    uint32 timeline; /* of FRAZIL_PG_TIMELINE, else 0 */
    uint32 number;   /* once a generator has accepted it; not of FRAZIL_PG_COORDINATOR */
} frazil_pg_worker;

/* Reads frazil.worker; an ERROR with what would be right if it cannot be understood, or frazil is not preloaded. */
extern frazil_pg_worker frazil_pg_worker_setting(void);

/* Whether frazil.worker derives the number from the timeline. */
extern bool frazil_pg_is_of_timeline(void);

/* Whether the server that starts follows another one, or recovers from an archive. */
extern bool frazil_pg_starts_as_standby(void);

/* A WARNING if frazil.worker stands where a base backup takes it along. */
extern void frazil_pg_warn_of_copies(void);

/* ---- options.c ------------------------------------------------------------------- */

/* The part that a process has in a lease, or in opening what is no lease. */
enum frazil_pg_role {
    FRAZIL_PG_MEMBER,    /* a backend: finds the lease, or none */
    FRAZIL_PG_KEEPER,    /* the background worker: takes and extends it */
    FRAZIL_PG_POSTMASTER /* opens what is no lease, and waits for nobody long */
};

/*
 * Options for the generator of that name, to be freed by the caller, and worker->number; an ERROR if there is none, or
 * its settings cannot be right.
 */
extern frazil_options *frazil_pg_options(const char *name, frazil_pg_worker *worker, enum frazil_pg_role role);

/* The name of the generator at that place of frazil.generators, from 0 on; false: there are not so many. */
extern bool frazil_pg_generator_name(int place, char ret[NAMEDATALEN]);

/* frazil_pg_worker_setting with the number, for the first of the generators.  Not for FRAZIL_PG_COORDINATOR. */
extern frazil_pg_worker frazil_pg_any_number(void);

/* The layout of the generator of that name; an ERROR if there is none, or its settings cannot be right. */
extern frazil_layout frazil_pg_layout_of(const char *name);

/* Finds a generator whose ids are bigints of another layout.  One whose spec cannot be right makes none. */
extern bool frazil_pg_find_other_layout(const frazil_layout *layout, char ret[NAMEDATALEN]);

/* ---- generators.c ----------------------------------------------------------------- */

/*
 * In _PG_init of the postmaster: opens all generators, for the processes that it forks.  Not for FRAZIL_PG_COORDINATOR.
 * Fails only by a line in the log.
 */
extern void frazil_pg_prepare(void);

/* In the background worker: extends the grants of what the postmaster has opened.  false: it has opened nothing. */
extern bool frazil_pg_keep_prepared(void);

/*
 * Takes an id, for which it may wait, of the generator of that name, and returns the generator.  Also of the one of
 * frazil_at.
 */
extern frazil *frazil_pg_take(const char *name, uint64 *ret_id);

/* ---- past.c ----------------------------------------------------------------------- */

/* Whether this is the generator of frazil_at, of which nothing else takes ids. */
extern bool frazil_pg_is_past(const char *generator);

/* In _PG_init of the postmaster: makes the counters, if frazil.generators names that generator. */
extern void frazil_pg_make_past(void);

/* In the postmaster, which has opened that generator: begins with the present. */
extern void frazil_pg_begin_past(frazil *gen);

/*
 * In the background worker, at each look: opens that generator where the server started as a standby, and keeps it.
 * Fails only by a line in the log.  false: it started as no standby, or has no such generator.
 */
extern bool frazil_pg_hold_past(void);

/*
 * Before this process closes that generator, if it has it: from then on another server may have it.  is_lost: another
 * one may have had it already.
 */
extern void frazil_pg_leave_past(bool is_lost);

/* ---- fields.c -------------------------------------------------------------------- */

/*
 * The layout of the generator main, which calls without a layout use.  An ERROR if there is none, if another generator
 * has another one, or if frazil is not preloaded.
 */
extern const frazil_layout *frazil_pg_main_layout(void);

/* The layout that this argument of a call (from 0 on) names; without such an argument that of the generator main. */
extern const frazil_layout *frazil_pg_layout_argument(FunctionCallInfo fcinfo, int argument);

/* ---- ranges.c -------------------------------------------------------------------- */

/* The smallest id whose time is `at` (a TimestampTz) or later; PG_INT64_MAX where there is none that bigint holds. */
extern int64 frazil_pg_first_at(const frazil_layout *layout, int64 at);

/* ---- keeper.c -------------------------------------------------------------------- */

/* Has the postmaster start the background worker.  In _PG_init of the postmaster only. */
extern void frazil_pg_register_keeper(void);

extern PGDLLEXPORT void frazil_pg_keeper_main(Datum arg);

/* ---- owner.c --------------------------------------------------------------------- */

/*
 * At the start of the postmaster, in _PG_init: writes down whose the worker number is, and has a background worker look
 * again when a recovery is over.  Fails only by a WARNING.
 */
extern void frazil_pg_note_start(void);

/*
 * Refuses (ERROR) a worker number that another data directory has, of which this one is a copy.  Any other is this
 * one's from now on.
 */
extern void frazil_pg_check_owner(const frazil_pg_worker *worker);

/* Makes the number this data directory's, no matter which one had it before. */
extern void frazil_pg_adopt(const frazil_pg_worker *worker);

extern PGDLLEXPORT void frazil_pg_owner_main(Datum arg);

#endif
