/* SPDX-License-Identifier: MIT */
#include "bounds.h"

bool fz_bounds_are_all(const struct fz_bounds *bounds)
{
    return bounds->min == 0 && bounds->max == bounds->top;
}

uint64_t fz_bounds_count(const struct fz_bounds *bounds)
{
    return bounds->max - bounds->min + 1;
}

bool fz_bounds_are_equal(const struct fz_bounds *a, const struct fz_bounds *b)
{
    return a->min == b->min && a->max == b->max;
}

bool fz_bounds_overlap(const struct fz_bounds *a, const struct fz_bounds *b)
{
    return a->min <= b->max && b->min <= a->max;
}
