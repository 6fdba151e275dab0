/* SPDX-License-Identifier: MIT */
#include "decimal.h"

#include "word.h"

#define TEN_TO_8 UINT64_C(100000000)
#define ASCII_ZEROS FZ_EVERY_BYTE(0x30)

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

/* Eight digits of a number below 10^8, the first in the lowest byte, as values 0 to 9: number_of_8_digits backwards. */
static uint64_t digits_of_8(uint64_t number)
{
    uint64_t fours = number / 10000 | number % 10000 << 32;
    /* x / 100 in every lane of 32 bits, exact for x < 10000. */
    uint64_t hundreds = fours * 10486 >> 20 & UINT64_C(0x0000007f0000007f);
    uint64_t pairs = hundreds | (fours - hundreds * 100) << 16;
    /* x / 10 in every lane of 16 bits, exact for x < 100. */
    uint64_t tens = pairs * 103 >> 10 & UINT64_C(0x000f000f000f000f);

    return tens | (pairs - tens * 10) << 8;
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

void fz_decimal_format_padded(uint64_t value, char buf[FZ_DECIMAL_MAX_LEN])
{
    uint64_t rest = value / TEN_TO_8;

    /* 2^64 has 20 digits: of the first eight, four are always zero and are shifted out. */
    fz_store_le64(buf, (digits_of_8(rest / TEN_TO_8) | ASCII_ZEROS) >> 32);
    fz_store_le64(buf + 4, digits_of_8(rest % TEN_TO_8) | ASCII_ZEROS);
    fz_store_le64(buf + 12, digits_of_8(value % TEN_TO_8) | ASCII_ZEROS);
}

/* Writes a number below 10^8 without leading zeros and returns how many digits that are; overwrites eight bytes. */
static size_t put_leading(char *buf, uint64_t number)
{
    uint64_t digits = digits_of_8(number);
    /* The bit set in the last digit keeps one zero of zero. */
    size_t zeros = (size_t)__builtin_ctzll(digits | UINT64_C(1) << 56) / 8;

    fz_store_le64(buf, (digits | ASCII_ZEROS) >> 8 * zeros);
    return 8 - zeros;
}

size_t fz_decimal_format(uint64_t value, char buf[FZ_DECIMAL_MAX_LEN])
{
    uint64_t rest = value / TEN_TO_8;
    size_t len;

    if (rest == 0)
        return put_leading(buf, value);
    if (rest < TEN_TO_8) {
        len = put_leading(buf, rest);
    } else {
        len = put_leading(buf, rest / TEN_TO_8);
        fz_store_le64(buf + len, digits_of_8(rest % TEN_TO_8) | ASCII_ZEROS);
        len += 8;
    }
    fz_store_le64(buf + len, digits_of_8(value % TEN_TO_8) | ASCII_ZEROS);
    return len + 8;
}
