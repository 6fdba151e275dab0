/* SPDX-License-Identifier: MIT */
#include "lib/near_miss.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/asserts.h"

/* A copy in memory of exactly that size. */
static char *exact_copy(const char *text, size_t len)
{
    char *copy = malloc(len > 0 ? len : 1);

    assert_non_null(copy);
    memcpy(copy, text, len);
    return copy;
}

void near_miss_bytes(const char *text, size_t len, near_miss_fn fn, void *ctx)
{
    char *variant = exact_copy(text, len);

    for (size_t i = 0; i < len; i++) {
        for (unsigned byte = 0; byte < 256; byte++) {
            variant[i] = (char)byte;
            fn(ctx, variant, len, i);
        }
        variant[i] = text[i];
    }
    free(variant);
}

void near_miss_prefixes(const char *text, size_t len, near_miss_fn fn, void *ctx)
{
    for (size_t i = 0; i < len; i++) {
        char *prefix = exact_copy(text, i);
        fn(ctx, prefix, i, i);
        free(prefix);
    }
}

void assert_error_at(const frazil_error *err, frazil_err code, size_t index)
{
    char wanted[64];
    int len = snprintf(wanted, sizeof wanted, "position %zu", index + 1);
    const char *found = strstr(err->message, wanted);

    if (err->code != code)
        fail_msg("%s, not %s: %s", frazil_err_name(err->code), frazil_err_name(code), err->message);
    if (found == NULL || (found[len] >= '0' && found[len] <= '9'))
        fail_msg("names another place than %s: %s", wanted, err->message);
}

uint64_t seeded_next(void *state)
{
    uint64_t x = *(uint64_t *)state += UINT64_C(0x9e3779b97f4a7c15);

    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}
