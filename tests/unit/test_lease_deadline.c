/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: a call of the lease is several requests, and each of them has the call's deadline, also those that
 * are made again.
 */
#include "lib/fleet.h"
#include "lib/test.h"

AFTER_EACH
{
    fleet_stop();
}

enum { NOW = FLEET_NOW, REQUESTS_MAX = 64 };

static struct fz_register real;
static uint64_t deadlines[REQUESTS_MAX];
static unsigned requests;

static void note(struct fz_deadline deadline)
{
    assert_true(requests < REQUESTS_MAX);
    deadlines[requests++] = deadline.at_ns;
}

static enum fz_register_result noted_read(void *ctx, struct fz_deadline deadline, uint32_t number,
                                          struct fz_record *ret, struct fz_register_status *status,
                                          frazil_error *reterr)
{
    note(deadline);
    return real.read(ctx, deadline, number, ret, status, reterr);
}

static enum fz_register_result noted_read_all(void *ctx, struct fz_deadline deadline, fz_record_visitor visit,
                                              void *visit_ctx, struct fz_register_status *status, frazil_error *reterr)
{
    note(deadline);
    return real.read_all(ctx, deadline, visit, visit_ctx, status, reterr);
}

static enum fz_register_result noted_read_many(void *ctx, struct fz_deadline deadline, const uint32_t *numbers,
                                               size_t n, size_t whole, fz_record_visitor visit, void *visit_ctx,
                                               struct fz_register_status *status, frazil_error *reterr)
{
    note(deadline);
    return real.read_many(ctx, deadline, numbers, n, whole, visit, visit_ctx, status, reterr);
}

static enum fz_register_result noted_swap(void *ctx, struct fz_deadline deadline, const struct fz_swap *swap,
                                          uint64_t *ret_version, struct fz_register_status *status,
                                          frazil_error *reterr)
{
    note(deadline);
    return real.swap(ctx, deadline, swap, ret_version, status, reterr);
}

/* Opens owner 0 over a register that notes the deadlines. */
static struct fz_granter open_noted(void)
{
    struct fz_lease_options options = fleet_options(0);
    struct fz_lease *lease;

    real = sim_register(&fleet.owners[0].link);
    struct fz_register noted = real;
    noted.read = noted_read;
    noted.read_all = noted_read_all;
    noted.read_many = noted_read_many;
    noted.finds_for_less = false;
    noted.swap = noted_swap;
    assert_int_equal(fz_lease_open(&lease, noted, &options, NULL), FRAZIL_OK);
    return fz_lease_granter(lease);
}

/* At least so many requests were made since the last look, each with this deadline. */
static void assert_noted(unsigned least, uint64_t at_ns)
{
    assert_true(requests >= least);
    for (unsigned i = 0; i < requests; i++)
        assert_int_equal(deadlines[i], at_ns);
    requests = 0;
}

TEST("Taking a worker id, extending it, after a swap without an answer and after a loss, and giving it back: each "
     "request has the deadline of its call")
{
    struct fz_grant grant;

    requests = 0;
    fleet_start_with(4, 0);
    struct fz_granter granter = open_noted();
    assert_int_equal(granter.acquire(granter.ctx, (struct fz_deadline){1000}, NOW, &grant, NULL), FRAZIL_OK);
    assert_noted(3, 1000); /* the look, the swap, and the namespace once more */
    assert_int_equal(granter.extend(granter.ctx, (struct fz_deadline){2000}, NOW + 1000, &grant, &grant, NULL),
                     FRAZIL_OK);
    assert_noted(1, 2000);
    sim_link_script(&fleet.owners[0].link, SIM_LOST_REPLY);
    assert_int_equal(granter.extend(granter.ctx, (struct fz_deadline){3000}, NOW + 2000, &grant, &grant, NULL),
                     FRAZIL_OK);
    assert_noted(4, 3000); /* the swap, a read of what became of it, a look, and another worker id */
    assert_int_equal(granter.release(granter.ctx, (struct fz_deadline){4000}, &grant, NOW + 2000), FRAZIL_OK);
    assert_noted(1, 4000);
    granter.close(granter.ctx);
}
