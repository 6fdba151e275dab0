/* SPDX-License-Identifier: MIT */
/*
 * Examines a Redis before worker ids come from it: what it is, and what it does with its
 * data when its memory is full, when it stops, and when a replica takes over.
 */
#ifndef FZ_COORDINATORS_REDIS_DIAGNOSE_H
#define FZ_COORDINATORS_REDIS_DIAGNOSE_H

#include "redis_connection.h"

/*
 * Shows the findings; keys_expire: the caller's keys have an expiry.  Needs INFO; if the user may not call
 * CONFIG GET, a warning says so.  One exchange; its results.
 */
enum fz_register_result fz_redis_diagnose(struct fz_redis_connection *connection, bool keys_expire,
                                          struct fz_deadline deadline, fz_finding_visitor visit, void *ctx,
                                          frazil_error *reterr);

#endif
