/* SPDX-License-Identifier: MIT */
/* Opening a sno generator that continues from a snapshot. */
#include <stdlib.h>
#include <string.h>

#include "core/layout_internal.h"
#include "core/sentence.h"
#include "generator_internal.h"

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

/* The keys whose place the snapshot takes. */
static const enum fz_key taken[] = {FZ_KEY_WORKER, FZ_KEY_PARTITION, FZ_KEY_BASE,
                                    FZ_KEY_COUNT,  FZ_KEY_SEQ_MIN,   FZ_KEY_SEQ_MAX};
enum { TAKEN_COUNT = sizeof taken / sizeof taken[0] };

/* Who writes such a key into the spec itself expects it to count. */
static frazil_err check_spec(const char *spec, frazil_error *reterr)
{
    struct fz_settings said = {.value = {NULL}};

    frazil_err err = fz_settings_add_text(&said, spec, "spec", reterr);
    for (size_t i = 0; err == FRAZIL_OK && i < TAKEN_COUNT; i++) {
        if (said.value[taken[i]] != NULL)
            err = fz_fail(reterr, FRAZIL_ESPEC, "%s comes from the snapshot and cannot be given beside it",
                          fz_key_name(taken[i]));
    }
    if (err == FRAZIL_OK && said.value[FZ_KEY_STATE] != NULL && strcmp(said.value[FZ_KEY_STATE], "file") == 0)
        err = fz_fail(reterr, FRAZIL_ESPEC, "state=file does not go with a snapshot, which is the state");
    fz_settings_free(&said);
    return err;
}

/* In the environment and the config file they are meant for all generators, of which this one is none. */
static void drop_taken(struct fz_settings *settings)
{
    for (size_t i = 0; i < TAKEN_COUNT; i++) {
        free(settings->value[taken[i]]);
        settings->value[taken[i]] = NULL;
    }
}

/* The configuration for a snapshot: that of the settings, with the snapshot's partition and bounds. */
static frazil_err read_snapshot_config(struct fz_config *ret, const struct fz_settings *settings,
                                       const frazil_sno_snapshot *snapshot, frazil_error *reterr)
{
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

    if (ports != NULL && ports->granter != NULL)
        return fz_fail(
            reterr, FRAZIL_EINVAL,
            "a granter is given, and the snapshot has the partition: open the generator without the granter");
    if (spec == NULL)
        spec = "layout=sno";
    frazil_err err = check_spec(spec, reterr);
    if (err == FRAZIL_OK)
        err = fz_settings_gather(&settings, spec, reterr);
    if (err != FRAZIL_OK)
        return err;
    drop_taken(&settings);
    /* What the generator has to know of its past is in the snapshot: nothing else is kept. */
    struct fz_home_request request = {.settings = &settings, .config = &config, .in_memory = true};
    request.worker.first = (uint32_t)snapshot->partition[0] << 8 | snapshot->partition[1];
    err = read_snapshot_config(&config, &settings, snapshot, reterr);
    if (err == FRAZIL_OK)
        err = fz_open_request(&gen, &request, ports, reterr);
    fz_settings_free(&settings);
    if (err != FRAZIL_OK)
        return err;
    continue_from(gen, snapshot);
    *ret = gen;
    return FRAZIL_OK;
}
