/* SPDX-License-Identifier: MIT */
#include "frazil.h"

const char *frazil_version(void)
{
    return FRAZIL_VERSION;
}

uint32_t frazil_version_number(void)
{
    return FRAZIL_VERSION_NUMBER;
}
