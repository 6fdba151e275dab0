/* SPDX-License-Identifier: MIT */
#include "sized.h"

#include <string.h>

void fz_give_sized(void *ret, size_t size, const void *what, size_t length)
{
    size_t shorter = size < length ? size : length;

    memcpy(ret, what, shorter);
    memset((char *)ret + shorter, 0, size - shorter);
}

bool fz_is_zeroed(const void *bytes, size_t size)
{
    const unsigned char *byte = bytes;

    for (size_t i = 0; i < size; i++) {
        if (byte[i] != 0)
            return false;
    }
    return true;
}
