/* SPDX-License-Identifier: MIT */
/*
 * The functions frazil_... of SQLite, as a loadable extension, or linked with -DSQLITE_CORE.
 *
 * A connection has its openings of generators, and closes them when it closes; frazil_open_shared makes one generator
 * out of the openings of a process.  So nothing here needs a lock: SQLite calls a connection's functions one at a time.
 */
#if defined(__linux__) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE /* secure_getenv, dladdr */
#endif

#if !defined(_WIN32) && !defined(SQLITE_CORE)
#include <dlfcn.h>
#endif

#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frazil.h"

#if defined(SQLITE_CORE)
#include <sqlite3.h>
#else
#include <sqlite3ext.h>
SQLITE_EXTENSION_INIT1
#endif

#include "frazil_sqlite.h"

#if SQLITE_VERSION_NUMBER < 3031000
#error "the extension needs the headers of SQLite 3.31 or later"
#endif

#if defined(_WIN32)
#define EXPORT __declspec(dllexport)
#else
#define EXPORT __attribute__((visibility("default")))
#endif

enum { NAME_SIZE = 64, GENERATORS_MAX = 64, SERIES_BLOCK = 64 };

static const char ENVIRONMENT_PREFIX[] = "FRAZIL_SQLITE_";
static const char MAIN[] = "main";

/* ---- specs by name --------------------------------------------------------------- */

/* The specs that frazil_sqlite_config was told.  They are written before connections read them. */
static struct named_spec {
    char name[NAME_SIZE];
    char *spec;
} named_specs[GENERATORS_MAX];
static size_t named_spec_count;

static bool is_generator_name(const char *name)
{
    size_t len = strlen(name);

    return len > 0 && len < NAME_SIZE && name[0] >= 'a' && name[0] <= 'z' &&
           strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_") == len;
}

static struct named_spec *named_spec(const char *name)
{
    for (size_t i = 0; i < named_spec_count; i++) {
        if (strcmp(named_specs[i].name, name) == 0)
            return &named_specs[i];
    }
    return NULL;
}

EXPORT int frazil_sqlite_config(const char *name, const char *spec)
{
    if (name == NULL || spec == NULL || !is_generator_name(name))
        return SQLITE_MISUSE;
    struct named_spec *named = named_spec(name);
    if (named == NULL && named_spec_count == GENERATORS_MAX)
        return SQLITE_FULL;
    /* Not sqlite3_malloc: a loaded extension has no SQLite before its entry point was called. */
    char *copy = malloc(strlen(spec) + 1);
    if (copy == NULL)
        return SQLITE_NOMEM;
    memcpy(copy, spec, strlen(spec) + 1);
    if (named == NULL) {
        named = &named_specs[named_spec_count++];
        memcpy(named->name, name, strlen(name) + 1);
    }
    free(named->spec);
    named->spec = copy;
    return SQLITE_OK;
}

/* The variable of a name, or NULL: a set-user-ID program's environment belongs to somebody else. */
static const char *spec_of_environment(const char *name)
{
    char variable[sizeof ENVIRONMENT_PREFIX + NAME_SIZE];
    size_t len = sizeof ENVIRONMENT_PREFIX - 1;

    memcpy(variable, ENVIRONMENT_PREFIX, len);
    for (const char *c = name; *c != '\0'; c++)
        variable[len++] = *c >= 'a' && *c <= 'z' ? (char)(*c - 'a' + 'A') : *c;
    variable[len] = '\0';
#if defined(__GLIBC__)
    return secure_getenv(variable);
#else
    return getenv(variable);
#endif
}

/* Whether there is a generator of that name; *ret_spec is NULL where FRAZIL_WORKER and its kin say it all. */
static bool find_spec(const char *name, const char **ret_spec)
{
    const struct named_spec *named = named_spec(name);

    *ret_spec = named != NULL ? named->spec : is_generator_name(name) ? spec_of_environment(name) : NULL;
    return *ret_spec != NULL || strcmp(name, MAIN) == 0;
}

/* ---- a connection's generators --------------------------------------------------- */

struct generator {
    char name[NAME_SIZE];
    frazil *gen;
    struct generator *next;
};

/* All functions of one connection share it. */
struct connection {
    struct generator *generators; /* the one that was used last comes first */
    unsigned users;               /* functions and modules that still have it */
};

static void connection_release(void *ctx)
{
    struct connection *connection = ctx;

    if (--connection->users > 0)
        return;
    while (connection->generators != NULL) {
        struct generator *first = connection->generators;
        connection->generators = first->next;
        frazil_close(first->gen);
        sqlite3_free(first);
    }
    sqlite3_free(connection);
}

/*
 * The spec in full, from sqlite3_malloc: with the environment, and with keeper=inline where nothing else is said, as a
 * thread of ours is nothing that a program asked for.
 */
static frazil_err complete_spec(const char *spec, char **ret, frazil_error *reterr)
{
    frazil_options *options;
    size_t len = 0;
    frazil_err err = frazil_options_open(&options, reterr);

    *ret = NULL;
    if (err != FRAZIL_OK)
        return err;
    err = frazil_options_set(options, "keeper", "inline", strlen("inline"), reterr);
    if (err == FRAZIL_OK && spec != NULL)
        err = frazil_options_spec(options, spec, strlen(spec), reterr);
    if (err == FRAZIL_OK && spec == NULL)
        err = frazil_options_environment(options, FRAZIL_ENVIRONMENT_ALL, reterr);
    if (err == FRAZIL_OK) {
        char none[1];
        err = frazil_options_text(options, FRAZIL_OPTIONS_WITH_SECRETS, none, sizeof none, &len, reterr);
    }
    if (err == FRAZIL_EBUFFER) {
        *ret = sqlite3_malloc64(len + 1);
        err = *ret == NULL ? FRAZIL_ENOMEM
                           : frazil_options_text(options, FRAZIL_OPTIONS_WITH_SECRETS, *ret, len + 1, &len, reterr);
    }
    frazil_options_close(options);
    return err;
}

/* Says why, and what `cure` adds to it. */
static void fail_with(sqlite3_context *context, frazil_err err, const char *why, const char *cure)
{
    char *message = err == FRAZIL_ENOMEM ? NULL : sqlite3_mprintf("frazil: %s%s", why, cure);

    if (message == NULL) {
        sqlite3_result_error_nomem(context);
        return;
    }
    sqlite3_result_error(context, message, -1);
    sqlite3_free(message);
    if (frazil_err_classify(err) == FRAZIL_CLASS_RETRY)
        sqlite3_result_error_code(context, SQLITE_BUSY); /* which is what programs try again at */
}

static void fail(sqlite3_context *context, frazil_err err, const char *why)
{
    fail_with(context, err, why, "");
}

/* Says that there is no generator of that name, or that it is no name. */
static frazil_err no_generator(const char *name, frazil_error *reterr)
{
    if (is_generator_name(name))
        snprintf(reterr->message, sizeof reterr->message,
                 "there is no generator '%s': say its spec in the environment, as %s and its name in capitals, before "
                 "the program starts",
                 name, ENVIRONMENT_PREFIX);
    else
        snprintf(reterr->message, sizeof reterr->message,
                 "'%.63s' is no name of a generator: a-z, then a-z, 0-9 and _, 63 characters at most", name);
    return FRAZIL_ESPEC;
}

/* frazil_open_shared by the name, for ids that SQLite can hold. */
static frazil_err open_by_name(frazil **ret, const char *name, frazil_error *reterr)
{
    frazil_info info;
    const char *spec;
    char *text;

    if (!find_spec(name, &spec))
        return no_generator(name, reterr);
    frazil_err err = complete_spec(spec, &text, reterr);
    if (err == FRAZIL_OK)
        err = frazil_open_shared(ret, text, reterr);
    sqlite3_free(text);
    if (err == FRAZIL_ENOWORKER) { /* the sentence has the key of a spec, which nobody writes in SQL */
        size_t len = strlen(reterr->message);
        snprintf(reterr->message + len, sizeof reterr->message - len,
                 "; in the environment it is FRAZIL_WORKER, such as FRAZIL_WORKER=fixed:7, before the program starts");
    }
    if (err == FRAZIL_OK)
        frazil_get_info(*ret, &info, sizeof info);
    if (err == FRAZIL_OK && info.layout->kind != FRAZIL_LAYOUT_64) {
        frazil_close(*ret);
        snprintf(reterr->message, sizeof reterr->message,
                 "the layout of the generator '%s' is sno, and a sno is no integer: choose a layout of 64-bit ids",
                 name);
        err = FRAZIL_EKIND;
    }
    return err;
}

/* Opens the generator and puts it first.  NULL: *reterr says why. */
static struct generator *open_generator(struct connection *connection, const char *name, frazil_error *reterr)
{
    struct generator *opened = sqlite3_malloc64(sizeof *opened);

    reterr->code = opened == NULL ? FRAZIL_ENOMEM : open_by_name(&opened->gen, name, reterr);
    if (reterr->code != FRAZIL_OK) {
        sqlite3_free(opened);
        return NULL;
    }
    memcpy(opened->name, name, strlen(name) + 1);
    opened->next = connection->generators;
    connection->generators = opened;
    return opened;
}

/* The connection's generator of that name, opened where it is not.  NULL: *reterr says why. */
static frazil *generator_of(struct connection *connection, const char *name, frazil_error *reterr)
{
    for (struct generator **link = &connection->generators; *link != NULL; link = &(*link)->next) {
        struct generator *found = *link;
        if (strcmp(found->name, name) != 0)
            continue;
        *link = found->next;
        found->next = connection->generators;
        connection->generators = found;
        return found->gen;
    }
    struct generator *opened = open_generator(connection, name, reterr);
    return opened != NULL ? opened->gen : NULL;
}

/* n ids that SQLite can hold, or none.  The error, of a kilobyte, is touched only where there is one. */
static frazil_err take_ids(frazil *gen, uint64_t *ret_ids, size_t n, frazil_error *reterr)
{
    frazil_err err = n == 1 ? frazil_next(gen, ret_ids) : frazil_next_n(gen, ret_ids, n);

    if (err != FRAZIL_OK)
        err = frazil_take(gen, ret_ids, n, 0, reterr); /* says why, or succeeds */
    if (err == FRAZIL_OK && ret_ids[n - 1] > INT64_MAX) {
        err = FRAZIL_ERANGE;
        snprintf(reterr->message, sizeof reterr->message,
                 "the layout's ids have reached 2^63, and integers of SQLite end there: move to a layout of 63 bits");
    }
    return err;
}

/* frazil_next() and frazil_next(generator) */
static void sql_next(sqlite3_context *context, int argc, sqlite3_value **argv)
{
    const char *name = argc == 0 ? MAIN : (const char *)sqlite3_value_text(argv[0]);
    frazil_error err;
    uint64_t id;

    if (name == NULL) {
        fail(context, FRAZIL_EINVAL, "the name of the generator is NULL: leave it out, or give one");
        return;
    }
    frazil *gen = generator_of(sqlite3_user_data(context), name, &err);
    if (gen == NULL) {
        fail(context, err.code, err.message);
        return;
    }
    frazil_err code = take_ids(gen, &id, 1, &err);
    if (code != FRAZIL_OK)
        fail(context, code, err.message);
    else
        sqlite3_result_int64(context, (sqlite3_int64)id);
}

/* ---- pure functions -------------------------------------------------------------- */

/* The layout of argument i, or the default one.  False: the error is said. */
static bool layout_of(sqlite3_context *context, int argc, sqlite3_value **argv, int i, const frazil_layout **ret)
{
    frazil_error err;

    if (i >= argc) {
        *ret = frazil_layout_preset(0);
        return true;
    }
    *ret = sqlite3_get_auxdata(context, i); /* a constant is parsed once a statement */
    if (*ret != NULL)
        return true;
    const char *text = (const char *)sqlite3_value_text(argv[i]);
    frazil_layout *layout = sqlite3_malloc64(sizeof *layout);
    if (text == NULL || layout == NULL) {
        sqlite3_free(layout);
        fail(context, layout == NULL ? FRAZIL_ENOMEM : FRAZIL_EINVAL, "the layout is NULL: leave it out, or give one");
        return false;
    }
    frazil_err code = frazil_layout_parse(text, (size_t)sqlite3_value_bytes(argv[i]), layout, &err);
    if (code == FRAZIL_OK && layout->kind != FRAZIL_LAYOUT_64) {
        code = FRAZIL_EKIND;
        snprintf(err.message, sizeof err.message, "a sno is no integer: name a layout of 64-bit ids");
    }
    if (code != FRAZIL_OK) {
        sqlite3_free(layout);
        fail(context, code, err.message);
        return false;
    }
    sqlite3_set_auxdata(context, i, layout, sqlite3_free);
    *ret = sqlite3_get_auxdata(context, i); /* which may have refused to keep it, and then freed it */
    if (*ret == NULL)
        sqlite3_result_error_nomem(context);
    return *ret != NULL;
}

/* The id of an argument: an integer, or decimal text, as for ids from 2^63 on.  False: it is NULL, or the error is
 * said. */
static bool id_of(sqlite3_context *context, sqlite3_value *value, uint64_t *ret)
{
    frazil_error err;

    switch (sqlite3_value_type(value)) {
    case SQLITE_NULL:
        return false;
    case SQLITE_INTEGER:
        if (sqlite3_value_int64(value) < 0) {
            fail(context, FRAZIL_EINVAL, "an id is not negative: give one from 2^63 on as text");
            return false;
        }
        *ret = (uint64_t)sqlite3_value_int64(value);
        return true;
    case SQLITE_TEXT: {
        const char *text = (const char *)sqlite3_value_text(value);
        frazil_err code = text == NULL
                              ? FRAZIL_ENOMEM
                              : frazil_id_parse(FRAZIL_TEXT_DEC, text, (size_t)sqlite3_value_bytes(value), ret, &err);
        if (code != FRAZIL_OK)
            fail(context, code, err.message);
        return code == FRAZIL_OK;
    }
    default:
        fail(context, FRAZIL_EINVAL, "an id is an integer or its text, not a REAL and not a BLOB");
        return false;
    }
}

/* The fields of the id in argument 0.  False: there is none, or the error is said. */
static bool fields_of(sqlite3_context *context, int argc, sqlite3_value **argv, frazil_fields *ret)
{
    const frazil_layout *layout;
    frazil_error err;
    uint64_t id;

    if (!id_of(context, argv[0], &id) || !layout_of(context, argc, argv, 1, &layout))
        return false;
    frazil_err code = frazil_id_decompose(layout, id, ret, &err);
    if (code != FRAZIL_OK)
        fail(context, code, err.message);
    return code == FRAZIL_OK;
}

static void sql_time(sqlite3_context *context, int argc, sqlite3_value **argv)
{
    char text[FRAZIL_TIME_SIZE];
    frazil_fields fields;
    size_t len;

    if (!fields_of(context, argc, argv, &fields))
        return;
    if (frazil_time_format(fields.unix_ms, text, sizeof text, &len) != FRAZIL_OK)
        fail(context, FRAZIL_ERANGE, "the id's time lies before the year 0");
    else
        sqlite3_result_text(context, text, (int)len, SQLITE_TRANSIENT);
}

static void sql_worker(sqlite3_context *context, int argc, sqlite3_value **argv)
{
    frazil_fields fields;

    if (fields_of(context, argc, argv, &fields))
        sqlite3_result_int64(context, fields.worker);
}

static void sql_sequence(sqlite3_context *context, int argc, sqlite3_value **argv)
{
    frazil_fields fields;

    if (fields_of(context, argc, argv, &fields))
        sqlite3_result_int64(context, fields.sequence);
}

/* All of them, as JSON, which SQLite's own functions take apart. */
static void sql_parts(sqlite3_context *context, int argc, sqlite3_value **argv)
{
    char text[FRAZIL_TIME_SIZE];
    frazil_fields fields;

    if (!fields_of(context, argc, argv, &fields))
        return;
    if (frazil_time_format(fields.unix_ms, text, sizeof text, NULL) != FRAZIL_OK) {
        fail(context, FRAZIL_ERANGE, "the id's time lies before the year 0");
        return;
    }
    char *json = sqlite3_mprintf("{\"time\":\"%s\",\"unix_ms\":%lld,\"datacenter\":%u,\"worker\":%u,\"sequence\":%u}",
                                 text, (long long)fields.unix_ms, fields.datacenter, fields.worker, fields.sequence);
    if (json == NULL)
        sqlite3_result_error_nomem(context);
    else
        sqlite3_result_text(context, json, -1, sqlite3_free);
}

/* The smallest id whose time is unix_ms or later: an id's time is the start of its tick. */
static uint64_t first_from(const frazil_layout *layout, int64_t unix_ms)
{
    uint64_t first = frazil_id_first(layout, unix_ms);
    frazil_fields fields;

    if (frazil_id_decompose(layout, first, &fields, NULL) == FRAZIL_OK && fields.unix_ms < unix_ms)
        first = frazil_id_first(layout, fields.unix_ms + layout->tick_ms);
    return first;
}

/* The first id of a time of the caller's.  False: it is NULL, or the error is said. */
static bool first_of(sqlite3_context *context, sqlite3_value *value, const frazil_layout *layout, uint64_t *ret)
{
    frazil_error err;
    int64_t unix_ms;

    switch (sqlite3_value_type(value)) {
    case SQLITE_NULL:
        return false;
    case SQLITE_INTEGER:
        unix_ms = sqlite3_value_int64(value);
        break;
    case SQLITE_TEXT: {
        const char *text = (const char *)sqlite3_value_text(value);
        frazil_err code =
            text == NULL ? FRAZIL_ENOMEM : frazil_time_parse(text, (size_t)sqlite3_value_bytes(value), &unix_ms, &err);
        if (code != FRAZIL_OK) {
            fail_with(context, code, err.message, "; of SQLite's own times take strftime('%Y-%m-%dT%H:%M:%fZ', ...)");
            return false;
        }
        break;
    }
    default:
        fail(context, FRAZIL_EINVAL, "a time is RFC 3339 text, or Unix milliseconds as an integer");
        return false;
    }
    *ret = first_from(layout, unix_ms);
    return true;
}

static void sql_first(sqlite3_context *context, int argc, sqlite3_value **argv)
{
    const frazil_layout *layout;
    uint64_t first;

    if (!layout_of(context, argc, argv, 1, &layout) || !first_of(context, argv[0], layout, &first))
        return;
    /* Above all integers there is no id in a column: the largest one still bounds them all. */
    sqlite3_result_int64(context, first > INT64_MAX ? INT64_MAX : (sqlite3_int64)first);
}

/* frazil_within(id, from, to [, layout]): from <= time < to */
static void sql_within(sqlite3_context *context, int argc, sqlite3_value **argv)
{
    const frazil_layout *layout;
    uint64_t id;
    uint64_t from;
    uint64_t to;

    if (id_of(context, argv[0], &id) && layout_of(context, argc, argv, 3, &layout) &&
        first_of(context, argv[1], layout, &from) && first_of(context, argv[2], layout, &to))
        sqlite3_result_int(context, id >= from && (id < to || to == UINT64_MAX)); /* which is behind all ids */
}

/* The text form of that name.  False: the error is said. */
static bool form_of(sqlite3_context *context, const char *name, frazil_text *ret)
{
    frazil_error err;

    if (frazil_text_by_name(name == NULL ? "NULL" : name, ret, &err) == FRAZIL_OK)
        return true;
    fail(context, err.code, err.message);
    return false;
}

static void sql_text(sqlite3_context *context, int argc, sqlite3_value **argv)
{
    char text[FRAZIL_TEXT_SIZE];
    frazil_text form;
    uint64_t id;
    size_t len;

    (void)argc;
    if (!form_of(context, (const char *)sqlite3_value_text(argv[1]), &form))
        return;
    if (id_of(context, argv[0], &id) && frazil_id_format(form, id, text, sizeof text, &len) == FRAZIL_OK)
        sqlite3_result_text(context, text, (int)len, SQLITE_TRANSIENT);
}

/* frazil_id(text [, form]) */
static void sql_id(sqlite3_context *context, int argc, sqlite3_value **argv)
{
    const char *text = (const char *)sqlite3_value_text(argv[0]);
    size_t len = (size_t)sqlite3_value_bytes(argv[0]);
    const char *name = argc == 2 ? (const char *)sqlite3_value_text(argv[1]) : "dec";
    frazil_error err;
    frazil_text form;
    uint64_t id;

    if (text == NULL || !form_of(context, name, &form))
        return;
    frazil_err code = frazil_id_parse(form, text, len, &id, &err);
    if (code != FRAZIL_OK)
        fail(context, code, err.message);
    else if (id > INT64_MAX)
        fail(context, FRAZIL_ERANGE, "the id is 2^63 or above, which no integer of SQLite holds: keep it as text");
    else
        sqlite3_result_int64(context, (sqlite3_int64)id);
}

static void sql_version(sqlite3_context *context, int argc, sqlite3_value **argv)
{
    (void)argc;
    (void)argv;
    sqlite3_result_text(context, frazil_version(), -1, SQLITE_STATIC);
}

/* ---- frazil_series(n [, generator]) ---------------------------------------------- */

struct series {
    sqlite3_vtab base;
    struct connection *connection;
};

struct cursor {
    sqlite3_vtab_cursor base;
    char name[NAME_SIZE];
    sqlite3_int64 wanted;
    sqlite3_int64 row; /* the present one, from 0 */
    size_t taken;      /* ids in the block */
    size_t used;       /* of the block, before the present one */
    uint64_t block[SERIES_BLOCK];
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

/* Takes the next block: as many as are still wanted, or as it holds. */
static int refill_cursor(struct cursor *cursor)
{
    struct series *series = (struct series *)cursor->base.pVtab;
    sqlite3_int64 left = cursor->wanted - cursor->row;
    size_t n = left < SERIES_BLOCK ? (size_t)left : SERIES_BLOCK;
    frazil_error err;

    cursor->used = 0;
    cursor->taken = 0;
    frazil *gen = generator_of(series->connection, cursor->name, &err);
    if (gen == NULL)
        return series_fail(series, err.code, err.message);
    frazil_err code = take_ids(gen, cursor->block, n, &err);
    if (code != FRAZIL_OK)
        return series_fail(series, code, err.message);
    cursor->taken = n;
    return SQLITE_OK;
}

static int series_filter(sqlite3_vtab_cursor *base, int plan, const char *text, int argc, sqlite3_value **argv)
{
    struct cursor *cursor = (struct cursor *)base;
    struct series *series = (struct series *)base->pVtab;
    const char *name = plan == PLAN_GENERATOR ? (const char *)sqlite3_value_text(argv[1]) : MAIN;
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
    if (!is_generator_name(name))
        return series_fail(series, no_generator(name, &err), err.message);
    memcpy(cursor->name, name, strlen(name) + 1);
    cursor->row = 0;
    cursor->wanted = sqlite3_value_int64(argv[0]);
    return cursor->wanted > 0 ? refill_cursor(cursor) : SQLITE_OK;
}

static int series_next(sqlite3_vtab_cursor *base)
{
    struct cursor *cursor = (struct cursor *)base;

    cursor->row++;
    cursor->used++;
    return cursor->row < cursor->wanted && cursor->used == cursor->taken ? refill_cursor(cursor) : SQLITE_OK;
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
        sqlite3_result_int64(context, (sqlite3_int64)cursor->block[cursor->used]);
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

/* ---- the entry point ------------------------------------------------------------- */

enum { TAKES_IDS = SQLITE_UTF8, IS_PURE = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS };

static const struct function {
    const char *name;
    int arguments;
    int flags;
    void (*call)(sqlite3_context *context, int argc, sqlite3_value **argv);
} functions[] = {
    {"frazil_next", 0, TAKES_IDS, sql_next},
    {"frazil_next", 1, TAKES_IDS, sql_next},
    {"frazil_time", 1, IS_PURE, sql_time},
    {"frazil_time", 2, IS_PURE, sql_time},
    {"frazil_worker", 1, IS_PURE, sql_worker},
    {"frazil_worker", 2, IS_PURE, sql_worker},
    {"frazil_sequence", 1, IS_PURE, sql_sequence},
    {"frazil_sequence", 2, IS_PURE, sql_sequence},
    {"frazil_parts", 1, IS_PURE, sql_parts},
    {"frazil_parts", 2, IS_PURE, sql_parts},
    {"frazil_first", 1, IS_PURE, sql_first},
    {"frazil_first", 2, IS_PURE, sql_first},
    {"frazil_within", 3, IS_PURE, sql_within},
    {"frazil_within", 4, IS_PURE, sql_within},
    {"frazil_text", 2, IS_PURE, sql_text},
    {"frazil_id", 1, IS_PURE, sql_id},
    {"frazil_id", 2, IS_PURE, sql_id},
    {"frazil_version", 0, IS_PURE, sql_version},
};

/*
 * SQLite unloads an extension whose entry point fails, and keeps the functions that it made before: so we stay.  It
 * cannot be told to forget them, as a statement may be running: that may be the very reason for the failure.
 */
static void stay_loaded(void)
{
#if !defined(_WIN32) && !defined(SQLITE_CORE)
    Dl_info here;

    if (dladdr(&named_specs, &here) != 0)
        (void)dlopen(here.dli_fname, RTLD_NOW);
#endif
}

static char *why_not_loaded(sqlite3 *db, int code)
{
    return sqlite3_mprintf("frazil: %s%s", sqlite3_errmsg(db),
                           code == SQLITE_BUSY ? ": load it before the connection has a running statement" : "");
}

EXPORT int sqlite3_frazil_init(sqlite3 *db, char **ret_errmsg, const struct sqlite3_api_routines *api)
{
    int code = SQLITE_OK;

    (void)api;
#if !defined(SQLITE_CORE)
    SQLITE_EXTENSION_INIT2(api);
#endif
    struct connection *connection = sqlite3_malloc64(sizeof *connection);
    if (connection == NULL)
        return SQLITE_NOMEM;
    *connection = (struct connection){.users = 1}; /* ourselves, until all are made */
    for (size_t i = 0; i < sizeof functions / sizeof functions[0] && code == SQLITE_OK; i++) {
        const struct function *f = &functions[i];
        connection->users++; /* SQLite releases it in any case */
        code = sqlite3_create_function_v2(db, f->name, f->arguments, f->flags, connection, f->call, NULL, NULL,
                                          connection_release);
    }
    if (code == SQLITE_OK) {
        connection->users++;
        code = sqlite3_create_module_v2(db, "frazil_series", &series_module, connection, connection_release);
    }
    connection_release(connection);
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
