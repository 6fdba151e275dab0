/* SPDX-License-Identifier: MIT */
#include "lib/patience.h"

#include <stdbool.h>
#include <time.h>

enum { PAUSE_NS = 5000000, NS_PER_S = 1000000000 };

static uint64_t now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
}

uint64_t patience_end_ns(void)
{
    return now_ns() + (uint64_t)PATIENCE_S * NS_PER_S;
}

bool patience_is_over(uint64_t end_ns)
{
    return now_ns() > end_ns;
}

void pause_shortly(void)
{
    const struct timespec pause = {.tv_nsec = PAUSE_NS};

    clock_nanosleep(CLOCK_MONOTONIC, 0, &pause, NULL);
}
