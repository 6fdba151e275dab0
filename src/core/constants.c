/* SPDX-License-Identifier: MIT */
/* The constants of the headers as functions: other languages cannot see macros. */
#include "frazil.h"

size_t frazil_layout_name_size(void)
{
    return FRAZIL_LAYOUT_NAME_SIZE;
}

size_t frazil_fingerprint_size(void)
{
    return FRAZIL_FINGERPRINT_SIZE;
}

size_t frazil_error_message_size(void)
{
    return FRAZIL_ERROR_MESSAGE_SIZE;
}

int64_t frazil_no_position(void)
{
    return FRAZIL_NO_POSITION;
}

size_t frazil_time_size(void)
{
    return FRAZIL_TIME_SIZE;
}

size_t frazil_sno_size(void)
{
    return FRAZIL_SNO_SIZE;
}

size_t frazil_sno_len(void)
{
    return FRAZIL_SNO_LEN;
}

size_t frazil_sno_partition_size(void)
{
    return FRAZIL_SNO_PARTITION_SIZE;
}

size_t frazil_sno_snapshot_size(void)
{
    return FRAZIL_SNO_SNAPSHOT_SIZE;
}

uint64_t frazil_wait_default(void)
{
    return FRAZIL_WAIT_DEFAULT;
}

uint64_t frazil_wait_uncounted(void)
{
    return FRAZIL_WAIT_UNCOUNTED;
}

uint64_t frazil_wait_forever(void)
{
    return FRAZIL_WAIT_FOREVER;
}

int64_t frazil_lease_all_used(void)
{
    return FRAZIL_LEASE_ALL_USED;
}

const char *frazil_version(void)
{
    return FRAZIL_VERSION;
}

uint32_t frazil_version_number(void)
{
    return FRAZIL_VERSION_NUMBER;
}
