/* SPDX-License-Identifier: MIT */
#include "decimal.h"

#include "word.h"

#define TEN_TO_8 UINT64_C(100000000)
#define TEN_TO_16 (TEN_TO_8 * TEN_TO_8)
#define ASCII_ZEROS FZ_EVERY_BYTE(0x30)

/*
 * Eight digits are one word, the first in the lowest byte, each as its value,
 * and 20 digits are three words, the last of them full.
 */

/* ---- reading ---- */

/* Has the highest bit of a byte set where one is above 9, and perhaps in bytes after that. */
static uint64_t above_9(uint64_t digits)
{
    return (digits | (digits + FZ_EVERY_BYTE(0x76))) & FZ_EVERY_BYTE(0x80);
}

/* The number that eight digits stand for: neighbours are joined to pairs, fours and eight, in all lanes at once. */
static uint64_t number_of_8(uint64_t digits)
{
    digits = digits * (1 + (UINT64_C(10) << 8)) >> 8;
    digits = (digits & UINT64_C(0x00ff00ff00ff00ff)) * (1 + (UINT64_C(100) << 16)) >> 16;
    return (digits & UINT64_C(0x0000ffff0000ffff)) * (1 + (UINT64_C(10000) << 32)) >> 32;
}

static uint64_t load_8(const char *text)
{
    return fz_load_le64(text) ^ ASCII_ZEROS;
}

/* Fewer than eight, with zeros in front. */
static uint64_t load_few(const char *text, size_t len)
{
    uint64_t digits = 0;

    for (size_t i = 0; i < len; i++)
        digits = digits >> 8 | (uint64_t)((unsigned char)text[i] ^ 0x30) << 56;
    return digits;
}

bool fz_decimal_parse_padded(const char *text, size_t len, uint64_t *ret)
{
    uint64_t words[3] = {0};
    uint64_t value;

    if (len == 0 || len > FZ_DECIMAL_MAX_LEN)
        return false;
    /* The first word takes some characters of the next one with it, and loses them again at its end. */
    words[2] = len < 8 ? load_few(text, len) : load_8(text + len - 8);
    if (len > 16) {
        words[1] = load_8(text + len - 16);
        words[0] = load_8(text) << (192 - 8 * len);
    } else if (len > 8) {
        words[1] = load_8(text) << (128 - 8 * len);
    }
    if ((above_9(words[0]) | above_9(words[1]) | above_9(words[2])) != 0 ||
        __builtin_mul_overflow(number_of_8(words[0]), TEN_TO_16, &value) ||
        __builtin_add_overflow(value, number_of_8(words[1]) * TEN_TO_8 + number_of_8(words[2]), &value))
        return false;
    *ret = value;
    return true;
}

bool fz_decimal_parse(const char *text, size_t len, uint64_t *ret)
{
    if (len > 1 && text[0] == '0')
        return false;
    return fz_decimal_parse_padded(text, len, ret);
}

/* ---- writing: numbers are halved to fours, pairs and digits, in all lanes at once ---- */

typedef uint64_t two_words __attribute__((vector_size(16)));
typedef uint16_t pairs __attribute__((vector_size(16)));

/*
 * Puts two numbers in the place of each: both / radix and, above it by `shift`
 * bits, both % radix, which is both - both / radix * radix.
 */
static uint64_t halved(uint64_t both, uint64_t quotients, uint64_t radix, unsigned shift)
{
    return (both << shift) - quotients * ((radix << shift) - 1);
}

/* Four numbers below 100, 16 bits each, of one below 10^8. */
static uint64_t pairs_of_8(uint32_t number)
{
    uint64_t fours = halved(number, number / 10000, 10000, 32);

    return halved(fours, (fours * 10486 >> 20) & UINT64_C(0x0000007f0000007f), 100, 16);
}

/* The sixteen digits of a number below 10^16: vector instructions, where the processor has them. */
static two_words digits_of_16(uint64_t number)
{
    pairs all =
        (pairs)(two_words){pairs_of_8((uint32_t)(number / TEN_TO_8)), pairs_of_8((uint32_t)(number % TEN_TO_8))};
    pairs tens = all * 103 >> 10;

    return (two_words)((all << 8) - tens * ((10 << 8) - 1));
}

/* The four digits of a number below 10^4, in the higher half of a word. */
static uint64_t digits_of_4(uint32_t number)
{
    uint64_t both = halved(number, number * 10486 >> 20, 100, 16);

    return halved(both, (both * 103 >> 10) & 0x000f000f, 10, 8) << 32;
}

static void put_16(char *buf, two_words digits)
{
    digits |= ASCII_ZEROS;
    fz_store_le64(buf, digits[0]);
    fz_store_le64(buf + 8, digits[1]);
}

/* Writes eight digits without leading zeros and returns how many are left; overwrites eight bytes. */
static size_t put_leading(char *buf, uint64_t digits)
{
    /* The bit set in the last digit keeps one zero of zero. */
    unsigned zeros = (unsigned)__builtin_ctzll(digits | UINT64_C(1) << 56) / 8;

    fz_store_le64(buf, (digits | ASCII_ZEROS) >> 8 * zeros);
    return 8 - zeros;
}

size_t fz_decimal_format(uint64_t value, char buf[FZ_DECIMAL_MAX_LEN])
{
    uint64_t first = value / TEN_TO_16;
    two_words rest = digits_of_16(value % TEN_TO_16);
    size_t len;

    if (first != 0) {
        len = put_leading(buf, digits_of_4((uint32_t)first));
        put_16(buf + len, rest);
        return len + 16;
    }
    if (rest[0] == 0)
        return put_leading(buf, rest[1]);
    len = put_leading(buf, rest[0]);
    fz_store_le64(buf + len, rest[1] | ASCII_ZEROS);
    return len + 8;
}

void fz_decimal_format_padded(uint64_t value, char buf[FZ_DECIMAL_MAX_LEN])
{
    two_words rest = digits_of_16(value % TEN_TO_16);

    /* 2^64 has 20 digits: of the first eight, four are always zero and are shifted out. */
    fz_store_le64(buf, (digits_of_4((uint32_t)(value / TEN_TO_16)) | ASCII_ZEROS) >> 32);
    put_16(buf + 4, rest);
}
