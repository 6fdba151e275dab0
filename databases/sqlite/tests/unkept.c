/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: a layout counts where SQLite keeps nothing of it between two calls.  SQLite does not while it
 * plans a statement by the statistics of SQLITE_ENABLE_STAT4.  Not all builds have these, so this test replaces the
 * function that keeps.
 */
#include <stdio.h>
#include <stdlib.h>

#include "frazil_sqlite.h"

static int refusals;

void sqlite3_set_auxdata(sqlite3_context *context, int argument, void *data, void (*destroy)(void *))
{
    (void)context;
    (void)argument;
    refusals++;
    if (destroy != NULL)
        destroy(data);
}

static void die(const char *what, const char *why)
{
    fprintf(stderr, "%s: %s\n", what, why);
    exit(1);
}

int main(void)
{
    static const char sql[] = "SELECT frazil_worker(1541815603606036480, 'twitter') = 378"
                              " AND frazil_first('2022-06-28', 'twitter') < 1541815603606036480"
                              " AND frazil_within(1541815603606036480, '2022-06-28', '2022-06-29', 'twitter')";
    sqlite3_stmt *statement;
    sqlite3 *db;

    sqlite3_auto_extension((void (*)(void))sqlite3_frazil_init);
    if (sqlite3_open(":memory:", &db) != SQLITE_OK || sqlite3_prepare_v2(db, sql, -1, &statement, NULL) != SQLITE_OK)
        die(sql, sqlite3_errmsg(db));
    if (sqlite3_step(statement) != SQLITE_ROW)
        die(sql, sqlite3_errmsg(db));
    if (sqlite3_column_int(statement, 0) != 1)
        die(sql, "is false");
    if (refusals < 3)
        die("sqlite3_set_auxdata", "the test does not stand for it");
    sqlite3_finalize(statement);
    sqlite3_close(db);
    return 0;
}
