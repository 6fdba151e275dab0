/* SPDX-License-Identifier: MIT */
#include "turns.h"

uint64_t turns_begin(struct turns *turns, uint64_t now_ns, uint64_t sleep_ns)
{
    uint64_t since_ns = now_ns - turns->before_ns;

    turns->before_ns = now_ns;
    return since_ns > 2 * sleep_ns ? since_ns - sleep_ns : 0;
}

bool turns_may_sweep(struct turns *turns, uint64_t sleep_ns, int events, unsigned connections)
{
    if (turns->before_ns - turns->swept_ns < sleep_ns || events < 0)
        return false;
    turns->full = events == EVENTS_MAX ? turns->full + 1 : 0;
    if (events == EVENTS_MAX && turns->full <= connections / EVENTS_MAX + 1)
        return false;
    turns->full = 0;
    turns->swept_ns = turns->before_ns;
    return true;
}
