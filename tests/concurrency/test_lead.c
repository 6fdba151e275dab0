/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: an id that leads costs what any id costs: a look at the clock in each tick of the clock, however
 * few ids a tick has.  It leads by no more than it may, no longer than the clock takes, and under the grant in force.
 */
#include "frazil.h"
#include "generator/generator_internal.h"
#include "generator/handover.h"
#include "generator/observation.h"
#include "lib/patience.h"
#include "lib/ports.h"
#include "lib/test.h"
#include "os/clock.h"

/* At the very end of a tick of the clock some ids look each, as nobody knows to the microsecond when it ends. */
enum { IDS = 200000, LEADS_MS = 4, LOOKS_A_TICK = 16 };

/* Each test has worker ids of its own: those that led have left their ids behind, far ahead of the clock. */
static frazil *open_leading(unsigned worker, const char *layout, const char *max_lead)
{
    char spec[160];
    frazil_error err;
    frazil *gen;

    snprintf(spec, sizeof spec, "layout=%s worker=fixed:%u state=memory on_full=lead max_wait=0s max_lead=%s", layout,
             worker, max_lead);
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
    uint64_t ticks = (uint64_t)(fz_real_now().unix_ms - begun_ms) + 1;
    gen->clock = looked_at;
    if (looks > LOOKS_A_TICK * ticks)
        fail_msg("%d ids looked at the clock %llu times in %llu ms", IDS, (unsigned long long)looks,
                 (unsigned long long)ticks);
}

static bool skips(frazil *gen)
{
    if (gen->fixed.counter_usable)
        return false;
    frazil_close(gen);
    return true;
}

static int64_t ms_of(frazil *gen, uint64_t id)
{
    frazil_fields fields;

    assert_int_equal(frazil_id_decompose(&gen->layout, id, &fields, NULL), FRAZIL_OK);
    return fields.unix_ms;
}

TEST("Ids that lead look at the clock in each of its ticks, and not in each of theirs")
{
    static const char *const layouts[] = {"frazil", "41/18/4", "41/20/2"};

    for (size_t i = 0; i < sizeof layouts / sizeof layouts[0]; i++) {
        frazil *gen = open_leading(1, layouts[i], "unlimited");
        if (skips(gen))
            skip();
        check_looks(gen);
        frazil_close(gen);
    }
}

TEST("The furthest that an id was ahead is told, also of one that did not look at the clock")
{
    frazil *gen = open_leading(3, "41/20/2", "unlimited");
    int64_t begun_ms = fz_real_now().unix_ms;
    uint64_t id = 0;

    for (unsigned i = 0; i < IDS; i++)
        assert_int_equal(frazil_next(gen, &id), FRAZIL_OK);
    int64_t least_ms = ms_of(gen, id) - fz_real_now().unix_ms - 1;
    int64_t lead_ms = (int64_t)stat_of(gen, FRAZIL_STAT_LEAD_MAX_US) / 1000;
    assert_true(least_ms <= lead_ms && lead_ms <= ms_of(gen, id) - begun_ms);
    frazil_close(gen);
}

TEST("Ids have the clock's time again as soon as it has come up to those that led")
{
    frazil *gen = open_leading(4, "41/20/2", "1h");
    uint64_t id = 0;

    for (unsigned i = 0; i < 100; i++)
        assert_int_equal(frazil_next(gen, &id), FRAZIL_OK);
    int64_t led_ms = ms_of(gen, id);
    AWAIT(fz_real_now().unix_ms > led_ms, "the clock does not come up to the ids");
    for (unsigned i = 0; i < 4; i++) {
        int64_t now_ms = fz_real_now().unix_ms;
        assert_int_equal(frazil_next(gen, &id), FRAZIL_OK);
        assert_true(ms_of(gen, id) >= now_ms - 1); /* I6: the tick before may be finished */
    }
    frazil_close(gen);
}

/* As another process does that shares the word and the grant: it knows nothing of this one's anchor. */
static void replace_grant(frazil *gen, uint32_t worker)
{
    struct fz_observation seen = fz_observe(gen);
    struct fz_grant grant = seen.grant;

    grant.worker = worker;
    assert_true(fz_begin_above(gen, &seen, &grant));
    assert_true(fz_grant_ring_put(&gen->shared->grants, seen.grant_number, &grant));
}

/* So that it ends that many ticks ahead of the next id. */
static uint64_t shorten_grant(frazil *gen, uint64_t ticks)
{
    struct fz_observation seen = fz_observe(gen);
    struct fz_grant grant = seen.grant;

    grant.until = fz_slot_tick(&gen->rules, seen.view.word) + ticks;
    assert_true(fz_grant_ring_put(&gen->shared->grants, seen.grant_number, &grant));
    return grant.until;
}

TEST("I2: ids that lead have the worker id of the grant that is in force")
{
    enum { FIRST_WORKER = 5, LAST_WORKER = 100 };
    frazil *gen = open_leading(FIRST_WORKER, "41/20/2", "unlimited");
    frazil_fields fields;
    uint64_t id;

    for (unsigned i = 0; i < IDS; i++) /* until the counter's rate is known */
        assert_int_equal(frazil_next(gen, &id), FRAZIL_OK);
    for (uint32_t worker = FIRST_WORKER; worker < LAST_WORKER; worker++) {
        for (unsigned i = 0; i < 10; i++) {
            assert_int_equal(frazil_next(gen, &id), FRAZIL_OK);
            assert_int_equal(frazil_id_decompose(&gen->layout, id, &fields, NULL), FRAZIL_OK);
            assert_int_equal(fields.worker, worker);
        }
        replace_grant(gen, worker + 1);
    }
    frazil_close(gen);
}

TEST("I2: none leads beyond its grant")
{
    frazil *gen = open_leading(2, "41/20/2", "unlimited");
    uint64_t id = 0;

    for (unsigned i = 0; i < IDS; i++)
        assert_int_equal(frazil_next(gen, &id), FRAZIL_OK);
    uint64_t until = shorten_grant(gen, IDS);
    for (unsigned i = 0; frazil_next(gen, &id) == FRAZIL_OK; i++)
        assert_true(i < (IDS + 1) * gen->capacity);
    assert_int_equal(ms_of(gen, id), fz_layout_tick_unix_ms(&gen->layout, until));
    frazil_close(gen);
}

TEST("So they do in a generator that starts while ids of the one before are still ahead of the clock")
{
    frazil *gen = open_leading(6, "41/16/6", "1h");
    uint64_t id;

    if (skips(gen))
        skip();
    for (unsigned i = 0; i < IDS; i++)
        assert_int_equal(frazil_next(gen, &id), FRAZIL_OK);
    frazil_close(gen);
    gen = open_leading(6, "41/16/6", "1h");
    check_looks(gen);
    frazil_close(gen);
}

TEST("I6: none leads by more than it may, and a call that would have to fails")
{
    frazil *gen = open_leading(7, "41/18/4", "4ms");
    uint64_t failed = 0;

    for (unsigned i = 0; i < IDS; i++) {
        uint64_t id;
        if (frazil_next(gen, &id) == FRAZIL_OK)
            assert_true(ms_of(gen, id) <= fz_real_now().unix_ms + LEADS_MS);
        else
            failed++;
    }
    assert_true(failed > 0);
    frazil_close(gen);
}
