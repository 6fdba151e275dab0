/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: decimal text agrees with libc's for every length of
 * number, and nothing but exact decimal text is read.
 */
#include <inttypes.h>

#include "core/decimal.h"
#include "lib/near_miss.h"
#include "lib/test.h"

#define UNTOUCHED UINT64_C(0xdeadbeefdeadbeef)

static void check_number(uint64_t value)
{
    char expected[FZ_DECIMAL_MAX_LEN + 1];
    char buf[FZ_DECIMAL_MAX_LEN + 1];
    uint64_t back = UNTOUCHED;

    buf[FZ_DECIMAL_MAX_LEN] = '#';
    snprintf(expected, sizeof expected, "%" PRIu64, value);
    size_t len = fz_decimal_format(value, buf);
    assert_int_equal(len, strlen(expected));
    assert_memory_equal(buf, expected, len);
    assert_true(fz_decimal_parse(buf, len, &back));
    assert_true(back == value);

    snprintf(expected, sizeof expected, "%020" PRIu64, value);
    fz_decimal_format_padded(value, buf);
    assert_memory_equal(buf, expected, FZ_DECIMAL_MAX_LEN);
    assert_true(fz_decimal_parse_padded(buf, FZ_DECIMAL_MAX_LEN, &back));
    assert_true(back == value);
    assert_int_equal(buf[FZ_DECIMAL_MAX_LEN], '#');
}

/* The parser, said once more: a digit at a time. */
static bool plain_parse(const char *text, size_t len, uint64_t *ret)
{
    uint64_t value = 0;

    for (size_t i = 0; i < len; i++) {
        if (text[i] < '0' || text[i] > '9')
            return false;
        uint64_t digit = (uint64_t)(text[i] - '0');
        if (value > (UINT64_MAX - digit) / 10)
            return false;
        value = value * 10 + digit;
    }
    *ret = value;
    return len > 0 && len <= FZ_DECIMAL_MAX_LEN;
}

static bool parses(const char *text)
{
    uint64_t value = UNTOUCHED;
    bool ok = fz_decimal_parse(text, strlen(text), &value);

    assert_int_equal(ok, value != UNTOUCHED);
    return ok;
}

TEST("Every value of each group of eight digits: 10^4 steps through the lower and the upper half of all three")
{
    for (uint64_t low = 0; low < 10000; low++) {
        for (uint64_t unit = 1; unit <= UINT64_C(1000000000000000); unit *= 10000)
            check_number(low * unit);
        check_number(low * UINT64_C(1000100010001));
    }
}

TEST("The numbers beside every power of ten and of two")
{
    uint64_t ten = 1;

    for (int i = 0; i < 20; i++, ten *= 10) {
        for (uint64_t beside = 0; beside < 5; beside++)
            check_number(ten + beside - 2);
    }
    for (int bit = 0; bit < 64; bit++) {
        for (uint64_t beside = 0; beside < 5; beside++)
            check_number((UINT64_C(1) << bit) + beside - 2);
    }
}

TEST("Numbers of every length")
{
    uint64_t seed = 3;

    for (int i = 0; i < 300000; i++)
        check_number(seeded_next(&seed) >> (i & 63));
}

TEST("A text is refused unless it is 1 to 20 digits, at most 2^64 - 1, without a leading zero")
{
    static const char *const wrong[] = {
        "",
        "00",
        "01",
        "000000000000000000000",
        "+1",
        "-1",
        " 1",
        "1 ",
        "0x1",
        "1e3",
        "1.0",
        "18446744073709551616",
        "18446744073709551617",
        "18446744073809551615",
        "18446744173709551615",
        "20000000000000000000",
        "99999999999999999999",
        "100000000000000000000",
        "184467440737095516150",
    };

    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        if (parses(wrong[i]))
            fail_msg("accepts '%s'", wrong[i]);
    }
    assert_true(parses("18446744073709551615"));
}

TEST("Padding makes no number longer than 20 digits, nor shorter than one")
{
    uint64_t value = UNTOUCHED;

    assert_false(fz_decimal_parse_padded("000000000000000000007", 21, &value));
    assert_false(fz_decimal_parse_padded("000000000000000000000007", 24, &value));
    assert_false(fz_decimal_parse_padded("", 0, &value));
    assert_true(value == UNTOUCHED);
    assert_true(fz_decimal_parse_padded("00000000000000000007", 20, &value));
    assert_true(value == 7);
}

/* Reads text from memory that has nothing before or behind it, as the plain way does. */
static void check_text(const char *text, size_t len)
{
    uint64_t expected = UNTOUCHED;
    uint64_t value = UNTOUCHED;
    char *exact = malloc(len);

    assert_non_null(exact);
    memcpy(exact, text, len);
    bool right = plain_parse(text, len, &expected);
    assert_int_equal(fz_decimal_parse_padded(exact, len, &value), right);
    assert_true(value == (right ? expected : UNTOUCHED));
    free(exact);
}

static void check_variant(void *ctx, const char *variant, size_t len, size_t index)
{
    (void)ctx;
    (void)index;
    check_text(variant, len);
}

TEST("A digit is accepted and nothing else, wherever it stands, in text of every length")
{
    for (size_t len = 1; len <= FZ_DECIMAL_MAX_LEN; len++)
        near_miss_bytes("12345678909876543210", len, check_variant, NULL);
}

TEST("Two wrong bytes are not taken for right ones together")
{
    uint64_t seed = 4;

    for (int i = 0; i < 300000; i++) {
        char text[] = "12345678909876543210";
        uint64_t at = seeded_next(&seed);
        text[at % FZ_DECIMAL_MAX_LEN] = (char)(at >> 8);
        text[(at >> 16) % FZ_DECIMAL_MAX_LEN] = (char)(at >> 24);
        check_text(text, 1 + (at >> 32) % FZ_DECIMAL_MAX_LEN);
    }
}

TEST("Of 20 digits, those up to 2^64 - 1 are a number: all that have the first digits of 2^64, or the next ones")
{
    uint64_t seed = 5;

    for (int i = 0; i < 200000; i++) {
        char text[] = "18446744073709551616";
        uint64_t from = seeded_next(&seed) % FZ_DECIMAL_MAX_LEN;
        for (uint64_t at = from; at < FZ_DECIMAL_MAX_LEN; at++)
            text[at] = (char)('0' + seeded_next(&seed) % 10);
        check_text(text, FZ_DECIMAL_MAX_LEN);
    }
}
