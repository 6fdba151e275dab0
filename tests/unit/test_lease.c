/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: each rule of the lease protocol on its own, with time as an
 * argument and a coordinator that does what it is told.
 */

#include "lib/fleet.h"
#include "lib/test.h"

AFTER_EACH
{
    fleet_stop();
}

#define NOW FLEET_NOW
#define HORIZON FLEET_HORIZON

/* ---- granting -------------------------------------------------------------- */

TEST("A grant is in the record, with its owner, by the time the caller learns of it")
{
    struct fz_worker_record record;

    fleet_start_with(4, 1);
    fleet_must_acquire(0, NOW);
    assert_int_equal(fleet_held(0)->until, NOW + HORIZON);
    assert_int_equal(fleet_record(fleet_held(0)->worker, &record), fleet_held(0)->version);
    assert_int_equal(record.until, NOW + HORIZON);
    assert_int_equal(record.floor, fleet_held(0)->floor);
    assert_string_equal(record.owner, "host-0:100");
    assert_int_equal(record.since_unix_ms, NOW);
    assert_int_equal(record.owners, 1);
    assert_false(record.released);
    fleet_must_extend(0, NOW + 20000);
    assert_int_equal(fleet_record(fleet_held(0)->worker, &record), fleet_held(0)->version);
    assert_int_equal(record.until, NOW + 20000 + HORIZON);
    assert_int_equal(record.extensions, 1);
    assert_int_equal(record.since_unix_ms, NOW);
}

TEST("An extension is contiguous and costs one round trip")
{
    fleet_start_with(4, 1);
    fleet_must_acquire(0, NOW);
    const struct fz_grant before = *fleet_held(0);
    uint64_t trips = fleet.owners[0].link.trips;
    for (uint64_t t = NOW + 1; t < NOW + 100; t++)
        fleet_must_extend(0, t);
    assert_grant(fleet_held(0), before.worker, before.floor, NOW + 99 + HORIZON);
    assert_int_equal(fleet.owners[0].link.trips, trips + 99);
    assert_int_equal(fleet_count(0).extensions, 99);
    assert_int_equal(fleet_count(0).moves, 0);
    assert_int_equal(fleet_count(0).round_trips, fleet.owners[0].link.trips);
}

TEST("The next owner starts one above `until` of the record that it replaced, also when its clock is far behind it")
{
    fleet_start_with(1, 1);
    fleet_write(
        0, &(struct fz_worker_record){.until = NOW + 500, .floor = 7, .owner = "x", .released = true, .owners = 5});
    fleet_must_acquire(0, NOW);
    assert_grant(fleet_held(0), 0, NOW + 501, NOW + HORIZON);
    struct fz_worker_record record;
    fleet_record(0, &record);
    assert_int_equal(record.owners, 6);
}

TEST("A worker whose last grant lies beyond the horizon cannot be had yet; the error says when")
{
    fleet_start_with(1, 1);
    fleet_write(0, &(struct fz_worker_record){.until = NOW + HORIZON, .owner = "x", .released = true, .owners = 1});
    assert_int_equal(fleet_acquire(0, NOW), FRAZIL_EAGAIN);
    fleet_assert_error(0, FRAZIL_EAGAIN, "grants nothing before 1970-01-01T00:17:40.001Z");
    assert_int_equal(fleet.owners[0].err.retry_ns, 1000000);
    fleet_must_acquire(0, NOW + 1);
    assert_grant(fleet_held(0), 0, NOW + HORIZON + 1, NOW + HORIZON + 1);
}

TEST("A record is abandoned when its grant has ended, and not one tick before")
{
    fleet_start_with(1, 2);
    fleet_must_acquire(0, NOW);
    assert_int_equal(fleet_acquire(1, NOW + HORIZON - 2), FRAZIL_EPOOL);
    assert_int_equal(fleet.owners[1].err.retry_ns, 3000000); /* when it is free, if nobody extends it */
    assert_int_equal(fleet_acquire(1, NOW + HORIZON), FRAZIL_EPOOL);
    fleet_must_acquire(1, NOW + HORIZON + 1);
    assert_grant(fleet_held(1), 0, NOW + HORIZON + 1, NOW + 2 * HORIZON + 1);
}

TEST("A coordinator's clock, where there is one, decides what is abandoned, not the taker's")
{
    fleet_start();
    fleet.server.has_clock = true;
    fleet.server.unix_ms = (int64_t)NOW;
    fleet.skew_ms = 1000;
    assert_int_equal(fleet_init(1, NOW, true, NULL), FRAZIL_OK);
    fleet_open(0);
    fleet_write(0, &(struct fz_worker_record){.until = NOW + 10, .owner = "x", .owners = 1});
    assert_int_equal(fleet_acquire(0, NOW + 11), FRAZIL_EPOOL);
    fleet.server.unix_ms = (int64_t)NOW + 11;
    fleet_must_acquire(0, NOW + 9);
    assert_int_equal(fleet_held(0)->floor, NOW + 11);
}

TEST("No grant reaches further than the horizon; when the clock was set back there is nothing to extend")
{
    fleet_start_with(4, 1);
    fleet_must_acquire(0, NOW);
    const struct fz_grant before = *fleet_held(0);
    uint64_t trips = fleet.owners[0].link.trips;
    assert_int_equal(fleet_extend(0, NOW - 10), FRAZIL_EAGAIN);
    fleet_assert_error(0, FRAZIL_EAGAIN, "already reaches to the horizon");
    assert_int_equal(fleet.owners[0].err.retry_ns, 11 * 1000000);
    assert_int_equal(fleet_extend(0, NOW), FRAZIL_EAGAIN);
    assert_int_equal(fleet.owners[0].link.trips, trips);
    assert_memory_equal(fleet_held(0), &before, sizeof before);
}

TEST("The layout's last tick can be granted, and nothing after it")
{
    const uint64_t last = (UINT64_C(1) << 41) - 1;

    fleet_start_with(1, 2);
    fleet_must_acquire(0, last - HORIZON - 5);
    fleet_must_extend(0, last - 5);
    assert_int_equal(fleet_held(0)->until, last);
    assert_int_equal(fleet_extend(0, last - 4), FRAZIL_EEXHAUSTED);
    fleet_release(0, last);
    assert_int_equal(fleet_acquire(1, last), FRAZIL_EEXHAUSTED);
    assert_int_equal(fleet_acquire(1, last + 1), FRAZIL_EEXHAUSTED);
}

TEST("After the end of the layout, an owner that lost its worker takes nothing any more, and no clock is "
     "compared")
{
    const uint64_t last = (UINT64_C(1) << 41) - 1;

    fleet_start_with(1, 2);
    fleet_must_acquire(0, last - HORIZON - 5);
    sim_server_wipe(&fleet.server);
    assert_int_equal(fleet_extend(0, last + 1), FRAZIL_EEXHAUSTED);
}

TEST("Release writes the tick really used: the next owner starts at once, right above it")
{
    struct fz_worker_record record;

    fleet_start_with(1, 2);
    fleet_must_acquire(0, NOW);
    fleet_release(0, NOW + 3);
    fleet_record(0, &record);
    assert_true(record.released);
    assert_int_equal(record.until, NOW + 3);
    fleet_must_acquire(1, NOW + 3);
    assert_grant(fleet_held(1), 0, NOW + 4, NOW + 3 + HORIZON);
}

TEST("A release of what was never used gives back no more than was granted, and one of what was lost changes nothing")
{
    struct fz_worker_record record;

    fleet_start_with(1, 2);
    fleet_write(0, &(struct fz_worker_record){.until = NOW, .owner = "x", .released = true, .owners = 1});
    fleet_must_acquire(0, NOW);
    fleet_release(0, 0);
    fleet_record(0, &record);
    assert_int_equal(record.until, NOW);

    fleet_must_acquire(0, NOW);
    fleet_must_acquire(1, NOW + HORIZON + 1);
    const uint64_t version = fleet_record(0, &record);
    fleet_release(0, NOW + 1);
    assert_int_equal(fleet_record(0, &record), version);
}

/* ---- losing ---------------------------------------------------------------- */

TEST("An owner that was stopped and overtaken keeps its own ticks, loses the worker, and goes on with another one")
{
    fleet_start_with(2, 2);
    fleet_must_acquire(0, NOW);
    const struct fz_grant old = *fleet_held(0);
    fleet_write(1 - old.worker, &(struct fz_worker_record){.until = 3 * NOW, .owner = "x", .owners = 1});
    fleet_must_acquire(1, NOW + HORIZON + 1);
    assert_int_equal(fleet_held(1)->worker, old.worker);
    fleet_write(1 - old.worker, &(struct fz_worker_record){.until = NOW, .owner = "x", .released = true, .owners = 1});
    fleet_must_extend(0, NOW + HORIZON + 2);
    assert_grant(fleet_held(0), 1 - old.worker, NOW + 1, NOW + 2 * HORIZON + 2);
    assert_int_equal(fleet_count(0).lost, 1);
    assert_int_equal(fleet_count(0).moves, 1);
    assert_int_equal(fleet_count(0).clones, 0);
}

TEST("With no other worker to be had it is FRAZIL_ELEASE, again and again, until there is one")
{
    fleet_start_with(1, 2);
    fleet_must_acquire(0, NOW);
    fleet_must_acquire(1, NOW + HORIZON + 1);
    const struct fz_grant old = *fleet_held(0);
    for (uint64_t i = 0; i < 3; i++) {
        assert_int_equal(fleet_extend(0, NOW + HORIZON + 2 + i), FRAZIL_ELEASE);
        fleet_assert_error(0, FRAZIL_ELEASE, "0 by host-1:101 until ");
        assert_memory_equal(fleet_held(0), &old, sizeof old);
    }
    assert_int_equal(fleet_count(0).lost, 1);
    fleet_release(1, NOW + HORIZON + 5);
    fleet_must_extend(0, NOW + HORIZON + 6);
    assert_grant(fleet_held(0), 0, NOW + HORIZON + 6, NOW + 2 * HORIZON + 6);
}

TEST("L10: a process that has a grant without its namespace reads the record first, and extends nothing before it has "
     "it")
{
    fleet_start_with_child(2);
    fleet.owners[1].held.space = (struct fz_grant_space){.horizon_ms = 0};
    fleet.owners[1].link.cut = true;
    assert_int_not_equal(fleet_extend(1, NOW + 1000), FRAZIL_OK);
    fleet.owners[1].link.cut = false;
    fleet_must_extend(1, NOW + 1001);
    assert_int_equal(fleet_held(1)->worker, fleet_held(0)->worker);
}

TEST("L3: a swap that fails is a loss also when the record bears the own token: a clone has it, too")
{
    /* It is counted. */
    fleet_start_with_child(2);
    fleet.owners[1].random = fleet.owners[0].random;
    fleet_must_extend(1, NOW + 100);
    fleet_must_extend(0, NOW + 100);
    assert_int_not_equal(fleet_held(0)->worker, fleet_held(1)->worker);
    assert_int_equal(fleet_count(0).lost, 1);
    assert_int_equal(fleet_count(0).clones, 1);
    assert_int_equal(fleet_count(1).lost, 0);
}

TEST("stay: after a loss no other worker is taken")
{
    struct fz_worker_record record;

    fleet_start_with(4, 0);
    struct fz_lease_options options = fleet_options(0);
    options.stay = true;
    fleet_open_with(0, &options);
    fleet_must_acquire(0, NOW);
    const uint32_t worker = fleet_held(0)->worker;
    fleet_record(worker, &record);
    fleet_write(worker, &record);
    assert_int_equal(fleet_extend(0, NOW + 1), FRAZIL_ELEASE);
    fleet_must_extend(0, NOW + HORIZON + 1);
    assert_grant(fleet_held(0), worker, NOW + HORIZON + 1, NOW + 2 * HORIZON + 1);
}

TEST("A process that shares the grant, and never acquired it, extends it by the version that came with it")
{
    struct fz_worker_record record;

    fleet_start_with(4, 2);
    fleet_must_acquire(0, NOW);
    fleet_must_extend(0, NOW + 1);
    const struct fz_grant before = *fleet_held(0);
    fleet.owners[1].held = before;
    fleet_must_extend(1, NOW + 100);
    assert_grant(fleet_held(1), before.worker, before.floor, NOW + 100 + HORIZON);
    fleet_record(before.worker, &record);
    assert_int_equal(record.extensions, 2);
    assert_int_equal(record.since_unix_ms, NOW);
    fleet.owners[0].held = fleet.owners[1].held;
    fleet_must_extend(0, NOW + 200);
    assert_grant(fleet_held(0), before.worker, before.floor, NOW + 200 + HORIZON);
    assert_int_equal(fleet_count(0).lost + fleet_count(1).lost, 0);
    fleet.owners[1].held = fleet.owners[0].held;
    fleet_release(1, NOW + 150);
    fleet_record(before.worker, &record);
    assert_true(record.released);
}

/* ---- no answer ------------------------------------------------------------- */

TEST("L4: a lost reply burns the grant")
{
    /* With another worker free, that one is taken, at once. */
    fleet_start_with(2, 1);
    fleet_must_acquire(0, NOW);
    const struct fz_grant old = *fleet_held(0);
    sim_link_script(&fleet.owners[0].link, SIM_LOST_REPLY);
    fleet_must_extend(0, NOW + 20000);
    assert_int_equal(fleet_held(0)->worker, 1 - old.worker);
    assert_true(fleet_held(0)->floor <= NOW + 20000);
    assert_int_equal(fleet_count(0).burned, 1);
    assert_int_equal(fleet_count(0).lost, 0);
}

TEST("L4: with no other, the present grant is used to its end, and the next one begins above what was burned")
{
    fleet_start_with(1, 1);
    fleet_must_acquire(0, NOW);
    const struct fz_grant old = *fleet_held(0);
    sim_link_script(&fleet.owners[0].link, SIM_LOST_REPLY);
    assert_int_equal(fleet_extend(0, NOW + 20000), FRAZIL_EAGAIN);
    fleet_assert_error(0, FRAZIL_EAGAIN, "is ours until ");
    const uint64_t burned_until = NOW + 20000 + HORIZON;
    const uint64_t retry_tick = NOW + 20000 + fleet.owners[0].err.retry_ns / 1000000;
    assert_in_range(retry_tick, old.until - 200, old.until - 1);
    uint64_t trips = fleet.owners[0].link.trips;
    assert_int_equal(fleet_extend(0, retry_tick - 1), FRAZIL_EAGAIN);
    assert_int_equal(fleet.owners[0].link.trips, trips);
    assert_memory_equal(fleet_held(0), &old, sizeof old);
    fleet_must_extend(0, retry_tick);
    assert_grant(fleet_held(0), 0, burned_until + 1, retry_tick + HORIZON);
}

TEST("L3 again: whoever is overtaken at what was burned has lost it, also to somebody with the same token")
{
    fleet_start_with(1, 1);
    fleet_must_acquire(0, NOW);
    sim_link_script(&fleet.owners[0].link, SIM_LOST_REPLY);
    assert_int_equal(fleet_extend(0, NOW + 20000), FRAZIL_EAGAIN);
    sim_link_script(&fleet.owners[0].link, SIM_NONE);
    sim_link_script(&fleet.owners[0].link, SIM_RIVAL);
    assert_int_equal(fleet_extend(0, NOW + HORIZON), FRAZIL_ELEASE);
    fleet_assert_error(0, FRAZIL_ELEASE, "0 by host-0:100 until ");
    assert_int_equal(fleet_count(0).lost, 1);
    assert_int_equal(fleet_count(0).clones, 1);
}

TEST("A request that never arrived burns nothing: what was read says so, and the swap is made again")
{
    fleet_start_with(1, 1);
    fleet_must_acquire(0, NOW);
    const struct fz_grant old = *fleet_held(0);
    sim_link_script(&fleet.owners[0].link, SIM_LOST_REQUEST);
    fleet_must_extend(0, NOW + 100);
    assert_grant(fleet_held(0), 0, old.floor, NOW + 100 + HORIZON);
}

TEST("A request that arrives late, after another one was made in its place, changes nothing")
{
    struct fz_worker_record record;

    fleet_start_with(1, 1);
    fleet_must_acquire(0, NOW);
    const uint64_t floor = fleet_held(0)->floor;
    sim_link_script(&fleet.owners[0].link, SIM_DELAYED);
    fleet_must_extend(0, NOW + 100);
    const struct fz_grant now_held = *fleet_held(0);
    sim_server_deliver(&fleet.server, 0);
    assert_int_equal(fleet_record(0, &record), now_held.version);
    fleet_must_extend(0, NOW + 200);
    assert_grant(fleet_held(0), 0, floor, NOW + 200 + HORIZON);
}

TEST("A request that arrives twice is carried out once; its second answer is a loss, and burns the first grant")
{
    fleet_start_with(1, 1);
    fleet_must_acquire(0, NOW);
    sim_link_script(&fleet.owners[0].link, SIM_DUPLICATE);
    assert_int_equal(fleet_extend(0, NOW + 100), FRAZIL_ELEASE);
    assert_int_equal(fleet_count(0).lost, 1);
    fleet_must_extend(0, NOW + 100 + HORIZON + 1);
    assert_int_equal(fleet_held(0)->floor, NOW + 100 + HORIZON + 1);
}

TEST("A taking without an answer is burned like an extension: somebody else may have been told of it")
{
    fleet_start_with(2, 1);
    sim_link_script(&fleet.owners[0].link, SIM_NONE);
    sim_link_script(&fleet.owners[0].link, SIM_LOST_REPLY);
    fleet_must_acquire(0, NOW);
    assert_int_equal(fleet_count(0).burned, 1);
    struct fz_worker_record record;
    assert_int_not_equal(fleet_record(1 - fleet_held(0)->worker, &record), 0);

    fleet_start_with(1, 1);
    sim_link_script(&fleet.owners[0].link, SIM_NONE);
    sim_link_script(&fleet.owners[0].link, SIM_LOST_REPLY);
    assert_int_equal(fleet_acquire(0, NOW), FRAZIL_EAGAIN);
    fleet_must_acquire(0, NOW + 1);
    assert_grant(fleet_held(0), 0, NOW + HORIZON + 1, NOW + HORIZON + 1);
}

TEST("Swaps without an answer take one further worker id, and no more, and the sentence says who was silent")
{
    enum { WORKERS = 8 };
    struct fz_worker_record record;
    unsigned records = 0;

    fleet_start_with(WORKERS, 1);
    for (int i = 0; i < WORKERS; i++) {
        sim_link_script(&fleet.owners[0].link, SIM_NONE);
        sim_link_script(&fleet.owners[0].link, SIM_LOST_REPLY);
    }
    assert_int_equal(fleet_acquire(0, NOW), FRAZIL_EUNREACHABLE);
    assert_non_null(strstr(fleet.owners[0].err.message, "did not answer"));
    for (uint32_t i = 0; i < WORKERS; i++)
        records += fleet_record(i, &record) != 0;
    assert_int_equal(records, 2);
}

static enum sim_fault lose_replies_to_swaps(void *ctx, bool is_swap)
{
    (void)ctx;
    return is_swap ? SIM_LOST_REPLY : SIM_NONE;
}

static enum sim_fault lose_swaps(void *ctx, bool is_swap)
{
    (void)ctx;
    return is_swap ? SIM_LOST_REQUEST : SIM_NONE;
}

TEST("However often an opening is tried again, its swaps without an answer take two worker ids; and then one of these")
{
    enum { WORKERS = 8, TRIES = 6 };
    struct fz_worker_record record;
    unsigned records = 0;

    fleet_start_with(WORKERS, 1);
    for (int i = 0; i < TRIES; i++) {
        fleet.owners[0].link.choose = lose_replies_to_swaps;
        assert_true(fleet_acquire(0, NOW + (uint64_t)i) != FRAZIL_OK);
        assert_null(strstr(fleet.owners[0].err.message, "other processes changed namespace"));
        if (i > 0) /* both are taken, and bear the own token: the sentence still says that nobody answered */
            fleet_assert_error(0, FRAZIL_EUNREACHABLE, "no third one is tried before");
    }
    fleet.owners[0].link.choose = NULL;
    for (uint32_t i = 0; i < WORKERS; i++)
        records += fleet_record(i, &record) != 0;
    assert_int_equal(records, 2);
    fleet_must_acquire(0, NOW + 2 * FLEET_HORIZON);
    assert_true(fleet_record(fleet_held(0)->worker, &record) != 0);
    for (uint32_t i = records = 0; i < WORKERS; i++)
        records += fleet_record(i, &record) != 0;
    assert_int_equal(records, 2);
}

TEST("Worker ids whose swaps were never carried out are tried again; one that somebody else has by now makes room for "
     "another")
{
    enum { WORKERS = 8 };
    fleet_start_with(WORKERS, WORKERS);
    fleet.owners[0].link.choose = lose_swaps;
    assert_int_equal(fleet_acquire(0, NOW), FRAZIL_EUNREACHABLE);
    assert_int_equal(fleet_acquire(0, NOW + 1), FRAZIL_EUNREACHABLE);
    fleet.owners[0].link.choose = NULL;
    for (size_t i = 1; i < WORKERS; i++) /* all but one, and with them one of the two at least */
        fleet_must_acquire(i, NOW + 2);
    fleet_must_acquire(0, NOW + 3);
}

TEST("An outage takes nothing away; it is FRAZIL_EAGAIN while the grant lasts and FRAZIL_ELEASE after it, and heals")
{
    fleet_start_with(1, 1);
    fleet_must_acquire(0, NOW);
    const struct fz_grant old = *fleet_held(0);
    fleet.owners[0].link.cut = true;
    assert_int_equal(fleet_extend(0, NOW + 20000), FRAZIL_EAGAIN);
    fleet_assert_error(0, FRAZIL_EAGAIN, "cannot be reached: connection refused");
    assert_int_equal(fleet_extend(0, old.until), FRAZIL_EAGAIN);
    assert_int_equal(fleet_extend(0, old.until + 1), FRAZIL_ELEASE);
    assert_memory_equal(fleet_held(0), &old, sizeof old);
    fleet.owners[0].link.cut = false;
    fleet_must_extend(0, old.until + 5);
    assert_grant(fleet_held(0), 0, old.floor, old.until + 5 + HORIZON);
}

TEST("A swap without an answer is in doubt for as long as the record cannot be read, and then it is settled")
{
    fleet_start_with(1, 1);
    fleet_must_acquire(0, NOW);
    const struct fz_grant old = *fleet_held(0);
    sim_link_script(&fleet.owners[0].link, SIM_LOST_REQUEST);
    sim_link_script(&fleet.owners[0].link, SIM_UNREACHABLE);
    assert_int_equal(fleet_extend(0, NOW + 100), FRAZIL_EAGAIN);
    fleet_must_extend(0, NOW + 200);
    assert_grant(fleet_held(0), 0, old.floor, NOW + 200 + HORIZON);

    sim_link_script(&fleet.owners[0].link, SIM_LOST_REPLY);
    sim_link_script(&fleet.owners[0].link, SIM_UNREACHABLE);
    assert_int_equal(fleet_extend(0, NOW + 300), FRAZIL_EAGAIN);
    assert_int_equal(fleet_extend(0, NOW + 400), FRAZIL_EAGAIN);
    fleet_must_extend(0, NOW + 200 + HORIZON);
    assert_int_equal(fleet_held(0)->floor, NOW + 300 + HORIZON + 1);
}

TEST("A coordinator that says no is quoted")
{
    fleet_start_with(1, 1);
    sim_link_script(&fleet.owners[0].link, SIM_REFUSED);
    assert_int_equal(fleet_acquire(0, NOW), FRAZIL_EREFUSED);
    fleet_assert_error(0, FRAZIL_EREFUSED, "refuses: no permission");
    sim_link_script(&fleet.owners[0].link, SIM_NONE);
    sim_link_script(&fleet.owners[0].link, SIM_REFUSED);
    assert_int_equal(fleet_acquire(0, NOW), FRAZIL_EREFUSED);
    sim_link_script(&fleet.owners[0].link, SIM_LOST_REPLY);
    assert_int_equal(fleet_acquire(0, NOW), FRAZIL_EUNREACHABLE);
    fleet_assert_error(0, FRAZIL_EUNREACHABLE, "did not answer: no answer within 1 s");
}

TEST("A child process drops its parent's connection")
{
    fleet_start_with(1, 1);
    fleet.owners[0].granter.after_fork(fleet.owners[0].granter.ctx);
    assert_int_equal(fleet.owners[0].link.forks, 1);
}

TEST("A grant given back under the own token, by a parent for all, is lost, not burned: nobody can have its ticks "
     "twice")
{
    fleet_start_with_child(2);
    fleet_release(0, NOW + 5);
    (void)fleet_extend(1, NOW + 20);
    assert_int_equal(fleet_count(1).lost, 1);
}
