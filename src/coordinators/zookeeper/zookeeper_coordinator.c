/* SPDX-License-Identifier: MIT */
#include <zookeeper/zookeeper_version.h>

#include "os/clients.h"
#include "zookeeper_register.h"

const frazil_coordinator *frazil_coordinator_zookeeper(void)
{
    static const frazil_coordinator zookeeper = {
        FZ_LEASE_COORDINATOR,
        .part = "zookeeper",
        .client = "zookeeper client " ZOO_VERSION,
        .share_clients = fz_clients_share,
        .open_register = fz_zookeeper_register_open,
    };

    return &zookeeper;
}
