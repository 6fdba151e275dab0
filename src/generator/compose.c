/* SPDX-License-Identifier: MIT */
/* From slots to ids. */
#include "core/layout_internal.h"
#include "generator_internal.h"

enum { SNO_SEQUENCE_BITS = 16 };

uint64_t fz_compose_slot(const frazil *gen, uint64_t slot, uint32_t worker)
{
    const struct fz_slot_rules *rules = &gen->rules;
    uint64_t sequence = fz_slot_sequence(rules, slot);

    if (rules->has_sides)
        return (uint64_t)worker << SNO_SEQUENCE_BITS | sequence;
    return fz_slot_tick(rules, slot) << gen->time_shift | (uint64_t)worker << gen->worker_shift |
           sequence << gen->sequence_shift;
}

uint32_t fz_worker_of(const frazil *gen, uint64_t id)
{
    if (gen->rules.has_sides)
        return (uint32_t)(id >> SNO_SEQUENCE_BITS);
    return (uint32_t)(id >> gen->worker_shift & fz_layout_max_worker(&gen->layout));
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
