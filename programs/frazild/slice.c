/* SPDX-License-Identifier: MIT */
#include "slice.h"

bool slice_is(struct slice slice, const char *word)
{
    for (size_t i = 0; i < slice.len; i++) {
        char c = slice.at[i];
        if (word[i] == '\0' || (c >= 'a' && c <= 'z' ? c - 32 : c) != word[i])
            return false;
    }
    return word[slice.len] == '\0';
}

bool slice_number(struct slice slice, uint64_t most, uint64_t *ret)
{
    uint64_t number = 0;

    if (slice.len == 0 || slice.len > 19)
        return false;
    for (size_t i = 0; i < slice.len; i++) {
        if (slice.at[i] < '0' || slice.at[i] > '9')
            return false;
        number = number * 10 + (uint64_t)(slice.at[i] - '0');
    }
    *ret = number;
    return number <= most;
}
