/* SPDX-License-Identifier: MIT */
/* A session with a MySQL or a MariaDB.  It knows whether a statement that failed can have been carried out. */
#ifndef FZ_COORDINATORS_MYSQL_CONNECTION_H
#define FZ_COORDINATORS_MYSQL_CONNECTION_H

#include "common/sql_register.h"
#include "mysql_url.h"

/* libmariadb's MYSQL_RES. */
struct st_mysql_res;

struct fz_mysql_connection {
    struct fz_sql_connection sql; /* its session has a MYSQL */
    struct fz_mysql_url url;
    char shown[FZ_MYSQL_SHOWN_SIZE];
    unsigned error; /* the number of the last error reply; 0: there was none */
};

/* Readies a connection, which is that of a struct fz_mysql_connection and has its URL, without making it. */
void fz_mysql_connection_start(struct fz_sql_connection *sql);

/*
 * Sends statements, separated by semicolons, and reads all that they answer, within the URL's timeout, connecting
 * included, but for the resolution of host names.  Each statement is a transaction of its own; after one that fails no
 * other is carried out.
 * FZ_REGISTER_OK: *ret_result is the last one's rows, freed by mysql_free_result.
 * UNREACHABLE: certainly none was carried out that changes anything, and it may be later, or elsewhere.
 * UNKNOWN: the answer did not come, or not all of it; the connection is closed.
 * REFUSED: the server said no; connection->error says which no.
 */
enum fz_register_result fz_mysql_carry_out(struct fz_mysql_connection *connection, const char *sql,
                                           struct st_mysql_res **ret_result, frazil_error *reterr);

/* ---- for operators ----------------------------------------------- */

/* Shows the findings.  Any user may ask what is asked.  Five exchanges; the results of the first that fails. */
enum fz_register_result fz_mysql_diagnose(struct fz_sql_connection *sql, fz_finding_visitor visit, void *ctx,
                                          frazil_error *reterr);

/* The parts of a table that keep records apart. */
enum fz_mysql_part {
    FZ_MYSQL_KEY,        /* the primary key */
    FZ_MYSQL_WHOLE_TABLE /* that, and how names of namespaces are compared */
};

/*
 * Whether this part of the table keeps records apart.  *ret: what is wrong, and the statement that mends it; empty:
 * nothing, or there is no table.
 */
enum fz_register_result fz_mysql_judge_table(struct fz_mysql_connection *connection, enum fz_mysql_part part,
                                             char ret[FZ_FINDING_SIZE], frazil_error *reterr);

#endif
