/* SPDX-License-Identifier: MIT */
/*
 * Examines a MySQL or a MariaDB before worker ids come from it: whether a commit
 * survives a crash, which replicas could take over, and what this user may do.
 */
#ifndef FZ_COORDINATORS_MYSQL_DIAGNOSE_H
#define FZ_COORDINATORS_MYSQL_DIAGNOSE_H

#include "mysql_connection.h"

/* Shows the findings.  Any user may ask what is asked.  Four exchanges; the results of the first that fails. */
enum fz_register_result fz_mysql_diagnose(struct fz_mysql_connection *connection, fz_finding_visitor visit, void *ctx,
                                          frazil_error *reterr);

/*
 * Whether the table can keep records apart: its primary key, and how names of namespaces are compared.  *ret: what is
 * wrong, and the statement that mends it; empty: nothing, or there is no table.
 */
enum fz_register_result fz_mysql_judge_table(struct fz_mysql_connection *connection, char ret[FZ_FINDING_SIZE],
                                             frazil_error *reterr);

#endif
