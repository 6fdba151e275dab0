/* SPDX-License-Identifier: MIT */
#include "collision.h"

enum { COLLISION_HOSTS_MAX = 65536 };
static const uint64_t collision_workers_max = UINT64_C(1) << 32;

/* A chance of 1.  Times the number of a host it fits a word; 65536 roundings of one part are 0.0005 ppm. */
static const uint64_t certain = UINT64_C(1) << 47;

/* 10^6 parts of 2^47, divided by 2^6. */
static const uint64_t ppm_factor = 15625;
enum { PPM_SHIFT = 41 };

static uint64_t divide_up(uint64_t a, uint64_t b)
{
    return (a + b - 1) / b;
}

frazil_err fz_collision_ppm(uint32_t hosts, uint64_t workers, uint32_t *ret_ppm)
{
    uint64_t apart = certain; /* the chance that those looked at so far have a number each */

    if (hosts == 0 || hosts > COLLISION_HOSTS_MAX || workers == 0 || workers > collision_workers_max)
        return FRAZIL_EINVAL;
    for (uint32_t others = 1; others < hosts; others++)
        apart -= divide_up(apart * others, workers);
    *ret_ppm = (uint32_t)divide_up((certain - apart) * ppm_factor, UINT64_C(1) << PPM_SHIFT);
    return FRAZIL_OK;
}
