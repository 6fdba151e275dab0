/* SPDX-License-Identifier: MIT */
#include "base64.h"

#include <stdint.h>
#include <string.h>

static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

void fz_base64_encode(const char *bytes, size_t len, char *ret)
{
    for (size_t i = 0; i < len; i += 3) {
        uint32_t bits = 0;
        for (size_t k = 0; k < 3; k++)
            bits = bits << 8 | (i + k < len ? (unsigned char)bytes[i + k] : 0);
        for (size_t k = 0; k < 4; k++)
            *ret++ = i + k <= len ? alphabet[bits >> (18 - 6 * k) & 63] : '=';
    }
    *ret = '\0';
}

static bool decode_four(const char *text, uint32_t *ret_bits, size_t *ret_bytes)
{
    size_t characters = text[3] != '=' ? 4 : text[2] != '=' ? 3 : 2;
    uint32_t bits = 0;

    for (size_t k = 0; k < characters; k++) {
        const char *place = text[k] == '\0' ? NULL : strchr(alphabet, text[k]);
        if (place == NULL)
            return false;
        bits |= (uint32_t)(place - alphabet) << (18 - 6 * k);
    }
    *ret_bits = bits;
    *ret_bytes = characters - 1;
    return (bits & UINT32_C(0xffffff) >> 8 * *ret_bytes) == 0; /* bits behind the last byte would be lost */
}

bool fz_base64_decode(const char *text, size_t len, char *ret, size_t size, size_t *ret_len)
{
    size_t done = 0;

    if (len % 4 != 0)
        return false;
    for (size_t i = 0; i < len; i += 4) {
        uint32_t bits;
        size_t bytes;
        if (!decode_four(text + i, &bits, &bytes) || (bytes < 3 && i + 4 < len) || size - done < bytes)
            return false;
        for (size_t k = 0; k < bytes; k++)
            ret[done++] = (char)(bits >> (16 - 8 * k) & 255);
    }
    *ret_len = done;
    return true;
}
