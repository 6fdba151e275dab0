/* SPDX-License-Identifier: MIT */
/*
 * Examines a PostgreSQL before worker ids come from it: what it is, whether a commit
 * survives a crash, which standbys could take over, and what this user may do.
 */
#ifndef FZ_COORDINATORS_POSTGRESQL_DIAGNOSE_H
#define FZ_COORDINATORS_POSTGRESQL_DIAGNOSE_H

#include "postgresql_connection.h"

/* Shows the findings.  Any user may ask what is asked.  One exchange; its results. */
enum fz_register_result fz_postgresql_diagnose(struct fz_postgresql_connection *connection, fz_finding_visitor visit,
                                               void *ctx, frazil_error *reterr);

#endif
