/* SPDX-License-Identifier: MIT */
/*
 * MySQL and MariaDB as a dialect of common/sql_register.h: one InnoDB table, by default frazil_lease.  A server that is
 * read-only is not asked.
 *
 * The incarnation is ID.HOST.PORT.START.TABLE: the server_id, a checksum of its host
 * name, its port, when it was started, and when the table was made.  It changes when a
 * replica was promoted, when a server was started again with whatever disk, or when
 * the table was made again: then a swap that was answered may be lost.
 */

#include <mysql.h>
#include <mysqld_error.h>
#include <string.h>

#include "common/tls.h"
#include "core/sentence.h"
#include "lease/coordinator.h"
#include "mysql_connection.h"
#include "os/host.h"

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

/*
 * The status comes from a statement of its own, after the write, and so does the version, which LAST_INSERT_ID keeps
 * for this session, if that has changed one row.  An UPDATE that waited for another one looks at the version again. The
 * UPDATE of an INSERT changes nothing, but needs the right to UPDATE, as all later statements do: a user without it
 * learns of that before it has a grant.
 */
#define DONE "; SELECT " STATUS ", CASE ROW_COUNT() WHEN 0 THEN NULL WHEN 1 THEN LAST_INSERT_ID() ELSE 0 END"

static const char insert_sql[] = "INSERT INTO `@T` (namespace, number, version, data) "
                                 "VALUES ('@N', @W, LAST_INSERT_ID(" NOW "), x'@D') "
                                 "ON DUPLICATE KEY UPDATE version = `@T`.version" DONE;

static const char update_sql[] = "UPDATE `@T` SET version = LAST_INSERT_ID(GREATEST(version + 1, " NOW ")), "
                                 "data = x'@D' WHERE namespace = '@N' AND number = @W AND version = @V" DONE;

#define COLUMNS                                                                                                        \
    "(namespace VARCHAR(63) CHARACTER SET ascii COLLATE ascii_bin NOT NULL, number BIGINT UNSIGNED NOT NULL, "         \
    "version BIGINT UNSIGNED NOT NULL, data VARBINARY(512) NOT NULL, PRIMARY KEY (namespace, number)) ENGINE = InnoDB"

/*
 * Whether the table was created in this second or the one before, or seems to have been in the next one.  Its time of
 * creation has whole seconds, and may come from a file system, whose clock lags by some milliseconds.  So another table
 * can only be given the same one in these two seconds.
 */
static const char age_sql[] = "SELECT COUNT(*) FROM information_schema.tables WHERE table_schema = DATABASE() AND "
                              "table_name = '@T' AND ABS(UNIX_TIMESTAMP() - UNIX_TIMESTAMP(create_time)) < 2";

/* The account that the server has chosen for this user, as SQL names it. */
static const char account_sql[] = "SELECT CONCAT(QUOTE(LEFT(u, CHAR_LENGTH(u) - CHAR_LENGTH(h) - 1)), '@', QUOTE(h)) "
                                  "FROM (SELECT CURRENT_USER() AS u, SUBSTRING_INDEX(CURRENT_USER(), '@', -1) AS h) "
                                  "AS one";

/* The columns of an answer. */
enum { TIME, READ_ONLY, SERVER, TABLE, STATUS_COLUMNS };

/* The numbers in the column SERVER. */
enum { SERVER_NUMBERS = 4 };

/* ---- answers --------------------------------------------------------------------- */

static bool next_row(struct fz_sql_answer *answer)
{
    if (answer->next == 0)
        mysql_data_seek(answer->rows, 0);
    answer->next++;
    MYSQL_ROW values = mysql_fetch_row(answer->rows);
    const unsigned long *lengths = values == NULL ? NULL : mysql_fetch_lengths(answer->rows);
    for (size_t i = 0; values != NULL && i < answer->columns; i++)
        answer->values[i] = (struct fz_sql_value){values[i], lengths[i]};
    return values != NULL;
}

static void free_rows(void *rows)
{
    mysql_free_result(rows);
}

static bool value_is(const struct fz_sql_value *value, const char *text)
{
    return value->text != NULL && strcmp(value->text, text) == 0;
}

/* How many numbers were joined.  CONCAT_WS leaves out those that are NULL, as on a server that tells no start. */
static size_t count_numbers(const char *text)
{
    size_t n = 1;

    for (; *text != '\0'; text++)
        n += *text == '.';
    return n;
}

/* The server's part, and the table's behind it; 0 for a table that is not there. */
static enum fz_register_result read_incarnation(struct fz_sql_connection *connection, const struct fz_sql_value *status,
                                                char ret[FZ_INCARNATION_SIZE], frazil_error *reterr)
{
    static const char engine[] = "InnoDB ";
    const char *server = status[SERVER].text == NULL ? "?" : status[SERVER].text;
    const char *table = status[TABLE].text;
    struct fz_sentence s = fz_sentence_in(ret, FZ_INCARNATION_SIZE);

    if (!value_is(&status[READ_ONLY], "0") && !value_is(&status[READ_ONLY], "OFF")) { /* MariaDB 12 says OFF */
        fz_fail(reterr, FRAZIL_EREFUSED, "%s: is read-only, as replicas are: worker ids need the primary",
                connection->session.shown);
        fz_session_drop(&connection->session);
        return FZ_REGISTER_UNREACHABLE;
    }
    if (table != NULL && strncmp(table, engine, sizeof engine - 1) != 0) {
        fz_fail(reterr, FRAZIL_EREFUSED, "%s: the table %s uses the engine %q: run ALTER TABLE %s ENGINE = InnoDB",
                connection->session.shown, connection->table, table, connection->table);
        return FZ_REGISTER_REFUSED;
    }
    fz_sentence_str(&s, server);
    fz_sentence_char(&s, '.');
    fz_sentence_str(&s, table == NULL ? "0" : table + sizeof engine - 1);
    if (count_numbers(server) != SERVER_NUMBERS || s.len == FZ_INCARNATION_SIZE - 1 ||
        strspn(ret, "0123456789.") != s.len)
        ret[0] = '\0';
    return FZ_REGISTER_OK;
}

/* Names what lacks the key that is asked for: a restore, or CREATE TABLE ... AS SELECT, made the table without it. */
static void without_key(const struct fz_sql_connection *connection, frazil_error *reterr)
{
    fz_fail(reterr, FRAZIL_EREFUSED,
            "%s: the table %s has no primary key, or is a view: run ALTER TABLE %s ADD PRIMARY KEY (namespace, number)",
            connection->session.shown, connection->table, connection->table);
}

static enum fz_register_result carry_out(struct fz_sql_connection *connection, const char *sql,
                                         struct fz_sql_answer *ret, frazil_error *reterr)
{
    struct fz_mysql_connection *mysql = (struct fz_mysql_connection *)connection;
    MYSQL_RES *rows = NULL;
    enum fz_register_result result = fz_mysql_carry_out(mysql, sql, &rows, reterr);

    if (result == FZ_REGISTER_REFUSED && mysql->error == ER_KEY_DOES_NOT_EXISTS)
        without_key(connection, reterr);
    if (result == FZ_REGISTER_OK)
        *ret = (struct fz_sql_answer){.rows = rows, .columns = mysql_num_fields(rows)};
    return result;
}

static enum fz_sql_refusal refusal(const struct fz_sql_connection *connection)
{
    switch (((const struct fz_mysql_connection *)connection)->error) {
    case ER_NO_SUCH_TABLE:
        return FZ_SQL_NO_TABLE;
    case ER_TABLEACCESS_DENIED_ERROR:
        return FZ_SQL_MAY_NOT;
    default:
        return FZ_SQL_SOMETHING;
    }
}

/* ---- the table -------------------------------------------------------------------- */

static enum fz_register_result may_not_create(struct fz_sql_connection *connection, frazil_error *reterr)
{
    struct fz_mysql_connection *mysql = (struct fz_mysql_connection *)connection;
    const struct fz_mysql_url *url = &mysql->url;
    MYSQL_RES *answer = NULL;
    enum fz_register_result result = fz_mysql_carry_out(mysql, account_sql, &answer, NULL);
    MYSQL_ROW row = result == FZ_REGISTER_OK ? mysql_fetch_row(answer) : NULL;

    fz_fail(reterr, FRAZIL_EREFUSED,
            "%s: may not create its table; let a user with that permission run: CREATE TABLE IF NOT EXISTS "
            "`%v`.`%s` " COLUMNS "; GRANT SELECT, INSERT, UPDATE ON `%v`.`%s` TO %v;",
            connection->session.shown, url->database, url->table, url->database, url->table,
            row == NULL || row[0] == NULL ? "..." : row[0]);
    mysql_free_result(answer);
    return FZ_REGISTER_REFUSED;
}

static enum fz_register_result check_part(struct fz_sql_connection *connection, enum fz_mysql_part part,
                                          frazil_error *reterr)
{
    char wrong[FZ_FINDING_SIZE];
    enum fz_register_result result =
        fz_mysql_judge_table((struct fz_mysql_connection *)connection, part, wrong, reterr);

    if (result != FZ_REGISTER_OK || wrong[0] == '\0')
        return result;
    fz_fail(reterr, FRAZIL_EREFUSED, "%s: the table %s %v", connection->session.shown, connection->table, wrong);
    return FZ_REGISTER_REFUSED;
}

/* A table of this name may have been there, made in another way. */
static enum fz_register_result check_table(struct fz_sql_connection *connection, frazil_error *reterr)
{
    return check_part(connection, FZ_MYSQL_WHOLE_TABLE, reterr);
}

/* FORCE INDEX (PRIMARY) accepts any primary key, also the one that MySQL adds to a copy without one. */
static enum fz_register_result check_key(struct fz_sql_connection *connection, frazil_error *reterr)
{
    return check_part(connection, FZ_MYSQL_KEY, reterr);
}

static enum fz_register_result is_young(struct fz_sql_connection *connection, bool *ret, frazil_error *reterr)
{
    char sql[FZ_SQL_SIZE];
    MYSQL_RES *answer = NULL;
    enum fz_register_result result = fz_mysql_carry_out((struct fz_mysql_connection *)connection,
                                                        fz_sql_of_table(connection, age_sql, sql), &answer, reterr);
    MYSQL_ROW row = result == FZ_REGISTER_OK && mysql_num_fields(answer) == 1 ? mysql_fetch_row(answer) : NULL;

    if (result == FZ_REGISTER_OK)
        *ret = row == NULL || row[0] == NULL || strcmp(row[0], "0") != 0;
    mysql_free_result(answer);
    return result;
}

static const struct fz_sql_dialect mysql_dialect = {.kind = &fz_mysql_url_kind,
                                                    .size = sizeof(struct fz_mysql_connection),
                                                    .url_at = offsetof(struct fz_mysql_connection, url),
                                                    .speakers = "MySQL and MariaDB do",
                                                    .status_columns = STATUS_COLUMNS,
                                                    .hides_tables = true,
                                                    .status = "SELECT " STATUS,
                                                    .read = read_sql,
                                                    .read_all = SEVERAL,
                                                    .read_many = SEVERAL " AND number IN (@L)",
                                                    .insert = insert_sql,
                                                    .update = update_sql,
                                                    .create = "CREATE TABLE IF NOT EXISTS `@T` " COLUMNS "; SELECT 1",
                                                    .carry_out = carry_out,
                                                    .next_row = next_row,
                                                    .free_rows = free_rows,
                                                    .refusal = refusal,
                                                    .read_incarnation = read_incarnation,
                                                    .may_not_create = may_not_create,
                                                    .check_table = check_table,
                                                    .check_key = check_key,
                                                    .is_young = is_young,
                                                    .diagnose = fz_mysql_diagnose,
                                                    .start = fz_mysql_connection_start};

/* The user that starts a set-user-ID program could name code for it: libmariadb does not ask for the bit. */
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

static frazil_err open_register(const char *url, struct fz_register *ret, char *ret_name, frazil_error *reterr)
{
    frazil_err err = check_environment(reterr);

    return err == FRAZIL_OK ? fz_sql_register_open(&mysql_dialect, url, ret, ret_name, reterr) : err;
}

const frazil_coordinator *frazil_coordinator_mysql(void)
{
    static const frazil_coordinator mysql = {
        FZ_LEASE_COORDINATOR,
        .part = "mysql",
        .client = "libmariadb " MARIADB_PACKAGE_VERSION,
        .share_clients = fz_tls_share_clients,
        .open_register = open_register,
    };

    return &mysql;
}
