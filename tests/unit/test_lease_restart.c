/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: a coordinator that was restarted and has lost nothing of ours
 * is not noticed by anybody; wherever that is not certain, the quarantine holds (L9).
 */

#include "lib/fleet.h"
#include "lib/test.h"

AFTER_EACH
{
    fleet_stop();
}

#define NOW FLEET_NOW
#define HORIZON FLEET_HORIZON

enum { SKEW = 250, MARGIN = 2 * SKEW };

/* A namespace under a coordinator's clock that is set by hand, and n owners who allow SKEW. */
static void start(uint64_t workers, size_t n)
{
    fleet_start();
    fleet.server.has_clock = true;
    fleet.server.unix_ms = (int64_t)NOW;
    fleet.skew_ms = SKEW;
    assert_int_equal(fleet_init(workers, NOW, true, NULL), FRAZIL_OK);
    for (size_t i = 0; i < n; i++)
        fleet_open(i);
}

static void restart(void)
{
    static unsigned runs;

    snprintf(fleet.server.incarnation, sizeof fleet.server.incarnation, "run-%u", ++runs);
}

/* The coordinator's clock from now on. */
static void set_clock(uint64_t tick)
{
    fleet.server.unix_ms = (int64_t)tick * fleet.layout.tick_ms;
}

/* One call of owner i, with both clocks at the tick. */
static frazil_err extend_at(size_t i, uint64_t tick)
{
    set_clock(tick);
    return fleet_extend(i, tick);
}

static frazil_err acquire_at(size_t i, uint64_t tick)
{
    set_clock(tick);
    return fleet_acquire(i, tick);
}

static void assert_paused(size_t i)
{
    fleet_assert_error(i, FRAZIL_EAGAIN, "since records may have been lost");
    assert_int_equal(fleet_count(i).extensions, 0);
}

/* ---- nothing was lost ------------------------------------------------------- */

TEST("Restarted before each extension, for ten horizons: no gap, nothing burned, and each time the quarantine begins")
{
    uint64_t extensions = 0;

    start(1, 1);
    assert_int_equal(acquire_at(0, NOW), FRAZIL_OK);
    const struct fz_grant old = *fleet_held(0);
    for (uint64_t t = NOW + HORIZON / 3; t < NOW + 10 * HORIZON; t += HORIZON / 3) {
        restart();
        assert_int_equal(extend_at(0, t), FRAZIL_OK);
        assert_grant(fleet_held(0), old.worker, old.floor, t + HORIZON);
        assert_int_equal(fleet_namespace().quarantine_until, t + HORIZON + MARGIN);
        assert_string_equal(fleet_namespace().incarnation, fleet.server.incarnation);
        assert_int_equal(fleet_count(0).quarantines, ++extensions);
    }
    assert_int_equal(fleet_count(0).extensions, extensions);
    assert_int_equal(fleet_count(0).moves + fleet_count(0).burned, 0);
}

TEST("In the quarantine that others have begun an owner goes on just as well, at the price of one round trip each")
{
    start(4, 2);
    assert_int_equal(acquire_at(0, NOW), FRAZIL_OK);
    const struct fz_grant old = *fleet_held(0);
    restart();
    assert_int_equal(acquire_at(1, NOW + 100), FRAZIL_EAGAIN);
    assert_int_equal(extend_at(0, NOW + 200), FRAZIL_OK);
    assert_true(fleet_held(0)->until < fleet_namespace().quarantine_until);
    uint64_t trips = fleet.owners[0].link.trips;
    for (uint64_t t = NOW + 300; t < NOW + 2000; t += 100)
        assert_int_equal(extend_at(0, t), FRAZIL_OK);
    assert_int_equal(fleet.owners[0].link.trips, trips + 17);
    assert_grant(fleet_held(0), old.worker, old.floor, NOW + 1900 + HORIZON);
    assert_int_equal(fleet_count(0).quarantines, 0);
}

TEST("Processes that share the grant and remember different incarnations, or none, all go on")
{
    start(4, 3);
    assert_int_equal(acquire_at(0, NOW), FRAZIL_OK);
    const struct fz_grant old = *fleet_held(0);
    fleet.owners[2].held = old;
    restart();
    for (uint64_t i = 0; i < 9; i++) {
        size_t who = (2 + i) % 3; /* 2 has never asked before, 0 remembers the coordinator of before */
        const uint64_t t = NOW + 100 + i;
        assert_int_equal(extend_at(who, t), FRAZIL_OK);
        assert_grant(fleet_held(who), old.worker, old.floor, t + HORIZON);
        fleet.owners[(who + 1) % 3].held = *fleet_held(who);
    }
}

TEST("A swap whose answer was lost together with what it wrote has granted nothing to anybody")
{
    start(4, 1);
    assert_int_equal(acquire_at(0, NOW), FRAZIL_OK);
    const struct fz_grant old = *fleet_held(0);
    struct fz_memory_store *copy = sim_server_copy(&fleet.server);
    sim_link_script(&fleet.owners[0].link, SIM_LOST_REPLY);
    sim_link_script(&fleet.owners[0].link, SIM_UNREACHABLE);
    assert_int_equal(extend_at(0, NOW + 100), FRAZIL_EAGAIN);
    sim_server_roll_back(&fleet.server, copy);
    restart();
    assert_int_equal(extend_at(0, NOW + 200), FRAZIL_OK);
    assert_grant(fleet_held(0), old.worker, old.floor, NOW + 200 + HORIZON);
}

TEST("Released after that, the tick really used is written; the next owner waits for the quarantine, and begins above "
     "it")
{
    struct fz_worker_record record;

    start(1, 2);
    assert_int_equal(acquire_at(0, NOW), FRAZIL_OK);
    restart();
    assert_int_equal(extend_at(0, NOW + 100), FRAZIL_OK);
    fleet_release(0, NOW + 150);
    fleet_record(0, &record);
    assert_true(record.released);
    assert_int_equal(record.until, NOW + 150);
    const uint64_t end = NOW + 100 + HORIZON + MARGIN;
    assert_int_equal(acquire_at(1, end), FRAZIL_EAGAIN);
    assert_int_equal(acquire_at(1, end + 1), FRAZIL_OK);
    assert_grant(fleet_held(1), 0, end + 1, end + 1 + HORIZON);
}

TEST("Without a release the next owner begins above what was granted last, which reaches beyond the quarantine")
{
    start(1, 2);
    assert_int_equal(acquire_at(0, NOW), FRAZIL_OK);
    restart();
    assert_int_equal(extend_at(0, NOW + 100), FRAZIL_OK);
    assert_int_equal(extend_at(0, NOW + 20000), FRAZIL_OK);
    const uint64_t until = fleet_held(0)->until;
    assert_int_equal(acquire_at(1, until), FRAZIL_EPOOL);
    assert_int_equal(acquire_at(1, until + 1), FRAZIL_OK);
    assert_grant(fleet_held(1), 0, until + 1, until + 1 + HORIZON);
}

/* ---- something may have been lost -------------------------------------------- */

/* An extension when the grant has so much left by the coordinator's clock, and by the owner's. */
struct boundary {
    uint64_t left;
    uint64_t own_left;
    bool contiguous;
};

/* begun: somebody has begun the quarantine, and the process that extends knows of nothing before. */
static void check_boundary(const struct boundary *boundary, bool begun)
{
    size_t who = begun ? 1 : 0;

    start(2, 3);
    assert_int_equal(acquire_at(0, NOW), FRAZIL_OK);
    const struct fz_grant old = *fleet_held(0);
    restart();
    if (begun)
        assert_int_equal(acquire_at(2, NOW), FRAZIL_EAGAIN);
    fleet.owners[1].held = old;
    set_clock(old.until - boundary->left);
    frazil_err err = fleet_extend(who, old.until - boundary->own_left);
    assert_int_equal(err, boundary->contiguous ? FRAZIL_OK : FRAZIL_EAGAIN);
    if (boundary->contiguous)
        assert_grant(fleet_held(who), old.worker, old.floor, old.until - boundary->own_left + HORIZON);
    else
        assert_paused(who);
}

TEST("The grant has 2 max_skew left by the coordinator's clock and by the owner's, not a tick less")
{
    static const struct boundary cases[] = {
        {MARGIN + 1, MARGIN + 1, true}, {MARGIN, MARGIN, false},         {MARGIN, MARGIN + SKEW, false},
        {MARGIN + SKEW, MARGIN, false}, {MARGIN - 1, MARGIN + 1, false},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        check_boundary(&cases[i], false);
        check_boundary(&cases[i], true);
    }
}

TEST("A grant that reaches the end of the quarantine was made after it began: nothing that it rests on was lost")
{
    fleet_start_with_clock(1, 1);
    fleet_must_acquire(0, NOW);
    const struct fz_grant old = *fleet_held(0);
    restart();
    fleet_must_extend(0, NOW + 100);
    assert_int_equal(fleet_namespace().quarantine_until, fleet_held(0)->until);
    fleet_must_extend(0, NOW + 200 + HORIZON);
    assert_grant(fleet_held(0), 0, old.floor, NOW + 200 + 2 * HORIZON);
}

TEST("2 max_skew that are not whole ticks are rounded up")
{
    for (uint64_t left = 2; left <= 3; left++) {
        fleet_start();
        assert_int_equal(
            frazil_layout_parse("39/8/16 epoch=0 tick=10ms", strlen("39/8/16 epoch=0 tick=10ms"), &fleet.layout, NULL),
            FRAZIL_OK);
        fleet.server.has_clock = true;
        set_clock(NOW);
        fleet.skew_ms = 6;
        assert_int_equal(fleet_init(4, NOW, true, NULL), FRAZIL_OK);
        fleet_open(0);
        assert_int_equal(acquire_at(0, NOW), FRAZIL_OK);
        restart();
        frazil_err err = extend_at(0, fleet_held(0)->until - left);
        assert_int_equal(err, left == 3 ? FRAZIL_OK : FRAZIL_EAGAIN);
    }
}

TEST("A coordinator whose clock is wrong by more than max_skew is not believed: behind it is refused, ahead it pauses")
{
    start(1, 1);
    assert_int_equal(acquire_at(0, NOW), FRAZIL_OK);
    const struct fz_grant old = *fleet_held(0);
    restart();
    set_clock(NOW + 1000);
    assert_int_equal(fleet_extend(0, NOW + 1000 + SKEW + 1), FRAZIL_EAGAIN);
    fleet_assert_error(0, FRAZIL_EAGAIN, "the clocks differ too much");
    assert_memory_equal(fleet_held(0), &old, sizeof old);

    start(1, 1);
    assert_int_equal(acquire_at(0, NOW), FRAZIL_OK);
    restart();
    set_clock(NOW + HORIZON);
    assert_int_equal(fleet_extend(0, NOW + 1000), FRAZIL_EAGAIN);
    assert_int_equal(fleet_count(0).extensions, 0);
    assert_int_equal(fleet_count(0).burned, 1);
}

TEST("A coordinator that tells no clock proves nothing")
{
    start(1, 1);
    fleet.server.has_clock = false;
    fleet_must_acquire(0, NOW);
    restart();
    assert_int_equal(fleet_extend(0, NOW + 100), FRAZIL_EAGAIN);
    assert_int_equal(fleet_count(0).burned, 1);
    assert_int_equal(fleet_extend(0, NOW + 200), FRAZIL_EAGAIN);
    assert_paused(0);
}

TEST("The record is one of before the last extension, with plenty of time left: that extension was lost")
{
    start(2, 1);
    assert_int_equal(acquire_at(0, NOW), FRAZIL_OK);
    struct fz_memory_store *copy = sim_server_copy(&fleet.server);
    assert_int_equal(extend_at(0, NOW + 100), FRAZIL_OK);
    const struct fz_grant old = *fleet_held(0);
    sim_server_roll_back(&fleet.server, copy);
    restart();
    assert_int_equal(extend_at(0, NOW + 200), FRAZIL_EAGAIN);
    assert_memory_equal(fleet_held(0), &old, sizeof old);
    const uint64_t end = NOW + 200 + HORIZON + MARGIN;
    assert_int_equal(fleet_namespace().quarantine_until, end);
    assert_int_equal(extend_at(0, end), FRAZIL_ELEASE);
    assert_int_equal(extend_at(0, end + 1), FRAZIL_OK);
    assert_int_equal(fleet_held(0)->floor, end + 1);
}

TEST("Taken over by another, and nothing lost: the swap fails, and the other one goes on")
{
    start(1, 2);
    assert_int_equal(acquire_at(0, NOW), FRAZIL_OK);
    assert_int_equal(acquire_at(1, NOW + HORIZON + 1), FRAZIL_OK);
    const struct fz_grant rival = *fleet_held(1);
    restart();
    set_clock(NOW + HORIZON + 1 - MARGIN);
    assert_int_equal(fleet_extend(0, NOW + HORIZON + 1 - MARGIN), FRAZIL_ELEASE);
    assert_int_equal(fleet_count(0).lost, 1);
    assert_int_equal(extend_at(1, NOW + HORIZON + 2), FRAZIL_OK);
    assert_grant(fleet_held(1), 0, rival.floor, NOW + 2 * HORIZON + 2);
}

TEST("Taken over, and that lost, and the new coordinator's clock behind the old one's: the first owner does not go on")
{
    start(1, 2);
    assert_int_equal(acquire_at(0, NOW), FRAZIL_OK);
    struct fz_memory_store *copy = sim_server_copy(&fleet.server);
    assert_int_equal(acquire_at(1, NOW + HORIZON + 1), FRAZIL_OK);
    const struct fz_grant rival = *fleet_held(1);
    sim_server_roll_back(&fleet.server, copy);
    restart();
    assert_int_equal(extend_at(0, NOW + HORIZON + 1 - SKEW), FRAZIL_EAGAIN);
    assert_paused(0);
    assert_true(fleet_namespace().quarantine_until >= rival.until);
}

/* ---- ticks that are not due ------------------------------------------------ */

TEST("Freed by hand, a worker id is nobody's, but is taken only when the coordinator's clock has passed the grant: "
     "else its owner would go on if all that was lost")
{
    start(1, 2);
    struct fz_register reg = sim_register(&fleet.observer.link);
    assert_int_equal(acquire_at(0, NOW), FRAZIL_OK);
    const struct fz_grant old = *fleet_held(0);
    struct fz_memory_store *copy = sim_server_copy(&fleet.server);
    assert_int_equal(fz_lease_release_by_hand(&reg, "orders", 0, NULL), FRAZIL_OK);
    assert_int_equal(acquire_at(1, NOW + 100), FRAZIL_EAGAIN);
    fleet_assert_error(1, FRAZIL_EAGAIN, "worker ids are free, but their ticks lie ahead");
    assert_int_equal(fleet.owners[1].err.retry_ns, (HORIZON + 1 - 100) * UINT64_C(1000000));
    set_clock(old.until);
    assert_int_equal(fleet_acquire(1, old.until + SKEW), FRAZIL_EAGAIN); /* by the coordinator's clock */

    sim_server_roll_back(&fleet.server, copy);
    restart();
    assert_int_equal(extend_at(0, NOW + 200), FRAZIL_OK);
    assert_grant(fleet_held(0), 0, old.floor, NOW + 200 + HORIZON);

    start(1, 2);
    assert_int_equal(acquire_at(0, NOW), FRAZIL_OK);
    assert_int_equal(fz_lease_release_by_hand(&reg, "orders", 0, NULL), FRAZIL_OK);
    assert_int_equal(acquire_at(1, NOW + HORIZON + 1), FRAZIL_OK);
    assert_int_equal(fleet_held(1)->floor, NOW + HORIZON + 1);
}

TEST("Wiped, created again, and then a backup of before is restored: what was taken in between was taken after the "
     "grant")
{
    start(1, 2);
    assert_int_equal(acquire_at(0, NOW), FRAZIL_OK);
    const struct fz_grant old = *fleet_held(0);
    struct fz_memory_store *copy = sim_server_copy(&fleet.server);
    sim_server_wipe(&fleet.server);
    assert_int_equal(fleet_init(1, NOW, false, NULL), FRAZIL_OK);
    assert_int_equal(acquire_at(1, NOW + 1000), FRAZIL_EAGAIN);
    assert_int_equal(acquire_at(1, NOW + HORIZON), FRAZIL_EAGAIN);
    sim_server_roll_back(&fleet.server, copy);
    restart();
    assert_int_equal(extend_at(0, NOW + 2000), FRAZIL_OK);
    assert_int_equal(fleet_held(0)->floor, old.floor);
}

TEST("An owner that burned ticks of its own, and lost nothing, need not wait to follow them; but no other's that are "
     "not "
     "due are taken on the way, when what was due is snatched")
{
    struct fz_worker_record record = {.owner = "x", .released = true, .owners = 1};

    start(3, 1);
    assert_int_equal(acquire_at(0, NOW), FRAZIL_OK);
    const struct fz_grant old = *fleet_held(0);
    const uint64_t end = old.until - 101;
    const uint32_t due = (old.worker + 1) % 3;
    record.until = NOW + HORIZON + 5000;
    fleet_write(due, &record);
    fleet_write((old.worker + 2) % 3, &record);
    sim_link_script(&fleet.owners[0].link, SIM_LOST_REPLY);
    assert_int_equal(extend_at(0, NOW + 20000), FRAZIL_EAGAIN);

    record.until = NOW;
    fleet_write(due, &record);
    sim_link_script(&fleet.owners[0].link, SIM_NONE);
    sim_link_script(&fleet.owners[0].link, SIM_RIVAL);
    assert_int_equal(extend_at(0, end), FRAZIL_OK);
    assert_grant(fleet_held(0), old.worker, NOW + 20000 + HORIZON + 1, end + HORIZON);
}

TEST("But who may have lost something waits like everybody: the record may be an old one, and what was taken above it "
     "may come back")
{
    start(1, 3);
    assert_int_equal(acquire_at(0, NOW), FRAZIL_OK);
    struct fz_memory_store *replica = sim_server_copy(&fleet.server);
    const uint64_t taken = NOW + HORIZON + 1;
    assert_int_equal(acquire_at(1, taken), FRAZIL_OK);
    const struct fz_grant rival = *fleet_held(1);
    struct fz_memory_store *master = sim_server_copy(&fleet.server);

    /* Fail-over to the replica, which has not seen the taking; a newcomer begins the quarantine. */
    sim_server_roll_back(&fleet.server, replica);
    restart();
    assert_int_equal(acquire_at(2, taken), FRAZIL_EAGAIN);
    assert_int_equal(extend_at(0, taken + 2 * MARGIN), FRAZIL_ELEASE);
    assert_int_equal(extend_at(0, taken + 3 * MARGIN), FRAZIL_ELEASE);

    /* And back to the master as it was. */
    sim_server_roll_back(&fleet.server, master);
    restart();
    assert_int_equal(extend_at(1, taken + 4 * MARGIN), FRAZIL_OK);
    assert_int_equal(fleet_held(1)->floor, rival.floor);
}

/* ---- the namespace ------------------------------------------------------------- */

TEST("If the quarantine cannot begin at once, it does before the next extension")
{
    start(1, 1);
    assert_int_equal(acquire_at(0, NOW), FRAZIL_OK);
    const struct fz_grant old = *fleet_held(0);
    restart();
    sim_link_script(&fleet.owners[0].link, SIM_NONE);
    sim_link_script(&fleet.owners[0].link, SIM_UNREACHABLE);
    sim_link_script(&fleet.owners[0].link, SIM_UNREACHABLE);
    assert_int_equal(extend_at(0, NOW + 100), FRAZIL_OK);
    assert_int_equal(fleet_namespace().quarantine_until, 0);
    assert_int_equal(extend_at(0, NOW + 200), FRAZIL_EAGAIN);
    fleet_assert_error(0, FRAZIL_EAGAIN, "cannot be reached");
    assert_int_equal(extend_at(0, NOW + 300), FRAZIL_OK);
    assert_grant(fleet_held(0), 0, old.floor, NOW + 300 + HORIZON);
    assert_int_equal(fleet_namespace().quarantine_until, NOW + 300 + HORIZON + MARGIN);
}

TEST("A restarted coordinator that has the worker's record, and whose namespace cannot be read, is said to be so")
{
    start(1, 1);
    assert_int_equal(acquire_at(0, NOW), FRAZIL_OK);
    restart();
    fleet_write_text(FZ_NAMESPACE, "nonsense");
    assert_int_equal(extend_at(0, NOW + 100), FRAZIL_OK);
    assert_int_equal(extend_at(0, NOW + 200), FRAZIL_EAGAIN);
    fleet_assert_error(0, FRAZIL_EAGAIN, "namespace 'orders': the record cannot be read");
}
