/* SPDX-License-Identifier: MIT */
#include "lib/ports.h"

#include <string.h>

#include "config/options.h"
#include "generator/open.h"
#include "lib/asserts.h"
#include "os/deadline.h"

static frazil_err say_snapshot(frazil_options *options, const struct fz_snapshot *snapshot, frazil_error *reterr)
{
    char text[FRAZIL_SNO_SNAPSHOT_SIZE];
    size_t len = 0;

    if (snapshot == NULL)
        return frazil_options_snapshot(options, NULL, 0, reterr);
    assert_int_equal(fz_snapshot_format(snapshot, text, sizeof text, &len), FRAZIL_OK);
    return frazil_options_snapshot(options, text, len, reterr);
}

frazil_err ports_snapshot(frazil *gen, struct fz_snapshot *ret)
{
    char text[FRAZIL_SNO_SNAPSHOT_SIZE];
    size_t len = 0;

    frazil_err err = frazil_sno_snapshot(gen, text, sizeof text, &len);
    return err == FRAZIL_OK ? fz_snapshot_parse(text, len, ret, NULL) : err;
}

/* Says all of it. */
static frazil_err say(frazil_options *options, const char *spec, const struct fz_snapshot *snapshot,
                      const struct ports *ports, frazil_error *reterr)
{
    static const struct ports none = {NULL, NULL, NULL, NULL};
    frazil_err err = FRAZIL_OK;

    ports = ports == NULL ? &none : ports;
    if (spec != NULL)
        err = frazil_options_spec(options, spec, strlen(spec), reterr);
    if (err == FRAZIL_OK)
        err = frazil_options_clock(options, ports->clock, reterr);
    if (err == FRAZIL_OK)
        err = frazil_options_random(options, ports->random, reterr);
    if (err == FRAZIL_OK)
        err = frazil_options_granter(options, ports->granter, reterr);
    if (err == FRAZIL_OK)
        err = say_snapshot(options, snapshot, reterr);
    for (size_t i = 0; err == FRAZIL_OK && ports->coordinators != NULL && ports->coordinators[i] != NULL; i++)
        err = frazil_options_coordinator(options, ports->coordinators[i], reterr);
    return err;
}

frazil_err ports_open_snapshot(frazil **ret, const char *spec, const struct fz_snapshot *snapshot,
                               const struct ports *ports, frazil_error *reterr)
{
    frazil_options *options;

    frazil_err err = frazil_options_open(&options, reterr);
    if (err != FRAZIL_OK)
        return err;
    err = say(options, spec, snapshot, ports, reterr);
    if (err == FRAZIL_OK)
        err = frazil_open_with(ret, options, reterr);
    frazil_options_close(options);
    return err;
}

frazil_err ports_open_in_time(frazil **ret, const char *spec, const struct ports *ports, frazil_error *reterr)
{
    const struct ports others = {.coordinators = ports->coordinators};
    const struct fz_ports in_time = {.clock = ports->clock, .coordinators = ports->coordinators};
    struct fz_decision decision;
    frazil_options *options;

    frazil_err err = frazil_options_open(&options, reterr);
    if (err != FRAZIL_OK)
        return err;
    err = say(options, spec, NULL, &others, reterr);
    if (err == FRAZIL_OK)
        err = fz_options_decide(&decision, options, FZ_OPENING_GENERATOR, reterr);
    frazil_options_close(options);
    if (err != FRAZIL_OK)
        return err;
    decision.is_of_process = false; /* as of a decision that knows of the clock */
    err = fz_open_decided(ret, &decision, &in_time, fz_deadline_in(decision.open_wait_ns), reterr);
    fz_decision_free(&decision);
    return err;
}

frazil_err ports_open(frazil **ret, const char *spec, const struct ports *ports, frazil_error *reterr)
{
    return ports_open_snapshot(ret, spec, NULL, ports, reterr);
}

frazil_err ports_lease_open(frazil_lease **ret, const char *spec, const struct ports *ports, frazil_error *reterr)
{
    frazil_options *options;

    frazil_err err = frazil_options_open(&options, reterr);
    if (err != FRAZIL_OK)
        return err;
    err = say(options, spec, NULL, ports, reterr);
    if (err == FRAZIL_OK)
        err = frazil_lease_open_with(ret, options, reterr);
    frazil_options_close(options);
    return err;
}

frazil *open_or_fail(const char *spec)
{
    frazil *gen = NULL;
    frazil_error err;

    if (frazil_open(&gen, spec, &err) != FRAZIL_OK)
        fail_msg("%s: %s", spec, err.message);
    return gen;
}

frazil_info info_of_spec(const char *spec)
{
    frazil_info info;
    frazil *gen = open_or_fail(spec);

    frazil_get_info(gen, &info, sizeof info);
    frazil_close(gen);
    return info;
}

const frazil_layout *layout_of(frazil *gen)
{
    frazil_info info;

    frazil_get_info(gen, &info, sizeof info);
    return info.layout;
}

uint64_t available_of(frazil *gen)
{
    frazil_info info;

    frazil_get_info(gen, &info, sizeof info);
    return info.available;
}

frazil_err try_one(frazil *gen, uint64_t *ret_id, uint64_t *ret_retry_ns)
{
    size_t taken;
    frazil_err err = frazil_try_take(gen, ret_id, 1, &taken, ret_retry_ns, NULL);

    assert_int_equal(taken, err == FRAZIL_OK);
    return err;
}

frazil_err try_one_sno(frazil *gen, uint8_t meta, frazil_sno *ret_id, uint64_t *ret_retry_ns)
{
    size_t taken;
    frazil_err err = frazil_sno_try_take(gen, meta, ret_id, 1, &taken, ret_retry_ns, NULL);

    assert_int_equal(taken, err == FRAZIL_OK);
    return err;
}

uint64_t stat_of(frazil *gen, frazil_stat_number number)
{
    frazil_stat stats[FRAZIL_STATS_MOST];

    assert_true((size_t)number < frazil_get_stats(gen, stats, FRAZIL_STATS_MOST));
    return stats[number].value;
}

static frazil_err no_grant(void *ctx, int64_t now_unix_ms, frazil_grant *ret, frazil_error *reterr)
{
    const frazil_err *code = ctx;

    (void)now_unix_ms, (void)ret, (void)reterr;
    return *code;
}

static frazil_err no_extension(void *ctx, int64_t now_unix_ms, const frazil_grant *held, frazil_grant *ret,
                               frazil_error *reterr)
{
    (void)held;
    return no_grant(ctx, now_unix_ms, ret, reterr);
}

frazil_granter granter_without(const frazil_err *code)
{
    return (frazil_granter){
        .size = sizeof(frazil_granter), .ctx = (void *)(uintptr_t)code, .acquire = no_grant, .extend = no_extension};
}
