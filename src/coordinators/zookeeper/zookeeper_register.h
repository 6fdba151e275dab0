/* SPDX-License-Identifier: MIT */
/*
 * A register in ZooKeeper: a node for each record below the namespace's own, and
 * below that a node whose name is the record's version, and which is empty:
 *
 *   /frazil/orders                               the namespace
 *   /frazil/orders/namespace                     "VERSION DATA", as all records
 *   /frazil/orders/namespace/1754041800000123456
 *   /frazil/orders/7                             worker 7
 *   /frazil/orders/7/1754041812345678901
 *
 * A swap is one transaction: delete the node named by the version expected, create
 * the one named by the next version, set the data.  It fails as a whole if that
 * node is not there.  `read` refuses a namespace's record without it, as one that is
 * being deleted; no other function looks for it.
 *
 * Why not setData with ZooKeeper's own version?  That one counts from 0 again when a node
 * was deleted and made anew.  So a request that was under way for long could meet another
 * record with the version it knows.  ZooKeeper's transaction number (mzxid) cannot be a
 * condition, and starts anew when the servers' data were lost.  A name can be a
 * condition, and needs nothing to be remembered, so every swap is one round trip.
 *
 * Versions are nanoseconds since 1970 by the writer's clock, made to grow with each
 * swap.  They only have to be new: nothing depends on that clock being right.
 *
 * A server may answer a read with what was true before.  The compare-and-swap does
 * not need better.  But a process that asks which worker ids are free, or what became of a
 * swap that was not answered, must not be told old news.  So reading begins with a
 * transaction that makes, writes and deletes a node: the servers agree on it as on any
 * write, and what the session reads after it is at least as new.  (sync
 * is cheaper, and not enough: on the leader itself, and on one that has been
 * deposed without knowing, a read after it can still be one of before.)
 *
 * The leader notes the time of each write (mtime), so that transaction also tells the
 * time, as every swap does: within a millisecond, by the leader's clock.  A user that may
 * only read is told none.
 *
 * Nodes are persistent.  They belong to the user of the URL alone; without one
 * they are open to everybody.
 */
#ifndef FZ_COORDINATORS_ZOOKEEPER_REGISTER_H
#define FZ_COORDINATORS_ZOOKEEPER_REGISTER_H

#include "lease/coordinator.h"

/*
 * Makes a register of a URL (see zookeeper_url.h), without connecting; as open_register in lease/coordinator.h.
 * FRAZIL_ESPEC, ESYS: the URL or its password file; FRAZIL_ENOTBUILT: the program has the client library with threads,
 * which takes the place of the one that this needs; FRAZIL_ENOMEM.
 */
frazil_err fz_zookeeper_register_open(const char *url, struct fz_register *ret, char *ret_name, frazil_error *reterr);

#endif
