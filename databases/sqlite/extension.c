/* SPDX-License-Identifier: MIT */
/* The entry point: as a loadable extension, or linked with -DSQLITE_CORE. */
#include "extension.h"

#if !defined(_WIN32) && !defined(SQLITE_CORE)
#include <dlfcn.h>
#endif

#if !defined(SQLITE_CORE)
SQLITE_EXTENSION_INIT1
#endif

/*
 * SQLite unloads an extension whose entry point fails, and keeps the functions that it made before: so we stay.  It
 * cannot be told to forget them, as a statement may be running: that may be the very reason for the failure.
 */
static void stay_loaded(void)
{
#if !defined(_WIN32) && !defined(SQLITE_CORE)
    static const char OF_OURS = 0;
    Dl_info here;

    if (dladdr(&OF_OURS, &here) != 0)
        (void)dlopen(here.dli_fname, RTLD_NOW);
#endif
}

static char *why_not_loaded(sqlite3 *db, int code)
{
    return sqlite3_mprintf("frazil: %s%s", sqlite3_errmsg(db),
                           code == SQLITE_BUSY ? ": load it before the connection has a running statement" : "");
}

FZ_EXPORT int sqlite3_frazil_init(sqlite3 *db, char **ret_errmsg, const struct sqlite3_api_routines *api)
{
    (void)api;
#if !defined(SQLITE_CORE)
    SQLITE_EXTENSION_INIT2(api);
#endif
    struct fz_sqlite_connection *connection = sqlite3_malloc64(sizeof *connection);
    if (connection == NULL)
        return SQLITE_NOMEM;
    *connection = (struct fz_sqlite_connection){.users = 1}; /* ourselves, until all are made */
    int code = fz_sqlite_create_functions(db, connection);
    if (code == SQLITE_OK)
        code = fz_sqlite_create_series(db, connection);
    fz_sqlite_release(connection);
    if (code != SQLITE_OK) {
        stay_loaded();
        if (ret_errmsg != NULL)
            *ret_errmsg = why_not_loaded(db, code);
        return code;
    }
#if defined(SQLITE_CORE)
    return SQLITE_OK;
#else
    return SQLITE_OK_LOAD_PERMANENTLY; /* a shared generator may outlive a connection */
#endif
}
