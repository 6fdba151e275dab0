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
    resp_digits(&out, number);
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

TEST("Each count of bits begins and ends where it should")
{
    for (int bits = 0; bits < 64; bits++) {
        expect_written(UINT64_C(1) << bits);
        expect_written((UINT64_C(1) << bits) - 1);
    }
    expect_written(UINT64_MAX);
}
