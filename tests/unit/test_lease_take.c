/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: of all worker ids in a namespace the right one is taken, in
 * few round trips, and when there is none, the error says who holds them.
 */

#include "lease/lease_internal.h"
#include "lib/fleet.h"
#include "lib/test.h"

AFTER_EACH
{
    fleet_stop();
}

#define NOW FLEET_NOW
#define HORIZON FLEET_HORIZON

TEST("Worker ids never taken come first, from a random start on; then those that are free for the longest time")
{
    uint32_t seen = 0;

    fleet_start_with(8, 1);
    fleet_write(5, &(struct fz_worker_record){.until = 40, .owner = "x", .owners = 1});
    for (uint64_t i = 0; i < 7; i++) {
        fleet_must_acquire(0, NOW);
        seen |= 1U << fleet_held(0)->worker;
    }
    assert_int_equal(seen, 0xff & ~(1U << 5));
    fleet_must_acquire(0, NOW);
    assert_int_equal(fleet_held(0)->worker, 5);
    fleet_write(2, &(struct fz_worker_record){.until = 60, .owner = "x", .owners = 1});
    fleet_write(3, &(struct fz_worker_record){.until = 50, .owner = "x", .released = true, .owners = 1});
    fleet_write(6, &(struct fz_worker_record){.until = 45, .owner = "x", .owners = 1});
    const uint32_t wanted[] = {6, 3, 2};
    for (size_t i = 0; i < 3; i++) {
        fleet_must_acquire(0, NOW);
        assert_int_equal(fleet_held(0)->worker, wanted[i]);
    }
}

TEST("Owners who start at the same time begin at different places")
{
    uint32_t first[FLEET_OWNERS_MAX];
    size_t different = 0;

    for (size_t i = 0; i < FLEET_OWNERS_MAX; i++) {
        fleet_start_with(1024, FLEET_OWNERS_MAX);
        fleet_must_acquire(i, NOW);
        first[i] = fleet_held(i)->worker;
    }
    for (size_t i = 1; i < FLEET_OWNERS_MAX; i++)
        different += first[i] != first[0];
    assert_true(different >= FLEET_OWNERS_MAX / 2);
}

/* Somebody who takes what is free between the look and the swap. */
struct snatcher {
    uint64_t snatched;
};

static enum sim_fault snatch(void *ctx, bool is_swap)
{
    struct snatcher *snatcher = ctx;

    if (!is_swap || snatcher->snatched == 3)
        return SIM_NONE;
    snatcher->snatched++;
    return SIM_RIVAL;
}

/* Somebody who wipes the coordinator, and creates the namespace again, between the look and the swap. */
struct wiper {
    bool done;
};

static enum sim_fault wipe_before_swap(void *ctx, bool is_swap)
{
    struct wiper *wiper = ctx;

    if (is_swap && !wiper->done) {
        wiper->done = true;
        sim_server_wipe(&fleet.server);
    }
    return SIM_NONE;
}

TEST("In a namespace of 1024 with four free: at most five round trips, and one for each that is snatched away")
{
    fleet_start_with(1024, 1);
    for (uint32_t worker = 0; worker < 1024; worker++) {
        bool is_free = worker % 300 == 7;
        fleet_write(worker, &(struct fz_worker_record){.until = is_free ? NOW - 1000 - worker : NOW + 1 + worker,
                                                       .owner = "somebody",
                                                       .owners = 1});
    }
    struct snatcher snatcher = {0};
    fleet.owners[0].link.choose = snatch;
    fleet.owners[0].link.ctx = &snatcher;
    fleet_must_acquire(0, NOW);
    assert_int_equal(fleet_held(0)->worker % 300, 7);
    assert_int_equal(snatcher.snatched, 3);
    assert_in_range(fleet.owners[0].link.trips, 2, 5 + 3);
}

/* Fills a pool: the last `held` worker ids are held, those before them were abandoned. */
static void fill(uint32_t workers, uint32_t held)
{
    for (uint32_t worker = 0; worker < workers; worker++) {
        bool is_free = worker < workers - held;
        fleet_write(worker, &(struct fz_worker_record){
                                .until = is_free ? NOW - 1000 : NOW + 10 * HORIZON, .owner = "somebody", .owners = 1});
    }
}

TEST("Of a large pool a sample is read: sixteen records and the namespace, also where all worker ids have a record")
{
    fleet_start_with(1024, 1);
    fill(1024, 0);
    uint64_t before = fleet.server.shown;
    fleet_must_acquire(0, NOW);
    assert_int_equal(fleet.server.shown - before, 16 + 1);
    assert_int_equal(fleet.owners[0].link.trips, 2);
}

/* The records that 40 openings read, where so many of 16,384 worker ids are held. */
static uint64_t records_read(uint32_t held)
{
    const char *layout = "31/20/12 epoch=0 tick=1ms";
    fleet_start();
    assert_int_equal(frazil_layout_parse(layout, strlen(layout), &fleet.layout, NULL), FRAZIL_OK);
    assert_int_equal(fleet_init(16384, NOW, true, NULL), FRAZIL_OK);
    fleet_open(0);
    fill(held, held);
    uint64_t before = fleet.server.shown;
    for (int i = 0; i < 40; i++)
        fleet_must_acquire(0, NOW);
    return fleet.server.shown - before;
}

TEST("An opening reads little more of a large pool that fills: six records if six tenths are taken")
{
    assert_in_range(records_read(0), 40, 42); /* that of the namespace, and its own by chance */
    assert_in_range(records_read(10000), 40 * 2, 40 * 6);
}

TEST("A sample that has nothing says nothing about the rest: the last free id of a large pool is found, from any start")
{
    for (uint64_t start = 0; start < 200; start++) {
        fleet_start_with(1000, 1);
        fill(1000, 999);
        fleet.owners[0].random = start;
        fleet_must_acquire(0, NOW);
        assert_int_equal(fleet_held(0)->worker, 0);
        assert_in_range(fleet.owners[0].link.trips, 2, 5);
    }
}

TEST("That all ids of a large pool are taken is said after a look at all, with how many there are")
{
    fleet_start_with(1000, 1);
    fill(1000, 1000);
    assert_int_equal(fleet_acquire(0, NOW), FRAZIL_EPOOL);
    fleet_assert_error(0, FRAZIL_EPOOL, "all worker ids (0 to 999) of namespace 'orders' are taken: 0 by ");
}

TEST("The best of a sample is what would be taken of a small pool: never used before released before abandoned")
{
    uint64_t fresh = 0;

    for (uint64_t start = 0; start < 50; start++) {
        fleet_start_with(500, 1);
        fill(400, 0); /* a fifth was never used: a sample without one is rare */
        fleet.owners[0].random = start;
        fleet_must_acquire(0, NOW);
        fresh += fleet_held(0)->worker >= 400;
    }
    assert_in_range(fresh, 35, 50);
}

TEST("L8: a worker id that a sample shows as never taken is not used if the namespace is wiped before the second look")
{
    fleet_start_with(1000, 1);
    struct wiper wiper = {0};
    fleet.owners[0].link.choose = wipe_before_swap;
    fleet.owners[0].link.ctx = &wiper;
    assert_int_equal(fleet_acquire(0, NOW), FRAZIL_ENAMESPACE);
    assert_true(wiper.done);
}

TEST("An owner whose swap had no answer finds its record again, wherever the samples of a large pool lie")
{
    for (uint64_t start = 0; start < 50; start++) {
        fleet_start_with_clock(1000, 1);
        fill(1000, 1000);
        fleet_write(7, &(struct fz_worker_record){.until = NOW - 1000, .owner = "x", .owners = 1});
        fleet.owners[0].random = start;
        fleet_must_acquire(0, NOW);
        sim_link_script(&fleet.owners[0].link, SIM_LOST_REPLY);
        assert_int_equal(fleet_extend(0, NOW + 20000), FRAZIL_EAGAIN); /* the rest of its grant comes first */
        fleet_must_extend(0, NOW + 20000 + fleet.owners[0].err.retry_ns / 1000000);
        assert_int_equal(fleet_held(0)->worker, 7);
        assert_true(fleet_held(0)->floor == NOW + 20000 + HORIZON + 1);
    }
}

TEST("base and count bound what is taken, wherever the search starts")
{
    uint32_t seen = 0;

    fleet_start_with(16, 0);
    struct fz_lease_options options = fleet_options(0);
    options.base = 5;
    options.count = 3;
    fleet_open_with(0, &options);
    for (size_t i = 0; i < 3; i++) {
        fleet_must_acquire(0, NOW);
        seen |= 1U << fleet_held(0)->worker;
    }
    assert_int_equal(seen, 7U << 5);
    assert_int_equal(fleet_acquire(0, NOW), FRAZIL_EPOOL);
    fleet_assert_error(0, FRAZIL_EPOOL, "all worker ids (5 to 7) of namespace 'orders' are taken");

    options = fleet_options(1);
    options.base = 15;
    fleet_open_with(1, &options);
    fleet_must_acquire(1, NOW);
    assert_int_equal(fleet_held(1)->worker, 15);
}

TEST("Of a range with few worker ids these are read, however large the namespace; one look tells that all are taken")
{
    fleet_start_with(1000, 0);
    fill(1000, 1000);
    struct fz_lease_options options = fleet_options(0);
    options.base = 500;
    options.count = 20;
    fleet_open_with(0, &options);
    uint64_t before = fleet.server.shown;
    assert_int_equal(fleet_acquire(0, NOW), FRAZIL_EPOOL);
    fleet_assert_error(0, FRAZIL_EPOOL, "all worker ids (500 to 519) of namespace 'orders' are taken: ");
    assert_int_equal(fleet.server.shown - before, 20 + 1);
    fleet_write(507, &(struct fz_worker_record){.until = NOW - 1000, .owner = "x", .owners = 1});
    fleet_must_acquire(0, NOW);
    assert_int_equal(fleet_held(0)->worker, 507);
}

TEST("base and count outside the layout, the namespace as it is said, or the one there is, are refused with both "
     "numbers")
{
    struct fz_lease *lease = NULL;
    frazil_error err;

    fleet_start_with(16, 0);
    struct fz_lease_options options = fleet_options(0);
    options.base = 16;
    assert_int_equal(fz_lease_open(&lease, sim_register(&fleet.owners[0].link), &options, &err), FRAZIL_ERANGE);
    assert_non_null(strstr(err.message, "0 to 15"));
    options.workers = 0;
    options.base = 1024;
    assert_int_equal(fz_lease_open(&lease, sim_register(&fleet.owners[0].link), &options, &err), FRAZIL_ERANGE);
    assert_non_null(strstr(err.message, "base=1024"));
    assert_non_null(strstr(err.message, "0 to 1023"));
    assert_null(lease);
    options.base = 1;
    options.count = 1024;
    assert_int_equal(fz_lease_open(&lease, sim_register(&fleet.owners[0].link), &options, &err), FRAZIL_ERANGE);

    options.count = 16;
    fleet_open_with(0, &options);
    assert_int_equal(fleet_acquire(0, NOW), FRAZIL_ENAMESPACE);
    fleet_assert_error(0, FRAZIL_ENAMESPACE, "has worker ids 0 to 15, but base and count ask for 1 to 16");
}

TEST("When all are taken, the error says by whom and until when, for those that end first, and counts the others")
{
    struct fz_worker_record record = {.owners = 1};

    fleet_start_with(64, 1);
    for (uint32_t worker = 0; worker < 64; worker++) {
        record.until = NOW + 1000 - worker;
        memcpy(record.owner, "host:1", sizeof "host:1");
        fleet_write(worker, &record);
    }
    fleet_write_text(9, "frazil2 worker of the future");
    uint64_t before = fleet.server.shown;
    assert_int_equal(fleet_acquire(0, NOW), FRAZIL_EPOOL);
    assert_int_equal(fleet.server.shown - before, 64 + 1); /* once */
    fleet_assert_error(0, FRAZIL_EPOOL, "all worker ids (0 to 63) of namespace 'orders' are taken: ");
    for (unsigned shown = 0; shown < 7; shown++) {
        char holder[64];
        snprintf(holder, sizeof holder, "%u by host:1 until 1970-01-01T00:16:40.%03uZ, ", 63 - shown, 937 + shown);
        fleet_assert_error(0, FRAZIL_EPOOL, holder);
    }
    fleet_assert_error(0, FRAZIL_EPOOL, "56 by host:1 until 1970-01-01T00:16:40.944Z, and 55 more, 1 cannot be read");
}

TEST("A sentence about owners with the longest names is still whole")
{
    struct fz_worker_record record = {.until = NOW + 10, .owners = 1};

    fleet_start_with(64, 1);
    memset(record.owner, 'n', FZ_OWNER_SIZE - 1);
    for (uint32_t worker = 0; worker < 64; worker++)
        fleet_write(worker, &record);
    assert_int_equal(fleet_acquire(0, NOW), FRAZIL_EPOOL);
    fleet_assert_error(0, FRAZIL_EPOOL, ", and 59 more");
}

TEST("A record that cannot be read is never taken for a free one")
{
    fleet_start_with(2, 1);
    fleet_write_text(0, "");
    fleet_write_text(1, "frazil1 worker until=1 floor=1");
    assert_int_equal(fleet_acquire(0, NOW), FRAZIL_EPOOL);
    fleet_assert_error(0, FRAZIL_EPOOL, "are taken: 2 cannot be read");
}

TEST("L4: a child goes on with what its parent holds: it knows nothing of the parent's swap that had no answer, and "
     "takes what that has burned for their own, not for somebody else's")
{
    fleet_start_with_child(1);
    sim_link_script(&fleet.owners[0].link, SIM_LOST_REPLY);
    assert_int_equal(fleet_extend(0, NOW + 20000), FRAZIL_EAGAIN);
    assert_int_equal(fleet_extend(1, NOW + 20100), FRAZIL_EAGAIN);
    fleet_assert_error(1, FRAZIL_EAGAIN, "is ours until ");
    const uint64_t retry_tick = NOW + 20100 + fleet.owners[1].err.retry_ns / 1000000;
    fleet_must_extend(1, retry_tick);
    assert_grant(fleet_held(1), 0, NOW + 20000 + HORIZON + 1, retry_tick + HORIZON);
    assert_int_equal(fleet_count(1).lost, 0);
}

TEST("A loss is said at once while the ticks still stand, and until when they stand")
{
    struct fz_worker_record record;

    fleet_start_with(1, 2);
    fleet_must_acquire(0, NOW);
    fleet_record(0, &record);
    record.token.low++;
    fleet_write(0, &record);
    assert_int_equal(fleet_extend(0, NOW + 1), FRAZIL_ELEASE);
    fleet_assert_error(0, FRAZIL_ELEASE, "worker id 0 is ours until ");
    fleet_assert_error(0, FRAZIL_ELEASE, " and is lost: all worker ids ");
    assert_int_equal(fleet_extend(0, fleet_held(0)->until), FRAZIL_ELEASE);
}

TEST("Ids that are free from now on wait behind those that were never taken, of which one look remembers some")
{
    fleet_start_with(12, 1);
    fleet_write(5, &(struct fz_worker_record){.until = 40, .owner = "x", .released = true, .owners = 1});
    fleet_write(6, &(struct fz_worker_record){.until = 50, .owner = "x", .owners = 1});
    for (size_t i = 0; i < 10; i++) {
        fleet_must_acquire(0, NOW);
        assert_true(fleet_held(0)->worker != 5 && fleet_held(0)->worker != 6);
    }
    fleet_must_acquire(0, NOW);
    assert_int_equal(fleet_held(0)->worker, 5);
}

/* ---- more than one look can tell apart -------------------------------------- */

enum { CROWD = 70000, CROWD_FREE = 66000 };

static struct fz_register crowd_reg;

/* All worker ids but one are held. */
static enum fz_register_result read_crowd(void *ctx, struct fz_deadline deadline, fz_record_visitor visit,
                                          void *visit_ctx, struct fz_register_status *status, frazil_error *reterr)
{
    (void)deadline;
    const struct fz_worker_record held = {.until = NOW + 1, .owner = "x:1", .owners = 1};
    struct fz_record raw = {.version = 1};

    raw.len = fz_worker_record_format(&held, raw.data);
    for (uint32_t worker = 0; worker < CROWD; worker++) {
        if (worker != CROWD_FREE)
            visit(visit_ctx, worker, &raw);
    }
    return crowd_reg.read_all(ctx, FZ_DEADLINE_NONE, visit, visit_ctx, status, reterr);
}

static enum fz_register_result read_some_of_crowd(void *ctx, struct fz_deadline deadline, const uint32_t *numbers,
                                                  size_t n, size_t whole, fz_record_visitor visit, void *visit_ctx,
                                                  struct fz_register_status *status, frazil_error *reterr)
{
    (void)whole;
    (void)deadline;
    const struct fz_worker_record held = {.until = NOW + 1, .owner = "x:1", .owners = 1};
    struct fz_record raw = {.version = 1};

    raw.len = fz_worker_record_format(&held, raw.data);
    for (size_t i = 0; i < n; i++) {
        if (numbers[i] != CROWD_FREE && numbers[i] != FZ_NAMESPACE)
            visit(visit_ctx, numbers[i], &raw);
    }
    return crowd_reg.read_many(ctx, FZ_DEADLINE_NONE, &(uint32_t){FZ_NAMESPACE}, 1, 1, visit, visit_ctx, status,
                               reterr);
}

/* Two numbers for the way through the pool, by which samples are taken, and one for the first look at all. */
enum { DRAWS_TO_ALL = 2 + 1 };

/* The samples, and the first look at all, begin at worker id 0, the other looks at 5000, 10000 ... */
static uint64_t next_start(void *ctx)
{
    uint64_t *draws = ctx;
    uint64_t draw = ++*draws;

    return draw <= DRAWS_TO_ALL ? 0 : 5000 * (draw - DRAWS_TO_ALL);
}

TEST("Which ids were never taken is told apart for 65536 at a time: when all of these are held, the next look begins "
     "elsewhere")
{
    uint64_t draws = 0;
    const frazil_random starts = {.size = sizeof(frazil_random), .ctx = &draws, .next = next_start};
    struct fz_lease *lease;
    struct fz_grant grant;

    fleet_start();
    assert_int_equal(
        frazil_layout_parse("31/20/12 epoch=0 tick=1ms", strlen("31/20/12 epoch=0 tick=1ms"), &fleet.layout, NULL),
        FRAZIL_OK);
    assert_int_equal(fleet_init(CROWD, NOW, true, NULL), FRAZIL_OK);
    struct fz_lease_options options = fleet_options(0);
    options.random = &starts;
    crowd_reg = sim_register(&fleet.owners[0].link);
    struct fz_register reg = crowd_reg;
    reg.read_all = read_crowd;
    reg.read_many = read_some_of_crowd;
    reg.finds_for_less = false;
    assert_int_equal(fz_lease_open(&lease, reg, &options, NULL), FRAZIL_OK);
    struct fz_granter granter = fz_lease_granter(lease);
    assert_int_equal(granter.acquire(granter.ctx, FZ_DEADLINE_NONE, NOW, &grant, NULL), FRAZIL_OK);
    assert_int_equal(grant.worker, CROWD_FREE);
    assert_int_equal(draws, DRAWS_TO_ALL + 1);
    granter.close(granter.ctx);
}

/* ---- a crowd ------------------------------------------------------------------ */

static uint64_t always_two(void *ctx)
{
    (void)ctx;
    return 2;
}

static enum sim_fault snatch_first(void *ctx, bool is_swap)
{
    bool *snatched = ctx;

    if (!is_swap || *snatched)
        return SIM_NONE;
    *snatched = true;
    return SIM_RIVAL;
}

TEST("A process that lost the best id takes one as good by chance, so that a crowd does not stay together")
{
    const frazil_random random = {sizeof(frazil_random), NULL, always_two};
    bool snatched = false;

    fleet_start_with(5, 0);
    for (uint32_t worker = 0; worker < 5; worker++)
        fleet_write(worker, &(struct fz_worker_record){.until = 40 + worker, .owner = "x", .owners = 1});
    struct fz_lease_options options = fleet_options(0);
    options.random = &random;
    fleet_open_with(0, &options);
    fleet.owners[0].link.choose = snatch_first;
    fleet.owners[0].link.ctx = &snatched;
    fleet_must_acquire(0, NOW);
    /* 0 was the best, and of 1 to 4 chance has the third. */
    assert_int_equal(fleet_held(0)->worker, 3);
}
