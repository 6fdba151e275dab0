/* SPDX-License-Identifier: MIT */
#include "rounded.h"

#include <string.h>

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
    return (struct rounded_range){first_with(value, false, 0, number), last, false};
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
    struct rounded_range ret = {lowest.first, highest.last, false};

    if (side_of_double(low) < 0)
        ret.first = lowest.last == UINT64_MAX ? UINT64_MAX : lowest.last + 1;
    if (side_of_double(high) > 0)
        ret.last = highest.first == 0 ? 0 : highest.first - 1;
    return ret.first <= ret.last ? ret : rounded_as(nearest);
}

/* ---- digits that a spreadsheet has cut off --------------------------------------------- */

/* The value of a 1 in the last of 15 digits: 1 for numbers that have no more digits. */
static uint64_t unit_of_15_digits(uint64_t number)
{
    uint64_t unit = 1;

    while (number / unit >= UINT64_C(1000000000000000))
        unit *= 10;
    return unit;
}

/* Adds the numbers that a spreadsheet has cut to `number` or less, down to `high`. */
static void add_cut(struct rounded_range *range, uint64_t number, uint64_t high)
{
    uint64_t unit = unit_of_15_digits(high);
    uint64_t lowest = high / unit * unit;
    uint64_t last = lowest > UINT64_MAX - (unit - 1) ? UINT64_MAX : lowest + (unit - 1);

    range->is_cut = unit > 1 && number % unit == 0;
    if (range->is_cut && last > range->last)
        range->last = last;
}

/* The ids of a range of numbers without their sign.  False: there is none. */
static bool with_sign(struct rounded_range range, bool is_negative, bool is_signed, struct rounded_range *ret)
{
    uint64_t limit = is_negative ? UINT64_C(1) << 63 : is_signed ? INT64_MAX : UINT64_MAX;

    if (range.first > limit)
        return false;
    *ret = range;
    if (range.last > limit)
        ret->last = limit;
    if (is_negative)
        *ret = (struct rounded_range){0 - ret->last, 0 - range.first, range.is_cut};
    return true;
}

struct rounded_range rounded_as_decimal(uint64_t number, bool is_signed)
{
    bool is_negative = is_signed && number > INT64_MAX;
    uint64_t magnitude = is_negative ? 0 - number : number;
    struct rounded_range ret = rounded_as(magnitude);

    add_cut(&ret, magnitude, magnitude);
    (void)with_sign(ret, is_negative, is_signed, &ret);
    return ret;
}

/* ---- the text of a double ---------------------------------------------------------------- */

/* A decimal number: digits times a power of ten. */
struct decimal {
    uint64_t digits;
    int64_t power;
    bool is_negative;
    bool is_marked;   /* it has a point or an exponent */
    bool is_full;     /* the next digit has no room */
    bool is_too_long; /* and was none that can be left out */
};

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Appends the digits that stand there, and returns how many.  Those of a part may end in zeros that have no room. */
static size_t read_digits(const char *text, size_t len, size_t *at, bool is_part, struct decimal *ret)
{
    size_t count = 0;

    for (; *at < len && is_digit(text[*at]); (*at)++) {
        uint64_t digit = (uint64_t)(text[*at] - '0');
        bool has_room = !ret->is_full && ret->digits <= (UINT64_MAX - digit) / 10;
        if (has_room) {
            ret->digits = ret->digits * 10 + digit;
            count++;
        } else {
            ret->is_full = true;
            ret->is_too_long = ret->is_too_long || digit != 0 || !is_part;
        }
    }
    return count;
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
        if (!is_digit(text[at]))
            return false;
        if (*ret < EXPONENT_MAX)
            *ret = *ret * 10 + (text[at] - '0');
    }
    if (is_negative)
        *ret = -*ret;
    return true;
}

/* False: it is no decimal number. */
static bool read_decimal(const char *text, size_t len, struct decimal *ret)
{
    size_t at = len > 0 && text[0] == '-';
    size_t begin = at, part = 0;
    int64_t exponent = 0;

    *ret = (struct decimal){.is_negative = at > 0};
    (void)read_digits(text, len, &at, false, ret);
    if (at == begin)
        return false;
    if (at < len && text[at] == '.') {
        at++;
        ret->is_marked = true;
        part = read_digits(text, len, &at, true, ret);
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

/* The numbers without their sign.  False: it is no whole number, or 2^64 or more when it is rounded. */
static bool read_magnitude(struct decimal decimal, struct rounded_range *ret)
{
    for (; decimal.power < 0 && decimal.digits % 10 == 0 && decimal.digits != 0; decimal.power++)
        decimal.digits /= 10;
    if (decimal.is_too_long || (decimal.power < 0 && decimal.digits != 0))
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
    add_cut(ret, nearest, high);
    return true;
}

/* Whether digits alone are above the largest id, and are 2^64 as a double, which keeps no number between. */
static bool is_2_to_the_64(const char *text, size_t len)
{
    static const char least[] = "18446744073709551616", last[] = "18446744073709553664";

    while (len > 0 && text[0] == '0') {
        text++;
        len--;
    }
    return len == sizeof last - 1 && memcmp(text, least, len) >= 0 && memcmp(text, last, len) <= 0;
}

enum rounded_result rounded_read(const char *text, size_t len, bool is_signed, struct rounded_range *ret)
{
    struct rounded_range magnitude;
    struct decimal decimal;

    if (!read_decimal(text, len, &decimal))
        return ROUNDED_OTHER;
    if (!decimal.is_marked) {
        if (is_signed || decimal.is_negative || !is_2_to_the_64(text, len))
            return ROUNDED_OTHER;
        *ret = rounded_as(UINT64_MAX);
        return ROUNDED_READ;
    }
    bool is_read = read_magnitude(decimal, &magnitude) && with_sign(magnitude, decimal.is_negative, is_signed, ret);
    return is_read ? ROUNDED_READ : ROUNDED_NO_ID;
}
