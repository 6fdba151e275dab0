/* SPDX-License-Identifier: MIT */
/* The constants of the headers as functions: other languages cannot see macros. */
#include "frazil/layout.h"
#include "frazil/sno.h"
#include "frazil/text.h"
#include "frazil/time.h"

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

size_t frazil_kasumi_len(void)
{
    return FRAZIL_KASUMI_LEN;
}

size_t frazil_kasumi_checked_len(void)
{
    return FRAZIL_KASUMI_CHECKED_LEN;
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

size_t frazil_uuid_size(void)
{
    return FRAZIL_UUID_SIZE;
}

size_t frazil_uuid_len(void)
{
    return FRAZIL_UUID_LEN;
}

size_t frazil_sno_json_size(void)
{
    return FRAZIL_SNO_JSON_SIZE;
}
