/* SPDX-License-Identifier: MIT */
/*
 * Ids inside SQLite, for programs that link the extension instead of loading it.
 */
#ifndef FRAZIL_SQLITE_H
#define FRAZIL_SQLITE_H

#include <sqlite3.h>

#if defined(__cplusplus)
extern "C" {
#endif

/*
 * Names a generator for frazil_next(name): a spec as frazil_open takes it.  Call it before any connection uses the
 * name; a name that is given twice keeps the last spec.  Without it the spec of a name is that of the environment
 * (see the README).  The keeper is inline and is not part of the spec.
 *
 * name: [a-z][a-z0-9_]*, at most 63 characters.  SQLITE_OK; SQLITE_MISUSE for such a name that is none, SQLITE_FULL
 * when 64 are named, SQLITE_NOMEM.  Threads: none beside it; it is for the start of a program.
 */
int frazil_sqlite_config(const char *name, const char *spec);

/*
 * The entry point: sqlite3_auto_extension((void (*)(void))sqlite3_frazil_init), or one call for each connection with
 * api NULL.  errmsg is as SQLite says of entry points: by sqlite3_free.
 */
int sqlite3_frazil_init(sqlite3 *db, char **ret_errmsg, const struct sqlite3_api_routines *api);

#if defined(__cplusplus)
}
#endif

#endif
