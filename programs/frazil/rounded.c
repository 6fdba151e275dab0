/* SPDX-License-Identifier: MIT */
#include "rounded.h"

/* ---- the double of a number ------------------------------------------------------------ */

/* It has 53 bits; it is stored, so that no processor keeps more of them. */
static double double_of(uint64_t number)
{
    volatile double value = (double)number;

    return value;
}

/* Of the numbers from low to high, whose doubles only grow, the first whose double is `value`, or with beyond above. */
static uint64_t first_with(double value, bool beyond, uint64_t low, uint64_t high)
{
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (beyond ? double_of(middle) > value : double_of(middle) >= value)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

struct rounded_range rounded_as(uint64_t number)
{
    double value = double_of(number);
    uint64_t last = UINT64_MAX;

    if (double_of(UINT64_MAX) > value)
        last = first_with(value, true, number, UINT64_MAX) - 1;
    return (struct rounded_range){first_with(value, false, 0, number), last};
}

/* -1, 1: the double of a number is below it, above it; 0: it is the number itself. */
static int side_of_double(uint64_t number)
{
    double value = double_of(number);

    if (value >= 0x1p64) /* more than a number of 64 bits */
        return 1;
    return ((uint64_t)value > number) - ((uint64_t)value < number);
}

/* All numbers with a double from low to high; without one in there, those of `nearest`. */
static struct rounded_range between(uint64_t low, uint64_t high, uint64_t nearest)
{
    struct rounded_range lowest = rounded_as(low), highest = rounded_as(high);
    struct rounded_range ret = {lowest.first, highest.last};

    if (side_of_double(low) < 0)
        ret.first = lowest.last == UINT64_MAX ? UINT64_MAX : lowest.last + 1;
    if (side_of_double(high) > 0)
        ret.last = highest.first == 0 ? 0 : highest.first - 1;
    return ret.first <= ret.last ? ret : rounded_as(nearest);
}

/* ---- the text of a double ---------------------------------------------------------------- */

/* A decimal number: digits times a power of ten. */
struct decimal {
    uint64_t digits;
    int64_t power;
    bool is_marked; /* it has a point or an exponent */
};

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Appends the digits that stand there, and counts them.  False: too many. */
static bool read_digits(const char *text, size_t len, size_t *at, struct decimal *ret, size_t *ret_count)
{
    size_t begin = *at;

    for (; *at < len && is_digit(text[*at]); (*at)++) {
        uint64_t digit = (uint64_t)(text[*at] - '0');
        if (ret->digits > (UINT64_MAX - digit) / 10)
            return false;
        ret->digits = ret->digits * 10 + digit;
    }
    *ret_count = *at - begin;
    return true;
}

/* The exponent that stands there, up to its end. */
static bool read_exponent(const char *text, size_t len, size_t at, int64_t *ret)
{
    enum { EXPONENT_MAX = 1000 };
    bool is_negative = at < len && text[at] == '-';

    *ret = 0;
    if (at < len && (text[at] == '-' || text[at] == '+'))
        at++;
    if (at == len)
        return false;
    for (; at < len; at++) {
        if (!is_digit(text[at]) || *ret > EXPONENT_MAX)
            return false;
        *ret = *ret * 10 + (text[at] - '0');
    }
    if (is_negative)
        *ret = -*ret;
    return true;
}

static bool read_decimal(const char *text, size_t len, struct decimal *ret)
{
    size_t at = 0, whole = 0, part = 0;
    int64_t exponent = 0;

    *ret = (struct decimal){.is_marked = false};
    if (!read_digits(text, len, &at, ret, &whole) || whole == 0)
        return false;
    if (at < len && text[at] == '.') {
        at++;
        ret->is_marked = true;
        if (!read_digits(text, len, &at, ret, &part))
            return false;
    }
    if (at < len && (text[at] == 'e' || text[at] == 'E')) {
        ret->is_marked = true;
        if (!read_exponent(text, len, at + 1, &exponent))
            return false;
        at = len;
    }
    ret->power = exponent - (int64_t)part;
    return at == len;
}

/* 10 a + b, or the largest number. */
static uint64_t ten_times_plus(uint64_t a, uint64_t b)
{
    return a > (UINT64_MAX - b) / 10 ? UINT64_MAX : 10 * a + b;
}

bool rounded_read(const char *text, size_t len, struct rounded_range *ret)
{
    struct decimal decimal;

    if (!read_decimal(text, len, &decimal) || !decimal.is_marked)
        return false;
    for (; decimal.power < 0 && decimal.digits % 10 == 0 && decimal.digits != 0; decimal.power++)
        decimal.digits /= 10;
    if (decimal.power < 0 && decimal.digits != 0)
        return false;
    /* Half a unit of the last digit to both sides; 2^64, the double of the largest ids, is above all of them. */
    uint64_t low = decimal.digits, half = 5;
    uint64_t high = low, nearest = low;
    for (; decimal.power > 0 && decimal.digits != 0; decimal.power--, half = 0) {
        low -= half > 0;
        if (low > UINT64_MAX / 10)
            return false;
        low = low * 10 + half;
        high = ten_times_plus(high, half);
        nearest = ten_times_plus(nearest, 0);
    }
    *ret = between(low, high, nearest);
    if (high == UINT64_MAX)
        ret->last = UINT64_MAX;
    return true;
}
