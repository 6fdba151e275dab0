/* SPDX-License-Identifier: MIT */
/* PostgreSQL as a coordinator: which of what is here serves which URL. */
#include <pg_config.h>
#include <string.h>

#include "lease/coordinator.h"
#include "postgresql_register.h"
#include "postgresql_url.h"

_Static_assert(FZ_URL_NAMESPACE_SIZE <= FZ_LEASE_NAME_SIZE, "every namespace's name can be shown");

static const char *const schemes[] = {"postgres", "postgresql", NULL};

static frazil_err open_register(const char *url, struct fz_register *ret, char *ret_name, frazil_error *reterr)
{
    frazil_err err = fz_postgresql_register_open(ret, url, reterr);

    if (err != FRAZIL_OK)
        return err;
    const char *name = fz_postgresql_register_namespace(ret);
    memcpy(ret_name, name, strlen(name) + 1);
    return FRAZIL_OK;
}

const frazil_coordinator *frazil_postgresql(void)
{
    static const frazil_coordinator postgresql = {
        FZ_LEASE_COORDINATOR, .part = "postgresql",           .client = "libpq " PG_MAJORVERSION,
        .schemes = schemes,   .open_register = open_register,
    };

    return &postgresql;
}
