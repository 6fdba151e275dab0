/* SPDX-License-Identifier: MIT */
/* Reading a clock port. */
#ifndef FZ_CORE_NOW_H
#define FZ_CORE_NOW_H

#include "frazil/clock.h"

/* The wall clock's time. */
static inline frazil_instant fz_now(const frazil_clock *clock)
{
    frazil_instant now = {.unix_ms = 0};

    clock->now(clock->ctx, &now);
    return now;
}

#endif
