/* SPDX-License-Identifier: MIT */
/* etcd as a coordinator: which of what is here serves which URL. */
#include <curl/curl.h>
#include <jansson.h>

#include "etcd_register.h"
#include "lease/coordinator.h"
#include "os/clients.h"

const frazil_coordinator *frazil_coordinator_etcd(void)
{
    static const frazil_coordinator etcd = {
        FZ_LEASE_COORDINATOR,
        .part = "etcd",
        .client = "libcurl " LIBCURL_VERSION ", jansson " JANSSON_VERSION,
        .share_clients = fz_clients_share,
        .open_register = fz_etcd_register_open,
    };

    return &etcd;
}
