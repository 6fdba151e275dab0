/* SPDX-License-Identifier: MIT */
/*
 * Examines a PostgreSQL before worker ids come from it: what it is, whether a commit
 * survives a crash, which standbys could take over, and what this user may do.
 */
#include "postgresql_connection.h"

#include <libpq-fe.h>
#include <string.h>

#include "core/decimal.h"
#include "core/sentence.h"
#include "lease/report.h"

/* The first one that names its log's positions and functions as the statements of the register do. */
enum { VERSION_NUM_MIN = 100000 };

/*
 * All as text.  A reader of a logical slot is no standby, and is not counted.  Of
 * the others an ordinary user sees no more than that they are there.
 */
static const char diagnose_sql[] =
    "SELECT current_setting('server_version'), current_setting('server_version_num'), "
    "current_setting('transaction_read_only'), current_setting('fsync'), current_setting('full_page_writes'), "
    "current_setting('synchronous_standby_names'), "
    "(SELECT count(*)::text FROM pg_stat_replication WHERE pid NOT IN (SELECT active_pid FROM pg_replication_slots "
    "WHERE slot_type = 'logical' AND active_pid IS NOT NULL)), "
    "CASE WHEN c.oid IS NULL THEN 'missing' WHEN has_table_privilege(c.oid, 'SELECT') AND "
    "has_table_privilege(c.oid, 'INSERT') AND has_table_privilege(c.oid, 'UPDATE') THEN 'enough' ELSE 'few' END, "
    "(SELECT count(*)::text FROM pg_subscription_rel WHERE srrelid = c.oid), "
    "(SELECT l.collname::text FROM pg_attribute AS a JOIN pg_collation AS l ON l.oid = a.attcollation "
    "WHERE a.attrelid = c.oid AND a.attname = 'namespace') "
    "FROM (SELECT to_regclass('@T')::oid AS oid) AS c";

enum {
    VERSION,
    VERSION_NUM,
    READ_ONLY,
    FSYNC,
    FULL_PAGE_WRITES,
    STANDBY_NAMES,
    STANDBYS,
    PRIVILEGES,
    SUBSCRIPTIONS,
    COLLATION, /* empty: there is no table */
    COLUMNS
};

struct diagnosis {
    const PGresult *answer;
    const char *table;
    struct fz_report report;
};

static const char *column(const struct diagnosis *diagnosis, int which)
{
    return PQgetvalue(diagnosis->answer, 0, which);
}

static bool column_is(const struct diagnosis *diagnosis, int which, const char *text)
{
    return strcmp(column(diagnosis, which), text) == 0;
}

static void say_version(const struct diagnosis *diagnosis)
{
    const char *digits = column(diagnosis, VERSION_NUM);
    uint64_t number = 0;

    if (fz_decimal_parse(digits, strlen(digits), &number) && number >= VERSION_NUM_MIN)
        fz_report_say(&diagnosis->report, FZ_FINDING_OK, "version: %q", column(diagnosis, VERSION));
    else
        fz_report_say(&diagnosis->report, FZ_FINDING_FAIL, "version: %q: use PostgreSQL 10 or later",
                      column(diagnosis, VERSION));
}

static void say_role(const struct diagnosis *diagnosis)
{
    if (column_is(diagnosis, READ_ONLY, "off"))
        fz_report_say(&diagnosis->report, FZ_FINDING_OK, "role: primary");
    else /* a standby has refused already */
        fz_report_say(&diagnosis->report, FZ_FINDING_FAIL,
                      "role: default_transaction_read_only is set: worker ids need a user who may write");
}

static void say_durability(const struct diagnosis *diagnosis)
{
    if (!column_is(diagnosis, FSYNC, "on"))
        fz_report_say(
            &diagnosis->report, FZ_FINDING_FAIL,
            "durability: fsync is off: a crash of the host can lose grants, or damage the table: set fsync = on");
    else if (!column_is(diagnosis, FULL_PAGE_WRITES, "on"))
        fz_report_say(&diagnosis->report, FZ_FINDING_WARN,
                      "durability: full_page_writes is off: a crash of the host can damage the table, unless the file "
                      "system prevents half-written pages: set full_page_writes = on");
    else
        fz_report_say(&diagnosis->report, FZ_FINDING_OK,
                      "durability: a grant is on the disk before it is used, whatever synchronous_commit is");
}

static void say_replication(const struct diagnosis *diagnosis)
{
    const char *names = column(diagnosis, STANDBY_NAMES);

    if (names[0] != '\0')
        fz_report_say(&diagnosis->report, FZ_FINDING_OK,
                      "replication: a grant waits for the synchronous standbys %q: promote no other one", names);
    else if (column_is(diagnosis, STANDBYS, "0"))
        fz_report_say(&diagnosis->report, FZ_FINDING_OK,
                      "replication: no standby is connected: nothing that was acknowledged can be lost");
    else
        fz_report_say(&diagnosis->report, FZ_FINDING_WARN,
                      "replication: asynchronous standbys: %q; one that is promoted may lack the last grants, so "
                      "nothing is granted for a horizon afterwards: set "
                      "synchronous_standby_names",
                      column(diagnosis, STANDBYS));
}

/* Of the ways to copy a table logically this is the server's own, and the only one that can be asked for. */
static void say_subscriptions(const struct diagnosis *diagnosis)
{
    if (!column_is(diagnosis, SUBSCRIPTIONS, "0"))
        fz_report_say(&diagnosis->report, FZ_FINDING_WARN,
                      "replication: a subscription writes to %s, too: if clients write to both servers, both grant the "
                      "same worker ids: leave the table out of the publication",
                      diagnosis->table);
}

/* The order of bytes never changes (see create_sql in postgresql_register.c). */
static void say_collation(const struct diagnosis *diagnosis)
{
    if (!column_is(diagnosis, COLLATION, "") && !column_is(diagnosis, COLLATION, "C"))
        fz_report_say(&diagnosis->report, FZ_FINDING_WARN,
                      "table: its key has the order of the collation %q, which an upgrade or a standby can change: "
                      "frazil then grants worker ids that others have: run ALTER TABLE %s ALTER COLUMN namespace TYPE "
                      "text COLLATE \"C\"",
                      column(diagnosis, COLLATION), diagnosis->table);
}

/* The table's name has quotes of its own. */
static void say_privileges(const struct diagnosis *diagnosis)
{
    if (column_is(diagnosis, PRIVILEGES, "enough"))
        fz_report_say(&diagnosis->report, FZ_FINDING_OK, "permissions: this user may read and write %s",
                      diagnosis->table);
    else if (column_is(diagnosis, PRIVILEGES, "missing"))
        fz_report_say(&diagnosis->report, FZ_FINDING_FAIL,
                      "permissions: there is no table %s: frazil lease init creates it", diagnosis->table);
    else
        fz_report_say(&diagnosis->report, FZ_FINDING_FAIL,
                      "permissions: this user needs SELECT, INSERT and UPDATE on %s", diagnosis->table);
}

enum fz_register_result fz_postgresql_diagnose(struct fz_sql_connection *sql, fz_finding_visitor visit, void *ctx,
                                               frazil_error *reterr)
{
    struct fz_postgresql_connection *connection = (struct fz_postgresql_connection *)sql;
    char text[FZ_SQL_SIZE];
    struct diagnosis diagnosis = {.table = connection->url.table, .report = {visit, ctx}};
    PGresult *answer;
    enum fz_register_result result =
        fz_postgresql_carry_out(connection, fz_sql_of_table(sql, diagnose_sql, text), &answer, reterr);

    if (result != FZ_REGISTER_OK)
        return result;
    diagnosis.answer = answer;
    if (PQntuples(answer) == 1 && PQnfields(answer) == COLUMNS) {
        say_version(&diagnosis);
        say_role(&diagnosis);
        say_durability(&diagnosis);
        say_replication(&diagnosis);
        say_subscriptions(&diagnosis);
        say_collation(&diagnosis);
        say_privileges(&diagnosis);
    } else {
        fz_fail(reterr, FRAZIL_EREFUSED, "%s: does not report its settings, as a PostgreSQL does", connection->shown);
        result = FZ_REGISTER_REFUSED;
    }
    PQclear(answer);
    return result;
}
