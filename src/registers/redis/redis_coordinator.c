/* SPDX-License-Identifier: MIT */
/* Redis as a coordinator: which of what is here serves which URL. */
#include <hiredis/hiredis.h>
#include <string.h>

#include "lease/coordinator.h"
#include "redis_register.h"
#include "redis_url.h"

#define TEXT_OF(number) #number
#define VERSION_TEXT(major, minor, patch) TEXT_OF(major) "." TEXT_OF(minor) "." TEXT_OF(patch)

_Static_assert(FZ_URL_NAMESPACE_SIZE <= FZ_LEASE_NAME_SIZE, "every namespace's name can be shown");

static const char *const schemes[] = {"redis", "redis+unix", "rediss", NULL};

static frazil_err open_register(const char *url, struct fz_register *ret, char *ret_name, frazil_error *reterr)
{
    frazil_err err = fz_redis_register_open(ret, url, reterr);

    if (err != FRAZIL_OK)
        return err;
    const char *name = fz_redis_register_namespace(ret);
    memcpy(ret_name, name, strlen(name) + 1);
    return FRAZIL_OK;
}

const frazil_coordinator *frazil_redis(void)
{
    static const frazil_coordinator redis = {
        FZ_LEASE_COORDINATOR,
        .part = "redis",
        .client = "hiredis " VERSION_TEXT(HIREDIS_MAJOR, HIREDIS_MINOR, HIREDIS_PATCH),
        .schemes = schemes,
        .open_register = open_register,
    };

    return &redis;
}
