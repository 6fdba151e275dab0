/* SPDX-License-Identifier: MIT */
/* Goal of this test: numbers of every length are written as printf writes them, and errors as one line. */
#include "lib/test.h"
#include "resp_write.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static void expect_written(uint64_t number)
{
    char digits[24], text[64];
    struct bytes out = {0};
    int len = snprintf(digits, sizeof digits, "%" PRIu64, number);

    (void)snprintf(text, sizeof text, "$%d\r\n%s\r\n:%s\r\n", len, digits, digits);
    resp_digits(&out, &number, 1);
    resp_integer(&out, number);
    bytes_add(&out, "", 1);
    assert_string_equal(out.at, text);
    bytes_free(&out);
}

TEST("An error is one line, whatever stands in it")
{
    struct bytes out = {0};

    resp_error(&out, "ERR a\r\nb\x7f\x01"
                     "c");
    bytes_add(&out, "", 1);
    assert_string_equal(out.at, "-ERR a  b  c\r\n");
    bytes_free(&out);
}

TEST("Memory that was given back has the size that it had")
{
    struct bytes_memory memory = {0};
    struct bytes out = bytes_take(&memory);

    bytes_add_text(&out, "text");
    size_t size = out.size;
    bytes_give_back(&out, &memory);
    out = bytes_take(&memory);
    assert_int_equal(out.size, size);
    assert_int_equal(out.len, 0);
    bytes_free(&out);
}

TEST("Each count of digits begins and ends where it should")
{
    uint64_t power = 1;

    for (int digits = 1; digits <= 20; digits++, power *= 10) {
        expect_written(power - 1);
        expect_written(power);
        expect_written(power + 1);
    }
}

TEST("Each digit stands in its place")
{
    for (uint64_t number = UINT64_C(12345678901234567890); number > 0; number /= 10)
        expect_written(number);
    for (uint64_t number = UINT64_C(9081726354453627189); number > 0; number /= 10)
        expect_written(number);
}

static void expect_all_written(const uint64_t *numbers, size_t n)
{
    struct bytes out = {0}, expected = {0};
    char digits[24];

    for (size_t i = 0; i < n; i++) {
        int len = snprintf(digits, sizeof digits, "%" PRIu64, numbers[i]);
        bytes_format(&expected, "$%d\r\n%s\r\n", len, digits);
    }
    for (size_t i = 0; i < n; i++)
        bytes_format(&expected, ":%" PRIu64 "\r\n", numbers[i]);
    resp_digits(&out, numbers, n);
    resp_integers(&out, numbers, n);
    assert_int_equal(out.len, expected.len);
    assert_memory_equal(out.at, expected.at, out.len);
    bytes_free(&out);
    bytes_free(&expected);
}

TEST("Numbers behind each other are written as each alone, whatever they share")
{
    const uint64_t mixed[] = {
        7,         118487893558693900, 118487893558693901, 0,         118487893558693902, 99999999,
        100000000, UINT64_MAX,         UINT64_MAX - 1,     100000001, 199999999,          200000000,
        3,         999999999,          1000000000};
    uint64_t row[1000];

    for (size_t i = 0; i < 1000; i++)
        row[i] = UINT64_C(99999999999999500) + i;
    expect_all_written(mixed, sizeof mixed / sizeof mixed[0]);
    expect_all_written(row, 1000);
}

TEST("Each count of bits begins and ends where it should")
{
    for (int bits = 0; bits < 64; bits++) {
        expect_written(UINT64_C(1) << bits);
        expect_written((UINT64_C(1) << bits) - 1);
    }
    expect_written(UINT64_MAX);
}
