/* SPDX-License-Identifier: MIT */
/* Opening and closing generators. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "config.h"
#include "core/layout_internal.h"
#include "core/sentence.h"
#include "fail_sys.h"
#include "generator_internal.h"
#include "os/clock.h"
#include "os/counter.h"
#include "os/host.h"
#include "os/memory.h"

static const int64_t ten_years_ms = INT64_C(3652) * 24 * 60 * 60 * 1000;

/* splitmix64: one atomic add a number, so threads need no lock.  Where ticks start need not be secret. */
static uint64_t splitmix_next(void *ctx)
{
    _Atomic uint64_t *state = ctx;
    uint64_t z = atomic_fetch_add_explicit(state, UINT64_C(0x9e3779b97f4a7c15), memory_order_relaxed);

    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static frazil_err open_clock(frazil *gen, const struct fz_config *config, const frazil_ports *ports,
                             frazil_error *reterr)
{
    if (ports != NULL && ports->clock != NULL) {
        gen->clock = *ports->clock;
    } else if (config->frozen) {
        if (frazil_frozen_clock_new(&gen->frozen_clock, config->frozen_unix_ms) != FRAZIL_OK)
            return fz_fail(reterr, FRAZIL_ENOMEM, "out of memory");
        gen->clock = frazil_manual_clock_port(gen->frozen_clock);
    } else {
        gen->clock = fz_real_clock();
        gen->counter_usable = fz_counter_usable();
    }
    return FRAZIL_OK;
}

static frazil_err open_random(frazil *gen, const frazil_ports *ports, frazil_error *reterr)
{
    uint64_t seed;

    if (ports != NULL && ports->random != NULL) {
        gen->random = *ports->random;
        return FRAZIL_OK;
    }
    int sys = fz_host_entropy(&seed);
    if (sys != 0)
        return fz_fail_sys(reterr, sys, "the system's random numbers cannot be read%s", "");
    atomic_init(&gen->random_state, seed);
    gen->random = (frazil_random){.ctx = &gen->random_state, .next = splitmix_next};
    return FRAZIL_OK;
}

static frazil_err open_memory(frazil *gen, frazil_error *reterr)
{
    bool wiped;

    gen->shared = fz_map_shared(sizeof *gen->shared);
    gen->private_page = fz_map_wiped(sizeof *gen->private_page, &wiped);
    if (gen->shared == NULL || gen->private_page == NULL)
        return fz_fail_sys(reterr, errno, "a page for the generator's state cannot be mapped%s", "");
    gen->word = &gen->shared->word;
    atomic_init(&gen->shared->high_us, INT64_MIN);
    atomic_init(&gen->shared->seen_us, INT64_MIN);
    return FRAZIL_OK;
}

/* A layout about to end is refused in good time, not on its last day. */
static frazil_err check_life(const frazil *gen, const struct fz_config *config, frazil_error *reterr)
{
    frazil_layout_info info;
    int64_t now_ms = gen->clock.now(gen->clock.ctx).unix_ms;

    frazil_layout_describe(&gen->layout, &info);
    if (config->allow_short_life || now_ms < info.last_unix_ms - ten_years_ms)
        return FRAZIL_OK;
    return fz_fail(reterr, FRAZIL_ESHORTLIFE,
                   "the layout ends at %t, less than ten years from now (%t): use one that lasts longer, or open it "
                   "with allow_short_life=yes",
                   info.last_unix_ms, now_ms);
}

/*
 * Slots may be taken by adding when a ticket for the next tick can always be
 * honoured: when a call may wait that long, or ids may be stamped that far
 * ahead.  A random start wants to choose it for each tick anew.
 */
static enum fz_fast_path choose_fast_path(const frazil *gen)
{
    const struct fz_slot_rules *rules = &gen->rules;
    uint64_t two_ticks_ns = gen->layout.tick_ms * UINT64_C(2000000);
    bool waits = rules->on_full == FZ_FULL_WAIT && gen->max_wait_ns >= two_ticks_ns;
    bool leads = rules->on_full == FZ_FULL_LEAD && rules->max_lead >= 2;

    if (!gen->counter_usable)
        return FZ_FAST_NONE;
    if (rules->start == FZ_START_RANDOM || !(waits || leads))
        return FZ_FAST_CHECKED;
    return gen->layout.kind == FRAZIL_LAYOUT_SNO ? FZ_FAST_ADD_SNO : FZ_FAST_ADD_64;
}

static void adopt_config(frazil *gen, const struct fz_config *config)
{
    gen->layout = config->layout;
    gen->rules = config->rules;
    gen->max_wait_ns = config->max_wait_ns;
    gen->capacity = config->rules.capacity;
    if (gen->layout.kind == FRAZIL_LAYOUT_SNO)
        return;
    gen->time_shift = (uint8_t)fz_layout_time_shift(&gen->layout);
    gen->sequence_shift = (uint8_t)fz_layout_sequence_shift(&gen->layout);
    gen->worker_shift = (uint8_t)fz_layout_worker_shift(&gen->layout);
}

/* A worker that nobody grants: all ticks are its own. */
static frazil_err open_worker(frazil *gen, uint32_t worker, frazil_error *reterr)
{
    const struct fz_grant for_ever = {.worker = worker, .floor = 0, .until = UINT64_MAX};
    int sys = fz_keeper_init_shared(&gen->shared->keeper);

    if (sys != 0)
        return fz_fail_sys(reterr, sys, "the lock of the grant cannot be made%s", "");
    fz_grant_board_replace(&gen->shared->grants, &for_ever);
    return FRAZIL_OK;
}

static frazil_err open_config(frazil **ret, const struct fz_config *config, uint32_t worker, const frazil_ports *ports,
                              frazil_error *reterr)
{
    frazil *gen = calloc(1, sizeof *gen);
    if (gen == NULL)
        return fz_fail(reterr, FRAZIL_ENOMEM, "out of memory");

    adopt_config(gen, config);
    frazil_err err = open_clock(gen, config, ports, reterr);
    if (err == FRAZIL_OK)
        err = check_life(gen, config, reterr);
    if (err == FRAZIL_OK)
        err = open_random(gen, ports, reterr);
    if (err == FRAZIL_OK)
        err = open_memory(gen, reterr);
    if (err == FRAZIL_OK)
        err = open_worker(gen, worker, reterr);
    if (err != FRAZIL_OK) {
        frazil_close(gen);
        return err;
    }
    gen->fast_path = choose_fast_path(gen);
    *ret = gen;
    return FRAZIL_OK;
}

frazil_err frazil_open_with(frazil **ret, const char *spec, const frazil_ports *ports, frazil_error *reterr)
{
    struct fz_settings settings;
    struct fz_config config;
    uint32_t worker;

    frazil_err err = fz_settings_gather(&settings, spec, reterr);
    if (err != FRAZIL_OK)
        return err;
    err = fz_config_read(&config, &settings, reterr);
    if (err == FRAZIL_OK)
        err = fz_worker_resolve(&settings, &config.layout, &worker, reterr);
    fz_settings_free(&settings);
    return err == FRAZIL_OK ? open_config(ret, &config, worker, ports, reterr) : err;
}

frazil_err frazil_open(frazil **ret, const char *spec, frazil_error *reterr)
{
    return frazil_open_with(ret, spec, NULL, reterr);
}

void frazil_close(frazil *gen)
{
    if (gen == NULL)
        return;
    if (gen->private_page != NULL && gen->shared != NULL)
        fz_overflow_close(gen);
    fz_keeper_close(gen, false);
    fz_unmap(gen->private_page, sizeof *gen->private_page);
    fz_unmap(gen->shared, sizeof *gen->shared);
    frazil_manual_clock_free(gen->frozen_clock);
    free(gen);
}

/* Sets the word and the sides so that no id of the snapshot's generator can come again. */
static void continue_from(frazil *gen, const frazil_sno_snapshot *snapshot)
{
    const struct fz_slot_rules *rules = &gen->rules;
    unsigned side = snapshot->drifts & 1;
    uint32_t used = snapshot->sequence == 0 ? rules->seq_min : snapshot->sequence;
    uint64_t first = fz_slot_first(rules, side, (uint64_t)snapshot->wall_hi);
    uint64_t places = used - rules->seq_min + UINT64_C(1);
    int64_t high_ms = fz_layout_tick_unix_ms(&gen->layout, (uint64_t)snapshot->wall_hi);

    /* A sequence beyond the upper bound was counted by callers that had to wait: the unit is full. */
    uint64_t word = first + (places < rules->capacity ? places : rules->capacity);
    atomic_init(&gen->shared->word, word);
    gen->shared->origin = fz_slot_line(rules, word);
    atomic_init(&gen->shared->side_free[side ^ 1], snapshot->wall_safe == 0 ? 0 : (uint64_t)snapshot->wall_safe + 1);
    atomic_init(&gen->shared->ticktocks, snapshot->drifts);
    atomic_init(&gen->shared->high_us, high_ms * 1000);
}

static frazil_err check_snapshot(const frazil_sno_snapshot *snapshot, const struct fz_config *config,
                                 frazil_error *reterr)
{
    int64_t last = (int64_t)config->rules.last_tick;

    if (snapshot->wall_hi < 0 || snapshot->wall_hi > last || snapshot->wall_safe < 0 || snapshot->wall_safe > last)
        return fz_fail(reterr, FRAZIL_ERANGE, "the snapshot's wallHi is %d and wallSafe %d: must be from 0 to %d",
                       snapshot->wall_hi, snapshot->wall_safe, last);
    if (snapshot->sequence != 0 && snapshot->sequence < config->rules.seq_min)
        return fz_fail(reterr, FRAZIL_ERANGE, "the snapshot's sequence %u is below its lower bound %u",
                       (uint64_t)snapshot->sequence, (uint64_t)config->rules.seq_min);
    return FRAZIL_OK;
}

/* The configuration for a snapshot: the spec's, with the snapshot's partition and bounds. */
static frazil_err read_snapshot_config(struct fz_config *ret, const struct fz_settings *settings,
                                       const frazil_sno_snapshot *snapshot, frazil_error *reterr)
{
    static const enum fz_key taken[] = {FZ_KEY_WORKER, FZ_KEY_BASE, FZ_KEY_COUNT, FZ_KEY_SEQ_MIN, FZ_KEY_SEQ_MAX};

    for (size_t i = 0; i < sizeof taken / sizeof taken[0]; i++) {
        if (settings->value[taken[i]] != NULL)
            return fz_fail(reterr, FRAZIL_ESPEC, "%s comes from the snapshot and cannot be given beside it",
                           fz_key_name(taken[i]));
    }
    frazil_err err = fz_config_read(ret, settings, reterr);
    if (err != FRAZIL_OK)
        return err;
    if (ret->layout.kind != FRAZIL_LAYOUT_SNO)
        return fz_fail(reterr, FRAZIL_EKIND, "a snapshot is of a sno generator: the spec must say layout=sno");
    uint64_t max = snapshot->sequence_max;
    if (max == 0 && snapshot->sequence_min != UINT16_MAX)
        max = UINT16_MAX; /* sno's rule: an upper bound left out is the largest */
    err = fz_config_set_bounds(ret, snapshot->sequence_min, max, reterr);
    return err == FRAZIL_OK ? check_snapshot(snapshot, ret, reterr) : err;
}

frazil_err frazil_sno_open_snapshot(frazil **ret, const char *spec, const frazil_sno_snapshot *snapshot,
                                    const frazil_ports *ports, frazil_error *reterr)
{
    struct fz_settings settings;
    struct fz_config config;
    frazil *gen;

    frazil_err err = fz_settings_gather(&settings, spec == NULL ? "layout=sno" : spec, reterr);
    if (err != FRAZIL_OK)
        return err;
    err = read_snapshot_config(&config, &settings, snapshot, reterr);
    fz_settings_free(&settings);
    if (err != FRAZIL_OK)
        return err;
    uint32_t partition = (uint32_t)snapshot->partition[0] << 8 | snapshot->partition[1];
    err = open_config(&gen, &config, partition, ports, reterr);
    if (err != FRAZIL_OK)
        return err;
    continue_from(gen, snapshot);
    *ret = gen;
    return FRAZIL_OK;
}
