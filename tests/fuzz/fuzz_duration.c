/* SPDX-License-Identifier: MIT */
/* Goal of this test: a duration is read exactly as a second, simpler reader does. */
#include <string.h>

#include "core/duration.h"
#include "fuzz.h"

static const struct {
    const char *name;
    uint64_t ns;
} units[] = {{"ns", 1}, {"us", 1000}, {"ms", 1000000}, {"s", 1000000000}, {"m", 60000000000}, {"h", 3600000000000}};

static bool is(const char *text, size_t len, const char *word)
{
    return len == strlen(word) && memcmp(text, word, len) == 0;
}

/* One digit after the other; false: no duration. */
static bool read_slowly(const char *text, size_t len, uint64_t *ret)
{
    uint64_t number = 0;
    size_t digits = 0;

    if (is(text, len, "unlimited") || is(text, len, "none") || is(text, len, "0")) {
        *ret = text[0] == '0' ? 0 : FZ_DURATION_NONE;
        return true;
    }
    for (; digits < len && text[digits] >= '0' && text[digits] <= '9'; digits++) {
        uint64_t digit = (uint64_t)(text[digits] - '0');
        if (number > (UINT64_MAX - digit) / 10)
            return false;
        number = 10 * number + digit;
    }
    if (digits == 0 || (digits > 1 && text[0] == '0'))
        return false;
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        if (!is(text + digits, len - digits, units[i].name))
            continue;
        *ret = number * units[i].ns;
        return number <= UINT64_MAX / units[i].ns && *ret != FZ_DURATION_NONE;
    }
    return false;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *text = (const char *)data;
    frazil_error why;
    uint64_t expected;
    uint64_t ns;

    fuzz_fill(&ns, sizeof ns);
    frazil_err err = fz_duration_parse(text, size, &ns, &why);
    bool is_one = read_slowly(text, size, &expected);
    REQUIRE(is_one == (err == FRAZIL_OK));
    if (is_one) {
        REQUIRE(ns == expected);
        return 0;
    }
    fuzz_require_error(err, &why);
    REQUIRE(err == FRAZIL_EPARSE && fuzz_is_untouched(&ns, sizeof ns));
    return 0;
}
