/* SPDX-License-Identifier: MIT */
#include "used_ticks.h"

#include <string.h>

#include "core/assert.h"

bool fz_used_is_valid(const struct fz_used_ticks *used)
{
    if (used->count > FZ_USED_RANGES)
        return false;
    for (uint64_t i = 0; i < used->count; i++) {
        if (used->range[i].first > used->range[i].last)
            return false;
        /* Without overflow: more than one above the end of the range before. */
        if (i > 0 &&
            (used->range[i].first <= used->range[i - 1].last || used->range[i].first - used->range[i - 1].last < 2))
            return false;
    }
    return true;
}

/* Whether two ranges, the first of which does not begin later, overlap or touch. */
static bool meet(struct fz_tick_range lower, struct fz_tick_range upper)
{
    return upper.first <= lower.last || upper.first - lower.last == 1;
}

/*
 * The ranges of *used and one more, in order, where ranges that meet are one.
 * `full` has room for all, also if none meet.
 */
static uint64_t merge(const struct fz_used_ticks *used, struct fz_tick_range added,
                      struct fz_tick_range full[FZ_USED_RANGES + 1])
{
    uint64_t taken = 0;
    uint64_t count = 0;
    bool is_in = false;

    while (taken < used->count || !is_in) {
        struct fz_tick_range next = added;
        /* The added range takes its place by where it begins, as the others are sorted. */
        if (taken < used->count && (is_in || used->range[taken].first < added.first))
            next = used->range[taken++];
        else
            is_in = true;
        if (count > 0 && meet(full[count - 1], next)) {
            if (next.last > full[count - 1].last)
                full[count - 1].last = next.last;
        } else {
            full[count++] = next;
        }
    }
    return count;
}

void fz_used_add(struct fz_used_ticks *used, uint64_t first, uint64_t last)
{
    struct fz_tick_range full[FZ_USED_RANGES + 1];

    FZ_ASSERT(first <= last);
    FZ_ASSERT(fz_used_is_valid(used));
    uint64_t count = merge(used, (struct fz_tick_range){first, last}, full);
    /* Joins the two oldest ranges.  The ticks between them are lost; they are long past. */
    uint64_t surplus = count > FZ_USED_RANGES ? 1 : 0;
    full[surplus].first = full[0].first;
    memcpy(used->range, full + surplus, (count - surplus) * sizeof full[0]);
    used->count = count - surplus;
    FZ_ASSERT(fz_used_is_valid(used));
}

bool fz_used_next_free(const struct fz_used_ticks *used, uint64_t tick, uint64_t *ret)
{
    for (uint64_t i = 0; i < used->count; i++) {
        if (tick < used->range[i].first || tick > used->range[i].last)
            continue;
        if (used->range[i].last == UINT64_MAX)
            return false;
        tick = used->range[i].last + 1; /* unused: ranges do not touch */
        break;
    }
    *ret = tick;
    return true;
}

uint64_t fz_used_gap_end(const struct fz_used_ticks *used, uint64_t tick)
{
    for (uint64_t i = 0; i < used->count; i++) {
        FZ_ASSERT(tick < used->range[i].first || tick > used->range[i].last);
        if (used->range[i].first > tick)
            return used->range[i].first - 1;
    }
    return UINT64_MAX;
}

bool fz_used_last_below(const struct fz_used_ticks *used, uint64_t tick, uint64_t *ret)
{
    uint64_t i = used->count;

    /* From the end: the tick of interest is now, and the last ranges are the recent ones. */
    while (i > 0 && used->range[i - 1].first > tick)
        i--;
    if (i == 0)
        return false;
    *ret = used->range[i - 1].last;
    return true;
}

void fz_used_cut(struct fz_used_ticks *used, uint64_t last, uint64_t tick)
{
    FZ_ASSERT(tick < last);
    for (uint64_t i = 0; i < used->count; i++) {
        /* A range that has grown since then holds grants of others and is not cut. */
        if (used->range[i].last == last && used->range[i].first <= tick)
            used->range[i].last = tick;
    }
    FZ_ASSERT(fz_used_is_valid(used));
}
