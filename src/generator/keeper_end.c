/* SPDX-License-Identifier: MIT */
/* The end of a grant, when its generator is closed. */
#include "generator_internal.h"
#include "keeper.h"

/* No id has a later tick: where the word stands or, if the clock went back, stood on the other side. */
static uint64_t last_used_tick(const frazil *gen)
{
    uint64_t used = fz_slot_tick(&gen->rules, atomic_load_explicit(gen->word, memory_order_acquire));

    /* A sno generator whose clock went back has used later ticks on the side that it left. */
    for (unsigned side = 0; side < 2; side++) {
        uint64_t free = atomic_load_explicit(&gen->shared->side_free[side], memory_order_acquire);
        if (free > used + 1)
            used = free - 1;
    }
    return used;
}

struct fz_remnant fz_keeper_end(frazil *gen)
{
    struct fz_grant_ring *ring = &gen->shared->grants;
    uint64_t number;
    struct fz_remnant remnant = {.held = fz_grant_ring_look(ring, &number)};
    struct fz_grant ended = remnant.held;
    uint64_t used = last_used_tick(gen);

    remnant.used_tick = used < remnant.held.until ? used : remnant.held.until;
    /* Nobody else writes to it now.  It has no tick left, even if a process still has the page mapped. */
    ended.version = 0;
    ended.floor = ended.until + 1;
    if (gen->store.kind == FZ_STORE_LEASE)
        (void)fz_grant_ring_put(ring, number, &ended);
    return remnant;
}

frazil_err fz_keeper_release(frazil *gen, struct fz_deadline deadline, const struct fz_remnant *remnant)
{
    struct fz_granter *granter = &gen->keeper.granter;

    if (granter->ctx == NULL || remnant->held.version == 0)
        return FRAZIL_OK; /* the generator was never opened: there is nothing to give back */
    fz_keeper_notice_fork(gen);
    return granter->release(granter->ctx, deadline, &remnant->held, remnant->used_tick);
}

void fz_keeper_close(frazil *gen)
{
    struct fz_granter *granter = &gen->keeper.granter;

    if (granter->ctx == NULL)
        return;
    fz_keeper_notice_fork(gen); /* a parent's connection is not to be ended */
    granter->close(granter->ctx);
    granter->ctx = NULL;
}
