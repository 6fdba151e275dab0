/* SPDX-License-Identifier: MIT */
/* Looking at a generator: statistics, what it is, what is left, snapshots. */
#include "core/sized.h"
#include "core/sno_internal.h"
#include "frazil/observe.h"
#include "generator_internal.h"
#include "observation.h"

static uint64_t load_u64(const _Atomic uint64_t *value)
{
    return atomic_load_explicit(value, memory_order_relaxed);
}

static const char *const stat_names[] = {
#define STAT_NAME(capitals, number, name, what) [number] = name,
    FRAZIL_STATS(STAT_NAME)
#undef STAT_NAME
};

enum { STAT_COUNT = sizeof stat_names / sizeof stat_names[0] };

size_t frazil_get_stats(frazil *gen, frazil_stat *ret, size_t n)
{
    struct fz_shared *shared = gen->shared;
    struct fz_observation seen = fz_observe(gen);
    uint64_t next = fz_slot_above_hole(&gen->rules, seen.view.word);

    const uint64_t values[STAT_COUNT] = {
        [FRAZIL_STAT_ISSUED] =
            fz_slot_line(&gen->rules, load_u64(gen->word)) - shared->origin - load_u64(&shared->skipped),
        [FRAZIL_STAT_FULL] = load_u64(&shared->full),
        [FRAZIL_STAT_BACKWARD_STEPS] = load_u64(&shared->backward_steps),
        [FRAZIL_STAT_BACKWARD_MAX_US] = load_u64(&shared->backward_max_us),
        [FRAZIL_STAT_LEAD_US] = fz_ns_until(gen, seen.now, fz_slot_tick(&gen->rules, next)) / 1000,
        [FRAZIL_STAT_LEAD_MAX_US] = load_u64(&shared->lead_max_us),
        [FRAZIL_STAT_WAITS] = load_u64(&shared->waits),
        [FRAZIL_STAT_WAITED_US] = load_u64(&shared->waited_us),
        [FRAZIL_STAT_TICKTOCKS] = load_u64(&shared->ticktocks),
        [FRAZIL_STAT_EXTENSIONS] = load_u64(&shared->keeper.extended),
        [FRAZIL_STAT_MOVES] = load_u64(&shared->keeper.replaced),
    };
    for (size_t i = 0; i < n && i < STAT_COUNT; i++)
        ret[i] = (frazil_stat){.name = stat_names[i], .value = values[i]};
    return STAT_COUNT;
}

void frazil_get_info(frazil *gen, frazil_info *ret, size_t size)
{
    const struct fz_slot_rules *rules = &gen->rules;
    struct fz_observation seen = fz_observe(gen);
    struct fz_slot_plan plan = fz_slot_plan(rules, &seen.view, 1, 0);

    const frazil_info info = {
        .layout = &gen->layout,
        .id_size = fz_is_sno(gen) ? FRAZIL_SNO_SIZE : sizeof(uint64_t),
        .worker = seen.grant.worker,
        .datacenter = fz_layout_datacenter_of(&gen->layout, seen.grant.worker),
        .worker_in_datacenter = (uint32_t)(seen.grant.worker % fz_layout_workers_in_datacenter(&gen->layout)),
        .sequence_min = rules->seq_min,
        .sequence_max = rules->seq_min + (uint32_t)(rules->capacity - 1),
        .sequence = plan.reason == FZ_SLOT_EXHAUSTED ? rules->seq_min : fz_slot_sequence(rules, plan.first),
        .state = gen->fixed.state,
        .capacity = rules->capacity,
        .available = seen.before_epoch ? 0 : fz_slot_available(rules, &seen.view),
        .counter_in_use = gen->fast_path != FZ_FAST_NONE ? 1 : 0,
        .state_is_new = fz_store_is_new(&gen->store) ? 1 : 0,
        .collision_ppm = gen->fixed.collision_ppm,
    };
    fz_give_sized(ret, size, &info, sizeof info);
}

/* Tick and sequence of the last slot taken; nothing was taken if the word stands where it began. */
static void last_taken(const frazil *gen, uint64_t word, struct fz_snapshot *snapshot)
{
    const struct fz_slot_rules *rules = &gen->rules;
    uint64_t next = fz_slot_above_hole(rules, word);
    uint64_t tick = fz_slot_tick(rules, next);
    uint32_t sequence = fz_slot_sequence(rules, next);

    if (sequence > rules->seq_min) {
        snapshot->wall_hi = (int64_t)tick;
        snapshot->sequence = sequence - 1;
    } else if (tick > 0) {
        snapshot->wall_hi = (int64_t)tick - 1;
        snapshot->sequence = snapshot->sequence_max;
    }
}

frazil_err frazil_sno_snapshot(frazil *gen, char *buf, size_t size, size_t *ret_len)
{
    const struct fz_slot_rules *rules = &gen->rules;

    if (gen->layout.kind != FRAZIL_LAYOUT_SNO)
        return FRAZIL_EKIND;
    struct fz_observation seen = fz_observe(gen);
    struct fz_snapshot snapshot = {
        .partition = {(uint8_t)(seen.grant.worker >> 8), (uint8_t)seen.grant.worker},
        .sequence_min = (uint16_t)rules->seq_min,
        .sequence_max = (uint16_t)(rules->seq_min + rules->capacity - 1),
        .now = (int64_t)seen.view.now_tick,
        .wall_safe = seen.view.side_free == 0 ? 0 : (int64_t)seen.view.side_free - 1,
        .drifts = (uint32_t)load_u64(&gen->shared->ticktocks),
    };
    last_taken(gen, seen.view.word, &snapshot);
    return fz_snapshot_format(&snapshot, buf, size, ret_len);
}
