/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: a caller that is overtaken at the worst moment, each time,
 * gets its id all the same.  The line of slots is not added to where too many
 * callers that do so at once could carry it beyond its end.
 */

#include "core/now.h"
#include "frazil.h"
#include "generator/compose.h"
#include "generator/generator_internal.h"
#include "lib/rig.h"
#include "lib/test.h"
#include "os/counter.h"

/* ---- overtaken ------------------------------------------------------------------ */

enum { READINGS_MAX = 1000 };

/* A clock at whose every reading another thread has just taken a slot, and published an anchor. */
struct rival {
    struct rig rig;
    frazil_clock clock;
    int readings;
};

/* The generator's ports do not lead back to it. */
static struct rival rival;

static void overtaking_now(void *ctx, frazil_instant *ret)
{
    frazil *gen = rival.rig.gen;

    rival.rig.clock.now(ctx, ret);
    if (gen == NULL || rival.readings++ > READINGS_MAX)
        return;
    uint64_t slot = atomic_fetch_add(gen->word, 1);
    uint64_t first = fz_slot_first(&gen->rules, fz_slot_side(&gen->rules, slot), fz_slot_tick(&gen->rules, slot));
    /* A range that holds for as long as there can be. */
    uint64_t counter = fz_counter_read();
    struct fz_anchor_view anchor = {.counter = counter,
                                    .range = fz_counter_clip(counter, UINT64_MAX),
                                    .first_slot = first,
                                    .first_id = fz_compose_slot(gen, first, 1)};
    fz_anchor_publish(&gen->private_page->anchor, &anchor, &(struct fz_anchor_lead){.end = 0});
}

static void open_rival(const char *spec, enum fz_fast_path path)
{
    struct ports ports = {.clock = &rival.clock};

    rival = (struct rival){.readings = 0};
    assert_int_equal(frazil_manual_clock_open(&rival.rig.manual, RIG_NOW, 0, NULL), FRAZIL_OK);
    rival.rig.clock = port_of(rival.rig.manual);
    rival.clock = rival.rig.clock;
    rival.clock.now = overtaking_now;
    frazil *gen;
    assert_int_equal(ports_open(&gen, spec, &ports, NULL), FRAZIL_OK);
    gen->fast_path = path;
    gen->fixed.counter_usable = true;
    /* The word stands in the tick of the clock. */
    uint64_t tick = (uint64_t)(RIG_NOW - gen->layout.epoch_unix_ms) / gen->layout.tick_ms;
    atomic_store(gen->word, fz_slot_first(&gen->rules, 0, tick));
    rival.rig.gen = gen;
}

static void close_rival(void)
{
    frazil *gen = rival.rig.gen;

    rival.rig.gen = NULL;
    frazil_close(gen);
    frazil_manual_clock_close(rival.rig.manual);
}

TEST("A caller that loses the race for the word once goes on beside the winners, and does not race for ever")
{
    uint64_t ids[100];
    uint64_t id;

    open_rival("worker=fixed:1", FZ_FAST_ADD_64);
    assert_int_equal(frazil_next(rival.rig.gen, &id), FRAZIL_OK);
    assert_in_range(rival.readings, 1, 2);
    fz_anchor_close(&rival.rig.gen->private_page->anchor);
    assert_int_equal(frazil_take(rival.rig.gen, ids, 100, FRAZIL_WAIT_DEFAULT, NULL), FRAZIL_OK);
    assert_in_range(rival.readings, 2, 4);
    for (uint64_t i = 0; i < 100; i++)
        assert_true(ids[i] > id + i);
    close_rival();
}

TEST("A caller that takes snos and loses the race once does not race for ever either")
{
    frazil_sno first;
    frazil_sno second;

    open_rival("layout=sno worker=fixed:1", FZ_FAST_ADD_SNO);
    assert_int_equal(frazil_sno_next(rival.rig.gen, 0, &first), FRAZIL_OK);
    assert_in_range(rival.readings, 1, 2);
    fz_anchor_close(&rival.rig.gen->private_page->anchor);
    assert_int_equal(frazil_sno_next(rival.rig.gen, 0, &second), FRAZIL_OK);
    assert_in_range(rival.readings, 2, 4);
    assert_true(memcmp(first.bytes, second.bytes, FRAZIL_SNO_SIZE) < 0);
    close_rival();
}

/* ---- overslept ------------------------------------------------------------------ */

/* A sleeper that is woken ten milliseconds late.  Meanwhile others take their slots. */
static struct {
    frazil *gen;
    uint64_t others; /* how many slots */
} sleeper;

static void oversleep(void *ctx, uint64_t monotonic_ns)
{
    frazil_clock clock = port_of(ctx);

    atomic_fetch_add(sleeper.gen->word, sleeper.others);
    clock.sleep_until(ctx, monotonic_ns + 10 * RIG_MS);
}

static void open_sleeper(const char *spec, frazil_manual_clock **ret_manual)
{
    assert_int_equal(frazil_manual_clock_open(ret_manual, RIG_NOW, 0, NULL), FRAZIL_OK);
    frazil_clock clock = port_of(*ret_manual);
    clock.sleep_until = oversleep;
    struct ports ports = {.clock = &clock};
    assert_int_equal(ports_open(&sleeper.gen, spec, &ports, NULL), FRAZIL_OK);
    sleeper.others = 0;
}

TEST("A caller too late for its ticket gets an id of the time in which it wakes, not of the one for which it waited")
{
    frazil_manual_clock *manual;
    frazil_fields fields;
    uint64_t id;

    open_sleeper("layout=41/18/4 worker=fixed:1", &manual);
    const frazil_clock clock = port_of(manual);
    for (int i = 0; i < 200; i++) {
        assert_int_equal(frazil_next(sleeper.gen, &id), FRAZIL_OK);
        assert_int_equal(frazil_id_decompose(&sleeper.gen->layout, id, &fields, NULL), FRAZIL_OK);
        assert_in_range(fields.unix_ms, fz_now(&clock).unix_ms - 1, fz_now(&clock).unix_ms);
    }
    assert_true(clock.monotonic_ns(clock.ctx) > 0);
    frazil_close(sleeper.gen);
    frazil_manual_clock_close(manual);
}

TEST("If others have taken the ids of that time, it has the one for which it waited: it may have no time for another")
{
    frazil_manual_clock *manual;
    frazil_fields fields;
    uint64_t ids[16];

    for (unsigned by_adding = 0; by_adding <= 1; by_adding++) {
        open_sleeper(by_adding ? "layout=41/18/4 worker=fixed:1 start=zero max_wait=5ms"
                               : "layout=41/18/4 worker=fixed:1 start=random max_wait=5ms",
                     &manual);
        sleeper.others = 100 * 16;
        while (atomic_load(sleeper.gen->word) % 16 != 0 || atomic_load(sleeper.gen->word) == 0)
            assert_int_equal(frazil_next(sleeper.gen, ids), FRAZIL_OK);
        assert_int_equal(frazil_next(sleeper.gen, ids), FRAZIL_OK);
        assert_int_equal(frazil_id_decompose(&sleeper.gen->layout, ids[0], &fields, NULL), FRAZIL_OK);
        assert_int_equal(fields.unix_ms, RIG_NOW + 1);
        assert_int_equal(stat_of(sleeper.gen, FRAZIL_STAT_WAITS), 1);
        frazil_close(sleeper.gen);
        frazil_manual_clock_close(manual);
    }
}

/* ---- the end of the line ---------------------------------------------------------- */

/* Whether an id that is taken so many ticks before the last one leaves an anchor. */
static bool anchors_before_end(const char *spec, uint64_t ticks)
{
    frazil_layout_info info;
    struct rig rig = {.gen = NULL};

    rig_open(&rig, spec, RIG_NOW);
    frazil_layout_get_info(&rig.gen->layout, &info, sizeof info);
    frazil_manual_clock_set(rig.manual, info.last_unix_ms - (int64_t)(ticks * rig.gen->layout.tick_ms));
    rig.gen->fast_path = FZ_FAST_ADD_64;
    rig_next(&rig);
    bool anchored = atomic_load(&rig.gen->private_page->anchor.version) != 0;
    rig_close(&rig);
    return anchored;
}

TEST("Four million threads may add at once: no anchor where that many slots are not left beyond the tick")
{
    assert_false(anchors_before_end("layout=41/18/4 worker=fixed:1", 0));
    assert_false(anchors_before_end("layout=41/18/4 worker=fixed:1", 1));
    assert_false(anchors_before_end("layout=41/18/4 worker=fixed:1", 262144));
    assert_true(anchors_before_end("layout=41/18/4 worker=fixed:1", 262145));
    assert_false(anchors_before_end("layout=41/0/22 worker=fixed:0", 1));
    assert_true(anchors_before_end("layout=41/0/22 worker=fixed:0", 2));
}
