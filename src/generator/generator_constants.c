/* SPDX-License-Identifier: MIT */
/* The constants of generators and leases as functions: other languages cannot see macros. */
#include "frazil/generator.h"
#include "frazil/lease.h"

size_t frazil_sno_snapshot_size(void)
{
    return FRAZIL_SNO_SNAPSHOT_SIZE;
}

uint64_t frazil_wait_default(void)
{
    return FRAZIL_WAIT_DEFAULT;
}

uint64_t frazil_wait_forever(void)
{
    return FRAZIL_WAIT_FOREVER;
}

int64_t frazil_lease_all_used(void)
{
    return FRAZIL_LEASE_ALL_USED;
}
