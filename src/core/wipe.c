/* SPDX-License-Identifier: MIT */
#include "wipe.h"

#include <string.h>

void fz_wipe(void *bytes, size_t len)
{
    memset(bytes, 0, len);
    /* Claims to read the bytes, so that the compiler must write them, even if it sees all files. */
    __asm__ volatile("" : : "r"(bytes) : "memory");
}
