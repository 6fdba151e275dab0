/* SPDX-License-Identifier: MIT */
#include "waits.h"

#include <stdatomic.h>

static atomic_bool waits_ended;

void fz_waits_end(bool end)
{
    atomic_store_explicit(&waits_ended, end, memory_order_relaxed);
}

bool fz_waits_ended(void)
{
    return atomic_load_explicit(&waits_ended, memory_order_relaxed);
}
