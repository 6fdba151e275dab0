/* SPDX-License-Identifier: MIT */
#include "lib/pairs.h"

#include <stdlib.h>

static uint64_t number_of(const char *variable, uint64_t otherwise)
{
    const char *text = getenv(variable);

    return text == NULL ? otherwise : strtoull(text, NULL, 10);
}

size_t pairs_of(size_t n)
{
    size_t every = (size_t)number_of("TEST_EVERY", 1);
    size_t share = n / (every == 0 ? 1 : every);

    return share == 0 ? 1 : share;
}

uint64_t pairs_seed(uint64_t row)
{
    return (number_of("TEST_PAIRS_SEED", 1) * 1000003 + row + 1) * UINT64_C(0x9e3779b97f4a7c15);
}
