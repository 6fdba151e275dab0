/* SPDX-License-Identifier: MIT */
#include "wipe.h"

#include <string.h>

void fz_wipe(void *bytes, size_t len)
{
    memset(bytes, 0, len);
    /* Claims to read what was written, so that the compiler may not leave it out, also where it sees all files. */
    __asm__ volatile("" : : "r"(bytes) : "memory");
}
