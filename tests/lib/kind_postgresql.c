/* SPDX-License-Identifier: MIT */
#include <stddef.h> /* an empty unit would be none */

#ifdef FRAZIL_HAVE_POSTGRESQL
#include "lib/postgresql_server.h"

static const char *const settings[] = {"fsync=off", "max_connections=100", NULL}; /* its crashes are not the host's */

#define SQL(name) postgresql_##name
#define SQL_STOP postgresql_server_stop
#define SQL_KILL postgresql_server_crash
#define SQL_URL "postgres://owner@127.0.0.1:%u"
#define SQL_DATABASE "/postgres/"
#define SQL_NO_NUMBER "-1"
#include "lib/kind_sql.h"

const struct register_kind kind_postgresql = {
    .name = "postgresql", .coordinator = frazil_coordinator_postgresql, .client = "libpq ", KIND_SQL};
#endif
