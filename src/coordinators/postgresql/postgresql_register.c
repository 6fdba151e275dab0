/* SPDX-License-Identifier: MIT */
/*
 * PostgreSQL as a dialect of common/sql_register.h: one table, by default public.frazil_lease.  A standby is not asked.
 *
 * The incarnation is SYSTEM.TIMELINE.START.DATABASE.TABLE: the cluster's identifier,
 * its timeline, when the server was started, and the oids of database and table.  A
 * database that is copied as a template has tables of the same oids.  The incarnation
 * changes when a standby was promoted, a backup or a disk was put back, a copy got the
 * name of its original, or the table was made again: then a swap that was answered may
 * be lost.
 */

#include <libpq-fe.h>
#include <pg_config.h>
#include <string.h>

#include "common/tls.h"
#include "lease/coordinator.h"
#include "postgresql_connection.h"

#define NOW "(extract(epoch FROM clock_timestamp()) * 1000000)::bigint"

/*
 * The time, and the incarnation, which a standby does not have.  Not every user may read pg_database.  The incarnation
 * tells nothing of rows that lie elsewhere: under a view or a foreign table, or in the parts of a table.  Those of
 * tables that inherit from it, such as an archive, are left out (ONLY): they have keys of their own, and what is old
 * there would count.
 */
#define STATUS                                                                                                         \
    NOW "::text, CASE WHEN NOT pg_is_in_recovery() THEN concat_ws('.', "                                               \
        "(SELECT system_identifier FROM pg_control_system()), "                                                        \
        "substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8), "                                                        \
        "(extract(epoch FROM pg_postmaster_start_time()) * 1000000)::bigint, "                                         \
        "(SELECT objid FROM pg_get_object_address('database', ARRAY[current_database()::text], '{}')), "               \
        "coalesce((SELECT CASE relkind WHEN 'r' THEN oid::text ELSE 'no table' END "                                   \
        "FROM pg_catalog.pg_class WHERE oid = to_regclass('@T')), '0')) END"

static const char read_sql[] = "SELECT " STATUS ", r.version::text, r.data FROM (SELECT 1) AS one "
                               "LEFT JOIN ONLY @T AS r ON r.namespace = '@N' AND r.number = @W";

#define SEVERAL                                                                                                        \
    "SELECT " STATUS ", NULL::text, NULL::text, NULL::bytea "                                                          \
    "UNION ALL SELECT NULL, NULL, number::text, version::text, data FROM ONLY @T WHERE namespace = '@N'"

/*
 * The status is computed after the write, so its time is not from before it.  An
 * UPDATE that waited for another one looks at the version again.  The UPDATE of an
 * INSERT never happens, but needs the right to UPDATE, as all later statements do: a
 * user without it learns of that before it has a grant.
 */
static const char insert_sql[] = "WITH w AS (INSERT INTO @T AS r (namespace, number, version, data) "
                                 "VALUES ('@N', @W, " NOW ", decode('@D', 'hex')) "
                                 "ON CONFLICT (namespace, number) DO UPDATE SET version = r.version, data = r.data "
                                 "WHERE false RETURNING version) "
                                 "SELECT " STATUS ", w.version::text FROM (SELECT 1) AS one LEFT JOIN w ON true";

static const char update_sql[] =
    "WITH w AS (UPDATE ONLY @T AS r SET version = greatest(r.version + 1, " NOW "), data = decode('@D', 'hex') "
    "WHERE r.namespace = '@N' AND r.number = @W AND r.version = @V::numeric RETURNING r.version) "
    "SELECT " STATUS ", w.version::text FROM (SELECT 1) AS one LEFT JOIN w ON true";

/*
 * The key has the order of bytes.  Any other one belongs to the system's library of locales.  An upgrade of that, or a
 * standby with another one, changes the order under the index, which then misses rows: their worker ids look free.
 */
static const char create_sql[] = "CREATE TABLE IF NOT EXISTS @T (namespace text COLLATE \"C\", number bigint, "
                                 "version bigint NOT NULL, data bytea NOT NULL, PRIMARY KEY (namespace, number))";

#define UNDEFINED_TABLE "42P01"
#define INSUFFICIENT_PRIVILEGE "42501"

/* The columns of an answer. */
enum { TIME, INCARNATION, STATUS_COLUMNS };

/* ---- answers --------------------------------------------------------------------- */

static bool next_row(struct fz_sql_answer *answer)
{
    int row = (int)answer->next;

    if (row >= PQntuples(answer->rows))
        return false;
    answer->next++;
    for (int i = 0; i < (int)answer->columns; i++) {
        bool is_null = PQgetisnull(answer->rows, row, i) != 0;
        answer->values[i] = (struct fz_sql_value){is_null ? NULL : PQgetvalue(answer->rows, row, i),
                                                  (size_t)PQgetlength(answer->rows, row, i)};
    }
    return true;
}

static void free_rows(void *rows)
{
    PQclear(rows);
}

static enum fz_register_result read_incarnation(struct fz_sql_connection *connection, const struct fz_sql_value *status,
                                                char ret[FZ_INCARNATION_SIZE], frazil_error *reterr)
{
    static const char allowed[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz._:-";
    const struct fz_sql_value *text = &status[INCARNATION];

    if (text->text == NULL) {
        fz_fail(reterr, FRAZIL_EREFUSED, "%s: is a standby: worker ids need the primary", connection->session.shown);
        fz_session_drop(&connection->session);
        return FZ_REGISTER_UNREACHABLE;
    }
    if (strstr(text->text, "no table") != NULL) {
        fz_fail(reterr, FRAZIL_EREFUSED,
                "%s: %s is a view, a foreign table or partitioned, so its rows could be exchanged unseen: use a plain "
                "table",
                connection->session.shown, connection->table);
        return FZ_REGISTER_REFUSED;
    }
    if (text->len < FZ_INCARNATION_SIZE && strspn(text->text, allowed) == text->len)
        memcpy(ret, text->text, text->len + 1);
    return FZ_REGISTER_OK;
}

static enum fz_register_result carry_out(struct fz_sql_connection *connection, const char *sql,
                                         struct fz_sql_answer *ret, frazil_error *reterr)
{
    PGresult *rows;
    enum fz_register_result result =
        fz_postgresql_carry_out((struct fz_postgresql_connection *)connection, sql, &rows, reterr);

    if (result == FZ_REGISTER_OK)
        *ret = (struct fz_sql_answer){.rows = rows, .columns = (size_t)PQnfields(rows)};
    return result;
}

static enum fz_sql_refusal refusal(const struct fz_sql_connection *connection)
{
    const char *sqlstate = ((const struct fz_postgresql_connection *)connection)->sqlstate;

    return strcmp(sqlstate, UNDEFINED_TABLE) == 0          ? FZ_SQL_NO_TABLE
           : strcmp(sqlstate, INSUFFICIENT_PRIVILEGE) == 0 ? FZ_SQL_MAY_NOT
                                                           : FZ_SQL_SOMETHING;
}

static enum fz_register_result may_not_create(struct fz_sql_connection *connection, frazil_error *reterr)
{
    char sql[FZ_SQL_SIZE];
    char user[FZ_POSTGRESQL_USER_SQL_SIZE];

    fz_postgresql_user_sql((struct fz_postgresql_connection *)connection, user);
    fz_fail(reterr, FRAZIL_EREFUSED,
            "%s: may not create its table; let a user with that permission run: %s; GRANT SELECT, INSERT, UPDATE ON %s "
            "TO %s; or name a table of another schema in each URL of the fleet, as table=SCHEMA.NAME",
            connection->session.shown, fz_sql_of_table(connection, create_sql, sql), connection->table, user);
    return FZ_REGISTER_REFUSED;
}

static const struct fz_sql_dialect postgresql_dialect = {.kind = &fz_postgresql_url_kind,
                                                         .size = sizeof(struct fz_postgresql_connection),
                                                         .url_at = offsetof(struct fz_postgresql_connection, url),
                                                         .speakers = "a PostgreSQL does",
                                                         .status_columns = STATUS_COLUMNS,
                                                         .status = "SELECT " STATUS,
                                                         .read = read_sql,
                                                         .read_all = SEVERAL,
                                                         .read_many = SEVERAL " AND number = ANY ('{@L}'::bigint[])",
                                                         .insert = insert_sql,
                                                         .update = update_sql,
                                                         .create = create_sql,
                                                         .carry_out = carry_out,
                                                         .next_row = next_row,
                                                         .free_rows = free_rows,
                                                         .refusal = refusal,
                                                         .read_incarnation = read_incarnation,
                                                         .may_not_create = may_not_create,
                                                         .diagnose = fz_postgresql_diagnose,
                                                         .start = fz_postgresql_connection_start};

static frazil_err open_register(const char *url, struct fz_register *ret, char *ret_name, frazil_error *reterr)
{
    return fz_sql_register_open(&postgresql_dialect, url, ret, ret_name, reterr);
}

const frazil_coordinator *frazil_coordinator_postgresql(void)
{
    static const frazil_coordinator postgresql = {
        FZ_LEASE_COORDINATOR,
        .part = "postgresql",
        .client = "libpq " PG_MAJORVERSION,
        .share_clients = fz_tls_share_clients,
        .open_register = open_register,
    };

    return &postgresql;
}
