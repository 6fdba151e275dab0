/* SPDX-License-Identifier: MIT */
/*
 * A register in Redis: one hash for each namespace, "frazil:lease:NAMESPACE",
 * with a field for each record.  Each operation is one call of one Lua script,
 * which also tells the time, the server's identity, and its role.
 *
 * Versions are microseconds since 1970 by the server's clock, made to grow with
 * each swap, so that they do not come back when the hash was lost.  Records carry
 * no expiry.  A server that may evict them (allkeys-*) is refused, and a replica
 * is not asked.
 *
 * The incarnation is the server's run id and replication id: it changes when the
 * server was restarted or a replica was made its master, and then a swap that
 * was answered may be lost.
 */
#ifndef FZ_COORDINATORS_REDIS_REGISTER_H
#define FZ_COORDINATORS_REDIS_REGISTER_H

#include "lease/coordinator.h"

/*
 * Makes a register of a URL (see redis_url.h), without connecting; as open_register in lease/coordinator.h.
 * FRAZIL_ESPEC, ESYS: the URL or its password file; FRAZIL_ENOTBUILT: rediss://, as there is no TLS to Redis;
 * FRAZIL_ENOMEM.
 */
frazil_err fz_redis_register_open(const char *url, struct fz_register *ret, char *ret_name, frazil_error *reterr);

#endif
