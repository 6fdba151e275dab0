/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "alphabets.h"
#include "assert.h"
#include "decimal.h"
#include "text_internal.h"

#define BASE36_MAX_LEN 13 /* digits of 2^64 - 1 */
#define BASE58_MAX_LEN 11
#define HEX_MAX_LEN 16

/* Moves a number of `width` digits to buf without its leading zeros, of which a lone one stays. */
static size_t put_unpadded(char *buf, const char *digits, size_t width, char zero)
{
    size_t zeros = 0;

    while (zeros + 1 < width && digits[zeros] == zero)
        zeros++;
    memcpy(buf, digits + zeros, width - zeros);
    return width - zeros;
}

static size_t write_base36(char *buf, uint64_t id)
{
    char digits[BASE36_MAX_LEN];

    fz_digits_put(digits, sizeof digits, id, &fz_base36, 36);
    return put_unpadded(buf, digits, sizeof digits, fz_base36.digits[0]);
}

static size_t write_base58(char *buf, uint64_t id)
{
    char digits[BASE58_MAX_LEN];

    fz_digits_put(digits, sizeof digits, id, &fz_base58, 58);
    return put_unpadded(buf, digits, sizeof digits, fz_base58.digits[0]);
}

static size_t write_hex_short(char *buf, uint64_t id)
{
    char digits[HEX_MAX_LEN];

    fz_digits_put(digits, sizeof digits, id, &fz_base36, 16);
    return put_unpadded(buf, digits, sizeof digits, fz_base36.digits[0]);
}

/* Eleven characters hold 66 bits: the two that are over come last and are zero. */
static size_t write_base64url(char *buf, uint64_t id)
{
    fz_digits_put(buf, 10, id >> 4, &fz_base64url, 64);
    buf[10] = fz_base64url.digits[(id & 15) << 2];
    return 11;
}

/* Sixteen groups of four digits with spaces between them; the one behind the last is not counted. */
static size_t write_bin(char *buf, uint64_t id)
{
    for (unsigned group = 0; group < 16; group++) {
        fz_digits_put(buf + 5 * group, 4, id >> (60 - 4 * group), &fz_base36, 2);
        buf[5 * group + 4] = ' ';
    }
    return 79;
}

static size_t write_signed(char *buf, uint64_t id)
{
    if (id <= INT64_MAX)
        return fz_decimal_format(id, buf);
    buf[0] = '-';
    return 1 + fz_decimal_format(0 - id, buf + 1);
}

size_t fz_text_write(frazil_text form, uint64_t id, char buf[FRAZIL_TEXT_SIZE])
{
    switch (form) {
    case FRAZIL_TEXT_DEC:
        return fz_decimal_format(id, buf);
    case FRAZIL_TEXT_DEC_PADDED:
        fz_decimal_format_padded(id, buf);
        return FZ_DECIMAL_MAX_LEN;
    case FRAZIL_TEXT_HEX:
    case FRAZIL_TEXT_BYTES:
        fz_digits_put(buf, 16, id, &fz_base36, 16);
        return 16;
    case FRAZIL_TEXT_CROCKFORD:
        fz_digits_put(buf, 13, id, &fz_crockford, 32);
        return 13;
    case FRAZIL_TEXT_BASE36:
        return write_base36(buf, id);
    case FRAZIL_TEXT_BASE58:
        return write_base58(buf, id);
    case FRAZIL_TEXT_BASE62:
        fz_digits_put(buf, 11, id, &fz_base62, 62);
        return 11;
    case FRAZIL_TEXT_BASE64URL:
        return write_base64url(buf, id);
    case FRAZIL_TEXT_BIN:
        return write_bin(buf, id);
    case FRAZIL_TEXT_HEX0X:
        buf[0] = '0';
        buf[1] = 'x';
        return 2 + write_hex_short(buf + 2, id);
    case FRAZIL_TEXT_HEX_SHORT:
        return write_hex_short(buf, id);
    case FRAZIL_TEXT_SIGNED:
        return write_signed(buf, id);
    case FRAZIL_TEXT_FORCE_INT: /* not reached */
        break;                  /* not reached */
    }
    FZ_ASSERT(false);
    return 0; /* not reached */
}
