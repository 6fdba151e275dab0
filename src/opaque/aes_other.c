/* SPDX-License-Identifier: MIT */
/* Processors whose AES instructions frazil does not know. */
#include "aes.h"

#if !defined(__x86_64__) && !defined(__i386__) && !(defined(__AARCH64EL__) && defined(__linux__))

static bool is_usable(void)
{
    return false;
}

const struct fz_aes fz_aes_processor = {.name = "processor", .is_usable = is_usable};

#endif
