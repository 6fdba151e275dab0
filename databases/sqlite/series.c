/* SPDX-License-Identifier: MIT */
/* frazil_series(n [, generator]) */
#include "extension.h"

struct series {
    sqlite3_vtab base;
    struct fz_sqlite_connection *connection;
};

struct cursor {
    sqlite3_vtab_cursor base;
    char name[FZ_SQLITE_NAME_SIZE];
    sqlite3_int64 wanted;
    sqlite3_int64 row; /* the present one, from 0 */
    uint64_t id;       /* its id; none is taken ahead, as a child that goes on with a statement would have it, too */
};

enum { COLUMN_ID, COLUMN_N, COLUMN_GENERATOR };
enum { PLAN_GENERATOR = 1 };

static int series_connect(sqlite3 *db, void *ctx, int argc, const char *const *argv, sqlite3_vtab **ret, char **reterr)
{
    (void)argc;
    (void)argv;
    (void)reterr;
    int code = sqlite3_declare_vtab(db, "CREATE TABLE series(id INTEGER, n HIDDEN, generator HIDDEN)");
    if (code != SQLITE_OK)
        return code;
    struct series *series = sqlite3_malloc64(sizeof *series);
    if (series == NULL)
        return SQLITE_NOMEM;
    memset(series, 0, sizeof *series);
    series->connection = ctx;
    *ret = &series->base;
    return SQLITE_OK;
}

static int series_disconnect(sqlite3_vtab *vtab)
{
    sqlite3_free(vtab);
    return SQLITE_OK;
}

/* It needs n, by `=`; the generator may be given likewise.  Without n there would be no end. */
static int series_best_index(sqlite3_vtab *vtab, sqlite3_index_info *plan)
{
    int argument_of[COLUMN_GENERATOR + 1] = {-1, -1, -1};

    for (int i = 0; i < plan->nConstraint; i++) {
        int column = plan->aConstraint[i].iColumn;
        if (column < COLUMN_N || plan->aConstraint[i].op != SQLITE_INDEX_CONSTRAINT_EQ)
            continue;
        if (!plan->aConstraint[i].usable)
            return SQLITE_CONSTRAINT; /* another order of the tables has it */
        argument_of[column] = i;
    }
    if (argument_of[COLUMN_N] < 0) {
        sqlite3_free(vtab->zErrMsg);
        vtab->zErrMsg = sqlite3_mprintf("frazil_series needs a number of ids: SELECT id FROM frazil_series(100)");
        return SQLITE_ERROR;
    }
    int next = 1;
    for (int column = COLUMN_N; column <= COLUMN_GENERATOR; column++) {
        if (argument_of[column] < 0)
            continue;
        plan->aConstraintUsage[argument_of[column]].argvIndex = next++;
        plan->aConstraintUsage[argument_of[column]].omit = 1;
    }
    plan->idxNum = argument_of[COLUMN_GENERATOR] >= 0 ? PLAN_GENERATOR : 0;
    plan->orderByConsumed = plan->nOrderBy == 1 && plan->aOrderBy[0].iColumn == COLUMN_ID && !plan->aOrderBy[0].desc;
    plan->estimatedCost = 1000;
    plan->estimatedRows = 1000;
    return SQLITE_OK;
}

static int series_open(sqlite3_vtab *vtab, sqlite3_vtab_cursor **ret)
{
    struct cursor *cursor = sqlite3_malloc64(sizeof *cursor);

    (void)vtab;
    if (cursor == NULL)
        return SQLITE_NOMEM;
    memset(cursor, 0, sizeof *cursor);
    *ret = &cursor->base;
    return SQLITE_OK;
}

static int series_close(sqlite3_vtab_cursor *base)
{
    sqlite3_free(base);
    return SQLITE_OK;
}

static int series_fail(struct series *series, frazil_err err, const char *why)
{
    if (err == FRAZIL_ENOMEM)
        return SQLITE_NOMEM;
    sqlite3_free(series->base.zErrMsg);
    series->base.zErrMsg = sqlite3_mprintf("frazil: %s", why);
    return frazil_err_classify(err) == FRAZIL_CLASS_RETRY ? SQLITE_BUSY : SQLITE_ERROR;
}

/* Takes the id of the present row. */
static int take_row(struct cursor *cursor)
{
    struct series *series = (struct series *)cursor->base.pVtab;
    frazil_error err;

    frazil *gen = fz_sqlite_generator(series->connection, cursor->name, &err);
    if (gen == NULL)
        return series_fail(series, err.code, err.message);
    frazil_err code = fz_sqlite_take(gen, &cursor->id, &err);
    return code == FRAZIL_OK ? SQLITE_OK : series_fail(series, code, err.message);
}

static int series_filter(sqlite3_vtab_cursor *base, int plan, const char *text, int argc, sqlite3_value **argv)
{
    struct cursor *cursor = (struct cursor *)base;
    struct series *series = (struct series *)base->pVtab;
    const char *name = plan == PLAN_GENERATOR ? (const char *)sqlite3_value_text(argv[1]) : FZ_SQLITE_MAIN;
    frazil_error err;

    (void)text;
    (void)argc;
    if (sqlite3_value_type(argv[0]) != SQLITE_INTEGER || sqlite3_value_int64(argv[0]) < 0)
        return series_fail(
            series, FRAZIL_EINVAL,
            "frazil_series takes a number of ids, as an INTEGER of 0 or more: CAST(... AS INTEGER) makes "
            "one of a text");
    if (name == NULL)
        return series_fail(series, FRAZIL_EINVAL, "the name of the generator is NULL: leave it out, or give one");
    if (!fz_sqlite_is_name(name))
        return series_fail(series, fz_sqlite_no_generator(name, &err), err.message);
    memcpy(cursor->name, name, strlen(name) + 1);
    cursor->row = 0;
    cursor->wanted = sqlite3_value_int64(argv[0]);
    return cursor->wanted > 0 ? take_row(cursor) : SQLITE_OK;
}

static int series_next(sqlite3_vtab_cursor *base)
{
    struct cursor *cursor = (struct cursor *)base;

    cursor->row++;
    return cursor->row < cursor->wanted ? take_row(cursor) : SQLITE_OK;
}

static int series_eof(sqlite3_vtab_cursor *base)
{
    const struct cursor *cursor = (struct cursor *)base;

    return cursor->row >= cursor->wanted;
}

static int series_column(sqlite3_vtab_cursor *base, sqlite3_context *context, int column)
{
    const struct cursor *cursor = (struct cursor *)base;

    if (column == COLUMN_ID)
        sqlite3_result_int64(context, (sqlite3_int64)cursor->id);
    else if (column == COLUMN_N)
        sqlite3_result_int64(context, cursor->wanted);
    else
        sqlite3_result_text(context, cursor->name, -1, SQLITE_TRANSIENT);
    return SQLITE_OK;
}

static int series_rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *ret)
{
    *ret = ((struct cursor *)base)->row;
    return SQLITE_OK;
}

static const sqlite3_module series_module = {
    .xConnect = series_connect, /* and no xCreate: the table is there by its name alone */
    .xBestIndex = series_best_index,
    .xDisconnect = series_disconnect,
    .xOpen = series_open,
    .xClose = series_close,
    .xFilter = series_filter,
    .xNext = series_next,
    .xEof = series_eof,
    .xColumn = series_column,
    .xRowid = series_rowid,
};

int fz_sqlite_create_series(sqlite3 *db, struct fz_sqlite_connection *connection)
{
    connection->users++;
    return sqlite3_create_module_v2(db, "frazil_series", &series_module, connection, fz_sqlite_release);
}
