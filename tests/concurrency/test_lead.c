/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: an id that leads costs what any id costs: one look at the clock in each of its ticks, and in each
 * tick of the clock.  It leads by no more than it may.
 */
#include "frazil.h"
#include "generator/generator_internal.h"
#include "lib/ports.h"
#include "lib/test.h"
#include "os/clock.h"

enum { IDS = 200000, LEADS_MS = 4, MORE = 3 };

static frazil *open_leading(const char *layout, const char *max_lead)
{
    char spec[160];
    frazil_error err;
    frazil *gen;

    snprintf(spec, sizeof spec, "layout=%s worker=fixed:1 state=memory on_full=lead max_wait=0s max_lead=%s", layout,
             max_lead);
    if (frazil_open(&gen, spec, &err) != FRAZIL_OK)
        fail_msg("%s", err.message);
    return gen;
}

static _Atomic uint64_t looks;
static frazil_clock looked_at;

static void count_look(void *ctx, frazil_instant *ret)
{
    looks++;
    looked_at.now(ctx, ret);
}

/* Takes ids, and counts how often they look at the clock. */
static void check_looks(frazil *gen)
{
    uint64_t id;

    for (unsigned i = 0; i < IDS; i++)
        assert_int_equal(frazil_next(gen, &id), FRAZIL_OK);
    looked_at = gen->clock;
    looks = 0;
    gen->clock.now = count_look;
    int64_t begun_ms = fz_real_now().unix_ms;
    for (unsigned i = 0; i < IDS; i++)
        assert_int_equal(frazil_next(gen, &id), FRAZIL_OK);
    uint64_t ticks = (uint64_t)(fz_real_now().unix_ms - begun_ms) + IDS / gen->capacity;
    gen->clock = looked_at;
    assert_true(looks <= MORE * (ticks + 1));
}

static bool skips(frazil *gen)
{
    if (gen->fixed.counter_usable)
        return false;
    frazil_close(gen);
    return true;
}

TEST("Ids that lead look at the clock in each of its ticks and in each of theirs, and not each of them")
{
    frazil *gen = open_leading("frazil", "1h");

    if (skips(gen))
        skip();
    check_looks(gen);
    frazil_close(gen);
}

TEST("So they do in a generator that starts while ids of the one before are still ahead of the clock")
{
    frazil *gen = open_leading("41/16/6", "1h");
    uint64_t id;

    if (skips(gen))
        skip();
    for (unsigned i = 0; i < IDS; i++)
        assert_int_equal(frazil_next(gen, &id), FRAZIL_OK);
    frazil_close(gen);
    gen = open_leading("41/16/6", "1h");
    check_looks(gen);
    frazil_close(gen);
}

TEST("I6: none leads by more than it may, and a call that would have to fails")
{
    frazil *gen = open_leading("41/18/4", "4ms");
    uint64_t failed = 0;

    for (unsigned i = 0; i < IDS; i++) {
        frazil_fields fields;
        uint64_t id;
        if (frazil_next(gen, &id) != FRAZIL_OK) {
            failed++;
            continue;
        }
        assert_int_equal(frazil_id_decompose(&gen->layout, id, &fields, NULL), FRAZIL_OK);
        assert_true(fields.unix_ms <= fz_real_now().unix_ms + LEADS_MS);
    }
    assert_true(failed > 0);
    frazil_close(gen);
}
