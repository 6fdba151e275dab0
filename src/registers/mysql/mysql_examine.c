/* SPDX-License-Identifier: MIT */
#include "mysql_examine.h"

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

/* Changes nothing, and needs what all later statements need. */
static const char rights_sql[] = "UPDATE `@` SET version = version WHERE 1 = 0; "
                                 "INSERT INTO `@` SELECT * FROM `@` WHERE 1 = 0; SELECT 1";

enum { SQL_SIZE = 512, DAY_MS = 86400000 };

struct examination {
    MYSQL_RES *settings;
    const char *table;
    struct fz_report report;
};

/* The value of a setting; empty: this server has none of that name. */
static const char *setting(const struct examination *exam, const char *name)
{
    mysql_data_seek(exam->settings, 0);
    for (MYSQL_ROW row = mysql_fetch_row(exam->settings); row != NULL; row = mysql_fetch_row(exam->settings)) {
        if (row[0] != NULL && row[1] != NULL && strcmp(row[0], name) == 0)
            return row[1];
    }
    return "";
}

static bool setting_is(const struct examination *exam, const char *name, const char *value)
{
    return strcmp(setting(exam, name), value) == 0;
}

static void say_durability(const struct examination *exam)
{
    if (!setting_is(exam, "innodb_flush_log_at_trx_commit", "1"))
        fz_report_say(
            &exam->report, FZ_FINDING_WARN,
            "durability: innodb_flush_log_at_trx_commit is %q: a crash can lose the last grants, so nothing is "
            "granted for a horizon after a restart: set innodb_flush_log_at_trx_commit = 1",
            setting(exam, "innodb_flush_log_at_trx_commit"));
    else if (setting_is(exam, "innodb_doublewrite", "OFF"))
        fz_report_say(
            &exam->report, FZ_FINDING_WARN,
            "durability: innodb_doublewrite is off: a crash of the host can damage the table, unless the file "
            "system never leaves half a page: set innodb_doublewrite = ON");
    else
        fz_report_say(&exam->report, FZ_FINDING_OK, "durability: a grant is on the disk before it is used");
}

/* Whether one of the two names of a setting has this value: MySQL 8 has other names than MariaDB. */
static bool either_is(const struct examination *exam, const char *mariadb, const char *mysql, const char *value)
{
    return setting_is(exam, mariadb, value) || setting_is(exam, mysql, value);
}

/* A primary without its replica acknowledges nothing, and shows nothing, for a day: until then somebody has fenced it.
 */
static bool waits_for_long(const struct examination *exam)
{
    const char *timeout = setting(exam, "rpl_semi_sync_master_timeout");
    uint64_t ms = 0;

    if (*timeout == '\0')
        timeout = setting(exam, "rpl_semi_sync_source_timeout");
    return fz_decimal_parse(timeout, strlen(timeout), &ms) && ms >= DAY_MS &&
           either_is(exam, "rpl_semi_sync_master_wait_point", "rpl_semi_sync_source_wait_point", "AFTER_SYNC");
}

static void say_replication(const struct examination *exam)
{
    bool waits = either_is(exam, "rpl_semi_sync_master_enabled", "rpl_semi_sync_source_enabled", "ON");

    if (!setting_is(exam, "log_bin", "ON")) {
        fz_report_say(&exam->report, FZ_FINDING_OK, "replication: there is no binary log, so there is no replica");
        return;
    }
    if (!setting_is(exam, "sync_binlog", "1"))
        fz_report_say(
            &exam->report, FZ_FINDING_WARN,
            "replication: sync_binlog is %q: after a crash a replica can lack grants that this server has, or "
            "have others: set sync_binlog = 1",
            setting(exam, "sync_binlog"));
    if (waits && waits_for_long(exam)) {
        fz_report_say(&exam->report, FZ_FINDING_OK,
                      "replication: semi-synchronous; nothing is acknowledged without a replica");
        return;
    }
    fz_report_say(&exam->report, FZ_FINDING_WARN,
                  waits
                      ? "replication: semi-synchronous; it falls back to asynchronous when replicas are slow, so a "
                        "replica that is promoted may lack the last grants: nothing is granted for a horizon then"
                      : "replication: asynchronous; a replica that is promoted may lack the last grants, so nothing is "
                        "granted for a horizon afterwards: semi-synchronous replication makes that rare");
}

static void say_rights(const struct examination *exam, struct fz_mysql_connection *connection)
{
    char sql[SQL_SIZE];
    struct fz_sentence s = fz_sentence_in(sql, sizeof sql);
    MYSQL_RES *answer = NULL;

    for (const char *p = rights_sql; *p != '\0'; p++) {
        if (*p == '@')
            fz_sentence_str(&s, exam->table);
        else
            fz_sentence_char(&s, *p);
    }
    if (fz_mysql_carry_out(connection, sql, &answer, NULL) == FZ_REGISTER_OK) {
        mysql_free_result(answer);
        fz_report_say(&exam->report, FZ_FINDING_OK, "permissions: this user may read and write %s", exam->table);
    } else if (connection->error == ER_NO_SUCH_TABLE) {
        fz_report_say(&exam->report, FZ_FINDING_FAIL, "permissions: there is no table %s: frazil lease init creates it",
                      exam->table);
    } else {
        fz_report_say(&exam->report, FZ_FINDING_FAIL, "permissions: this user needs SELECT, INSERT and UPDATE on %s",
                      exam->table);
    }
}

enum fz_register_result fz_mysql_examine(struct fz_mysql_connection *connection, fz_finding_visitor visit, void *ctx,
                                         frazil_error *reterr)
{
    struct examination exam = {.table = connection->url.table, .report = {visit, ctx}};
    enum fz_register_result result = fz_mysql_carry_out(connection, settings_sql, &exam.settings, reterr);

    if (result != FZ_REGISTER_OK)
        return result;
    if (mysql_num_fields(exam.settings) == 2) {
        fz_report_say(&exam.report, FZ_FINDING_OK, "version: %q", setting(&exam, "version"));
        say_durability(&exam);
        say_replication(&exam);
        say_rights(&exam, connection);
    } else {
        fz_fail(reterr, FRAZIL_EREFUSED, "%s: does not report its settings, as MySQL and MariaDB do",
                connection->shown);
        result = FZ_REGISTER_REFUSED;
    }
    mysql_free_result(exam.settings);
    return result;
}
