/* SPDX-License-Identifier: MIT */
/* From slots to ids. */
#include "generator_internal.h"

enum { SNO_SEQUENCE_BITS = 16 };

uint64_t fz_compose_slot(const frazil *gen, uint64_t slot)
{
    const struct fz_slot_rules *rules = &gen->rules;
    uint64_t tick = fz_slot_tick(rules, slot);
    uint64_t sequence = fz_slot_sequence(rules, slot);

    if (rules->has_sides)
        return (tick << 1 | fz_slot_side(rules, slot)) << SNO_SEQUENCE_BITS | sequence;
    return tick << gen->time_shift | gen->worker_field | sequence << gen->sequence_shift;
}

void fz_emit_runs(const frazil *gen, uint64_t first, uint64_t n, fz_emit_fn emit, void *ctx)
{
    const struct fz_slot_rules *rules = &gen->rules;

    while (n > 0) {
        uint64_t left = rules->capacity - (fz_slot_place(rules, first) - rules->floor);
        uint64_t count = n < left ? n : left;
        emit(ctx, fz_compose_slot(gen, first), count);
        first = fz_slot_above_hole(rules, first + count);
        n -= count;
    }
}
