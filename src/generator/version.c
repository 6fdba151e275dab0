/* SPDX-License-Identifier: MIT */
#include "frazil.h"

const char *frazil_version(void)
{
    return FRAZIL_VERSION;
}
