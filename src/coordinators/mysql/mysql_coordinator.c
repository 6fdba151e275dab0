/* SPDX-License-Identifier: MIT */
/* MySQL and MariaDB as a coordinator: which of what is here serves which URL. */
#include <mysql.h>

#include "lease/coordinator.h"
#include "mysql_register.h"
#include "os/clients.h"

const frazil_coordinator *frazil_coordinator_mysql(void)
{
    static const frazil_coordinator mysql = {
        FZ_LEASE_COORDINATOR,
        .part = "mysql",
        .client = "libmariadb " MARIADB_PACKAGE_VERSION,
        .share_clients = fz_clients_share,
        .open_register = fz_mysql_register_open,
    };

    return &mysql;
}
