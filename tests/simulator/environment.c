/* SPDX-License-Identifier: MIT */
/* The environment of simulated processes: nobody has set anything. */
#include <stddef.h>

#include "os/host.h"

const char *fz_environment(const char *name)
{
    (void)name;
    return NULL;
}

bool fz_environment_is_foreign(void)
{
    return false;
}

const char fz_more_rights[FZ_MORE_RIGHTS_SIZE] = "is trusted";

const char *fz_foreign_variable(const char *beginning)
{
    (void)beginning;
    return NULL;
}

/* Nor has a host an address. */
const char *fz_address_kind_of_many(const char *text)
{
    (void)text;
    return NULL;
}

char *const *fz_environment_untrusted(void)
{
    static char *const none[] = {NULL};

    return none;
}

char *const *fz_environment_all(void)
{
    return fz_environment_untrusted();
}
