/* SPDX-License-Identifier: MIT */
/* Tells an operator about an etcd before worker ids come from it. */
#ifndef FZ_COORDINATORS_ETCD_DIAGNOSE_H
#define FZ_COORDINATORS_ETCD_DIAGNOSE_H

#include "etcd_client.h"

/*
 * Asks for version, leader, members, alarms and users, and whether the key may be
 * written to, and shows findings about them.  Nothing is changed.  Fails as
 * fz_etcd_ask; what etcd refuses to tell is a finding.
 */
enum fz_register_result fz_etcd_diagnose(struct fz_etcd_client *client, const char *key, fz_finding_visitor visit,
                                         void *ctx, frazil_error *reterr);

#endif
