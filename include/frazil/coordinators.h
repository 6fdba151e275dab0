/* SPDX-License-Identifier: MIT */
/*
 * The parts for each kind of coordinator, for programs that link them.  Each function is in a separate library of the
 * same version as libfrazil (pkg-config frazil-NAME):
 *
 *   frazil_coordinator_file         libfrazil-file: file:// konayuki+file://
 *   frazil_coordinator_redis        libfrazil-redis: redis:// redis+unix:// sfid+redis:// konayuki+redis://
 *   frazil_coordinator_etcd         libfrazil-etcd: etcd:// etcds://
 *   frazil_coordinator_zookeeper    libfrazil-zookeeper: zookeeper://
 *   frazil_coordinator_postgresql   libfrazil-postgresql: postgres:// postgresql://
 *   frazil_coordinator_mysql        libfrazil-mysql: mysql:// mariadb://
 *
 * Their results are never freed.  Any thread.
 */
#ifndef FRAZIL_COORDINATORS_H
#define FRAZIL_COORDINATORS_H

#include "coordinator.h"

FRAZIL_BEGIN_DECLS

/* Several processes of one host, in a folder. */
FRAZIL_API const frazil_coordinator *frazil_coordinator_file(void);
/* Redis, through hiredis. */
FRAZIL_API const frazil_coordinator *frazil_coordinator_redis(void);
/* etcd 3, through libcurl and jansson. */
FRAZIL_API const frazil_coordinator *frazil_coordinator_etcd(void);
/* ZooKeeper, through its C client. */
FRAZIL_API const frazil_coordinator *frazil_coordinator_zookeeper(void);
/* PostgreSQL, through libpq. */
FRAZIL_API const frazil_coordinator *frazil_coordinator_postgresql(void);
/* MySQL and MariaDB, through libmariadb. */
FRAZIL_API const frazil_coordinator *frazil_coordinator_mysql(void);

FRAZIL_END_DECLS

#endif
