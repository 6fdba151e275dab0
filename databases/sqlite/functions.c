/* SPDX-License-Identifier: MIT */
/* The functions of SQL but for frazil_series. */
#include "extension.h"

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

/* frazil_next() and frazil_next(generator) */
static void sql_next(sqlite3_context *context, int argc, sqlite3_value **argv)
{
    const char *name = argc == 0 ? FZ_SQLITE_MAIN : (const char *)sqlite3_value_text(argv[0]);
    frazil_error err;
    uint64_t id;

    if (name == NULL) {
        fail(context, FRAZIL_EINVAL, "the name of the generator is NULL: leave it out, or give one");
        return;
    }
    frazil *gen = fz_sqlite_generator(sqlite3_user_data(context), name, &err);
    if (gen == NULL) {
        fail(context, err.code, err.message);
        return;
    }
    frazil_err code = fz_sqlite_take(gen, &id, &err);
    if (code != FRAZIL_OK)
        fail(context, code, err.message);
    else
        sqlite3_result_int64(context, (sqlite3_int64)id);
}

/* ---- pure functions -------------------------------------------------------------- */

/* The default layout, unless it would misread the ids that are made here.  False: the error is said. */
static bool default_layout(sqlite3_context *context, const frazil_layout **ret)
{
    const char *other = fz_sqlite_of_other_layout(sqlite3_user_data(context));
    char why[256];

    *ret = frazil_layout_preset(0);
    if (other == NULL)
        return true;
    snprintf(why, sizeof why,
             "without a layout ids are read as %s, and those of the generator '%s' are of another one: name the layout "
             "as the last argument",
             (*ret)->name, other);
    fail(context, FRAZIL_EINVAL, why);
    return false;
}

/* The layout that an argument describes.  False: the error is said. */
static bool layout_from(sqlite3_context *context, sqlite3_value *value, frazil_layout *ret)
{
    const char *text = (const char *)sqlite3_value_text(value);
    frazil_error err;

    if (text == NULL) {
        fail(context, FRAZIL_EINVAL, "the layout is NULL: leave it out, or give one");
        return false;
    }
    frazil_err code = frazil_layout_parse(text, (size_t)sqlite3_value_bytes(value), ret, &err);
    if (code == FRAZIL_OK && ret->kind != FRAZIL_LAYOUT_64) {
        code = FRAZIL_EKIND;
        snprintf(err.message, sizeof err.message, "a sno is not an integer: name a layout of 64-bit ids");
    }
    if (code != FRAZIL_OK)
        fail(context, code, err.message);
    return code == FRAZIL_OK;
}

/* The layout of argument i, which is read into *room unless SQLite has kept it; or the default one.  False: the error
 * is said. */
static bool layout_of(sqlite3_context *context, int argc, sqlite3_value **argv, int i, frazil_layout *room,
                      const frazil_layout **ret)
{
    if (i >= argc)
        return default_layout(context, ret);
    *ret = sqlite3_get_auxdata(context, i); /* a constant is parsed once a statement */
    if (*ret != NULL)
        return true;
    if (!layout_from(context, argv[i], room))
        return false;
    *ret = room;
    frazil_layout *kept = sqlite3_malloc64(sizeof *kept);
    if (kept != NULL) {
        *kept = *room;
        sqlite3_set_auxdata(context, i, kept, sqlite3_free); /* which may free it at once */
    }
    return true;
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
    frazil_layout room;
    frazil_error err;
    uint64_t id;

    if (!id_of(context, argv[0], &id) || !layout_of(context, argc, argv, 1, &room, &layout))
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
    if (json == NULL) {
        sqlite3_result_error_nomem(context);
        return;
    }
    sqlite3_result_text(context, json, -1, sqlite3_free);
    sqlite3_result_subtype(context, 'J'); /* so that SQLite's functions take it for JSON and not for a text */
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

/* Milliseconds below this one are before 1973-03-03, and seconds up to the year 5138. */
#define LIKE_SECONDS INT64_C(100000000000)

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
        if (unix_ms > 0 && unix_ms < LIKE_SECONDS) {
            fail(
                context, FRAZIL_EINVAL,
                "a time is Unix milliseconds, and this looks like seconds: multiply it by 1000; write a time of before "
                "March 1973 as text");
            return false;
        }
        break;
    case SQLITE_TEXT: {
        const char *text = (const char *)sqlite3_value_text(value);
        frazil_err code =
            text == NULL ? FRAZIL_ENOMEM : frazil_time_parse(text, (size_t)sqlite3_value_bytes(value), &unix_ms, &err);
        if (code != FRAZIL_OK) {
            fail_with(context, code, err.message, "; for SQLite's own times use strftime('%Y-%m-%dT%H:%M:%fZ', ...)");
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
    frazil_layout room;
    uint64_t first;

    if (!layout_of(context, argc, argv, 1, &room, &layout) || !first_of(context, argv[0], layout, &first))
        return;
    /* Above all integers there is no id in a column: the largest one still bounds them all. */
    sqlite3_result_int64(context, first > INT64_MAX ? INT64_MAX : (sqlite3_int64)first);
}

/* frazil_within(id, from, to [, layout]): from <= time < to */
static void sql_within(sqlite3_context *context, int argc, sqlite3_value **argv)
{
    const frazil_layout *layout;
    frazil_layout room;
    uint64_t id;
    uint64_t from;
    uint64_t to;

    if (id_of(context, argv[0], &id) && layout_of(context, argc, argv, 3, &room, &layout) &&
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

/* ---- the table of functions ------------------------------------------------------ */

#if !defined(SQLITE_RESULT_SUBTYPE) /* before 3.45, which passes over it */
#define SQLITE_RESULT_SUBTYPE 0x001000000
#endif

enum {
    TAKES_IDS = SQLITE_UTF8,
    IS_PURE = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS,
    IS_JSON = IS_PURE | SQLITE_RESULT_SUBTYPE
};

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
    {"frazil_parts", 1, IS_JSON, sql_parts},
    {"frazil_parts", 2, IS_JSON, sql_parts},
    {"frazil_first", 1, IS_PURE, sql_first},
    {"frazil_first", 2, IS_PURE, sql_first},
    {"frazil_within", 3, IS_PURE, sql_within},
    {"frazil_within", 4, IS_PURE, sql_within},
    {"frazil_text", 2, IS_PURE, sql_text},
    {"frazil_id", 1, IS_PURE, sql_id},
    {"frazil_id", 2, IS_PURE, sql_id},
    {"frazil_version", 0, IS_PURE, sql_version},
};

int fz_sqlite_create_functions(sqlite3 *db, struct fz_sqlite_connection *connection)
{
    int code = SQLITE_OK;

    for (size_t i = 0; i < sizeof functions / sizeof functions[0] && code == SQLITE_OK; i++) {
        const struct function *f = &functions[i];
        connection->users++; /* SQLite releases it in any case */
        code = sqlite3_create_function_v2(db, f->name, f->arguments, f->flags, connection, f->call, NULL, NULL,
                                          fz_sqlite_release);
    }
    return code;
}
