/* SPDX-License-Identifier: MIT */
/* etcd as a coordinator: which of what is here serves which URL. */
#include <curl/curl.h>
#include <jansson.h>
#include <string.h>

#include "etcd_register.h"
#include "etcd_url.h"
#include "lease/coordinator.h"

_Static_assert(FZ_URL_NAMESPACE_SIZE <= FZ_LEASE_NAME_SIZE, "every namespace's name can be shown");

static const char *const schemes[] = {"etcd", "etcds", NULL};

static frazil_err open_register(const char *url, struct fz_register *ret, char *ret_name, frazil_error *reterr)
{
    frazil_err err = fz_etcd_register_open(ret, url, reterr);

    if (err != FRAZIL_OK)
        return err;
    const char *name = fz_etcd_register_namespace(ret);
    memcpy(ret_name, name, strlen(name) + 1);
    return FRAZIL_OK;
}

const frazil_coordinator *frazil_etcd(void)
{
    static const frazil_coordinator etcd = {
        FZ_LEASE_COORDINATOR,
        .part = "etcd",
        .client = "libcurl " LIBCURL_VERSION ", jansson " JANSSON_VERSION,
        .schemes = schemes,
        .open_register = open_register,
    };

    return &etcd;
}
