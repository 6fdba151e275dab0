/* SPDX-License-Identifier: MIT */
#include "duration.h"

#include <string.h>

#include "decimal.h"
#include "sentence.h"

#define HOUR_NS (UINT64_C(3600) * 1000000000)

/* From the smallest to the largest. */
static const struct {
    char name[3];
    uint64_t ns;
} units[] = {
    {"ns", 1}, {"us", 1000}, {"ms", 1000000}, {"s", 1000000000}, {"m", HOUR_NS / 60}, {"h", HOUR_NS},
};

/* Nanoseconds of a unit, 0 for what is none. */
static uint64_t unit_ns(const char *text, size_t len)
{
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        if (len == fz_text_len(units[i].name) && memcmp(text, units[i].name, len) == 0)
            return units[i].ns;
    }
    return 0;
}

static size_t count_digits(const char *text, size_t len)
{
    size_t n = 0;

    while (n < len && text[n] >= '0' && text[n] <= '9')
        n++;
    return n;
}

frazil_err fz_duration_parse(const char *text, size_t len, uint64_t *ret_ns, frazil_error *reterr)
{
    /* "none" is the former name, which of a wait reads like 0. */
    if ((len == 9 && memcmp(text, "unlimited", 9) == 0) || (len == 4 && memcmp(text, "none", 4) == 0)) {
        *ret_ns = FZ_DURATION_NONE;
        return FRAZIL_OK;
    }
    size_t digits = count_digits(text, len);
    uint64_t unit = unit_ns(text + digits, len - digits);
    uint64_t count = 0;
    bool fits = fz_decimal_parse(text, digits, &count);

    if (len == 1 && text[0] == '0')
        unit = 1;
    if (unit == 0 || digits == 0 || (digits > 1 && text[0] == '0'))
        return fz_fail(reterr, FRAZIL_EPARSE,
                       "%Q is not a duration: a whole number without leading zeros and one of the units "
                       "ns us ms s m h, such as 250ms; or unlimited",
                       text, len);
    /* FZ_DURATION_NONE itself is left out, or a finite wait would become an endless one. */
    if (!fits || count > (UINT64_MAX - 1) / unit)
        return fz_fail(reterr, FRAZIL_EPARSE, "the duration %Q is too long: at most %uh, or unlimited", text, len,
                       (UINT64_MAX - 1) / HOUR_NS);
    *ret_ns = count * unit;
    return FRAZIL_OK;
}

const char *fz_duration_unit(uint64_t *count)
{
    size_t unit = sizeof units / sizeof units[0] - 1;

    if (*count == 0)
        return "s";
    while (*count % units[unit].ns != 0)
        unit--;
    *count /= units[unit].ns;
    return units[unit].name;
}
