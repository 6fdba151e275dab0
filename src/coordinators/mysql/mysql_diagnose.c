/* SPDX-License-Identifier: MIT */
/*
 * Examines a MySQL or a MariaDB before worker ids come from it: whether a commit
 * survives a crash, which replicas could take over, and what this user may do.
 */
#include "mysql_connection.h"

#include <mysql.h>
#include <mysqld_error.h>
#include <string.h>

#include "core/decimal.h"
#include "core/sentence.h"
#include "lease/report.h"

/* Settings and counts by name: servers lack some of them. */
static const char settings_sql[] =
    "SHOW GLOBAL VARIABLES WHERE variable_name IN ('version', 'innodb_flush_log_at_trx_commit', 'innodb_doublewrite', "
    "'log_bin', 'sync_binlog', 'rpl_semi_sync_master_enabled', 'rpl_semi_sync_source_enabled', "
    "'rpl_semi_sync_master_timeout', 'rpl_semi_sync_source_timeout', 'rpl_semi_sync_master_wait_point', "
    "'rpl_semi_sync_source_wait_point')";

/* How many threads apply the writes of other servers.  MySQL has no such count that every user may read. */
static const char appliers_sql[] = "SHOW GLOBAL STATUS LIKE 'Slaves_running'";

/* Changes nothing, and needs what all later statements need. */
static const char rights_sql[] = "UPDATE `@T` SET version = version WHERE 1 = 0; "
                                 "INSERT INTO `@T` SELECT * FROM `@T` WHERE 1 = 0; SELECT 1";

/*
 * The columns of the primary key, whole ones only, how the namespaces' names are compared, and, in backquotes, a
 * column of the primary key that is AUTO_INCREMENT and none of ours.
 */
#define OF_TABLE "WHERE table_schema = DATABASE() AND table_name = '@T' AND "
static const char table_sql[] =
    "SELECT (SELECT GROUP_CONCAT(LOWER(column_name) ORDER BY LOWER(column_name)) FROM "
    "information_schema.statistics " OF_TABLE "index_name = 'PRIMARY' AND sub_part IS NULL), "
    "(SELECT IFNULL(collation_name, '_bin') FROM information_schema.columns " OF_TABLE "column_name = 'namespace'), "
    "(SELECT CONCAT('`', REPLACE(column_name, '`', '``'), '`') FROM information_schema.columns " OF_TABLE
    "column_key = 'PRI' AND extra LIKE '%auto_increment%' "
    "AND column_name NOT IN ('namespace', 'number', 'version', 'data'))";

enum { DAY_MS = 86400000 };

struct diagnosis {
    MYSQL_RES *settings;
    const char *table;
    struct fz_report report;
};

/* The value of a setting; empty: this server has none of that name. */
static const char *setting(const struct diagnosis *diagnosis, const char *name)
{
    mysql_data_seek(diagnosis->settings, 0);
    for (MYSQL_ROW row = mysql_fetch_row(diagnosis->settings); row != NULL;
         row = mysql_fetch_row(diagnosis->settings)) {
        if (row[0] != NULL && row[1] != NULL && strcmp(row[0], name) == 0)
            return row[1];
    }
    return "";
}

static bool setting_is(const struct diagnosis *diagnosis, const char *name, const char *value)
{
    return strcmp(setting(diagnosis, name), value) == 0;
}

static void say_durability(const struct diagnosis *diagnosis)
{
    if (!setting_is(diagnosis, "innodb_flush_log_at_trx_commit", "1"))
        fz_report_say(
            &diagnosis->report, FZ_FINDING_WARN,
            "durability: innodb_flush_log_at_trx_commit is %q: a crash can lose the last grants, so nothing is "
            "granted for a horizon after a restart: set innodb_flush_log_at_trx_commit = 1",
            setting(diagnosis, "innodb_flush_log_at_trx_commit"));
    else if (setting_is(diagnosis, "innodb_doublewrite", "OFF"))
        fz_report_say(&diagnosis->report, FZ_FINDING_WARN,
                      "durability: innodb_doublewrite is off: a crash of the host can damage the table, unless the "
                      "file system prevents half-written pages: set innodb_doublewrite = ON");
    else
        fz_report_say(&diagnosis->report, FZ_FINDING_OK, "durability: a grant is on the disk before it is used");
}

/* Whether one of the two names of a setting has this value: MySQL 8 has other names than MariaDB. */
static bool either_is(const struct diagnosis *diagnosis, const char *mariadb, const char *mysql, const char *value)
{
    return setting_is(diagnosis, mariadb, value) || setting_is(diagnosis, mysql, value);
}

/* A primary without its replica acknowledges nothing, and shows nothing, for a day.  An operator fences it sooner. */
static bool waits_for_long(const struct diagnosis *diagnosis)
{
    const char *timeout = setting(diagnosis, "rpl_semi_sync_master_timeout");
    uint64_t ms = 0;

    if (*timeout == '\0')
        timeout = setting(diagnosis, "rpl_semi_sync_source_timeout");
    return fz_decimal_parse(timeout, strlen(timeout), &ms) && ms >= DAY_MS &&
           either_is(diagnosis, "rpl_semi_sync_master_wait_point", "rpl_semi_sync_source_wait_point", "AFTER_SYNC");
}

static void say_replication(const struct diagnosis *diagnosis)
{
    bool waits = either_is(diagnosis, "rpl_semi_sync_master_enabled", "rpl_semi_sync_source_enabled", "ON");

    if (!setting_is(diagnosis, "log_bin", "ON")) {
        fz_report_say(&diagnosis->report, FZ_FINDING_OK, "replication: there is no binary log, so there is no replica");
        return;
    }
    if (!setting_is(diagnosis, "sync_binlog", "1"))
        fz_report_say(
            &diagnosis->report, FZ_FINDING_WARN,
            "replication: sync_binlog is %q: after a crash a replica can lack grants that this server has, or "
            "have others: set sync_binlog = 1",
            setting(diagnosis, "sync_binlog"));
    if (waits && waits_for_long(diagnosis)) {
        fz_report_say(&diagnosis->report, FZ_FINDING_OK,
                      "replication: semi-synchronous; nothing is acknowledged without a replica");
        return;
    }
    fz_report_say(&diagnosis->report, FZ_FINDING_WARN,
                  waits
                      ? "replication: semi-synchronous; it falls back to asynchronous when replicas are slow, so a "
                        "replica that is promoted may lack the last grants: nothing is granted for a horizon then"
                      : "replication: asynchronous; a replica that is promoted may lack the last grants, so nothing is "
                        "granted for a horizon afterwards: semi-synchronous replication makes that rare");
}

/* Nobody can tell a replica without read_only from a primary that once followed another one. */
static void say_appliers(const struct diagnosis *diagnosis, struct fz_mysql_connection *connection)
{
    MYSQL_RES *answer = NULL;
    enum fz_register_result result = fz_mysql_carry_out(connection, appliers_sql, &answer, NULL);
    MYSQL_ROW row = result == FZ_REGISTER_OK && mysql_num_fields(answer) == 2 ? mysql_fetch_row(answer) : NULL;

    if (row != NULL && row[1] != NULL && strcmp(row[1], "0") != 0)
        fz_report_say(&diagnosis->report, FZ_FINDING_WARN,
                      "replication: this server applies the writes of another one, and accepts writes itself: if both "
                      "do, both grant the same worker ids: set read_only = ON on all servers but the primary");
    mysql_free_result(answer);
}

static enum fz_register_result ask_about_table(struct fz_mysql_connection *connection, const char *text,
                                               MYSQL_RES **ret_answer, frazil_error *reterr)
{
    char sql[FZ_SQL_SIZE];

    return fz_mysql_carry_out(connection, fz_sql_of_table(&connection->sql, text, sql), ret_answer, reterr);
}

static bool ends_in(const char *text, const char *end)
{
    size_t len = strlen(text);

    return len >= strlen(end) && strcmp(text + len - strlen(end), end) == 0;
}

/* As fz_mysql_judge_table; row is what table_sql answers, NULL where there is none. */
static void judge(const char *table, enum fz_mysql_part part, char *const *row, struct fz_sentence *ret)
{
    const char *key = row[0];
    const char *collation = row[1];
    const char *counter = row[2];

    if (collation == NULL) /* no table */
        return;
    if (key == NULL || strcmp(key, "namespace,number") != 0) {
        fz_sentence_str(ret, "does not keep records apart, because it has the wrong primary key: run ALTER TABLE ");
        fz_sentence_str(ret, table);
        fz_sentence_str(ret, key == NULL ? "" : " DROP PRIMARY KEY,");
        if (counter != NULL) { /* MySQL keeps an AUTO_INCREMENT column only with its key, so both go */
            fz_sentence_str(ret, " DROP COLUMN ");
            fz_sentence_str(ret, counter);
            fz_sentence_char(ret, ',');
        }
        fz_sentence_str(ret, " ADD PRIMARY KEY (namespace, number)");
    } else if (part == FZ_MYSQL_WHOLE_TABLE && !ends_in(collation, "_bin")) {
        fz_sentence_str(ret, "treats some namespaces as one, because it compares their names by ");
        fz_sentence_shown(ret, collation, strlen(collation));
        fz_sentence_str(ret, ": run ALTER TABLE ");
        fz_sentence_str(ret, table);
        fz_sentence_str(ret, " MODIFY namespace VARCHAR(63) CHARACTER SET ascii COLLATE ascii_bin NOT NULL");
    }
}

enum fz_register_result fz_mysql_judge_table(struct fz_mysql_connection *connection, enum fz_mysql_part part,
                                             char ret[FZ_FINDING_SIZE], frazil_error *reterr)
{
    struct fz_sentence s = fz_sentence_in(ret, FZ_FINDING_SIZE);
    MYSQL_RES *answer = NULL;
    enum fz_register_result result = ask_about_table(connection, table_sql, &answer, reterr);
    MYSQL_ROW row = result == FZ_REGISTER_OK && mysql_num_fields(answer) == 3 ? mysql_fetch_row(answer) : NULL;

    if (row != NULL)
        judge(connection->url.table, part, row, &s);
    if (result == FZ_REGISTER_OK && row == NULL) { /* there is one even without a table */
        fz_fail(reterr, FRAZIL_EREFUSED, "%s: does not describe its tables, as MySQL and MariaDB do",
                connection->shown);
        result = FZ_REGISTER_REFUSED;
    }
    mysql_free_result(answer);
    return result;
}

static void say_table(const struct diagnosis *diagnosis, struct fz_mysql_connection *connection)
{
    char wrong[FZ_FINDING_SIZE];

    if (fz_mysql_judge_table(connection, FZ_MYSQL_WHOLE_TABLE, wrong, NULL) == FZ_REGISTER_OK && wrong[0] != '\0')
        fz_report_say(&diagnosis->report, FZ_FINDING_FAIL, "table: it %v", wrong);
}

static bool is_denied(unsigned number)
{
    return number == ER_TABLEACCESS_DENIED_ERROR || number == ER_COLUMNACCESS_DENIED_ERROR ||
           number == ER_DBACCESS_DENIED_ERROR || number == ER_ACCESS_DENIED_ERROR ||
           number == ER_SPECIFIC_ACCESS_DENIED_ERROR;
}

static void say_rights(const struct diagnosis *diagnosis, struct fz_mysql_connection *connection)
{
    MYSQL_RES *answer = NULL;
    frazil_error why;

    if (ask_about_table(connection, rights_sql, &answer, &why) == FZ_REGISTER_OK) {
        mysql_free_result(answer);
        fz_report_say(&diagnosis->report, FZ_FINDING_OK, "permissions: this user may read and write %s",
                      diagnosis->table);
    } else if (connection->error == ER_NO_SUCH_TABLE) {
        fz_report_say(&diagnosis->report, FZ_FINDING_FAIL,
                      "permissions: there is no table %s: frazil lease init creates it", diagnosis->table);
    } else if (is_denied(connection->error)) {
        fz_report_say(&diagnosis->report, FZ_FINDING_FAIL,
                      "permissions: this user needs SELECT, INSERT and UPDATE on %s", diagnosis->table);
    } else { /* another session has locked the table, or there is no answer */
        fz_report_say(&diagnosis->report, FZ_FINDING_FAIL, "table: it cannot be written now: %s", why.message);
    }
}

enum fz_register_result fz_mysql_diagnose(struct fz_sql_connection *sql, fz_finding_visitor visit, void *ctx,
                                          frazil_error *reterr)
{
    struct fz_mysql_connection *connection = (struct fz_mysql_connection *)sql;
    struct diagnosis diagnosis = {.table = connection->url.table, .report = {visit, ctx}};
    enum fz_register_result result = fz_mysql_carry_out(connection, settings_sql, &diagnosis.settings, reterr);

    if (result != FZ_REGISTER_OK)
        return result;
    if (mysql_num_fields(diagnosis.settings) == 2) {
        fz_report_say(&diagnosis.report, FZ_FINDING_OK, "version: %q", setting(&diagnosis, "version"));
        say_durability(&diagnosis);
        say_replication(&diagnosis);
        say_appliers(&diagnosis, connection);
        say_table(&diagnosis, connection);
        say_rights(&diagnosis, connection);
    } else {
        fz_fail(reterr, FRAZIL_EREFUSED, "%s: does not report its settings, as MySQL and MariaDB do",
                connection->shown);
        result = FZ_REGISTER_REFUSED;
    }
    mysql_free_result(diagnosis.settings);
    return result;
}
