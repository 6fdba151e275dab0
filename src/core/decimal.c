/* SPDX-License-Identifier: MIT */
#include "decimal.h"

#include <string.h>

#include "word.h"

#define TEN_TO_8 UINT64_C(100000000)
#define ASCII_ZEROS FZ_EVERY_BYTE(0x30)

/* ---- reading: eight digits in one word, the first in the lowest byte ---- */

/* Whether all eight bytes are '0' to '9'. */
static bool is_8_digits(uint64_t bytes)
{
    const uint64_t high = FZ_EVERY_BYTE(0xf0);

    /* The high nibble must be 3, and still be 3 after adding 6, which carries from a low nibble above 9. */
    return (bytes & high) == ASCII_ZEROS && ((bytes + FZ_EVERY_BYTE(0x06)) & high) == ASCII_ZEROS;
}

/* The number that eight digits stand for: neighbours are joined to pairs, fours and eight, in all lanes at once. */
static uint64_t number_of_8_digits(uint64_t bytes)
{
    bytes = (bytes & FZ_EVERY_BYTE(0x0f)) * (1 + (UINT64_C(10) << 8)) >> 8;
    bytes = (bytes & UINT64_C(0x00ff00ff00ff00ff)) * (1 + (UINT64_C(100) << 16)) >> 16;
    return (bytes & UINT64_C(0x0000ffff0000ffff)) * (1 + (UINT64_C(10000) << 32)) >> 32;
}

bool fz_decimal_parse_padded(const char *text, size_t len, uint64_t *ret)
{
    uint64_t value = 0;
    size_t i = 0;

    if (len == 0 || len > FZ_DECIMAL_MAX_LEN)
        return false;
    for (; (len - i) % 8 != 0; i++) {
        unsigned digit = (unsigned char)text[i] - (unsigned)'0';
        if (digit > 9)
            return false;
        value = value * 10 + digit;
    }
    for (; i < len; i += 8) {
        uint64_t bytes = fz_load_le64(text + i);
        uint64_t eight = number_of_8_digits(bytes);
        if (!is_8_digits(bytes) || value > (UINT64_MAX - eight) / TEN_TO_8)
            return false;
        value = value * TEN_TO_8 + eight;
    }
    *ret = value;
    return true;
}

bool fz_decimal_parse(const char *text, size_t len, uint64_t *ret)
{
    if (len > 1 && text[0] == '0')
        return false;
    return fz_decimal_parse_padded(text, len, ret);
}

/* ---- writing: two digits at a time, from a table ---- */

/* The two digits of a number below 100, the first in the lower byte. */
static uint64_t pair(uint32_t number)
{
    static const char pairs[] = "00010203040506070809101112131415161718192021222324"
                                "25262728293031323334353637383940414243444546474849"
                                "50515253545556575859606162636465666768697071727374"
                                "75767778798081828384858687888990919293949596979899";
    uint16_t digits;

    memcpy(&digits, pairs + 2 * (size_t)number, sizeof digits);
    return __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? digits : __builtin_bswap16(digits);
}

/*
 * The eight digits of a number below 10^8, the first in the lowest byte.  The
 * divisions do not wait for each other, as those of a digit loop do.
 */
static uint64_t digits_of_8(uint32_t number)
{
    uint32_t high = number / 10000;
    uint32_t low = number % 10000;

    return pair(high / 100) | pair(high % 100) << 16 | pair(low / 100) << 32 | pair(low % 100) << 48;
}

/* Writes a number below 10^8 without leading zeros and returns how many digits that are; overwrites eight bytes. */
static size_t put_leading(char *buf, uint32_t number)
{
    uint64_t digits = digits_of_8(number);
    /* A zero digit is made a zero byte; the bit set in the last one keeps one zero of zero. */
    size_t zeros = (size_t)__builtin_ctzll((digits ^ ASCII_ZEROS) | UINT64_C(1) << 56) / 8;

    fz_store_le64(buf, digits >> 8 * zeros);
    return 8 - zeros;
}

size_t fz_decimal_format(uint64_t value, char buf[FZ_DECIMAL_MAX_LEN])
{
    uint64_t rest = value / TEN_TO_8;
    size_t len;

    if (rest == 0)
        return put_leading(buf, (uint32_t)value);
    if (rest < TEN_TO_8) {
        len = put_leading(buf, (uint32_t)rest);
    } else {
        len = put_leading(buf, (uint32_t)(rest / TEN_TO_8));
        fz_store_le64(buf + len, digits_of_8((uint32_t)(rest % TEN_TO_8)));
        len += 8;
    }
    fz_store_le64(buf + len, digits_of_8((uint32_t)(value % TEN_TO_8)));
    return len + 8;
}

void fz_decimal_format_padded(uint64_t value, char buf[FZ_DECIMAL_MAX_LEN])
{
    uint64_t rest = value / TEN_TO_8;

    /* 2^64 has 20 digits: of the first eight, four are always zero and are shifted out. */
    fz_store_le64(buf, digits_of_8((uint32_t)(rest / TEN_TO_8)) >> 32);
    fz_store_le64(buf + 4, digits_of_8((uint32_t)(rest % TEN_TO_8)));
    fz_store_le64(buf + 12, digits_of_8((uint32_t)(value % TEN_TO_8)));
}
