/* SPDX-License-Identifier: MIT */
/* Tells an operator about a ZooKeeper: its version, how many servers the URL names, who may write. */
#ifndef FZ_COORDINATORS_ZOOKEEPER_DIAGNOSE_H
#define FZ_COORDINATORS_ZOOKEEPER_DIAGNOSE_H

#include "zookeeper_connection.h"

/*
 * As fz_register's examine, over the folder of the namespace.  The server is asked by a second
 * connection with the four letters "srvr", which it need not answer.
 */
enum fz_register_result fz_zookeeper_diagnose(struct fz_zookeeper_connection *connection, const char *folder,
                                              struct fz_deadline deadline, fz_finding_visitor visit, void *visit_ctx,
                                              frazil_error *reterr);

#endif
