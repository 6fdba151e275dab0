/* SPDX-License-Identifier: MIT */
/*
 * A session with a PostgreSQL.  It knows whether a statement that failed can have been carried out.  No state is kept
 * at the server, so a pooler may lie in between (PgBouncer with transaction pooling).
 */
#ifndef FZ_COORDINATORS_POSTGRESQL_CONNECTION_H
#define FZ_COORDINATORS_POSTGRESQL_CONNECTION_H

#include "common/sql_register.h"
#include "postgresql_url.h"

/* libpq's PGresult. */
struct pg_result;

struct fz_postgresql_connection {
    struct fz_sql_connection sql; /* its session has a PGconn */
    struct fz_postgresql_url url;
    char shown[FZ_POSTGRESQL_SHOWN_SIZE];
    char sqlstate[6]; /* the code of the last error reply; empty: there was none */
};

/* Readies a connection, which is that of a struct fz_postgresql_connection and has its URL, without making it. */
void fz_postgresql_connection_start(struct fz_sql_connection *sql);

/* Bytes of a user's name in SQL, terminator included. */
#define FZ_POSTGRESQL_USER_SQL_SIZE (2 * FZ_POSTGRESQL_NAME_SIZE + 4)

/* The connection's user, as SQL writes the name, for sentences; "..." without a connection. */
void fz_postgresql_user_sql(const struct fz_postgresql_connection *connection, char buf[FZ_POSTGRESQL_USER_SQL_SIZE]);

/*
 * Carries out one statement in a transaction of its own, all within the URL's
 * timeout, connecting included, but for the resolution of host names.  The server
 * itself gives it up after that time, and its commit waits for the disk (and for
 * synchronous standbys) whatever the session's default is.
 * FZ_REGISTER_OK: *ret_result, with binary columns, is freed by PQclear.
 * UNREACHABLE: it certainly was not carried out, and may be later, or elsewhere.
 * UNKNOWN: the answer did not come, or not all of it; the connection is closed.
 * REFUSED: the server said no; connection->sqlstate says which no.
 */
enum fz_register_result fz_postgresql_carry_out(struct fz_postgresql_connection *connection, const char *sql,
                                                struct pg_result **ret_result, frazil_error *reterr);

/* ---- for operators ----------------------------------------------- */

/* Shows the findings.  Any user may ask what is asked.  One exchange; its results. */
enum fz_register_result fz_postgresql_diagnose(struct fz_sql_connection *sql, fz_finding_visitor visit, void *ctx,
                                               frazil_error *reterr);

#endif
