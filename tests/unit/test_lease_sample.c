/* SPDX-License-Identifier: MIT */
/* Goal of this test: what an opening reads of a large pool, and what it only asks for. */
#include "lease/lease_internal.h"
#include "lib/fleet.h"
#include "lib/test.h"

AFTER_EACH
{
    fleet_stop();
}

#define NOW FLEET_NOW

enum { LARGE = 2000 };

static struct fz_register large_reg;

/* The requests of samples, from the first one on. */
static struct {
    uint32_t numbers[FZ_SAMPLE_MAX + 3];
    size_t n;
    size_t whole;
} asked[8];
static size_t asked_count;

static enum fz_register_result watch_read_many(void *ctx, struct fz_deadline deadline, const uint32_t *numbers,
                                               size_t n, size_t whole, fz_record_visitor visit, void *visit_ctx,
                                               struct fz_register_status *status, frazil_error *reterr)
{
    (void)deadline;
    if (asked_count < sizeof asked / sizeof asked[0]) {
        asked[asked_count].n = n;
        asked[asked_count].whole = whole;
        memcpy(asked[asked_count++].numbers, numbers, n * sizeof *numbers);
    }
    return large_reg.read_many(ctx, FZ_DEADLINE_NONE, numbers, n, whole, visit, visit_ctx, status, reterr);
}

static uint64_t always_zero(void *ctx)
{
    (void)ctx;
    return 0;
}

/* Opens a lease of a pool of LARGE, whose searches look at worker ids 0, 1, 2 ... in turn. */
static struct fz_granter open_large(void)
{
    static const frazil_random zeros = {sizeof(frazil_random), NULL, always_zero};
    const char *layout = "31/20/12 epoch=0 tick=1ms";
    struct fz_lease *lease;

    fleet_start();
    assert_int_equal(frazil_layout_parse(layout, strlen(layout), &fleet.layout, NULL), FRAZIL_OK);
    assert_int_equal(fleet_init(LARGE, NOW, true, NULL), FRAZIL_OK);
    struct fz_lease_options options = fleet_options(0);
    options.random = &zeros;
    options.workers = LARGE; /* known at once, so that there is no look at ids that the pool does not have */
    large_reg = sim_register(&fleet.owners[0].link);
    struct fz_register reg = large_reg;
    reg.read_many = watch_read_many;
    asked_count = 0;
    assert_int_equal(fz_lease_open(&lease, reg, &options, NULL), FRAZIL_OK);
    return fz_lease_granter(lease);
}

TEST("Of a pool above 1024 three records are read; of four ids more it is asked whether they were ever taken, and one "
     "is had")
{
    struct fz_granter granter = open_large();
    struct fz_grant grant;

    for (uint32_t worker = 0; worker < 5; worker++)
        fleet_write(worker, &(struct fz_worker_record){.until = NOW + 9, .owner = "x", .owners = 1});
    assert_int_equal(granter.acquire(granter.ctx, FZ_DEADLINE_NONE, NOW, &grant, NULL), FRAZIL_OK);
    assert_in_range(grant.worker, 5, 6);
    assert_int_equal(asked_count, 1);
    assert_int_equal(asked[0].n, 3 + 1 + 4); /* with the namespace */
    assert_int_equal(asked[0].whole, 3 + 1);
    assert_int_equal(fleet.owners[0].link.trips, 3);
    granter.close(granter.ctx);
}

TEST("The second look reads four records and asks of eight ids more, of which one is had that nobody ever took")
{
    struct fz_granter granter = open_large();
    struct fz_grant grant;

    for (uint32_t worker = 0; worker < LARGE; worker++) {
        if (worker != 7 + 4 + 7)
            fleet_write(worker, &(struct fz_worker_record){.until = NOW + 9, .owner = "x", .owners = 1});
    }
    assert_int_equal(granter.acquire(granter.ctx, FZ_DEADLINE_NONE, NOW, &grant, NULL), FRAZIL_OK);
    assert_int_equal(grant.worker, 7 + 4 + 7);
    assert_int_equal(asked_count, 2);
    assert_int_equal(asked[1].n, 4 + 1 + 8); /* with the namespace */
    assert_int_equal(asked[1].whole, 4 + 1);
    granter.close(granter.ctx);
}

TEST("An id that was only found to be taken is none to have, even if its record is free")
{
    struct fz_granter granter = open_large();
    struct fz_grant grant;

    for (uint32_t worker = 0; worker < LARGE; worker++) {
        bool is_free = worker >= 3 && worker < 3 + 4 + 1;
        fleet_write(worker, &(struct fz_worker_record){.until = is_free ? 9 : NOW + 9, .owner = "x", .owners = 1});
    }
    assert_int_equal(granter.acquire(granter.ctx, FZ_DEADLINE_NONE, NOW, &grant, NULL), FRAZIL_OK);
    assert_int_equal(grant.worker, 3 + 4); /* the first of the next sample */
    granter.close(granter.ctx);
}

TEST("The own record is read and named once, also where a sample would only ask for it")
{
    struct fz_granter granter = open_large();
    struct fz_grant grant;
    struct fz_grant held;
    frazil_error err;

    for (uint32_t worker = 0; worker < LARGE; worker++) {
        if (worker != 4)
            fleet_write(worker, &(struct fz_worker_record){.until = NOW + 900000, .owner = "x", .owners = 1});
    }
    assert_int_equal(granter.acquire(granter.ctx, FZ_DEADLINE_NONE, NOW, &held, NULL), FRAZIL_OK);
    assert_int_equal(held.worker, 4);
    sim_link_script(&fleet.owners[0].link, SIM_LOST_REPLY);
    assert_int_equal(granter.extend(granter.ctx, FZ_DEADLINE_NONE, NOW + 20000, &held, &grant, &err), FRAZIL_EAGAIN);
    asked_count = 0;
    assert_int_equal(
        granter.extend(granter.ctx, FZ_DEADLINE_NONE, NOW + 20000 + err.retry_ns / 1000000, &held, &grant, &err),
        FRAZIL_OK);
    assert_int_equal(grant.worker, 4);
    assert_int_equal(asked[0].n, 3 + 1 + 1 + 3);
    assert_int_equal(asked[0].whole, 3 + 1 + 1);
    assert_int_equal(asked[0].numbers[asked[0].whole - 1], 4);
    granter.close(granter.ctx);
}
