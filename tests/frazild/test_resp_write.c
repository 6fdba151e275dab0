/* SPDX-License-Identifier: MIT */
/* Goal of this test: numbers of every length are written as printf writes them. */
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
