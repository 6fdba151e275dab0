/* SPDX-License-Identifier: MIT */
/*
 * A register in etcd 3.4 or later, through its JSON gateway: a key for each record,
 * "frazil/lease/NAMESPACE/NUMBER", whose value is "VERSION DATA".  A swap is one
 * transaction.
 *
 * Versions are microseconds since 1970 by the swapping process's clock, made to grow with each
 * swap; they need only be new, and no clock decides about anything.  etcd's own
 * revisions would come back: they begin again at 1 in a cluster that was wiped, and go
 * on from where a backup was made in one that was restored.
 *
 * The incarnation is the cluster's id.  It is another one after a wipe or a restored
 * backup if the cluster was given a new --initial-cluster-token, as it should be.
 *
 * etcd does not tell the time, but the header of each answer has a date, by the clock of
 * the member that answered.  It is cut to the second, so the clock may have shown up to a
 * second more.
 */
#ifndef FZ_COORDINATORS_ETCD_REGISTER_H
#define FZ_COORDINATORS_ETCD_REGISTER_H

#include "lease/coordinator.h"

/*
 * Makes a register of a URL (see etcd_url.h), without connecting; as open_register in lease/coordinator.h.
 * FRAZIL_ESPEC, ESYS: the URL or its password file; FRAZIL_ENOMEM.
 */
frazil_err fz_etcd_register_open(const char *url, struct fz_register *ret, char *ret_name, frazil_error *reterr);

#endif
