/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: an owner and a coordinator whose clocks differ by more than
 * was agreed have nothing to do with each other.
 */

#include "lib/fleet.h"
#include "lib/test.h"

AFTER_EACH
{
    fleet_stop();
}

#define NOW FLEET_NOW
#define HORIZON FLEET_HORIZON

static void start_with_clock(int64_t max_skew_ms)
{
    fleet_start();
    fleet.server.has_clock = true;
    fleet.server.unix_ms = (int64_t)NOW;
    fleet.skew_ms = max_skew_ms;
    assert_int_equal(fleet_init(4, NOW, true, NULL), FRAZIL_OK);
    fleet_open(0);
}

TEST("Clocks may differ by max_skew, either way, and not by a millisecond more; the error prints both")
{
    start_with_clock(250);
    fleet_must_acquire(0, NOW + 250);
    fleet_must_acquire(0, NOW - 250);
    assert_int_equal(fleet_count(0).skew_ms, 250);
    assert_int_equal(fleet_acquire(0, NOW + 251), FRAZIL_ECLOCK);
    fleet_assert_error(0, FRAZIL_ECLOCK,
                       "it is 1970-01-01T00:16:40.251Z here, and 1970-01-01T00:16:40.000Z at the coordinator of "
                       "namespace 'orders'; that is at least 251 ms, and max_skew is 250 ms");
    assert_int_equal(fleet_acquire(0, NOW - 251), FRAZIL_ECLOCK);
    assert_int_equal(fleet.owners[0].err.behind_us, 251000);
}

/* A monotonic clock on which every reading is 100 ms after the one before, as if each answer took so long. */
static uint64_t slow_ns(void *ctx)
{
    uint64_t *ns = ctx;

    return *ns += 100000000;
}

TEST("An answer that took its time makes the coordinator seem to be ahead, and only ahead: that much is forgiven")
{
    uint64_t ns = 0;
    const frazil_clock slow = {.size = sizeof(frazil_clock), .ctx = &ns, .monotonic_ns = slow_ns};

    start_with_clock(250);
    struct fz_lease_options options = fleet_options(1);
    options.clock = &slow;
    fleet_open_with(1, &options);
    fleet_must_acquire(1, NOW - 350);
    assert_int_equal(fleet_acquire(1, NOW - 351), FRAZIL_ECLOCK);
    fleet_assert_error(1, FRAZIL_ECLOCK, "that is at least 251 ms");
    assert_int_equal(fleet.owners[1].err.behind_us, 251000);
    assert_int_equal(fleet_acquire(1, NOW + 251), FRAZIL_ECLOCK);
}

TEST("An owner whose clock has run ahead is granted nothing more: it would lie beyond what a quarantine assumes")
{
    start_with_clock(250);
    fleet_must_acquire(0, NOW);
    const struct fz_grant old = *fleet_held(0);
    assert_int_equal(fleet_extend(0, NOW + 251), FRAZIL_EAGAIN);
    fleet_assert_error(0, FRAZIL_EAGAIN, "the clocks differ too much");
    assert_memory_equal(fleet_held(0), &old, sizeof old);

    /* Behind is only slow, or an answer that took its time. */
    start_with_clock(250);
    fleet_must_acquire(0, NOW);
    fleet.server.unix_ms = (int64_t)NOW + 5000;
    fleet_must_extend(0, NOW + 100);
    assert_int_equal(fleet_count(0).skew_ms, 4900);
}

static uint64_t told_ns(void *ctx)
{
    return *(const uint64_t *)ctx;
}

/* An owner that holds a grant of NOW, and has a clock that is never set. */
static void start_with_told_clock(const frazil_clock *clock)
{
    start_with_clock(250);
    struct fz_lease_options options = fleet_options(1);
    options.clock = clock;
    fleet_open_with(1, &options);
    fleet_must_acquire(1, NOW);
}

/* Its clock jumps a year ahead for three calls, and nothing is asked for by it; then the grant goes on. */
static void assert_jump_burns_nothing(void)
{
    const uint64_t year = UINT64_C(31536000000);
    const struct fz_grant before = *fleet_held(1);
    struct fz_worker_record record;

    for (unsigned i = 0; i < 3; i++) {
        assert_int_equal(fleet_extend(1, NOW + year + i), FRAZIL_ELEASE);
        fleet_assert_error(1, FRAZIL_ELEASE, "the clocks differ too much");
    }
    (void)fleet_record(before.worker, &record);
    assert_int_equal(record.until, before.until);
    assert_int_equal(fleet_count(1).burned, 0);
    fleet_must_extend(1, NOW + 200);
    assert_grant(fleet_held(1), before.worker, before.floor, NOW + 200 + FLEET_HORIZON);
}

TEST("A clock that has jumped is compared before a swap asks for all ticks up to where it has jumped")
{
    uint64_t ns = 0;
    const frazil_clock told = {.size = sizeof(frazil_clock), .ctx = &ns, .monotonic_ns = told_ns};

    start_with_told_clock(&told);
    assert_jump_burns_nothing();
}

TEST("So is that of a process that has found its grant on the page of others")
{
    uint64_t ns = 0;
    const frazil_clock told = {.size = sizeof(frazil_clock), .ctx = &ns, .monotonic_ns = told_ns};

    start_with_told_clock(&told);
    const struct fz_grant held = *fleet_held(1);
    struct fz_lease_options options = fleet_options(1);
    options.clock = &told;
    fleet_open_with(2, &options);
    fleet.owners[2].held = held;
    for (unsigned i = 0; i < 2; i++)
        assert_int_equal(fleet_extend(2, NOW + UINT64_C(31536000000)), FRAZIL_ELEASE);
    assert_int_equal(fleet_count(2).burned, 0);
    fleet_must_extend(2, NOW + 200);
}

TEST("A clock that goes as the one that is never set costs no request, however long it has gone")
{
    uint64_t ns = 0;
    const frazil_clock told = {.size = sizeof(frazil_clock), .ctx = &ns, .monotonic_ns = told_ns};

    start_with_told_clock(&told);
    uint64_t trips = fleet_count(1).round_trips;
    for (uint64_t ms = 1000; ms < 300000; ms += 30000) {
        ns = ms * 1000000;
        fleet.server.unix_ms = (int64_t)(NOW + ms);
        fleet_must_extend(1, NOW + ms + 250);
        assert_int_equal(fleet_count(1).round_trips, ++trips);
    }
}

TEST("A holder whose clock has jumped still guards its grant in a namespace that was made again (L10)")
{
    uint64_t ns = 0;
    const frazil_clock told = {.size = sizeof(frazil_clock), .ctx = &ns, .monotonic_ns = told_ns};

    start_with_told_clock(&told);
    const struct fz_grant held = *fleet_held(1);
    sim_server_wipe(&fleet.server);
    assert_int_equal(fleet_init(1024, NOW, true, NULL), FRAZIL_OK);
    assert_int_equal(fleet_extend(1, NOW + UINT64_C(31536000000)), FRAZIL_ELEASE);
    assert_true(fleet_namespace().quarantine_until >= held.until);
}

static void set_back_second(void *ctx)
{
    (void)ctx;

    if (fleet.owners[0].link.trips == 1)
        fleet.server.unix_ms -= 1000;
}

TEST("The clock that counts is that of the swap's answer: what was granted under another one is burned")
{
    start_with_clock(250);
    fleet.owners[0].link.before = set_back_second;
    assert_int_equal(fleet_acquire(0, NOW), FRAZIL_ECLOCK);
    assert_int_equal(fleet_count(0).burned, 1);
}

TEST("The skew allowed makes a quarantine longer, twice: for the owners, and for the old and the new coordinator")
{
    start_with_clock(250);
    memcpy(fleet.server.incarnation, "run-2", sizeof "run-2");
    fleet.server.unix_ms = (int64_t)NOW + 100;
    assert_int_equal(fleet_acquire(0, NOW), FRAZIL_EAGAIN);
    assert_int_equal(fleet_namespace().quarantine_until, NOW + 100 + HORIZON + 500);
    memcpy(fleet.server.incarnation, "run-3", sizeof "run-3");
    assert_int_equal(fleet_acquire(0, NOW + 200), FRAZIL_EAGAIN);
    assert_int_equal(fleet_namespace().quarantine_until, NOW + 200 + HORIZON + 500);
}

TEST("Within a tick the clocks are equal: nobody can tell")
{
    fleet_start();
    assert_int_equal(
        frazil_layout_parse("41/10/12 epoch=0 tick=1s", strlen("41/10/12 epoch=0 tick=1s"), &fleet.layout, NULL),
        FRAZIL_OK);
    fleet.server.has_clock = true;
    assert_int_equal(fleet_init(4, 0, true, NULL), FRAZIL_OK);
    fleet_open(0);
    fleet.server.unix_ms = 999999;
    assert_int_equal(fleet_acquire(0, 1000), FRAZIL_ECLOCK);
    fleet.server.unix_ms = 1000000;
    fleet_must_acquire(0, 1000);
    fleet.server.unix_ms = 1000999;
    fleet_must_acquire(0, 1000);
    fleet.server.unix_ms = 1001000;
    assert_int_equal(fleet_acquire(0, 1000), FRAZIL_ECLOCK);
    fleet.server.unix_ms = -1;
    assert_int_equal(fleet_acquire(0, 1000), FRAZIL_ECLOCK);
}

TEST("A namespace is not created under a wrong clock either")
{
    frazil_error err;

    fleet_start();
    fleet.server.has_clock = true;
    fleet.server.unix_ms = (int64_t)NOW;
    assert_int_equal(fleet_init(4, NOW + 1, true, &err), FRAZIL_ECLOCK);
    assert_int_equal(fleet_init(4, NOW, true, &err), FRAZIL_OK);
}

TEST("A coordinator's clock outside the layout's life counts as its first or last tick, if it is near enough at all")
{
    start_with_clock(250);
    fleet.server.unix_ms = -100;
    assert_int_equal(fleet_acquire(0, 10), FRAZIL_EAGAIN);
    fleet.server.unix_ms = 5;
    fleet_must_acquire(0, 10);
    const uint64_t last = (UINT64_C(1) << 41) - 1;
    fleet.server.unix_ms = (int64_t)last + 100;
    fleet_must_acquire(0, last - 10);
    assert_int_equal(fleet_held(0)->until, last);
}
