/* SPDX-License-Identifier: MIT */
/*
 * Moving from one layout to another.
 *
 * Time is the highest field and the fields below it leave no gap, so the ids
 * that a layout can issue in the ticks a to b are exactly the numbers from
 * a << shift to (b + 1 << shift) - 1.  Old ids are thus the interval from 0 to
 * old_last, new ids one from new_first on, and all questions are answered by
 * comparing their ends.
 */
#include "assert.h"
#include "layout_internal.h"
#include "sentence.h"
#include "sized.h"

/* The largest id of a tick. */
static uint64_t last_id_of_tick(const frazil_layout *l, uint64_t tick)
{
    return fz_layout_compose_unchecked(l, tick, fz_layout_max_worker(l), fz_layout_max_sequence(l));
}

/* Finds the first instant from which every new id is above old_last, if there is one. */
static void find_safe_instant(const frazil_layout *after, frazil_overlap *overlap)
{
    /* The first tick whose smallest id is above old_last: at least one bit lies below time, so this cannot overflow. */
    uint64_t tick = (overlap->old_last >> fz_layout_time_shift(after)) + 1;

    overlap->ever_safe = tick <= fz_layout_last_tick(after);
    overlap->safe_unix_ms = overlap->ever_safe ? fz_layout_tick_unix_ms(after, tick) : 0;
}

/*
 * The last tick that a layout issued ids in up to an instant behind its epoch.  A layout that has ended used all of its
 * ticks.  Its last tick counts in full as soon as it has begun: with it ends all that can be waited for.
 */
static uint64_t last_tick_used(const frazil_layout *before, int64_t since_unix_ms)
{
    uint64_t last = fz_layout_last_tick(before);
    uint64_t tick = last;

    if (since_unix_ms >= fz_layout_tick_unix_ms(before, last))
        return last;
    frazil_err err = fz_layout_tick_of(before, since_unix_ms - 1, &tick, NULL);
    FZ_ASSERT(err == FRAZIL_OK);
    (void)err;
    return tick;
}

/* Says which of the two layouts cannot be asked about that instant; they may bear the same name. */
static frazil_err fail_outside(const char *which, const frazil_layout *layout, int64_t since_unix_ms,
                               frazil_error *reterr)
{
    uint64_t last = fz_layout_last_tick(layout);
    int64_t end_unix_ms = fz_layout_tick_unix_ms(layout, last) + (layout->tick_ms - 1);

    return fz_fail(reterr, FRAZIL_ERANGE,
                   "%t is outside the life of the %s layout %s, which is from %t to %t: choose another layout or epoch",
                   since_unix_ms, which, layout->name, layout->epoch_unix_ms, end_unix_ms);
}

static frazil_err overlap_of_ids(const frazil_layout *before, const frazil_layout *after, int64_t since_unix_ms,
                                 frazil_overlap *ret, size_t size, frazil_error *reterr)
{
    frazil_overlap overlap = {.ever_safe = true, .safe_unix_ms = since_unix_ms};
    uint64_t tick = 0;

    if (fz_layout_tick_of(after, since_unix_ms, &tick, NULL) != FRAZIL_OK)
        return fail_outside("new", after, since_unix_ms, reterr);
    if (since_unix_ms < before->epoch_unix_ms)
        return fail_outside("old", before, since_unix_ms, reterr);
    overlap.new_first = fz_layout_compose_unchecked(after, tick, 0, 0);
    /* At the epoch of the old layout, nothing was issued under it yet. */
    if (since_unix_ms > before->epoch_unix_ms) {
        overlap.old_last = last_id_of_tick(before, last_tick_used(before, since_unix_ms));
        /* They are never equal, as one ends in a 0 and the other in a 1: what can sort wrongly can collide as well. */
        overlap.can_collide = overlap.new_first < overlap.old_last;
        overlap.can_missort = overlap.can_collide;
    }
    if (overlap.can_collide)
        find_safe_instant(after, &overlap);
    fz_give_sized(ret, size, &overlap, sizeof overlap);
    return FRAZIL_OK;
}

frazil_err frazil_layout_overlap(const frazil_layout *before, const frazil_layout *after, int64_t since_unix_ms,
                                 frazil_overlap *ret, size_t size, frazil_error *reterr)
{
    const frazil_overlap none = {.ever_safe = true};

    FZ_ASSERT(frazil_layout_validate(before, NULL) == FRAZIL_OK);
    FZ_ASSERT(frazil_layout_validate(after, NULL) == FRAZIL_OK);
    if (before->kind != after->kind)
        return fz_fail(reterr, FRAZIL_EKIND, "a sno and a 64-bit id cannot be compared: %s and %s", before->name,
                       after->name);
    if (before->kind == FRAZIL_LAYOUT_SNO) {
        fz_give_sized(ret, size, &none, sizeof none);
        return FRAZIL_OK;
    }
    return overlap_of_ids(before, after, since_unix_ms, ret, size, reterr);
}
