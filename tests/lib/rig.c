/* SPDX-License-Identifier: MIT */
#include "lib/rig.h"

#include <stdio.h>
#include <string.h>

#include "core/now.h"
#include "lib/asserts.h"
#include "lib/near_miss.h"

static uint64_t random_next(void *ctx)
{
    struct rig *rig = ctx;

    rig->random_calls++;
    return seeded_next(&rig->random_state);
}

static void open_on(struct rig *rig, const char *spec, const struct fz_snapshot *snapshot)
{
    frazil_error err;

    assert_non_null(rig->manual);
    rig->clock = port_of(rig->manual);
    rig->random = (frazil_random){.size = sizeof(frazil_random), .ctx = rig, .next = random_next};
    const struct ports ports = {
        .clock = &rig->clock, .random = &rig->random, .coordinators = rig->coordinators, .granter = rig->granter};
    frazil_err code = snapshot == NULL ? ports_open(&rig->gen, spec, &ports, &err)
                                       : ports_open_snapshot(&rig->gen, spec, snapshot, &ports, &err);
    if (code != FRAZIL_OK)
        fail_msg("%s: %s", spec == NULL ? "(no spec)" : spec, err.message);
}

void rig_open(struct rig *rig, const char *spec, int64_t unix_ms)
{
    assert_int_equal(frazil_manual_clock_open(&rig->manual, unix_ms, 0, NULL), FRAZIL_OK);
    open_on(rig, spec, NULL);
}

void rig_open_below(struct rig *rig, const char *dir, const char *settings, int64_t unix_ms)
{
    char spec[1024];

    int len = snprintf(spec, sizeof spec, "%s state=file run_dir=%s/run state_dir=%s/state", settings, dir, dir);
    assert_in_range(len, 1, sizeof spec - 1);
    rig_open(rig, spec, unix_ms);
}

void rig_open_frozen(struct rig *rig, const char *spec, int64_t unix_ms)
{
    assert_int_equal(frazil_manual_clock_open(&rig->manual, unix_ms, FRAZIL_CLOCK_FROZEN, NULL), FRAZIL_OK);
    open_on(rig, spec, NULL);
}

void rig_open_snapshot(struct rig *rig, const char *spec, const struct fz_snapshot *snapshot, int64_t unix_ms)
{
    assert_int_equal(frazil_manual_clock_open(&rig->manual, unix_ms, 0, NULL), FRAZIL_OK);
    open_on(rig, spec, snapshot);
}

void rig_close(struct rig *rig)
{
    frazil_close(rig->gen);
    frazil_manual_clock_close(rig->manual);
}

int64_t rig_now_ms(const struct rig *rig)
{
    return fz_now(&rig->clock).unix_ms;
}

uint64_t rig_monotonic_ns(const struct rig *rig)
{
    return rig->clock.monotonic_ns(rig->clock.ctx);
}

static uint64_t tick_at(const struct rig *rig, int64_t unix_ms)
{
    const frazil_layout layout = *layout_of(rig->gen);

    return (uint64_t)(unix_ms - layout.epoch_unix_ms) / layout.tick_ms;
}

uint64_t rig_now_tick(const struct rig *rig)
{
    return tick_at(rig, rig_now_ms(rig));
}

uint64_t rig_tick_of(const struct rig *rig, uint64_t id)
{
    return tick_at(rig, rig_parts(rig, id).unix_ms);
}

void rig_advance(struct rig *rig, uint64_t ticks)
{
    frazil_manual_clock_advance(rig->manual, ticks * layout_of(rig->gen)->tick_ms * RIG_MS);
}

void rig_step(struct rig *rig, int64_t delta_ms)
{
    frazil_manual_clock_set(rig->manual, rig_now_ms(rig) + delta_ms);
}

uint64_t rig_next(struct rig *rig)
{
    frazil_error err;
    uint64_t id;

    if (frazil_take(rig->gen, &id, 1, FRAZIL_WAIT_DEFAULT, &err) != FRAZIL_OK)
        fail_msg("%s: %s", frazil_err_name(err.code), err.message);
    return id;
}

frazil_sno rig_sno(struct rig *rig)
{
    frazil_error err;
    frazil_sno id;

    if (frazil_sno_take(rig->gen, 0, &id, 1, FRAZIL_WAIT_DEFAULT, &err) != FRAZIL_OK)
        fail_msg("%s: %s", frazil_err_name(err.code), err.message);
    return id;
}

frazil_sno_fields rig_sno_parts(struct rig *rig)
{
    frazil_sno_fields fields;
    frazil_sno id = rig_sno(rig);

    frazil_sno_decompose(&id, &fields);
    return fields;
}

frazil_fields rig_parts(const struct rig *rig, uint64_t id)
{
    const frazil_layout layout = *layout_of(rig->gen);
    frazil_fields fields;

    assert_int_equal(frazil_id_decompose(&layout, id, &fields, NULL), FRAZIL_OK);
    return fields;
}

void assert_open_refused(const char *spec, const struct ports *ports, frazil_err code, const char *why)
{
    frazil *const untouched = (frazil *)&code;
    frazil *gen = untouched;
    frazil_error err;

    if (ports_open(&gen, spec, ports, &err) != code)
        fail_msg("%s: %s", spec, gen != untouched ? "was opened" : err.message);
    if (strstr(err.message, why) == NULL)
        fail_msg("%s: does not say '%s' but '%s'", spec, why, err.message);
    assert_int_equal(err.code, code);
    assert_ptr_equal(gen, untouched);
    assert_int_equal(ports_open(&gen, spec, ports, NULL), code);
    assert_ptr_equal(gen, untouched);
}
