/* SPDX-License-Identifier: MIT */
/*
 * The parts that know a kind of coordinator, for programs that link them.  Each
 * function is in a library of its own, of the same version as libfrazil:
 *
 *   frazil_file         libfrazil-file        file:// konayuki+file://
 *   frazil_redis        libfrazil-redis       redis:// redis+unix:// rediss:// sfid+redis:// konayuki+redis://
 *   frazil_etcd         libfrazil-etcd        etcd:// etcds://
 *   frazil_zookeeper    libfrazil-zookeeper   zookeeper://
 *   frazil_postgresql   libfrazil-postgresql  postgres:// postgresql://
 *
 * What they return is never freed.  Any thread.
 */
#ifndef FRAZIL_PARTS_H
#define FRAZIL_PARTS_H

#include "coordinator.h"

FRAZIL_BEGIN_DECLS

/* Several processes of one host, in a folder. */
FRAZIL_API const frazil_coordinator *frazil_file(void);
/* Redis, through hiredis. */
FRAZIL_API const frazil_coordinator *frazil_redis(void);
/* etcd 3, through libcurl and jansson. */
FRAZIL_API const frazil_coordinator *frazil_etcd(void);
/* ZooKeeper, through its C client. */
FRAZIL_API const frazil_coordinator *frazil_zookeeper(void);
/* PostgreSQL, through libpq. */
FRAZIL_API const frazil_coordinator *frazil_postgresql(void);

FRAZIL_END_DECLS

#endif
