/* SPDX-License-Identifier: MIT */
#include "hex.h"

void hex_write(const uint8_t *bytes, size_t size, char *text)
{
    static const char digits[] = "0123456789abcdef";

    for (size_t i = 0; i < size; i++) {
        *text++ = digits[bytes[i] >> 4];
        *text++ = digits[bytes[i] & 15];
    }
    *text = '\0';
}

static int digit_of(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return -1;
}

bool hex_read(const char *text, size_t size, uint8_t *bytes, size_t *ret_position)
{
    unsigned byte = 0;

    for (size_t i = 0; i < 2 * size; i++) {
        int digit = digit_of(text[i]);
        if (digit < 0) {
            *ret_position = i + 1;
            return false;
        }
        byte = byte << 4 | (unsigned)digit;
        bytes[i / 2] = (uint8_t)byte;
    }
    return true;
}
