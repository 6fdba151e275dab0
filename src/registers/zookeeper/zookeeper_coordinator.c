/* SPDX-License-Identifier: MIT */
/* ZooKeeper as a coordinator: which of what is here serves which URL. */
#include <string.h>
#include <zookeeper/zookeeper_version.h>

#include "lease/coordinator.h"
#include "zookeeper_register.h"
#include "zookeeper_url.h"

_Static_assert(FZ_URL_NAMESPACE_SIZE <= FZ_LEASE_NAME_SIZE, "every namespace's name can be shown");

static const char *const schemes[] = {"zookeeper", NULL};

static frazil_err open_register(const char *url, struct fz_register *ret, char *ret_name, frazil_error *reterr)
{
    frazil_err err = fz_zookeeper_register_open(ret, url, reterr);

    if (err != FRAZIL_OK)
        return err;
    const char *name = fz_zookeeper_register_namespace(ret);
    memcpy(ret_name, name, strlen(name) + 1);
    return FRAZIL_OK;
}

const frazil_coordinator *frazil_zookeeper(void)
{
    static const frazil_coordinator zookeeper = {
        FZ_LEASE_COORDINATOR,
        .part = "zookeeper",
        .client = "zookeeper client " ZOO_VERSION,
        .schemes = schemes,
        .open_register = open_register,
    };

    return &zookeeper;
}
