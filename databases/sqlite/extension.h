/* SPDX-License-Identifier: MIT */
/*
 * Ids inside SQLite: what its files know of each other.  `amalgamate` joins them into frazil_sqlite.c.
 *
 *   specs.c       what each generator's name stands for
 *   generators.c  the generators of a connection, and taking from them
 *   functions.c   the functions of SQL
 *   series.c      the table-valued function frazil_series
 *   extension.c   what SQLite calls first
 *
 * A connection has its openings of generators, and closes them when it closes; frazil_open_shared makes one generator
 * out of the openings of a process.  So nothing here needs a lock: SQLite calls a connection's functions one at a time.
 */
#ifndef FZ_SQLITE_EXTENSION_H
#define FZ_SQLITE_EXTENSION_H

#if defined(__linux__) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE /* secure_getenv, dladdr */
#endif

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "frazil.h"

#if defined(SQLITE_CORE)
#include <sqlite3.h>
#else
#include <sqlite3ext.h>
SQLITE_EXTENSION_INIT3
#endif

#include "frazil_sqlite.h"

#if SQLITE_VERSION_NUMBER < 3031000
#error "the extension needs the headers of SQLite 3.31 or later"
#endif

#if defined(_WIN32)
#define FZ_EXPORT __declspec(dllexport)
#else
#define FZ_EXPORT __attribute__((visibility("default")))
#endif

#ifndef FZ_PRIVATE
#define FZ_PRIVATE /* of several files; the one file that they become says static */
#endif

#define FZ_SQLITE_ENVIRONMENT "FRAZIL_SQLITE_"
#define FZ_SQLITE_MAIN "main"
enum { FZ_SQLITE_NAME_SIZE = 64 };

/* ---- specs.c --------------------------------------------------------------------- */

FZ_PRIVATE bool fz_sqlite_is_name(const char *name);

/* Whether there is a generator of that name; *ret_spec is NULL where FRAZIL_WORKER and its kin say it all. */
FZ_PRIVATE bool fz_sqlite_find_spec(const char *name, const char **ret_spec);

/* Says that there is no generator of that name, or that it is no name. */
FZ_PRIVATE frazil_err fz_sqlite_no_generator(const char *name, frazil_error *reterr);

/* ---- generators.c ---------------------------------------------------------------- */

/* All functions of one connection share it. */
struct fz_sqlite_connection {
    struct fz_sqlite_opened *generators;       /* the one that was used last comes first */
    unsigned users;                            /* functions and modules that still have it */
    bool is_looked_at;                         /* whether the layout of the generator main is known */
    char of_other_layout[FZ_SQLITE_NAME_SIZE]; /* a generator whose layout is not the default; empty: none is known */
};

/* One user less; the last one closes the generators. */
FZ_PRIVATE void fz_sqlite_release(void *connection);

/* The connection's generator of that name, opened where it is not.  NULL: *reterr says why. */
FZ_PRIVATE frazil *fz_sqlite_generator(struct fz_sqlite_connection *connection, const char *name, frazil_error *reterr);

/* An id that SQLite can hold.  The error, of a kilobyte, is touched only where there is one. */
FZ_PRIVATE frazil_err fz_sqlite_take(frazil *gen, uint64_t *ret_id, frazil_error *reterr);

/*
 * A generator whose ids a call without a layout would misread: main, or one that the connection has opened.  NULL:
 * there is none.
 */
FZ_PRIVATE const char *fz_sqlite_of_other_layout(struct fz_sqlite_connection *connection);

/* ---- functions.c and series.c ---------------------------------------------------- */

/* Gives the connection its functions.  A code of SQLite's. */
FZ_PRIVATE int fz_sqlite_create_functions(sqlite3 *db, struct fz_sqlite_connection *connection);

FZ_PRIVATE int fz_sqlite_create_series(sqlite3 *db, struct fz_sqlite_connection *connection);

#endif
