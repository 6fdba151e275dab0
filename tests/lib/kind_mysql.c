/* SPDX-License-Identifier: MIT */
#include <stddef.h> /* an empty unit would be none */

#ifdef FRAZIL_HAVE_MYSQL
#include "lib/mysql_server.h"

static const char *const settings[] = {"--innodb-flush-method=nosync", NULL};

#define SQL(name) mysql_##name
#define SQL_STOP server_stop
#define SQL_KILL server_kill
#define SQL_URL "mysql://app@127.0.0.1:%u"
#define SQL_DATABASE "/app/"
#define SQL_NO_NUMBER "4294967296"
#include "lib/kind_sql.h"

const struct register_kind kind_mysql = {
    .name = "mysql", .coordinator = frazil_coordinator_mysql, .client = "libmariadb ", KIND_SQL};
#endif
