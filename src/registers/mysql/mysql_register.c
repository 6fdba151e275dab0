/* SPDX-License-Identifier: MIT */
#include "mysql_register.h"

#include <assert.h>
#include <mysql.h>
#include <mysqld_error.h>
#include <stdlib.h>
#include <string.h>

#include "core/decimal.h"
#include "core/sentence.h"
#include "core/wipe.h"
#include "mysql_connection.h"
#include "mysql_examine.h"
#include "os/host.h"

/*
 * In what follows @T is the table's name, @N the namespace's, @W the record's number, @V the version that it must have
 * and @D its data.  None of them can have a character that SQL would have to quote: names are checked where the URL is
 * read, and data is written in hexadecimal digits.
 */
#define NOW "CAST(UNIX_TIMESTAMP(NOW(6)) * 1000000 AS UNSIGNED)"

/*
 * Of a statement's start, as UNIX_TIMESTAMP() is, so the difference does not move.  Less than 0 if the clock was set
 * back since the server's start, which it shows as 2^64 more.  MySQL keeps it in another place.
 */
#define UPTIME                                                                                                         \
    "(SELECT CAST(variable_value AS SIGNED) FROM /*M! information_schema.*//*!80000 performance_schema.*/"             \
    "global_status WHERE variable_name = 'Uptime')"

/* The time, whether the server is read-only, the incarnation but for the table, and the table's engine and age. */
#define STATUS                                                                                                         \
    NOW ", @@global.read_only, "                                                                                       \
        "CONCAT_WS('.', @@global.server_id, CRC32(@@global.hostname), @@global.port, UNIX_TIMESTAMP() - " UPTIME "), " \
        "(SELECT CONCAT(engine, ' ', UNIX_TIMESTAMP(create_time)) FROM information_schema.tables "                     \
        "WHERE table_schema = DATABASE() AND table_name = '@T')"

static const char status_sql[] = "SELECT " STATUS;

/*
 * Reads name the primary key, so that a table without one is refused: an INSERT into that would make a record that is
 * there already.
 */
static const char read_sql[] = "SELECT " STATUS ", r.version, r.data FROM (SELECT 1) AS one "
                               "LEFT JOIN `@T` AS r FORCE INDEX (PRIMARY) ON r.namespace = '@N' AND r.number = @W";

/* The status, and records, in any order: only the status has a time. */
#define SEVERAL                                                                                                        \
    "SELECT " STATUS ", NULL, NULL, NULL UNION ALL "                                                                   \
    "SELECT NULL, NULL, NULL, NULL, number, version, data FROM `@T` FORCE INDEX (PRIMARY) WHERE namespace = '@N'"

static const char read_all_sql[] = SEVERAL;
static const char read_many_sql[] = SEVERAL " AND number IN ("; /* the numbers and a bracket follow */

/*
 * The status comes from a statement of its own, after the write, and so do how many rows that has changed, and the
 * version, which LAST_INSERT_ID keeps for this session.  An UPDATE that waited for another one looks at the version
 * again.  The UPDATE of an INSERT changes nothing, but needs the right to UPDATE, as all later statements do: a user
 * without it learns of that before it has a grant.
 */
#define DONE "; SELECT " STATUS ", ROW_COUNT(), LAST_INSERT_ID()"

static const char insert_sql[] = "INSERT INTO `@T` (namespace, number, version, data) "
                                 "VALUES ('@N', @W, LAST_INSERT_ID(" NOW "), x'@D') "
                                 "ON DUPLICATE KEY UPDATE version = `@T`.version" DONE;

static const char update_sql[] = "UPDATE `@T` SET version = LAST_INSERT_ID(GREATEST(version + 1, " NOW ")), "
                                 "data = x'@D' WHERE namespace = '@N' AND number = @W AND version = @V" DONE;

#define COLUMNS                                                                                                        \
    "(namespace VARCHAR(63) CHARACTER SET ascii COLLATE ascii_bin NOT NULL, number BIGINT UNSIGNED NOT NULL, "         \
    "version BIGINT UNSIGNED NOT NULL, data VARBINARY(512) NOT NULL, PRIMARY KEY (namespace, number)) ENGINE = InnoDB"

static const char create_sql[] = "CREATE TABLE IF NOT EXISTS `@T` " COLUMNS "; SELECT 1";

/* The account that the server has chosen for this user, as SQL names it. */
static const char account_sql[] = "SELECT CONCAT(QUOTE(LEFT(u, CHAR_LENGTH(u) - CHAR_LENGTH(h) - 1)), '@', QUOTE(h)) "
                                  "FROM (SELECT CURRENT_USER() AS u, SUBSTRING_INDEX(CURRENT_USER(), '@', -1) AS h) "
                                  "AS one";

/* Bytes of a statement with its names, its data and a list of numbers put in. */
enum { SQL_SIZE = 4096 + FZ_READ_MANY_MAX * sizeof "4294967295," };

/* The columns of an answer. */
enum { TIME, READ_ONLY, SERVER, TABLE, STATUS_COLUMNS };

struct mysql_register {
    struct fz_mysql_connection connection;
};

/* A row of an answer. */
struct row {
    MYSQL_ROW values; /* NULL: there is none */
    const unsigned long *lengths;
};

static struct row next_row(MYSQL_RES *answer)
{
    MYSQL_ROW values = mysql_fetch_row(answer);

    return (struct row){values, values == NULL ? NULL : mysql_fetch_lengths(answer)};
}

/* ---- statements ------------------------------------------------------------------ */

static void write_data(struct fz_sentence *s, const struct fz_swap *swap)
{
    static const char digits[] = "0123456789abcdef";

    for (size_t i = 0; i < swap->len; i++) {
        unsigned char byte = (unsigned char)swap->data[i];
        fz_sentence_char(s, digits[byte >> 4]);
        fz_sentence_char(s, digits[byte & 15]);
    }
}

/* A statement with everything put in. */
static struct fz_sentence write_sql(const struct mysql_register *reg, const char *sql, const struct fz_swap *swap,
                                    char buf[SQL_SIZE])
{
    struct fz_sentence s = fz_sentence_in(buf, SQL_SIZE);

    for (; *sql != '\0'; sql++) {
        char which = *sql == '@' ? sql[1] : '\0';
        if (which == 'T')
            fz_sentence_str(&s, reg->connection.url.table);
        else if (which == 'N')
            fz_sentence_str(&s, reg->connection.url.common.name);
        else if (which == 'W')
            fz_sentence_u64(&s, swap->number);
        else if (which == 'V')
            fz_sentence_u64(&s, swap->expected);
        else if (which == 'D')
            write_data(&s, swap);
        else
            fz_sentence_char(&s, *sql);
        sql += which >= 'A' && which <= 'Z';
    }
    assert(s.len < SQL_SIZE - 1);
    return s;
}

/* ---- strict readings of columns --------------------------------------------- */

static bool read_number(const struct row *row, int column, uint64_t *ret)
{
    const char *text = row->values[column];

    return text != NULL && fz_decimal_parse(text, row->lengths[column], ret);
}

/* version and data, in two columns. */
static bool read_record(const struct row *row, int column, struct fz_record *ret)
{
    const char *data = row->values[column + 1];
    size_t len = row->lengths[column + 1];
    uint64_t version;

    if (!read_number(row, column, &version) || version == 0 || data == NULL || len > FZ_RECORD_SIZE_MAX)
        return false;
    ret->version = version;
    ret->len = len;
    memcpy(ret->data, data, len);
    return true;
}

static bool column_is(const struct row *row, int column, const char *text)
{
    return row->values[column] != NULL && strcmp(row->values[column], text) == 0;
}

/* ---- one exchange ---------------------------------------------------------------- */

static enum fz_register_result not_understood(const struct mysql_register *reg, const char *what, frazil_error *reterr)
{
    fz_fail(reterr, FRAZIL_ENAMESPACE, "%s: %s in the table %s is not what frazil has written", reg->connection.shown,
            what, reg->connection.url.table);
    return FZ_REGISTER_REFUSED;
}

/* The server's part, and the table's behind it; 0 for a table that is not there. */
static bool read_incarnation(const struct row *row, char ret[FZ_INCARNATION_SIZE])
{
    static const char engine[] = "InnoDB ";
    const char *table = row->values[TABLE];
    struct fz_sentence s = fz_sentence_in(ret, FZ_INCARNATION_SIZE);

    fz_sentence_str(&s, row->values[SERVER]);
    fz_sentence_char(&s, '.');
    fz_sentence_str(&s, table == NULL ? "0" : table + sizeof engine - 1);
    return s.len < FZ_INCARNATION_SIZE - 1 && strspn(ret, "0123456789.") == s.len;
}

/* The columns that an answer begins with.  `after` is the result if the server is one that is not to be asked. */
static enum fz_register_result read_status(struct mysql_register *reg, const struct row *row,
                                           enum fz_register_result after, struct fz_register_status *ret,
                                           frazil_error *reterr)
{
    struct fz_register_status status = {.has_clock = true};
    const char *table = row->values[TABLE];
    uint64_t microseconds;

    if (!column_is(row, READ_ONLY, "0") && !column_is(row, READ_ONLY, "OFF")) { /* MariaDB 12 says OFF */
        fz_fail(reterr, FRAZIL_EUNREACHABLE, "%s: is read-only, as replicas are: worker ids need the primary",
                reg->connection.shown);
        fz_session_drop(&reg->connection.session);
        return after;
    }
    if (table != NULL && strncmp(table, "InnoDB ", 7) != 0) {
        fz_fail(reterr, FRAZIL_EREFUSED, "%s: the table %s is kept by %q: run ALTER TABLE %s ENGINE = InnoDB",
                reg->connection.shown, reg->connection.url.table, table, reg->connection.url.table);
        return after == FZ_REGISTER_UNKNOWN ? after : FZ_REGISTER_REFUSED;
    }
    if (!read_number(row, TIME, &microseconds) || row->values[SERVER] == NULL ||
        !read_incarnation(row, status.incarnation)) {
        fz_fail(reterr, FRAZIL_EREFUSED, "%s: does not report its time and identity, as MySQL and MariaDB do",
                reg->connection.shown);
        return after == FZ_REGISTER_UNKNOWN ? after : FZ_REGISTER_REFUSED;
    }
    status.unix_ms = (int64_t)(microseconds / 1000);
    if (ret != NULL)
        *ret = status;
    return FZ_REGISTER_OK;
}

/* Moves to the row with the status, which is the only one with a time.  Without values: there is none. */
static struct row find_status(MYSQL_RES *answer, unsigned columns)
{
    struct row row = {.values = NULL};

    mysql_data_seek(answer, 0);
    if (mysql_num_fields(answer) != columns)
        return row;
    for (row = next_row(answer); row.values != NULL && row.values[TIME] == NULL; row = next_row(answer))
        continue;
    return row;
}

/* Names what lacks the key that is asked for: a restore, or CREATE TABLE ... AS SELECT, made the table without it. */
static enum fz_register_result without_key(const struct mysql_register *reg, frazil_error *reterr)
{
    const char *table = reg->connection.url.table;

    fz_fail(reterr, FRAZIL_EREFUSED,
            "%s: the table %s has no primary key, or is a view: run ALTER TABLE %s ADD PRIMARY KEY (namespace, number)",
            reg->connection.shown, table, table);
    return FZ_REGISTER_REFUSED;
}

/* Statements and their status.  *ret_answer, of so many columns, is freed by the caller. */
static enum fz_register_result ask(struct mysql_register *reg, const char *sql, unsigned columns,
                                   enum fz_register_result after, MYSQL_RES **ret_answer,
                                   struct fz_register_status *status, frazil_error *reterr)
{
    MYSQL_RES *answer;
    enum fz_register_result result = fz_mysql_carry_out(&reg->connection, sql, &answer, reterr);

    if (result == FZ_REGISTER_REFUSED && reg->connection.error == ER_KEY_DOES_NOT_EXISTS)
        return without_key(reg, reterr);
    if (result != FZ_REGISTER_OK)
        return result;
    struct row row = find_status(answer, columns);
    if (row.values != NULL) {
        result = read_status(reg, &row, after, status, reterr);
    } else {
        fz_fail(reterr, FRAZIL_EUNREACHABLE, "%s: answers in no form that was asked for", reg->connection.shown);
        fz_session_drop(&reg->connection.session);
        result = FZ_REGISTER_UNKNOWN;
    }
    if (result == FZ_REGISTER_OK)
        *ret_answer = answer;
    else
        mysql_free_result(answer);
    return result;
}

static bool table_is_missing(const struct mysql_register *reg, enum fz_register_result result)
{
    return result == FZ_REGISTER_REFUSED && reg->connection.error == ER_NO_SUCH_TABLE;
}

/* Without a table there is no record; who the server is can be said all the same. */
static enum fz_register_result ask_without_table(struct mysql_register *reg, struct fz_register_status *status,
                                                 frazil_error *reterr)
{
    char sql[SQL_SIZE];
    MYSQL_RES *answer;

    (void)write_sql(reg, status_sql, NULL, sql);
    enum fz_register_result result = ask(reg, sql, STATUS_COLUMNS, FZ_REGISTER_UNREACHABLE, &answer, status, reterr);
    if (result == FZ_REGISTER_OK)
        mysql_free_result(answer);
    return result;
}

/* ---- the port ------------------------------------------------------------------ */

/* Begins a function of the port: all that it asks has this deadline. */
static struct mysql_register *mysql_in_time(void *ctx, struct fz_deadline deadline)
{
    struct mysql_register *reg = ctx;

    reg->connection.session.deadline = deadline;
    return reg;
}

static enum fz_register_result mysql_register_read(void *ctx, struct fz_deadline deadline, uint32_t number,
                                                   struct fz_record *ret, struct fz_register_status *status,
                                                   frazil_error *reterr)
{
    struct mysql_register *reg = mysql_in_time(ctx, deadline);
    struct fz_record record = {.version = 0};
    char sql[SQL_SIZE];
    MYSQL_RES *answer;

    (void)write_sql(reg, read_sql, &(struct fz_swap){.number = number}, sql);
    enum fz_register_result result =
        ask(reg, sql, STATUS_COLUMNS + 2, FZ_REGISTER_UNREACHABLE, &answer, status, reterr);
    if (table_is_missing(reg, result)) {
        result = ask_without_table(reg, status, reterr);
    } else if (result == FZ_REGISTER_OK) {
        struct row row = find_status(answer, STATUS_COLUMNS + 2);
        if (row.values[STATUS_COLUMNS] != NULL && !read_record(&row, STATUS_COLUMNS, &record))
            result = not_understood(reg, "a record", reterr);
        mysql_free_result(answer);
    }
    if (result == FZ_REGISTER_OK)
        *ret = record;
    return result;
}

static enum fz_register_result visit_row(const struct mysql_register *reg, const struct row *row,
                                         fz_record_visitor visit, void *visit_ctx, frazil_error *reterr)
{
    struct fz_record record = {.version = 0};
    uint64_t number;

    if (!read_number(row, STATUS_COLUMNS, &number) || number > FZ_NAMESPACE)
        return not_understood(reg, "a record's number", reterr);
    bool readable = read_record(row, STATUS_COLUMNS + 1, &record);
    if (!readable && number == FZ_NAMESPACE)
        return not_understood(reg, "the namespace's record", reterr);
    if (!readable)
        record = (struct fz_record){.version = 1}; /* damaged: shown, so that it is not taken for a free one */
    visit(visit_ctx, (uint32_t)number, &record);
    return FZ_REGISTER_OK;
}

static enum fz_register_result read_several(struct mysql_register *reg, const char *sql, fz_record_visitor visit,
                                            void *visit_ctx, struct fz_register_status *status, frazil_error *reterr)
{
    MYSQL_RES *answer;
    enum fz_register_result result =
        ask(reg, sql, STATUS_COLUMNS + 3, FZ_REGISTER_UNREACHABLE, &answer, status, reterr);

    if (table_is_missing(reg, result))
        return ask_without_table(reg, status, reterr);
    if (result != FZ_REGISTER_OK)
        return result;
    mysql_data_seek(answer, 0);
    for (struct row row = next_row(answer); row.values != NULL && result == FZ_REGISTER_OK; row = next_row(answer)) {
        if (row.values[TIME] == NULL)
            result = visit_row(reg, &row, visit, visit_ctx, reterr);
    }
    mysql_free_result(answer);
    return result;
}

static enum fz_register_result mysql_register_read_all(void *ctx, struct fz_deadline deadline, fz_record_visitor visit,
                                                       void *visit_ctx, struct fz_register_status *status,
                                                       frazil_error *reterr)
{
    struct mysql_register *reg = mysql_in_time(ctx, deadline);
    char sql[SQL_SIZE];

    (void)write_sql(reg, read_all_sql, NULL, sql);
    return read_several(reg, sql, visit, visit_ctx, status, reterr);
}

static enum fz_register_result mysql_register_read_many(void *ctx, struct fz_deadline deadline, const uint32_t *numbers,
                                                        size_t n, fz_record_visitor visit, void *visit_ctx,
                                                        struct fz_register_status *status, frazil_error *reterr)
{
    struct mysql_register *reg = mysql_in_time(ctx, deadline);
    char sql[SQL_SIZE];
    struct fz_sentence s = write_sql(reg, read_many_sql, NULL, sql);

    assert(n >= 1 && n <= FZ_READ_MANY_MAX);
    for (size_t i = 0; i < n; i++) {
        fz_sentence_str(&s, i == 0 ? "" : ",");
        fz_sentence_u64(&s, numbers[i]);
    }
    fz_sentence_char(&s, ')');
    return read_several(reg, sql, visit, visit_ctx, status, reterr);
}

/* The statement was carried out, and its answer is whole: what has it done? */
static enum fz_register_result read_swap(struct mysql_register *reg, MYSQL_RES *answer, uint64_t expected,
                                         uint64_t *ret_version, frazil_error *reterr)
{
    struct row row = find_status(answer, STATUS_COLUMNS + 2);
    uint64_t version;

    if (column_is(&row, STATUS_COLUMNS, "0"))
        return FZ_REGISTER_CONFLICT;
    if (!column_is(&row, STATUS_COLUMNS, "1") || !read_number(&row, STATUS_COLUMNS + 1, &version) ||
        version <= expected) {
        (void)not_understood(reg, "an answer about what stands", reterr);
        return FZ_REGISTER_UNKNOWN; /* it has been done, but what? */
    }
    *ret_version = version;
    return FZ_REGISTER_OK;
}

/* A missing record has version 0, also if the table is missing: `prepare` makes it. */
static enum fz_register_result swap_without_table(struct mysql_register *reg, uint64_t expected,
                                                  struct fz_register_status *status, frazil_error *reterr)
{
    enum fz_register_result result = ask_without_table(reg, status, reterr);

    if (result != FZ_REGISTER_OK || expected != 0)
        return result == FZ_REGISTER_OK ? FZ_REGISTER_CONFLICT : result;
    fz_fail(reterr, FRAZIL_ENAMESPACE, "%s: there is no table %s: frazil lease init creates it", reg->connection.shown,
            reg->connection.url.table);
    return FZ_REGISTER_REFUSED;
}

static enum fz_register_result mysql_register_swap(void *ctx, struct fz_deadline deadline, const struct fz_swap *swap,
                                                   uint64_t *ret_version, struct fz_register_status *status,
                                                   frazil_error *reterr)
{
    struct mysql_register *reg = mysql_in_time(ctx, deadline);
    char sql[SQL_SIZE];
    MYSQL_RES *answer;

    assert(swap->len <= FZ_RECORD_SIZE_MAX);
    (void)write_sql(reg, swap->expected == 0 ? insert_sql : update_sql, swap, sql);
    enum fz_register_result result = ask(reg, sql, STATUS_COLUMNS + 2, FZ_REGISTER_UNKNOWN, &answer, status, reterr);
    if (table_is_missing(reg, result))
        return swap_without_table(reg, swap->expected, status, reterr);
    if (result != FZ_REGISTER_OK)
        return result;
    result = read_swap(reg, answer, swap->expected, ret_version, reterr);
    mysql_free_result(answer);
    return result;
}

/* Says what somebody else has to run, who may. */
static enum fz_register_result may_not_create(struct mysql_register *reg, frazil_error *reterr)
{
    const struct fz_mysql_url *url = &reg->connection.url;
    MYSQL_RES *answer = NULL;
    enum fz_register_result result = fz_mysql_carry_out(&reg->connection, account_sql, &answer, NULL);
    MYSQL_ROW row = result == FZ_REGISTER_OK ? mysql_fetch_row(answer) : NULL;

    fz_fail(reterr, FRAZIL_EREFUSED,
            "%s: may not create its table; let somebody who may run: CREATE TABLE IF NOT EXISTS `%v`.`%s` " COLUMNS
            "; GRANT SELECT, INSERT, UPDATE ON `%v`.`%s` TO %v;",
            reg->connection.shown, url->database, url->table, url->database, url->table,
            row == NULL || row[0] == NULL ? "..." : row[0]);
    mysql_free_result(answer);
    return FZ_REGISTER_REFUSED;
}

/* A table of this name may have been there, made by somebody in another way. */
static enum fz_register_result check_table(struct mysql_register *reg, frazil_error *reterr)
{
    char wrong[FZ_FINDING_SIZE];
    enum fz_register_result result = fz_mysql_judge_table(&reg->connection, wrong, reterr);

    if (result != FZ_REGISTER_OK || wrong[0] == '\0')
        return result;
    fz_fail(reterr, FRAZIL_EREFUSED, "%s: the table %s %v", reg->connection.shown, reg->connection.url.table, wrong);
    return FZ_REGISTER_REFUSED;
}

static bool is_denied(const struct mysql_register *reg, enum fz_register_result result)
{
    return result == FZ_REGISTER_REFUSED && reg->connection.error == ER_TABLEACCESS_DENIED_ERROR;
}

/* A user who may not create tables is refused even if this one exists: so a refusal counts only if it is not there. */
static enum fz_register_result mysql_register_prepare(void *ctx, struct fz_deadline deadline, frazil_error *reterr)
{
    struct mysql_register *reg = mysql_in_time(ctx, deadline);
    frazil_error said = {.message = ""};
    char sql[SQL_SIZE];
    MYSQL_RES *answer = NULL;

    (void)write_sql(reg, create_sql, NULL, sql);
    enum fz_register_result result = fz_mysql_carry_out(&reg->connection, sql, &answer, &said);
    if (is_denied(reg, result)) {
        (void)write_sql(reg, read_sql, &(struct fz_swap){.number = FZ_NAMESPACE}, sql);
        result = ask(reg, sql, STATUS_COLUMNS + 2, FZ_REGISTER_UNREACHABLE, &answer, NULL, &said);
        if (is_denied(reg, result) || table_is_missing(reg, result))
            return may_not_create(reg, reterr);
    }
    if (result == FZ_REGISTER_OK) {
        mysql_free_result(answer);
        return check_table(reg, reterr);
    }
    if (reterr != NULL)
        *reterr = said;
    return result;
}

static enum fz_register_result mysql_register_examine(void *ctx, struct fz_deadline deadline, fz_finding_visitor visit,
                                                      void *visit_ctx, frazil_error *reterr)
{
    struct mysql_register *reg = mysql_in_time(ctx, deadline);

    return fz_mysql_examine(&reg->connection, visit, visit_ctx, reterr);
}

static void mysql_register_after_fork(void *ctx)
{
    struct mysql_register *reg = ctx;

    fz_session_abandon(&reg->connection.session);
}

static void mysql_register_close(void *ctx)
{
    struct mysql_register *reg = ctx;

    fz_mysql_connection_stop(&reg->connection);
    free(reg);
}

/* The user who starts a set-user-ID program could name code for it: libmariadb does not ask for the bit. */
static frazil_err check_environment(frazil_error *reterr)
{
    static const char *const loading[] = {"LIBMYSQL_PLUGINS=", "MARIADB_PLUGIN_DIR="};

    for (size_t i = 0; i < sizeof loading / sizeof loading[0]; i++) {
        const char *variable = fz_foreign_variable(loading[i]);
        if (variable != NULL)
            return fz_fail(reterr, FRAZIL_ENOTBUILT,
                           "libmariadb would load code that %Q in the environment names, which a set-user-ID program "
                           "must not trust: clear it first",
                           variable, strcspn(variable, "="));
    }
    return FRAZIL_OK;
}

frazil_err fz_mysql_register_open(const char *url, struct fz_register *ret, char *ret_name, frazil_error *reterr)
{
    struct fz_mysql_url parsed;
    frazil_err err = check_environment(reterr);

    if (err == FRAZIL_OK)
        err = fz_mysql_url_parse(url, &parsed, reterr);

    if (err != FRAZIL_OK)
        return err;
    struct mysql_register *reg = calloc(1, sizeof *reg);
    if (reg != NULL)
        fz_mysql_connection_start(&reg->connection, &parsed);
    fz_wipe(&parsed, sizeof parsed);
    if (reg == NULL)
        return fz_fail(reterr, FRAZIL_ENOMEM, "no memory for a connection to MySQL");
    memcpy(ret_name, reg->connection.url.common.name, sizeof reg->connection.url.common.name);
    *ret = (struct fz_register){.ctx = reg,
                                .register_class = FZ_REGISTER_ASYNCHRONOUS,
                                .read = mysql_register_read,
                                .read_all = mysql_register_read_all,
                                .read_many = mysql_register_read_many,
                                .swap = mysql_register_swap,
                                .prepare = mysql_register_prepare,
                                .examine = mysql_register_examine,
                                .after_fork = mysql_register_after_fork,
                                .close = mysql_register_close};
    return FRAZIL_OK;
}
