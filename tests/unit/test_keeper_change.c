/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: a grant may not continue the one before (another worker, a gap, a
 * floor ahead of the clock).  Then ids go on from its floor with its worker, above all
 * that were issued before.  Ids that were taken under the old grant stay inside it or are
 * not issued.
 */

#include "generator/generator_internal.h"
#include "generator/handover.h"
#include "generator/observation.h"
#include "generator/take.h"
#include "lib/fake_granter.h"
#include "lib/idset.h"
#include "lib/rig.h"
#include "lib/test.h"

enum { WORKER = 3, OTHER = 9, SMALLER = 1, HORIZON = 1000, IDS_PER_TICK = 4096 };

#define SPEC "layout=frazil worker=fixed:3 start=zero"

static struct rig rig;
static struct fake_granter *fake;

/* first_floor: how far the first grant's floor lies ahead of the clock. */
static void open_with(const char *spec, uint64_t ahead)
{
    rig = (struct rig){.random_state = 1};
    rig_open(&rig, spec, RIG_NOW);
    fake = fake_granter_new(WORKER, HORIZON);
    if (ahead != 0)
        fake->first_floor = rig_now_tick(&rig) + ahead;
    fake_granter_install(fake, rig.gen, FZ_KEEPER_INLINE);
}

static uint64_t take_granted(uint32_t worker)
{
    uint64_t id = rig_next(&rig);

    assert_int_equal(rig_parts(&rig, id).worker, worker);
    assert_true(fake_granter_covers(fake, worker, rig_tick_of(&rig, id)));
    return id;
}

/* Has the next call be granted that, as if by a coordinator that has lost the one before. */
static void change_grant(uint32_t worker, uint64_t floor, uint64_t until)
{
    uint64_t retry_ns = 0;

    rig_advance(&rig, HORIZON / 2);
    fake_granter_say(fake, worker, floor, until);
    assert_int_equal(frazil_keep(rig.gen, FRAZIL_WAIT_FOREVER, &retry_ns, NULL), FRAZIL_OK);
    assert_false(fake->next_is_given);
}

AFTER_EACH
{
    fake_granter_end(fake, &rig);
}

TEST("I1 over two workers: ids bear the new one, from its floor on, and none occurs twice")
{
    enum { IDS = 3 * IDS_PER_TICK };
    struct idset *ids = idsets_open(1, 2 * IDS);

    open_with(SPEC, 0);
    for (unsigned i = 0; i < IDS; i++)
        idset_add(ids, take_granted(WORKER));
    uint64_t floor = rig_now_tick(&rig) + HORIZON / 2 + 3;
    change_grant(OTHER, floor, floor + HORIZON);
    for (unsigned i = 0; i < IDS; i++)
        idset_add(ids, take_granted(OTHER));
    assert_int_equal(rig_tick_of(&rig, ids->ids[IDS]), floor);
    assert_int_equal(idsets_duplicates(ids, 1, NULL), 0);
    assert_int_equal(rig.gen->shared->keeper.replaced, 1);
    frazil_info info;
    frazil_get_info(rig.gen, &info, sizeof info);
    assert_int_equal(info.worker, OTHER);
    idsets_close(ids, 1);
}

/* Has the keeper change the worker in this very tick; the new one's floor lies in the past. */
static void change_worker(uint32_t worker)
{
    fake_granter_say(fake, worker, 5, rig_now_tick(&rig) + HORIZON);
    assert_int_equal(fz_keeper_extend(rig.gen, FZ_DEADLINE_NONE, NULL), FRAZIL_OK);
    assert_false(fake->next_is_given);
}

TEST("I3: ids of a smaller worker begin in the tick after the last one that was issued in, and so above it as numbers")
{
    static const struct {
        const char *spec;
        uint64_t waits;
    } rows[] = {
        {SPEC " on_backward=hold max_lead=1ms", 0},
        {SPEC " on_backward=wait max_lead=0", 1},
        {SPEC " on_full=error on_backward=wait max_lead=0", 1},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        open_with(rows[i].spec, 0);
        rig_advance(&rig, HORIZON / 2);
        take_granted(WORKER);
        uint64_t before = take_granted(WORKER);
        uint64_t changed = rig_now_tick(&rig);
        change_worker(SMALLER);
        uint64_t after = take_granted(SMALLER);
        assert_true(after > before);
        assert_int_equal(rig_tick_of(&rig, after), changed + 1);
        assert_int_equal(rig_now_tick(&rig), changed + rows[i].waits);
        fake_granter_end(fake, &rig);
    }
    open_with(SPEC, 0);
}

TEST("Ids taken without waiting, ahead of the clock, end where the grant ends")
{
    enum { MANY = 16 * IDS_PER_TICK };
    static uint64_t ids[MANY];
    uint64_t retry_ns;
    size_t taken;

    open_with(SPEC " on_full=lead max_lead=10ms", 0);
    rig_next(&rig);
    uint64_t until = rig_now_tick(&rig) + HORIZON / 2 + 3;
    change_grant(WORKER, 0, until);
    assert_int_equal(frazil_try_take(rig.gen, ids, MANY, &taken, &retry_ns, NULL), FRAZIL_OK);
    assert_int_equal(taken, (until - rig_now_tick(&rig) + 1) * IDS_PER_TICK);
    assert_int_equal(rig_tick_of(&rig, ids[taken - 1]), until);
}

TEST("No tick is passed over in which nothing was issued")
{
    open_with(SPEC, 0);
    rig_advance(&rig, HORIZON / 2 - 1);
    for (unsigned i = 0; i < IDS_PER_TICK; i++)
        take_granted(WORKER);
    rig_advance(&rig, 1);
    change_worker(SMALLER);
    assert_int_equal(rig_tick_of(&rig, take_granted(SMALLER)), rig_now_tick(&rig));
}

TEST("sno: its partition stands above the sequence as well")
{
    open_with("layout=sno worker=fixed:3", 0);
    rig_advance(&rig, HORIZON / 2);
    frazil_sno_fields before = rig_sno_parts(&rig);
    change_worker(SMALLER);
    frazil_sno_fields after = rig_sno_parts(&rig);
    assert_int_equal(after.partition, SMALLER);
    assert_int_equal(after.ticktock, before.ticktock);
    assert_true(after.unix_ms > before.unix_ms);
}

TEST("A floor is never beyond a grant's end by more than a tick, however far ahead the word is")
{
    uint64_t id;

    open_with(SPEC, 0);
    rig_advance(&rig, HORIZON / 2);
    take_granted(WORKER);
    uint64_t until = rig_now_tick(&rig) - 3;
    fake_granter_say(fake, SMALLER, 5, until);
    assert_int_equal(fz_keeper_extend(rig.gen, FZ_DEADLINE_NONE, NULL), FRAZIL_OK);
    assert_int_equal(fz_grant_ring_read(&rig.gen->shared->grants).floor, until + 1);
    fake->fails = FRAZIL_EAGAIN;
    assert_int_equal(frazil_next(rig.gen, &id), FRAZIL_ELEASE);
}

TEST("A grant that was cut short for another one never ends far below its floor, whoever finds it")
{
    open_with(SPEC, HORIZON / 2);
    struct fz_observation seen = fz_observe(rig.gen);
    struct fz_grant grant = {.worker = OTHER, .floor = 5, .until = seen.grant.until + 1, .version = 77};
    assert_true(fz_begin_above(rig.gen, &seen, &grant));
    /* Here the process is killed, and the next one takes what it finds for its own grant. */
    const struct fz_grant found = fz_grant_ring_read(&rig.gen->shared->grants);
    assert_int_equal(found.worker, WORKER);
    assert_int_equal(found.until + 1, found.floor);
}

static frazil_random real_random;
static uint64_t change_and_draw(void *ctx)
{
    if (fake->next_is_given)
        assert_int_equal(fz_keeper_extend(rig.gen, FZ_DEADLINE_NONE, NULL), FRAZIL_OK);
    return real_random.next(real_random.ctx == NULL ? ctx : real_random.ctx);
}

TEST("A slot that was planned under the old grant bears the new worker if it is taken under the new one")
{
    open_with("layout=frazil worker=fixed:3 start=random", 0);
    take_granted(WORKER);
    rig_advance(&rig, HORIZON / 2);
    real_random = rig.gen->random;
    rig.gen->random.next = change_and_draw;
    fake_granter_say(fake, SMALLER, 5, rig_now_tick(&rig) + HORIZON);
    uint64_t first = take_granted(SMALLER);
    assert_false(fake->next_is_given);
    assert_true(take_granted(SMALLER) > first);
}

TEST("A batch for which one has to wait is issued under the grant that is in force when its time has come, or taken "
     "anew")
{
    struct fz_refusal refusal;
    struct fz_taken taken;

    open_with(SPEC, 0);
    rig_advance(&rig, HORIZON / 2);
    take_granted(WORKER);
    /* Taken by adding, as the fast path does, and then the grant changes before it is redeemed. */
    uint64_t slot = atomic_fetch_add(rig.gen->word, 1);
    uint64_t floor = rig_now_tick(&rig) + 7;
    fake_granter_say(fake, OTHER, floor, floor + HORIZON);
    assert_int_equal(fz_keeper_extend(rig.gen, FZ_DEADLINE_NONE, NULL), FRAZIL_OK);
    assert_int_equal(fz_redeem(rig.gen, slot, &taken, &refusal), FRAZIL_OK);
    assert_int_equal(taken.worker, OTHER);
    assert_true(fz_slot_tick(&rig.gen->rules, taken.first) >= floor);
    /* One that lies in the new grant is issued with its worker. */
    slot = atomic_fetch_add(rig.gen->word, 1);
    assert_int_equal(fz_redeem(rig.gen, slot, &taken, &refusal), FRAZIL_OK);
    assert_int_equal(taken.first, slot);
    assert_int_equal(taken.worker, OTHER);
}

TEST("A ticket beyond the end of the grant is not issued, however it was come by")
{
    struct fz_refusal refusal;
    struct fz_taken taken = {.first = RIG_UNTOUCHED};

    open_with(SPEC, 0);
    fake->fails = FRAZIL_EAGAIN;
    uint64_t until = fake_granter_last(fake).until;
    uint64_t slot = fz_slot_first(&rig.gen->rules, 0, until + 1);
    atomic_store(rig.gen->word, slot + 1);
    rig_advance(&rig, until + 1 - rig_now_tick(&rig));
    assert_int_equal(fz_redeem(rig.gen, slot, &taken, &refusal), FRAZIL_ELEASE);
    assert_int_equal(taken.first, RIG_UNTOUCHED);
}

static frazil_clock real_port;
static void sleep_and_change(void *ctx, uint64_t monotonic_ns)
{
    uint64_t retry_ns;

    real_port.sleep_until(ctx, monotonic_ns);
    if (!fake->next_is_given)
        return;
    rig_advance(&rig, HORIZON / 2);
    assert_int_equal(frazil_keep(rig.gen, FRAZIL_WAIT_FOREVER, &retry_ns, NULL), FRAZIL_OK);
}

TEST("A caller that sleeps while the grant changes wakes up under the new one")
{
    open_with(SPEC, 0);
    for (unsigned i = 0; i < IDS_PER_TICK; i++)
        take_granted(WORKER);
    uint64_t floor = rig_now_tick(&rig) + HORIZON / 2 + 5;
    real_port = rig.gen->clock;
    rig.gen->clock.sleep_until = sleep_and_change;
    fake_granter_say(fake, OTHER, floor, floor + HORIZON);
    assert_int_equal(rig_tick_of(&rig, take_granted(OTHER)), floor);
    assert_int_equal(fake->log_count, 2);
}

/* ---- a floor ahead of the clock ----------------------------------------------- */

TEST("hold: ids lead over the floor at once when it is near enough; wait: they wait for it; error: they are refused")
{
    static const struct {
        const char *spec;
        uint64_t ahead;
        uint64_t waits; /* ticks; UINT64_MAX: FRAZIL_ECLOCK instead */
    } rows[] = {
        {SPEC " on_backward=hold max_lead=100ms", 100, 0},
        {SPEC " on_backward=hold max_lead=100ms", 101, 1},
        {SPEC " on_backward=hold max_lead=100ms max_wait=10ms", 110, 10},
        {SPEC " on_backward=hold max_lead=100ms max_wait=10ms", 111, UINT64_MAX},
        {SPEC " on_backward=wait", 500, 500},
        {SPEC " on_backward=wait max_wait=499ms", 500, UINT64_MAX},
        {SPEC " on_backward=error", 1, UINT64_MAX},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        open_with(rows[i].spec, rows[i].ahead);
        uint64_t opened = rig_now_tick(&rig);
        uint64_t id;
        if (rows[i].waits == UINT64_MAX) {
            assert_int_equal(frazil_next(rig.gen, &id), FRAZIL_ECLOCK);
            assert_int_equal(rig_now_tick(&rig), opened);
            rig_advance(&rig, rows[i].ahead);
        } else {
            assert_int_equal(rig_tick_of(&rig, take_granted(WORKER)), opened + rows[i].ahead);
            assert_int_equal(rig_now_tick(&rig), opened + rows[i].waits);
        }
        for (unsigned n = 0; n < 2 * IDS_PER_TICK; n++)
            take_granted(WORKER);
        fake_granter_end(fake, &rig);
    }
    open_with(SPEC, 0);
}

TEST("A later grant's floor ahead of the clock is the clock's matter, too: no tick is full")
{
    enum { AHEAD = 4000 };
    frazil_error err;
    uint64_t id;

    open_with(SPEC " on_full=lead on_backward=error", 0);
    rig_advance(&rig, HORIZON / 2);
    take_granted(WORKER);
    fake_granter_say(fake, WORKER, rig_now_tick(&rig) + AHEAD, rig_now_tick(&rig) + AHEAD + HORIZON);
    assert_int_equal(fz_keeper_extend(rig.gen, FZ_DEADLINE_NONE, NULL), FRAZIL_OK);
    assert_int_equal(frazil_take(rig.gen, &id, 1, FRAZIL_WAIT_DEFAULT, &err), FRAZIL_ECLOCK);
    assert_int_equal(err.behind_us, AHEAD * 1000);
    assert_int_equal(rig.gen->shared->full, 0);
    assert_non_null(strstr(err.message, "may have been issued already"));
    rig_advance(&rig, AHEAD);
    assert_int_equal(rig_tick_of(&rig, take_granted(WORKER)), rig_now_tick(&rig));
}

TEST("A call that never waits says when to come back")
{
    uint64_t retry_ns = 0;
    uint64_t id;

    open_with(SPEC " on_backward=wait", 50);
    assert_int_equal(available_of(rig.gen), 0);
    assert_int_equal(try_one(rig.gen, &id, &retry_ns), FRAZIL_EAGAIN);
    assert_int_equal(retry_ns, 50 * RIG_MS);
    frazil_manual_clock_advance(rig.manual, retry_ns);
    assert_int_equal(try_one(rig.gen, &id, &retry_ns), FRAZIL_OK);
    assert_int_equal(rig_tick_of(&rig, id), fake->first_floor);
}

TEST("sno: neither side lies below the floor, also not the one that a clock set back would toggle to")
{
    open_with("layout=sno worker=fixed:3", 20);
    uint64_t floor = fake->first_floor;
    int64_t floor_ms = rig.gen->layout.epoch_unix_ms + (int64_t)(floor * rig.gen->layout.tick_ms);
    frazil_sno_fields fields = rig_sno_parts(&rig);
    assert_int_equal(fields.unix_ms, floor_ms);
    assert_int_equal(rig_now_tick(&rig), floor);
    rig_advance(&rig, 10);
    fields = rig_sno_parts(&rig);
    bool side = fields.ticktock;
    /* Back to the floor: the other side is free there. */
    rig_step(&rig, -10 * (int64_t)rig.gen->layout.tick_ms);
    fields = rig_sno_parts(&rig);
    assert_int_not_equal(fields.ticktock, side);
    assert_int_equal(fields.unix_ms, floor_ms);
    fake_granter_end(fake, &rig);

    /* Back below the floor: one has to wait for it. */
    open_with("layout=sno worker=fixed:3", 20);
    (void)rig_sno_parts(&rig);
    rig_advance(&rig, 10);
    (void)rig_sno_parts(&rig);
    rig_step(&rig, -11 * (int64_t)rig.gen->layout.tick_ms);
    fields = rig_sno_parts(&rig);
    assert_true(fields.unix_ms >= floor_ms);
}

TEST("A snapshot's and a batch's partition is the grant's, too")
{
    frazil_sno ids[3];
    frazil_sno_fields fields;

    open_with("layout=sno worker=fixed:3", 0);
    assert_int_equal(rig_sno_parts(&rig).partition, WORKER);
    change_grant(OTHER, rig_now_tick(&rig) + HORIZON / 2 + 1, rig_now_tick(&rig) + 2 * HORIZON);
    assert_int_equal(frazil_sno_take(rig.gen, 7, ids, 3, FRAZIL_WAIT_DEFAULT, NULL), FRAZIL_OK);
    for (unsigned i = 0; i < 3; i++) {
        frazil_sno_decompose(&ids[i], &fields);
        assert_int_equal(fields.partition, OTHER);
    }
    struct fz_snapshot snapshot;
    assert_int_equal(ports_snapshot(rig.gen, &snapshot), FRAZIL_OK);
    assert_int_equal(snapshot.partition[1], OTHER);
}

TEST("An id for a time of the caller's bears the worker in force")
{
    uint64_t id;

    open_with(SPEC, 0);
    change_grant(OTHER, rig_now_tick(&rig) + HORIZON / 2 + 1, rig_now_tick(&rig) + 2 * HORIZON);
    assert_int_equal(frazil_next_at(rig.gen, RIG_NOW, &id, NULL), FRAZIL_OK);
    assert_int_equal(rig_parts(&rig, id).worker, OTHER);
}
