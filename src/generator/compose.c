/* SPDX-License-Identifier: MIT */
#include "compose.h"

#include "core/layout_internal.h"
#include "generator_internal.h"

enum { SNO_SEQUENCE_BITS = 16 };

uint64_t fz_compose_slot(const frazil *gen, uint64_t slot, uint32_t worker)
{
    const struct fz_slot_rules *rules = &gen->rules;
    uint64_t sequence = fz_slot_sequence(rules, slot);

    if (rules->has_sides)
        return (uint64_t)worker << SNO_SEQUENCE_BITS | sequence;
    return fz_slot_tick(rules, slot) << gen->fixed.time_shift | (uint64_t)worker << gen->fixed.worker_shift |
           sequence << gen->sequence_shift;
}

uint32_t fz_worker_of(const frazil *gen, uint64_t id)
{
    if (gen->rules.has_sides)
        return (uint32_t)(id >> SNO_SEQUENCE_BITS);
    return (uint32_t)(id >> gen->fixed.worker_shift & fz_layout_max_worker(&gen->layout));
}

void fz_emit_runs(const frazil *gen, const struct fz_taken *taken, uint64_t n, fz_emit_fn emit, void *ctx)
{
    const struct fz_slot_rules *rules = &gen->rules;
    uint64_t first = taken->first;

    while (n > 0) {
        uint64_t left = rules->capacity - (fz_slot_place(rules, first) - rules->floor);
        uint64_t count = n < left ? n : left;
        emit(ctx, first, fz_compose_slot(gen, first, taken->worker), count);
        first = fz_slot_above_hole(rules, first + count);
        n -= count;
    }
}

uint32_t fz_explicit_sequence(frazil *gen)
{
    uint64_t taken = atomic_fetch_add_explicit(&gen->shared->explicit_taken, 1, memory_order_relaxed);

    return gen->rules.seq_min + (uint32_t)(taken % gen->rules.capacity);
}
