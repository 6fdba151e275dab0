/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: whatever an operator says when creating a namespace again,
 * the holders that still run raise its quarantine to what they know (L10), and all
 * compute with the namespace's own numbers (L5, L6).
 */

#include "core/sentence.h"
#include "lease/lease_internal.h"
#include "lib/fleet.h"
#include "lib/test.h"

AFTER_EACH
{
    fleet_stop();
}

#define NOW FLEET_NOW
#define HORIZON FLEET_HORIZON

enum { SHORT_HORIZON = 100 };

/* ---- the numbers stand in the namespace -------------------------------------- */

TEST("A generator that says another max_skew than the namespace has is refused, with both; one that says none has that")
{
    fleet_start();
    fleet.skew_ms = 250;
    assert_int_equal(fleet_init(4, NOW, true, NULL), FRAZIL_OK);
    struct fz_lease_options options = fleet_options(0);
    options.max_skew_ms = 30000;
    fleet_open_with(0, &options);
    assert_int_equal(fleet_acquire(0, NOW), FRAZIL_ENAMESPACE);
    fleet_assert_error(0, FRAZIL_ENAMESPACE,
                       "namespace 'orders' was created with max_skew=250ms, but this spec has 30000ms");
    options = fleet_options(1);
    options.max_skew_ms = 250;
    fleet_open_with(1, &options);
    fleet_must_acquire(1, NOW);
    fleet_open(2);
    fleet_must_acquire(2, NOW);
}

TEST("A max_skew that no clock comparison can use is refused, and no namespace is made")
{
    frazil_error err;

    fleet_start();
    fleet.skew_ms = -1;
    assert_int_equal(fleet_init(4, NOW, true, &err), FRAZIL_ERANGE);
    assert_non_null(strstr(err.message, "max_skew=-1ms: must be from 0ms to"));
    fleet.skew_ms = FZ_SKEW_MS_MAX + 1;
    assert_int_equal(fleet_init(4, NOW, true, NULL), FRAZIL_ERANGE);
    fleet.skew_ms = FZ_SKEW_MS_MAX;
    assert_int_equal(fleet_init(4, NOW, true, NULL), FRAZIL_OK);
}

TEST("A holder whose own record was made unreadable cannot know who wrote it: it raises the quarantine to its own end")
{
    fleet_start_with(4, 1);
    fleet_must_acquire(0, NOW);
    const struct fz_grant held = *fleet_held(0);
    fleet_write_text(held.worker, "nonsense");
    assert_int_equal(fleet_extend(0, NOW + 10), FRAZIL_EAGAIN);
    fleet_assert_error(0, FRAZIL_EAGAIN, "since records may have been lost");
    assert_true(fleet_namespace().quarantine_until >= held.until);
}

TEST("A quarantine has the namespace's horizon and max_skew, whoever begins it, and how far its clock may be off")
{
    fleet_start();
    fleet.skew_ms = 30000;
    fleet.server.has_clock = fleet.clock_follows = true;
    assert_int_equal(fleet_init(4, NOW, true, NULL), FRAZIL_OK);
    memcpy(fleet.server.incarnation, "run-2", sizeof "run-2");
    fleet_open(0);
    assert_int_equal(fleet_acquire(0, NOW + 5), FRAZIL_EAGAIN);
    assert_int_equal(fleet_namespace().quarantine_until, NOW + 5 + HORIZON + 2 * 30000);
    assert_int_equal(fleet_namespace().losses, 1);
    fleet_assert_error(0, FRAZIL_EAGAIN, "since records may have been lost");
}

TEST("A clock that tells whole seconds: the caller's own decides within its bounds what has ended, and its latest time "
     "what may be in use")
{
    fleet_start();
    fleet.skew_ms = 250;
    fleet.server.has_clock = true;
    fleet.server.unix_ms = (int64_t)NOW;
    fleet.server.clock_width_ms = 1000;
    assert_int_equal(fleet_init(4, NOW + 999, false, NULL), FRAZIL_OK);
    assert_int_equal(fleet_namespace().quarantine_until, NOW + 1000 + HORIZON + 2 * 250 + 1000);
    sim_server_wipe(&fleet.server);
    assert_int_equal(fleet_init(1, NOW + 1251, true, NULL), FRAZIL_ECLOCK);
    assert_int_equal(fleet_init(1, NOW - 251, true, NULL), FRAZIL_ECLOCK);
    assert_int_equal(fleet_init(1, NOW + 1250, true, NULL), FRAZIL_OK);

    fleet_open(0);
    assert_int_equal(fleet_acquire(0, NOW + 1251), FRAZIL_ECLOCK);
    assert_int_equal(fleet_acquire(0, NOW - 251), FRAZIL_ECLOCK);
    fleet_must_acquire(0, NOW + 1250);
    fleet_open(1);
    uint64_t until = fleet_held(0)->until;
    fleet.server.unix_ms = (int64_t)until - 500;
    assert_int_equal(fleet_acquire(1, until), FRAZIL_EPOOL);
    fleet.server.unix_ms = (int64_t)until - 1000;
    assert_int_equal(fleet_acquire(1, until + 250), FRAZIL_EPOOL);
    fleet.server.unix_ms = (int64_t)until - 999;
    fleet_must_acquire(1, until + 1);
}

TEST("After a restart, 2 max_skew are left of a grant only if they are by the latest time that such a clock can show, "
     "and its width more, by which a newcomer may have been early")
{
    for (int late = 0; late < 2; late++) {
        fleet_start();
        fleet.skew_ms = 250;
        fleet.server.has_clock = true;
        fleet.server.unix_ms = (int64_t)NOW;
        fleet.server.clock_width_ms = 1000;
        assert_int_equal(fleet_init(1, NOW, true, NULL), FRAZIL_OK);
        fleet_open(0);
        fleet_must_acquire(0, NOW);
        uint64_t until = fleet_held(0)->until;
        memcpy(fleet.server.incarnation, "run-2", sizeof "run-2");
        fleet.server.unix_ms = (int64_t)until - 1000 - 2 * 250 - 1000 - 1 + late;
        frazil_err err = fleet_extend(0, until - 2501);
        assert_int_equal(err, late ? FRAZIL_EAGAIN : FRAZIL_OK);
    }
}

/* ---- an operator who says too little ------------------------------------------- */

/* All records are lost, and somebody creates the namespace again at that tick, with those numbers. */
static void create_again(uint64_t tick, uint64_t horizon_ms, int64_t skew_ms, bool never_used)
{
    sim_server_wipe(&fleet.server);
    fleet.horizon_ms = horizon_ms;
    fleet.skew_ms = skew_ms;
    assert_int_equal(fleet_init(1, tick, never_used, NULL), FRAZIL_OK);
}

/* A namespace of one worker id with a long horizon, held by owner 0; owner 1 has none. */
static void start_with_holder(bool has_clock)
{
    fleet_start();
    fleet.skew_ms = 20;
    fleet.server.has_clock = fleet.clock_follows = has_clock;
    assert_int_equal(fleet_init(1, NOW, true, NULL), FRAZIL_OK);
    fleet_open(0);
    fleet_open(1);
    fleet_must_acquire(0, NOW);
}

/* Fails unless owner 1 gets its first tick above all that owner 0 holds. */
static void assert_follows(uint64_t from)
{
    uint64_t until = fleet_held(0)->until;
    uint64_t t = from;

    while (fleet_acquire(1, t) != FRAZIL_OK) {
        assert_true(t < NOW + 4 * HORIZON);
        t++;
    }
    assert_true(fleet_held(1)->floor > until);
}

TEST("The horizon that is said is too short: the holder that looks first raises the quarantine, also above what others "
     "of its namespace may hold, with the larger numbers of both")
{
    start_with_holder(true);
    create_again(NOW + 10, SHORT_HORIZON, 50, false);
    assert_int_equal(fleet_namespace().quarantine_until, NOW + 10 + SHORT_HORIZON + 2 * 50);
    assert_int_equal(fleet_namespace().losses, 0);
    assert_int_equal(fleet_extend(0, NOW + 30), FRAZIL_EAGAIN);
    assert_int_equal(fleet_namespace().quarantine_until, NOW + 30 + HORIZON + 2 * 50);
    assert_int_equal(fleet_namespace().losses, 1);
    assert_int_equal(fleet_namespace().horizon_ms, SHORT_HORIZON);
    assert_follows(NOW + 31);
}

TEST("Where the horizon that is said is too short and the coordinator has no clock, the end of the holder's own grant "
     "is known at once")
{
    start_with_holder(false);
    create_again(NOW + 10, SHORT_HORIZON, 20, false);
    assert_int_equal(fleet_extend(0, NOW + 30), FRAZIL_EAGAIN);
    assert_int_equal(fleet_namespace().quarantine_until, NOW + 10 + HORIZON + 2 * 20);
    assert_follows(NOW + 31);
}

TEST("A holder that the new namespace refuses, because its own spec says the old numbers, raises it all the same")
{
    for (int what = 0; what < 3; what++) {
        fleet_start();
        fleet.skew_ms = 20;
        assert_int_equal(fleet_init(1, NOW, true, NULL), FRAZIL_OK);
        struct fz_lease_options any = fleet_options(1);
        any.workers = 0;
        fleet_open_with(1, &any);
        struct fz_lease_options options = fleet_options(0);
        options.workers = what == 2 ? 1 : 0;
        if (what == 0)
            options.horizon_ms = HORIZON;
        else if (what == 1)
            options.max_skew_ms = 20;
        fleet_open_with(0, &options);
        fleet_must_acquire(0, NOW);
        sim_server_wipe(&fleet.server);
        fleet.horizon_ms = SHORT_HORIZON;
        fleet.skew_ms = 10;
        assert_int_equal(fleet_init(2, NOW + 10, false, NULL), FRAZIL_OK);
        assert_int_equal(fleet_extend(0, NOW + 30), FRAZIL_EAGAIN);
        fleet_assert_error(0, FRAZIL_EAGAIN, "namespace 'orders' was created with");
        assert_true(fleet_namespace().quarantine_until >= fleet_held(0)->until);
        assert_follows(NOW + 31);
    }
}

TEST("A process that shares the grant, and has never seen the namespace, knows no other one: its record is missing")
{
    for (int refused = 0; refused < 2; refused++) {
        start_with_holder(true);
        struct fz_lease_options options = fleet_options(2);
        options.horizon_ms = refused ? HORIZON : 0;
        fleet_open_with(2, &options);
        fleet.owners[2].held = *fleet_held(0);
        create_again(NOW + 10, SHORT_HORIZON, 20, false);
        assert_int_equal(fleet_extend(2, NOW + 30), FRAZIL_EAGAIN);
        assert_true(fleet_namespace().quarantine_until >= fleet_held(0)->until);
        assert_follows(NOW + 31);
    }
}

TEST("The record of a held worker id alone is lost, and the namespace stands")
{
    start_with_holder(true);
    struct fz_namespace_record record = fleet_namespace();
    char text[FZ_RECORD_SIZE_MAX + 1];
    text[fz_namespace_record_format(&record, text)] = '\0';
    sim_server_wipe(&fleet.server);
    fleet_write_text(FZ_NAMESPACE, text);
    assert_int_equal(fleet_extend(0, NOW + 30), FRAZIL_EAGAIN);
    assert_true(fleet_namespace().quarantine_until >= fleet_held(0)->until);
    assert_follows(NOW + 31);
}

TEST("Everyday events raise nothing: a worker id that is abandoned and taken over, or freed by hand")
{
    for (int by_hand = 0; by_hand < 2; by_hand++) {
        start_with_holder(true);
        struct fz_register reg = sim_register(&fleet.observer.link);
        uint64_t tick = NOW + HORIZON + 1;
        if (by_hand)
            assert_int_equal(fz_lease_release_by_hand(&reg, "orders", 0, NULL), FRAZIL_OK);
        fleet_must_acquire(1, tick);
        assert_int_equal(fleet_extend(0, tick + 1), FRAZIL_ELEASE);
        assert_int_equal(fleet_namespace().quarantine_until, 0);
        assert_int_equal(fleet_count(0).quarantines, 0);
    }
}

TEST("Created by somebody whose clock is ahead of the holder's: the record is rewritten once, and not at every look "
     "until the holder's clock has come so far")
{
    start_with_holder(true);
    create_again(NOW + 500, HORIZON, 20, true);
    for (uint64_t i = 0; i < 4; i++) {
        assert_int_equal(fleet_extend(0, NOW + 30 + i), FRAZIL_EAGAIN);
        assert_int_equal(fleet_namespace().quarantine_until, NOW + 500 + HORIZON + 2 * 20);
        assert_int_equal(fleet_namespace().losses, 1);
    }
    assert_int_equal(fleet_count(0).quarantines, 1);
}

TEST("Nothing helps where a newcomer has a grant before any holder looks")
{
    /* The holder gives up what is left of its own as soon as it sees that, and says what to look for. */
    start_with_holder(true);
    create_again(NOW + 10, SHORT_HORIZON, 20, true);
    fleet_must_acquire(1, NOW + 11);
    const struct fz_grant old = *fleet_held(0);
    fleet_must_extend(0, NOW + 30);
    assert_grant(fleet_held(0), 0, old.until + 1, old.until);
    assert_int_equal(fleet_held(0)->version, old.version);
    assert_int_equal(fleet_extend(0, NOW + 31), FRAZIL_ELEASE);
    fleet_assert_error(0, FRAZIL_ELEASE, "look for duplicates with frazil verify");
    uint64_t t = NOW + 32;
    for (; fleet_extend(0, t) != FRAZIL_OK; t++)
        assert_true(t < NOW + 4 * HORIZON);
    assert_true(fleet_held(0)->floor > fleet_held(1)->until);
}

TEST("A namespace made anew after a loss waits for the least lost horizon, also if a shorter one is "
     "said; a namespace that was never used waits for nothing")
{
    fleet_start();
    fleet.lost_horizon_ms = FZ_LOST_HORIZON_MS_MIN;
    fleet.horizon_ms = 1000;
    fleet.skew_ms = 20;
    assert_int_equal(fleet_init(1, NOW, false, NULL), FRAZIL_OK);
    assert_int_equal(fleet_namespace().quarantine_until, NOW + FZ_LOST_HORIZON_MS_MIN + 2 * 20);
    assert_int_equal(fleet_namespace().horizon_ms, 1000);
    create_again(NOW, 1000, 20, true);
    assert_int_equal(fleet_namespace().quarantine_until, 0);
    create_again(NOW, 2 * FZ_LOST_HORIZON_MS_MIN, 20, false);
    assert_int_equal(fleet_namespace().quarantine_until, NOW + 2 * FZ_LOST_HORIZON_MS_MIN + 2 * 20);
}

TEST("A creation that was interrupted is finished by one that says other numbers: for what was lost the larger ones "
     "count")
{
    for (int longer = 0; longer < 2; longer++) {
        fleet_start();
        sim_link_script(&fleet.observer.link, SIM_NONE);
        sim_link_script(&fleet.observer.link, SIM_NONE);
        sim_link_script(&fleet.observer.link, SIM_LOST_REQUEST);
        fleet.horizon_ms = longer ? 1000 : 5000;
        fleet.skew_ms = longer ? 50 : 20;
        assert_int_equal(fleet_init(1, NOW, false, NULL), FRAZIL_EUNREACHABLE);
        fleet.horizon_ms = longer ? 5000 : 1000;
        fleet.skew_ms = longer ? 20 : 50;
        assert_int_equal(fleet_init(3, NOW, false, NULL), FRAZIL_OK);
        struct fz_namespace_record record = fleet_namespace();
        assert_int_equal(record.quarantine_until, NOW + 5000 + 2 * 50);
        assert_int_equal(record.horizon_ms, fleet.horizon_ms);
        assert_int_equal(record.max_skew_ms, fleet.skew_ms);
        assert_int_equal(record.workers, 3);
    }
}

/* ---- after a fork ------------------------------------------------------------------ */

TEST("A thread of the parent's may have been in the middle of writing down the namespace: a child reads it again")
{
    start_with_holder(true);
    uint64_t trips = fleet.owners[0].link.trips;
    fleet_must_extend(0, NOW + 1);
    assert_int_equal(fleet.owners[0].link.trips - trips, 1); /* the swap */
    fleet.owners[0].granter.after_fork(fleet.owners[0].granter.ctx);
    trips = fleet.owners[0].link.trips;
    fleet_must_extend(0, NOW + 2);
    assert_int_equal(fleet.owners[0].link.trips - trips, 3); /* the namespace, the own record, the swap */
}

TEST("The max_skew that is said is too small: the quarantine has that of the namespace that the holder knew")
{
    start_with_holder(true);
    create_again(NOW + 10, SHORT_HORIZON, 5, false);
    assert_int_equal(fleet_extend(0, NOW + 30), FRAZIL_EAGAIN);
    assert_int_equal(fleet_namespace().quarantine_until, NOW + 30 + HORIZON + 2 * 20);
    assert_follows(NOW + 31);
}

TEST("A record covers a grant if it ends with it or later; none does that is missing, unreadable, or ends before")
{
    const struct fz_grant held = {.floor = 50, .until = 100};
    struct fz_record raw = {.version = 7};

    for (uint64_t until = 98; until <= 102; until++) {
        const struct fz_worker_record record = {.until = until, .owner = "x", .owners = 1};
        raw.len = fz_worker_record_format(&record, raw.data);
        assert_int_equal(fz_uncovered(&held, &raw), until < 100);
    }
    raw.len = 3;
    assert_true(fz_uncovered(&held, &raw));
    raw.version = 0;
    assert_true(fz_uncovered(&held, &raw));
}
