/* SPDX-License-Identifier: MIT */
#include "overflow.h"

#include "generator_internal.h"
#include "observation.h"

/* Calls the program's function; with nothing held that another caller needs. */
static void tell(const frazil *gen, const struct fz_observation *seen, uint32_t waiting, uint32_t ticks)
{
    const frazil_overflow overflow = {.unix_ms = seen->now.unix_ms, .waiting = waiting, .ticks = ticks};

    gen->overflow.fn(gen->overflow.ctx, &overflow);
}

void fz_overflow_enter(frazil *gen, const struct fz_observation *seen)
{
    struct fz_overflow_state *state = &gen->private_page->overflow;
    uint64_t mark = seen->view.now_tick + 1;

    fz_events_note_overflow(gen, seen->now.unix_ms);
    if (gen->overflow.fn == NULL)
        return;
    uint32_t waiting = atomic_fetch_add_explicit(&state->waiting, 1, memory_order_relaxed) + 1;
    uint64_t reported = atomic_load_explicit(&state->reported_tick, memory_order_relaxed);
    /*
     * Many callers find the same tick full; the first that swaps its mark in tells of it.  A straggler that read the
     * clock a tick ago does not, because another one has told of a later tick since.
     */
    if (reported != mark && reported != mark + 1 &&
        atomic_compare_exchange_strong_explicit(&state->reported_tick, &reported, mark, memory_order_relaxed,
                                                memory_order_relaxed))
        tell(gen, seen, waiting, atomic_fetch_add_explicit(&state->ticks, 1, memory_order_relaxed) + 1);
}

void fz_overflow_leave(frazil *gen)
{
    if (gen->overflow.fn != NULL)
        atomic_fetch_sub_explicit(&gen->private_page->overflow.waiting, 1, memory_order_relaxed);
}

static void end_overflow(frazil *gen, const struct fz_observation *seen)
{
    /* Swapped, so that of several callers that see the end only one reports it. */
    uint32_t ticks = atomic_exchange_explicit(&gen->private_page->overflow.ticks, 0, memory_order_relaxed);

    if (ticks != 0)
        tell(gen, seen, 0, ticks);
}

void fz_overflow_quiet(frazil *gen, const struct fz_observation *seen)
{
    struct fz_overflow_state *state = &gen->private_page->overflow;

    if (gen->overflow.fn == NULL || atomic_load_explicit(&state->waiting, memory_order_relaxed) != 0)
        return;
    /* The tick before this one, and this one up to now, had nobody waiting. */
    if (seen->view.now_tick > atomic_load_explicit(&state->reported_tick, memory_order_relaxed))
        end_overflow(gen, seen);
}

void fz_overflow_close(frazil *gen)
{
    if (gen->overflow.fn == NULL)
        return;
    struct fz_observation seen = fz_observe(gen);
    end_overflow(gen, &seen);
}

void frazil_on_overflow(frazil *gen, frazil_overflow_fn fn, void *ctx)
{
    gen->overflow.fn = fn;
    gen->overflow.ctx = ctx;
}
