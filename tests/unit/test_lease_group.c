/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: processes that share a lease are one owner with two worker ids at the most (L11).  A grant
 * that one of them was given and never told is burned, and still theirs to go on from; one that is told is that of all.
 * A copy of their host has their token, and none of them takes from the others what these go on with.
 */
#include "lib/fleet.h"
#include "lib/test.h"

AFTER_EACH
{
    fleet_stop();
}

#define NOW FLEET_NOW
#define HORIZON FLEET_HORIZON

static struct fz_lease_pair pair;
static struct fz_grant in_force; /* the grant in force */

static bool is_in_force(void *ctx, const struct fz_grant *grant)
{
    const struct fz_grant *grant_in_force = ctx;

    return grant_in_force->worker == grant->worker && grant_in_force->version == grant->version;
}

static const struct fz_lease_group group = {
    .token = {.high = 7, .low = 7}, .pair = &pair, .is_in_force = is_in_force, .ctx = &in_force};

/* A member that finds what is in the ring. */
static void join(size_t i)
{
    struct fz_lease_options options = fleet_options(i);

    options.group = &group;
    fleet_open_with(i, &options);
    fleet.owners[i].held = in_force;
}

static void start(uint64_t workers, size_t members)
{
    fleet_start_with_clock(workers, 0);
    pair = (struct fz_lease_pair){0};
    in_force = (struct fz_grant){.version = 0};
    for (size_t i = 0; i < members; i++)
        join(i);
}

/* Member i acquires or extends what is in the ring, and puts it there. */
static void must_acquire(size_t i, uint64_t now_tick)
{
    fleet_must_acquire(i, now_tick);
    in_force = *fleet_held(i);
}

static void must_extend(size_t i, uint64_t now_tick)
{
    fleet.owners[i].held = in_force;
    fleet_must_extend(i, now_tick);
    in_force = *fleet_held(i);
}

/* Member i extends what is in the ring, and is killed before it can put it there. */
static void extend_and_die(size_t i, uint64_t now_tick)
{
    fleet.owners[i].held = in_force;
    fleet_must_extend(i, now_tick);
}

static bool is_in_pair(const struct fz_lease_pair *of, uint32_t worker)
{
    const struct fz_pair_view now = fz_pair_look(of);

    return fz_pair_has(&now, worker);
}

static uint64_t until_of(uint32_t worker)
{
    struct fz_worker_record record;

    assert_true(fleet_record(worker, &record) > 0);
    return record.until;
}

/* Eight worker ids and two members; the group has both of its worker ids, the second one in the ring. */
static void start_with_two(uint32_t *ret_first, uint32_t *ret_second)
{
    start(8, 2);
    must_acquire(0, NOW);
    *ret_first = in_force.worker;
    extend_and_die(0, NOW + 1000);
    must_extend(1, NOW + 1001);
    *ret_second = in_force.worker;
}

/* Somebody else has taken this worker id, for long. */
static void give_away(uint32_t worker)
{
    fleet_write(worker, &(struct fz_worker_record){.until = NOW + 9 * HORIZON, .owner = "x", .owners = 2});
}

/* How many worker ids were ever taken. */
static unsigned count_taken(uint64_t workers)
{
    struct fz_worker_record record;
    unsigned taken = 0;

    for (uint32_t worker = 0; worker < workers; worker++)
        taken += fleet_record(worker, &record) > 0;
    return taken;
}

TEST("A worker id stands in the pair before the first swap for it, and a look finds it there as long as it is theirs")
{
    start(8, 1);
    must_acquire(0, NOW);
    assert_true(is_in_pair(&pair, in_force.worker));
}

TEST("A grant that a member was given and did not live to tell is burned: the next one moves to the second worker id, "
     "and back")
{
    uint64_t burned[8] = {0};
    uint64_t now = NOW;
    size_t member = 0;

    start(8, 8);
    must_acquire(member, now);
    while (member < 7) {
        uint32_t before = in_force.worker;
        now += HORIZON / 2;
        extend_and_die(member, now);
        burned[before] = until_of(before);
        must_extend(++member, now + 1);
        assert_int_not_equal(in_force.worker, before);
        assert_true(in_force.floor > burned[in_force.worker]);
        now += HORIZON;
        must_extend(member, now);
    }
    assert_int_equal(count_taken(8), 2);
}

TEST("While the ticks of both lie ahead, the grant in force is kept, and no third worker id is taken")
{
    start(8, 3);
    must_acquire(0, NOW);
    extend_and_die(0, NOW + 1000);
    must_extend(1, NOW + 1001);
    uint32_t second = in_force.worker;
    extend_and_die(1, NOW + 2000);
    uint64_t burned = until_of(in_force.worker);
    fleet.owners[2].held = in_force;
    assert_int_equal(fleet_extend(2, NOW + 2001), FRAZIL_EAGAIN);
    assert_int_equal(count_taken(8), 2);
    must_extend(2, in_force.until + 1);
    assert_int_not_equal(in_force.worker, second);
    assert_true(until_of(second) == burned);
    assert_int_equal(count_taken(8), 2);
}

TEST("A swap that meets that of another member is no loss of the worker id: both go on with the pair")
{
    start(8, 2);
    must_acquire(0, NOW);
    must_extend(1, NOW + 1000);
    uint32_t first = in_force.worker;
    extend_and_die(0, NOW + 2000);
    must_extend(1, NOW + 2001);
    assert_int_equal(fleet_count(1).lost, 0);
    assert_int_not_equal(in_force.worker, first);
}

TEST("Nor is it when the second worker id is taken")
{
    start(8, 2);
    must_acquire(0, NOW);
    uint32_t first = in_force.worker;
    extend_and_die(0, NOW + 1000);
    must_extend(1, NOW + 1001);
    extend_and_die(0, NOW + 2000);
    /* Its swap, the read, the look, and the swap of the other one, before which somebody is faster. */
    fleet.owners[1].link.script[3] = SIM_RIVAL;
    fleet.owners[1].link.n_script = 4;
    uint64_t burned = until_of(first);
    must_extend(1, until_of(in_force.worker) + 1);
    assert_int_equal(fleet.owners[1].link.struck[SIM_RIVAL], 1);
    assert_int_equal(fleet_count(1).lost, 0);
    assert_int_equal(fleet_count(1).clones, 0);
    assert_true(in_force.worker != first || in_force.floor > burned);
    assert_int_equal(count_taken(8), 2);
}

TEST("A worker id that was freed by hand, and that another member has taken again, is theirs")
{
    struct fz_worker_record record;

    start(1, 2);
    must_acquire(0, NOW);
    (void)fleet_record(0, &record);
    record.released = true;
    fleet_write(0, &record);
    fleet.owners[1].held = in_force;
    assert_int_equal(fleet_extend(1, NOW + 1000), FRAZIL_EAGAIN);
    extend_and_die(0, in_force.until + 1);
    must_extend(1, until_of(0) + 1);
}

TEST("Before another worker id is taken the ring is asked: a member that was faster keeps the one there is")
{
    start(8, 2);
    must_acquire(0, NOW);
    fleet.owners[1].held = in_force;
    must_extend(0, NOW + 1000);
    assert_int_equal(fleet_extend(1, NOW + 1001), FRAZIL_EAGAIN);
    fleet_assert_error(1, FRAZIL_EAGAIN, "another process has just extended the grant");
    assert_int_equal(count_taken(8), 1);
}

TEST(
    "A group that starts again after its grant has ended begins with the worker id that it had, though others are free")
{
    start(8, 1);
    must_acquire(0, NOW);
    uint32_t worker = in_force.worker;
    join(1);
    must_acquire(1, NOW + 2 * HORIZON);
    assert_int_equal(in_force.worker, worker);
    fleet_release(1, in_force.floor);
    join(2);
    must_acquire(2, NOW + 2 * HORIZON + 1000);
    assert_int_equal(in_force.worker, worker);
    assert_int_equal(count_taken(8), 1);
}

/* A third process takes another worker id in place of the first, which is somebody else's. */
static void must_replace(uint32_t first, uint32_t second, uint64_t now)
{
    join(2);
    must_extend(2, now);
    assert_int_not_equal(in_force.worker, first);
    assert_int_not_equal(in_force.worker, second);
    assert_true(is_in_pair(&pair, second));
    assert_false(is_in_pair(&pair, first));
}

TEST("A pair of which somebody else has one takes another in its place; what is theirs stays")
{
    uint32_t first, second;

    start_with_two(&first, &second);
    give_away(first);
    extend_and_die(1, NOW + 2000);
    must_replace(first, second, NOW + 2001);
}

TEST("The worker id in the ring that somebody else has had meanwhile is not taken again while there are two others")
{
    struct fz_worker_record others = {.until = NOW + 9 * HORIZON, .owner = "x", .owners = 2};

    start(8, 3);
    must_acquire(0, NOW);
    uint32_t first = in_force.worker;
    fleet_write(first, &others);
    for (size_t i = 0; i < 2; i++) {
        struct fz_grant before = in_force;
        extend_and_die(i, NOW + 1000 + i);
        in_force = before;
    }
    others.until = in_force.until;
    others.released = true;
    fleet_write(first, &others);
    must_extend(2, NOW + 1001 + HORIZON + 1);
    assert_int_not_equal(in_force.worker, first);
    assert_int_equal(count_taken(8), 3);
}

TEST("A pair that was taken away as a whole is left for others")
{
    uint32_t first, second;

    start_with_two(&first, &second);
    give_away(first);
    give_away(second);
    must_extend(1, NOW + 2000);
    assert_int_not_equal(in_force.worker, first);
    assert_int_not_equal(in_force.worker, second);
}

TEST("A worker id that the pool does not have any more is dropped from the pair")
{
    start(2, 1);
    assert_true(fz_pair_add(&pair, 700) && fz_pair_add(&pair, 900));
    must_acquire(0, NOW);
    assert_true(in_force.worker < 2);
}

TEST("The place of a member that was killed before its first swap is used: nobody looks for a third")
{
    start(8, 1);
    assert_true(fz_pair_add(&pair, 3) && fz_pair_add(&pair, 6));
    must_acquire(0, NOW);
    assert_true(in_force.worker == 3 || in_force.worker == 6);
}

TEST("In a pool that is looked at in samples, the pair is looked at first and, while it is full, alone")
{
    start(1024, 3);
    assert_true(fz_pair_add(&pair, 700) && fz_pair_add(&pair, 900));
    must_acquire(0, NOW);
    extend_and_die(0, NOW + 1000);
    must_extend(1, NOW + 1001);
    extend_and_die(1, NOW + 2000);
    uint64_t shown = fleet.server.shown;
    fleet.owners[2].held = in_force;
    assert_int_equal(fleet_extend(2, NOW + 2001), FRAZIL_EAGAIN);
    assert_true(fleet.server.shown - shown <= 3); /* those two, and the namespace */
    /* The read, the look, a swap without an answer, and the look again. */
    fleet.owners[2].link.script[1] = SIM_LOST_REPLY;
    fleet.owners[2].link.n_script = 2;
    shown = fleet.server.shown;
    must_extend(2, until_of(in_force.worker) + 1);
    assert_int_equal(fleet.owners[2].link.struck[SIM_LOST_REPLY], 1);
    assert_true(fleet.server.shown - shown <= 6);
}

TEST("The worker id in force is in the pair, also after a process was killed that was about to put it back")
{
    start(8, 2);
    must_acquire(0, NOW);
    uint32_t first = in_force.worker;
    pair.both = 0;
    extend_and_die(0, NOW + 1000);
    assert_true(is_in_pair(&pair, first));
    must_extend(1, NOW + 1001);
    assert_int_equal(count_taken(8), 2);
    extend_and_die(1, NOW + 2000);
    must_extend(1, until_of(first) + 1);
    assert_int_equal(count_taken(8), 2);
}

TEST("While others of the group have filled the pair, a member that looked before takes none")
{
    struct fz_lease_pair two = {0};

    assert_true(fz_pair_add(&two, 0) && fz_pair_add(&two, 5) && fz_pair_add(&two, 0));
    assert_false(fz_pair_add(&two, 1));
    const struct fz_pair_view seen = fz_pair_look(&two);
    fz_pair_drop(&two, &seen, 0);
    assert_true(fz_pair_add(&two, 1));
    fz_pair_drop(&two, &seen, 5); /* it is another pair by now */
    assert_true(is_in_pair(&two, 5) && is_in_pair(&two, 1));
}

TEST(
    "A look that is older than a swap of theirs drops nothing: the swap may have been for the worker id that it missed")
{
    struct fz_lease_pair one = {0};

    assert_true(fz_pair_add(&one, 5));
    const struct fz_pair_view seen = fz_pair_look(&one);
    fz_pair_ask(&one, NOW);
    assert_true(fz_pair_add(&one, 5));
    fz_pair_drop(&one, &seen, 5);
    assert_true(is_in_pair(&one, 5));
}

/* Member 0 extends what is in the ring while the host's clock is a year ahead; the coordinator's is right. */
static void extend_with_clock_ahead(uint64_t now_tick)
{
    enum { YEAR_MS = 31536000 };
    const uint64_t year = UINT64_C(1000) * YEAR_MS;

    fleet.clock_follows = false;
    fleet.server.unix_ms = (int64_t)now_tick;
    fleet.owners[0].held = in_force;
    assert_int_equal(fleet_extend(0, now_tick + year), FRAZIL_ELEASE);
    fleet.clock_follows = true;
}

TEST("A clock that was far ahead twice does not keep the group to two worker ids that nobody can have for a year")
{
    uint64_t now = NOW;

    start(8, 1);
    must_acquire(0, now);
    for (unsigned i = 0; i < 3; i++) {
        uint32_t before = in_force.worker;
        now += HORIZON / 3;
        extend_with_clock_ahead(now);
        assert_true(until_of(before) > now + 9 * HORIZON);
        must_extend(0, now + 1);
        assert_int_not_equal(in_force.worker, before);
        assert_true(in_force.floor <= now + 1);
    }
}

/* ---- copies of the host ------------------------------------------------------ */

/* A copy of the host has their page, as it was when it was copied, and their token. */
static struct fz_lease_pair copied_pair;
static struct fz_grant copied_in_force;
static const struct fz_lease_group copied_group = {
    .token = {.high = 7, .low = 7}, .pair = &copied_pair, .is_in_force = is_in_force, .ctx = &copied_in_force};

/* The host is copied, and process i of the copy goes on with its lease. */
static void copy_host(size_t i)
{
    struct fz_lease_options options = fleet_options(i);

    copied_pair = pair;
    copied_in_force = in_force;
    options.group = &copied_group;
    fleet_open_with(i, &options);
}

static void must_extend_copied(size_t i, uint64_t now_tick)
{
    fleet.owners[i].held = copied_in_force;
    fleet_must_extend(i, now_tick);
    copied_in_force = *fleet_held(i);
}

/* The copy has extended the grant first; the process that comes too late waits, though its own one ends. */
static void assert_leaves_it_to_the_copy(void)
{
    must_acquire(0, NOW);
    copy_host(1);
    must_extend_copied(1, NOW + 1000);
    assert_int_equal(fleet_extend(0, NOW + 1001), FRAZIL_EAGAIN);
    assert_int_equal(fleet_extend(0, in_force.until), FRAZIL_EAGAIN);
    must_extend_copied(1, in_force.until + 1);
    assert_int_equal(fleet_count(1).extensions, 2);
    assert_int_equal(fleet_extend(0, in_force.until + 2), FRAZIL_ELEASE);
    assert_int_equal(fleet_count(0).clones, 1);
}

TEST("Of a host and its copy, one does not take the worker id that the other goes on with")
{
    start(1, 1);
    assert_leaves_it_to_the_copy();
}

TEST("Nor does it where the coordinator tells no clock")
{
    start(1, 1);
    fleet.server.has_clock = fleet.clock_follows = false;
    assert_leaves_it_to_the_copy();
}

TEST("A record that reaches beyond all that was asked for here is a copy's, and another worker id is taken")
{
    start(8, 1);
    must_acquire(0, NOW);
    copy_host(1);
    uint32_t first = in_force.worker;
    must_extend_copied(1, NOW + 1000);
    must_extend(0, NOW + 2000);
    uint32_t second = in_force.worker;
    assert_int_not_equal(second, first);
    extend_and_die(0, NOW + 3000);
    must_extend_copied(1, NOW + 4000);
    must_replace(first, second, NOW + 4001);
    assert_int_equal(fleet_count(2).clones, 1);
}
