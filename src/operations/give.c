/* SPDX-License-Identifier: MIT */
#include "give.h"

#include <string.h>

void fz_give(void *ret, size_t size, const void *from, size_t from_size)
{
    memset(ret, 0, size);
    memcpy(ret, from, size < from_size ? size : from_size);
}
