/* SPDX-License-Identifier: MIT */
/* PostgreSQL as a coordinator: which of what is here serves which URL. */
#include <pg_config.h>

#include "lease/coordinator.h"
#include "os/clients.h"
#include "postgresql_register.h"

const frazil_coordinator *frazil_coordinator_postgresql(void)
{
    static const frazil_coordinator postgresql = {
        FZ_LEASE_COORDINATOR,
        .part = "postgresql",
        .client = "libpq " PG_MAJORVERSION,
        .share_clients = fz_clients_share,
        .open_register = fz_postgresql_register_open,
    };

    return &postgresql;
}
