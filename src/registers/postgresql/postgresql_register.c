/* SPDX-License-Identifier: MIT */
#include "postgresql_register.h"

#include <assert.h>
#include <libpq-fe.h>
#include <stdlib.h>
#include <string.h>

#include "core/sentence.h"
#include "core/wipe.h"
#include "postgresql_connection.h"
#include "postgresql_examine.h"

/* In what follows @ is the table, quoted as SQL wants it. */
#define NOW "(extract(epoch FROM clock_timestamp()) * 1000000)::bigint"

/* The time, and the incarnation, which a standby does not have. */
#define STATUS                                                                                                         \
    NOW ", CASE WHEN NOT pg_is_in_recovery() THEN concat_ws('.', "                                                     \
        "(SELECT system_identifier FROM pg_control_system()), "                                                        \
        "substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8), "                                                        \
        "(extract(epoch FROM pg_postmaster_start_time()) * 1000000)::bigint, "                                         \
        "coalesce(to_regclass('@')::oid, 0)) END"

static const char status_sql[] = "SELECT " STATUS;

static const char read_sql[] = "SELECT " STATUS ", r.version, r.data FROM (SELECT 1) AS one "
                               "LEFT JOIN @ AS r ON r.namespace = $1 AND r.number = $2::bigint";

/* The status, and then records; it is the first row, because what is NULL comes last. */
#define SEVERAL(condition)                                                                                             \
    "SELECT " STATUS ", NULL::bigint, NULL::bigint, NULL::bytea "                                                      \
    "UNION ALL SELECT NULL, NULL, number, version, data FROM @ WHERE namespace = $1" condition " ORDER BY 1"

static const char read_all_sql[] = SEVERAL("");
static const char read_many_sql[] = SEVERAL(" AND number = ANY ($2::bigint[])");

/*
 * The status is computed after the write, so its time is not from before it.  An
 * UPDATE that waited for another one looks at the version again.  The UPDATE of an
 * INSERT never happens, but needs the right to UPDATE, as all later statements do: a
 * user without it learns of that before it has a grant.
 */
static const char insert_sql[] = "WITH w AS (INSERT INTO @ AS r (namespace, number, version, data) "
                                 "VALUES ($1, $2::bigint, " NOW ", $3::bytea) "
                                 "ON CONFLICT (namespace, number) DO UPDATE SET version = r.version, data = r.data "
                                 "WHERE false RETURNING version) "
                                 "SELECT " STATUS ", w.version FROM (SELECT 1) AS one LEFT JOIN w ON true";

static const char update_sql[] =
    "WITH w AS (UPDATE @ AS r SET version = greatest(r.version + 1, " NOW "), data = $3::bytea "
    "WHERE r.namespace = $1 AND r.number = $2::bigint AND r.version = $4::numeric RETURNING r.version) "
    "SELECT " STATUS ", w.version FROM (SELECT 1) AS one LEFT JOIN w ON true";

static const char create_sql[] =
    "CREATE TABLE IF NOT EXISTS @ (namespace text, number bigint, version bigint NOT NULL, data bytea NOT NULL, "
    "PRIMARY KEY (namespace, number))";

/* Bytes of a statement with its table's name put in. */
enum { SQL_SIZE = 1536 };

#define UNDEFINED_TABLE "42P01"
#define INSUFFICIENT_PRIVILEGE "42501"

/* The columns of an answer. */
enum { TIME, INCARNATION, STATUS_COLUMNS };

struct postgresql_register {
    struct fz_postgresql_connection connection;
};

/* ---- strict readings of columns --------------------------------------------- */

static bool is_null(const PGresult *answer, int row, int column)
{
    return PQgetisnull(answer, row, column) != 0;
}

/* A bigint that is not negative. */
static bool read_bigint(const PGresult *answer, int row, int column, uint64_t *ret)
{
    const unsigned char *bytes = (const unsigned char *)PQgetvalue(answer, row, column);
    uint64_t value = 0;

    if (is_null(answer, row, column) || PQgetlength(answer, row, column) != 8)
        return false;
    for (size_t i = 0; i < 8; i++)
        value = value << 8 | bytes[i];
    if (value > INT64_MAX)
        return false;
    *ret = value;
    return true;
}

/* version and data, in two columns. */
static bool read_record(const PGresult *answer, int row, int column, struct fz_record *ret)
{
    uint64_t version;
    int len = PQgetlength(answer, row, column + 1);

    if (!read_bigint(answer, row, column, &version) || version == 0 || is_null(answer, row, column + 1) ||
        len > FZ_RECORD_SIZE_MAX)
        return false;
    ret->version = version;
    ret->len = (size_t)len;
    memcpy(ret->data, PQgetvalue(answer, row, column + 1), (size_t)len);
    return true;
}

static bool read_incarnation(const PGresult *answer, int row, char ret[FZ_INCARNATION_SIZE])
{
    static const char allowed[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz._:-";
    const char *text = PQgetvalue(answer, row, INCARNATION);
    size_t len = (size_t)PQgetlength(answer, row, INCARNATION);

    if (len == 0 || len >= FZ_INCARNATION_SIZE || strspn(text, allowed) != len)
        return false;
    memcpy(ret, text, len + 1);
    return true;
}

/* ---- one statement ------------------------------------------------------------- */

static enum fz_register_result not_understood(const struct postgresql_register *reg, const char *what,
                                              frazil_error *reterr)
{
    fz_fail(reterr, FRAZIL_ENAMESPACE, "%s: %s in the table %s is not what frazil has written", reg->connection.shown,
            what, reg->connection.url.table);
    return FZ_REGISTER_REFUSED;
}

/* The columns that every answer begins with. */
static enum fz_register_result read_status(struct postgresql_register *reg, const PGresult *answer, int columns,
                                           struct fz_register_status *ret, frazil_error *reterr)
{
    struct fz_register_status status = {.has_clock = true};
    uint64_t microseconds;
    bool whole = PQntuples(answer) >= 1 && PQnfields(answer) == columns && read_bigint(answer, 0, TIME, &microseconds);

    if (whole && is_null(answer, 0, INCARNATION)) {
        fz_fail(reterr, FRAZIL_EUNREACHABLE, "%s: is a standby: worker ids need the primary", reg->connection.shown);
        fz_session_drop(&reg->connection.session);
        return FZ_REGISTER_UNREACHABLE;
    }
    if (!whole || !read_incarnation(answer, 0, status.incarnation)) {
        fz_fail(reterr, FRAZIL_EREFUSED, "%s: does not report its time and identity, as a PostgreSQL does",
                reg->connection.shown);
        return FZ_REGISTER_REFUSED;
    }
    status.unix_ms = (int64_t)(microseconds / 1000);
    if (ret != NULL)
        *ret = status;
    return FZ_REGISTER_OK;
}

static const char *name_table(const struct postgresql_register *reg, const char *sql, char buf[SQL_SIZE])
{
    struct fz_sentence s = fz_sentence_in(buf, SQL_SIZE);

    for (; *sql != '\0'; sql++) {
        if (*sql == '@')
            fz_sentence_str(&s, reg->connection.url.table);
        else
            fz_sentence_char(&s, *sql);
    }
    assert(s.len < SQL_SIZE - 1);
    return buf;
}

static struct fz_postgresql_statement statement_of(const struct postgresql_register *reg, const char *sql,
                                                   char buf[SQL_SIZE])
{
    return (struct fz_postgresql_statement){
        .sql = name_table(reg, sql, buf), .n = 1, .values = {reg->connection.url.common.name}};
}

/* One statement and its status.  *ret_answer, of so many columns, is freed by the caller. */
static enum fz_register_result ask(struct postgresql_register *reg, const struct fz_postgresql_statement *statement,
                                   int columns, PGresult **ret_answer, struct fz_register_status *status,
                                   frazil_error *reterr)
{
    PGresult *answer;
    enum fz_register_result result = fz_postgresql_carry_out(&reg->connection, statement, &answer, reterr);

    if (result != FZ_REGISTER_OK)
        return result;
    result = read_status(reg, answer, columns, status, reterr);
    if (result == FZ_REGISTER_OK)
        *ret_answer = answer;
    else
        PQclear(answer);
    return result;
}

static bool table_is_missing(const struct postgresql_register *reg, enum fz_register_result result)
{
    return result == FZ_REGISTER_REFUSED && strcmp(reg->connection.sqlstate, UNDEFINED_TABLE) == 0;
}

/* Without a table there is no record; who the server is can be said all the same. */
static enum fz_register_result ask_without_table(struct postgresql_register *reg, struct fz_register_status *status,
                                                 frazil_error *reterr)
{
    char sql[SQL_SIZE];
    const struct fz_postgresql_statement statement = {.sql = name_table(reg, status_sql, sql)};
    PGresult *answer;
    enum fz_register_result result = ask(reg, &statement, STATUS_COLUMNS, &answer, status, reterr);

    if (result == FZ_REGISTER_OK)
        PQclear(answer);
    return result;
}

/* ---- the port ------------------------------------------------------------------ */

/* Begins a function of the port: all that it asks has this deadline. */
static struct postgresql_register *postgresql_in_time(void *ctx, struct fz_deadline deadline)
{
    struct postgresql_register *reg = ctx;

    reg->connection.session.deadline = deadline;
    return reg;
}

static const char *digits_of(uint64_t number, char buf[24])
{
    struct fz_sentence s = fz_sentence_in(buf, 24);

    fz_sentence_u64(&s, number);
    return buf;
}

static enum fz_register_result postgresql_read(void *ctx, struct fz_deadline deadline, uint32_t number,
                                               struct fz_record *ret, struct fz_register_status *status,
                                               frazil_error *reterr)
{
    struct postgresql_register *reg = postgresql_in_time(ctx, deadline);
    struct fz_record record = {.version = 0};
    char sql[SQL_SIZE];
    char digits[24];
    PGresult *answer;
    struct fz_postgresql_statement statement = statement_of(reg, read_sql, sql);

    statement.values[statement.n++] = digits_of(number, digits);
    enum fz_register_result result = ask(reg, &statement, STATUS_COLUMNS + 2, &answer, status, reterr);
    if (table_is_missing(reg, result)) {
        result = ask_without_table(reg, status, reterr);
    } else if (result == FZ_REGISTER_OK) {
        if (!is_null(answer, 0, STATUS_COLUMNS) && !read_record(answer, 0, STATUS_COLUMNS, &record))
            result = not_understood(reg, "a record", reterr);
        PQclear(answer);
    }
    if (result == FZ_REGISTER_OK)
        *ret = record;
    return result;
}

static enum fz_register_result visit_rows(const struct postgresql_register *reg, const PGresult *answer,
                                          fz_record_visitor visit, void *visit_ctx, frazil_error *reterr)
{
    for (int row = 1; row < PQntuples(answer); row++) {
        struct fz_record record = {.version = 0};
        uint64_t number;
        if (!read_bigint(answer, row, STATUS_COLUMNS, &number) || number > FZ_NAMESPACE)
            return not_understood(reg, "a record's number", reterr);
        bool readable = read_record(answer, row, STATUS_COLUMNS + 1, &record);
        if (!readable && number == FZ_NAMESPACE)
            return not_understood(reg, "the namespace's record", reterr);
        if (!readable)
            record = (struct fz_record){.version = 1}; /* damaged: shown, so that it is not taken for a free one */
        visit(visit_ctx, (uint32_t)number, &record);
    }
    return FZ_REGISTER_OK;
}

static enum fz_register_result read_several(struct postgresql_register *reg,
                                            const struct fz_postgresql_statement *statement, fz_record_visitor visit,
                                            void *visit_ctx, struct fz_register_status *status, frazil_error *reterr)
{
    PGresult *answer;
    enum fz_register_result result = ask(reg, statement, STATUS_COLUMNS + 3, &answer, status, reterr);

    if (table_is_missing(reg, result))
        return ask_without_table(reg, status, reterr);
    if (result != FZ_REGISTER_OK)
        return result;
    result = visit_rows(reg, answer, visit, visit_ctx, reterr);
    PQclear(answer);
    return result;
}

static enum fz_register_result postgresql_read_all(void *ctx, struct fz_deadline deadline, fz_record_visitor visit,
                                                   void *visit_ctx, struct fz_register_status *status,
                                                   frazil_error *reterr)
{
    struct postgresql_register *reg = postgresql_in_time(ctx, deadline);
    char sql[SQL_SIZE];
    const struct fz_postgresql_statement statement = statement_of(reg, read_all_sql, sql);

    return read_several(reg, &statement, visit, visit_ctx, status, reterr);
}

static enum fz_register_result postgresql_read_many(void *ctx, struct fz_deadline deadline, const uint32_t *numbers,
                                                    size_t n, fz_record_visitor visit, void *visit_ctx,
                                                    struct fz_register_status *status, frazil_error *reterr)
{
    struct postgresql_register *reg = postgresql_in_time(ctx, deadline);
    char sql[SQL_SIZE];
    char array[FZ_READ_MANY_MAX * sizeof "4294967295," + sizeof "{}"];
    struct fz_sentence s = fz_sentence_in(array, sizeof array);
    struct fz_postgresql_statement statement = statement_of(reg, read_many_sql, sql);

    assert(n >= 1 && n <= FZ_READ_MANY_MAX);
    for (size_t i = 0; i < n; i++) {
        fz_sentence_char(&s, i == 0 ? '{' : ',');
        fz_sentence_u64(&s, numbers[i]);
    }
    fz_sentence_char(&s, '}');
    statement.values[statement.n++] = array;
    return read_several(reg, &statement, visit, visit_ctx, status, reterr);
}

/* The statement was carried out, and its answer is whole: what has it done? */
static enum fz_register_result read_swap(struct postgresql_register *reg, const PGresult *answer, uint64_t expected,
                                         uint64_t *ret_version, frazil_error *reterr)
{
    uint64_t version;

    if (is_null(answer, 0, STATUS_COLUMNS))
        return FZ_REGISTER_CONFLICT;
    if (!read_bigint(answer, 0, STATUS_COLUMNS, &version) || version <= expected) {
        (void)not_understood(reg, "an answer about what stands", reterr);
        return FZ_REGISTER_UNKNOWN; /* it has been done, but what? */
    }
    /* It is committed, but the wait for the standbys was ended by somebody. */
    if (reg->connection.warning[0] != '\0') {
        fz_fail(reterr, FRAZIL_EUNREACHABLE, "%s: warns: %q", reg->connection.shown, reg->connection.warning);
        return FZ_REGISTER_UNKNOWN;
    }
    *ret_version = version;
    return FZ_REGISTER_OK;
}

/* A missing record has version 0, also if the table is missing: `prepare` makes it. */
static enum fz_register_result swap_without_table(struct postgresql_register *reg, uint64_t expected,
                                                  struct fz_register_status *status, frazil_error *reterr)
{
    enum fz_register_result result = ask_without_table(reg, status, reterr);

    if (result != FZ_REGISTER_OK || expected != 0)
        return result == FZ_REGISTER_OK ? FZ_REGISTER_CONFLICT : result;
    fz_fail(reterr, FRAZIL_ENAMESPACE, "%s: there is no table %s: frazil lease init creates it", reg->connection.shown,
            reg->connection.url.table);
    return FZ_REGISTER_REFUSED;
}

static enum fz_register_result postgresql_swap(void *ctx, struct fz_deadline deadline, const struct fz_swap *swap,
                                               uint64_t *ret_version, struct fz_register_status *status,
                                               frazil_error *reterr)
{
    struct postgresql_register *reg = postgresql_in_time(ctx, deadline);
    char sql[SQL_SIZE];
    char number_digits[24];
    char expected_digits[24];
    PGresult *answer;
    struct fz_postgresql_statement statement = statement_of(reg, swap->expected == 0 ? insert_sql : update_sql, sql);

    assert(swap->len <= FZ_RECORD_SIZE_MAX);
    statement.values[1] = digits_of(swap->number, number_digits);
    statement.values[2] = swap->data;
    statement.lengths[2] = (int)swap->len;
    statement.formats[2] = 1;
    statement.values[3] = digits_of(swap->expected, expected_digits);
    statement.n = swap->expected == 0 ? 3 : 4;
    enum fz_register_result result = ask(reg, &statement, STATUS_COLUMNS + 1, &answer, status, reterr);
    if (table_is_missing(reg, result))
        return swap_without_table(reg, swap->expected, status, reterr);
    if (result != FZ_REGISTER_OK)
        return result;
    result = read_swap(reg, answer, swap->expected, ret_version, reterr);
    PQclear(answer);
    return result;
}

/* Whether the table is there; a failed question is none. */
static bool has_table(struct postgresql_register *reg)
{
    static const char sql[] = "SELECT 1 WHERE to_regclass($1) IS NOT NULL";
    const struct fz_postgresql_statement statement = {.sql = sql, .n = 1, .values = {reg->connection.url.table}};
    PGresult *answer;

    if (fz_postgresql_carry_out(&reg->connection, &statement, &answer, NULL) != FZ_REGISTER_OK)
        return false;
    bool found = PQntuples(answer) == 1;
    PQclear(answer);
    return found;
}

/* Says what somebody else has to run, who may. */
static enum fz_register_result may_not_create(const struct postgresql_register *reg, frazil_error *reterr)
{
    char sql[SQL_SIZE];
    char user[FZ_POSTGRESQL_USER_SQL_SIZE];

    fz_postgresql_user_sql(&reg->connection, user);
    fz_fail(reterr, FRAZIL_EREFUSED,
            "%s: may not create its table; let somebody who may run: %s; GRANT SELECT, INSERT, UPDATE ON %s TO %s;",
            reg->connection.shown, name_table(reg, create_sql, sql), reg->connection.url.table, user);
    return FZ_REGISTER_REFUSED;
}

/*
 * A user who may not create tables is refused even if this one exists.  So is one of two
 * users who create it at once.  So a refusal counts only if the table is not there.
 */
static enum fz_register_result postgresql_prepare(void *ctx, struct fz_deadline deadline, frazil_error *reterr)
{
    struct postgresql_register *reg = postgresql_in_time(ctx, deadline);
    frazil_error said = {.message = ""};
    char sql[SQL_SIZE];
    PGresult *answer = NULL;
    const struct fz_postgresql_statement statement = {.sql = name_table(reg, create_sql, sql)};
    enum fz_register_result result = fz_postgresql_carry_out(&reg->connection, &statement, &answer, &said);
    bool denied = result == FZ_REGISTER_REFUSED && strcmp(reg->connection.sqlstate, INSUFFICIENT_PRIVILEGE) == 0;

    PQclear(answer);
    if (result == FZ_REGISTER_OK || (result == FZ_REGISTER_REFUSED && has_table(reg)))
        return FZ_REGISTER_OK;
    if (denied)
        return may_not_create(reg, reterr);
    if (reterr != NULL)
        *reterr = said;
    return result;
}

static enum fz_register_result postgresql_examine(void *ctx, struct fz_deadline deadline, fz_finding_visitor visit,
                                                  void *visit_ctx, frazil_error *reterr)
{
    struct postgresql_register *reg = postgresql_in_time(ctx, deadline);

    return fz_postgresql_examine(&reg->connection, visit, visit_ctx, reterr);
}

static void postgresql_after_fork(void *ctx)
{
    struct postgresql_register *reg = ctx;

    fz_session_abandon(&reg->connection.session);
}

static void postgresql_close(void *ctx)
{
    struct postgresql_register *reg = ctx;

    fz_postgresql_connection_stop(&reg->connection);
    free(reg);
}

frazil_err fz_postgresql_register_open(const char *url, struct fz_register *ret, char *ret_name, frazil_error *reterr)
{
    struct fz_postgresql_url parsed;
    frazil_err err = fz_postgresql_url_parse(url, &parsed, reterr);

    if (err != FRAZIL_OK)
        return err;
    struct postgresql_register *reg = calloc(1, sizeof *reg);
    if (reg != NULL)
        fz_postgresql_connection_start(&reg->connection, &parsed);
    fz_wipe(&parsed, sizeof parsed);
    if (reg == NULL)
        return fz_fail(reterr, FRAZIL_ENOMEM, "no memory for a connection to PostgreSQL");
    memcpy(ret_name, reg->connection.url.common.name, sizeof reg->connection.url.common.name);
    *ret = (struct fz_register){.ctx = reg,
                                .register_class = FZ_REGISTER_ASYNCHRONOUS,
                                .read = postgresql_read,
                                .read_all = postgresql_read_all,
                                .read_many = postgresql_read_many,
                                .swap = postgresql_swap,
                                .prepare = postgresql_prepare,
                                .examine = postgresql_examine,
                                .after_fork = postgresql_after_fork,
                                .close = postgresql_close};
    return FRAZIL_OK;
}
