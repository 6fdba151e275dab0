/* SPDX-License-Identifier: MIT */
/*
 * Coordinators: the systems from which a fleet gets its worker ids.
 *
 * A spec that names one, as in worker=redis://127.0.0.1/orders, is all that is
 * needed: its library (libfrazil-redis.so.0) is loaded when it is first used.  A
 * program that links these libraries itself, because it is static or has to
 * say at build time what it loads, gives them in frazil_ports.
 *
 *   part        library              URLs
 *   redis       libfrazil-redis      redis:// redis+unix:// rediss:// sfid+redis://
 *   etcd        libfrazil-etcd       etcd:// etcds://
 *   zookeeper   libfrazil-zookeeper  zookeeper://
 *   postgresql  libfrazil-postgresql postgres:// postgresql://
 *   file        libfrazil-file       file:// (several processes of one host)
 */
#ifndef FRAZIL_COORDINATOR_H
#define FRAZIL_COORDINATOR_H

#include "error.h"

FRAZIL_BEGIN_DECLS

typedef struct frazil_coordinator frazil_coordinator;

/* Each in its own library, which must have the version of libfrazil.  Never freed.  Any thread. */
FRAZIL_API const frazil_coordinator *frazil_redis(void);
FRAZIL_API const frazil_coordinator *frazil_etcd(void);
FRAZIL_API const frazil_coordinator *frazil_zookeeper(void);
FRAZIL_API const frazil_coordinator *frazil_postgresql(void);
FRAZIL_API const frazil_coordinator *frazil_file(void);

/*
 * Loads a part by its name in the table above.  It stays loaded.
 * FRAZIL_ENOTBUILT: it is not installed, or is of another version; FRAZIL_EINVAL: no such part.
 */
FRAZIL_API FRAZIL_CHECK frazil_err frazil_coordinator_load(const frazil_coordinator **ret, const char *part,
                                                           frazil_error *reterr) FRAZIL_NONNULL(1, 2);

/* The client library that a coordinator uses, with its version: "hiredis 0.14.1".  Never freed.  Any thread. */
FRAZIL_API const char *frazil_coordinator_client(const frazil_coordinator *coordinator) FRAZIL_NONNULL(1);

FRAZIL_END_DECLS

#endif
