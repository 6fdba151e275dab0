/* SPDX-License-Identifier: MIT */
#include "lib/fleet.h"

#include <stdio.h>
#include <string.h>

#include "lib/asserts.h"
#include "lib/near_miss.h"

struct fleet fleet;

void fleet_start(void)
{
    fleet_stop();
    memset(&fleet, 0, sizeof fleet);
    sim_server_start(&fleet.server);
    assert_int_equal(frazil_layout_parse(FLEET_LAYOUT, strlen(FLEET_LAYOUT), &fleet.layout, NULL), FRAZIL_OK);
    fleet.observer.link.server = &fleet.server;
    for (size_t i = 0; i < FLEET_OWNERS_MAX; i++) {
        fleet.owners[i].link.server = &fleet.server;
        fleet.owners[i].random = i + 1;
    }
}

void fleet_stop(void)
{
    if (fleet.server.store == NULL)
        return;
    for (size_t i = 0; i < FLEET_OWNERS_MAX; i++) {
        if (fleet.owners[i].lease != NULL) {
            fleet.owners[i].granter.close(fleet.owners[i].granter.ctx);
            assert_int_equal(fleet.owners[i].link.closed, 1);
        }
    }
    sim_server_stop(&fleet.server);
}

struct fz_lease_options fleet_options(size_t i)
{
    static char owners[FLEET_OWNERS_MAX][16];
    static frazil_random randoms[FLEET_OWNERS_MAX];

    snprintf(owners[i], sizeof owners[i], "host-%zu:%zu", i, 100 + i);
    randoms[i] = (frazil_random){.size = sizeof(frazil_random), .ctx = &fleet.owners[i].random, .next = seeded_next};
    return (struct fz_lease_options){.layout = &fleet.layout,
                                     .name = "orders",
                                     .owner = owners[i],
                                     .token = {.high = 1, .low = i},
                                     .random = &randoms[i],
                                     .workers = fleet.workers,
                                     .max_skew_ms = FZ_SKEW_UNSET};
}

void fleet_open_with(size_t i, const struct fz_lease_options *options)
{
    struct fleet_owner *owner = &fleet.owners[i];

    assert_null(owner->lease);
    assert_int_equal(fz_lease_open(&owner->lease, sim_register(&owner->link), options, &owner->err), FRAZIL_OK);
    owner->granter = fz_lease_granter(owner->lease);
}

void fleet_open(size_t i)
{
    struct fz_lease_options options = fleet_options(i);

    fleet_open_with(i, &options);
}

static void follow_clock(uint64_t now_tick)
{
    if (fleet.clock_follows)
        fleet.server.unix_ms = (int64_t)now_tick;
}

static uint64_t same_tick(void *ctx)
{
    return *(const uint64_t *)ctx;
}

frazil_err fleet_init(uint64_t workers, uint64_t now_tick, bool never_used, frazil_error *reterr)
{
    static uint64_t created;
    struct fz_register reg = sim_register(&fleet.observer.link);
    struct fz_namespace_options options = {.layout = &fleet.layout,
                                           .name = "orders",
                                           .horizon_ms = fleet.horizon_ms == 0 ? FLEET_HORIZON : fleet.horizon_ms,
                                           .lost_horizon_ms = fleet.lost_horizon_ms,
                                           .workers = workers,
                                           .max_skew_ms = fleet.skew_ms,
                                           .token = {.high = 2, .low = ++created},
                                           .never_used = never_used,
                                           .now_tick = same_tick,
                                           .now_ctx = &now_tick};

    follow_clock(now_tick);
    frazil_err err = fz_lease_init(&reg, &options, reterr);
    if (err == FRAZIL_OK)
        fleet.workers = workers;
    return err;
}

void fleet_start_with(uint64_t workers, size_t n)
{
    fleet_start();
    assert_int_equal(fleet_init(workers, FLEET_NOW, true, NULL), FRAZIL_OK);
    for (size_t i = 0; i < n; i++)
        fleet_open(i);
}

void fleet_start_with_clock(uint64_t workers, size_t n)
{
    fleet_start_with(workers, n);
    fleet.server.has_clock = true;
    fleet.clock_follows = true;
}

frazil_err fleet_acquire(size_t i, uint64_t now_tick)
{
    struct fleet_owner *owner = &fleet.owners[i];

    follow_clock(now_tick);
    return owner->granter.acquire(owner->granter.ctx, FZ_DEADLINE_NONE, now_tick, &owner->held, &owner->err);
}

frazil_err fleet_extend(size_t i, uint64_t now_tick)
{
    struct fleet_owner *owner = &fleet.owners[i];
    struct fz_grant held = owner->held;

    follow_clock(now_tick);
    return owner->granter.extend(owner->granter.ctx, FZ_DEADLINE_NONE, now_tick, &held, &owner->held, &owner->err);
}

void fleet_must_acquire(size_t i, uint64_t now_tick)
{
    if (fleet_acquire(i, now_tick) != FRAZIL_OK)
        fail_msg("%s", fleet.owners[i].err.message);
}

void fleet_must_extend(size_t i, uint64_t now_tick)
{
    if (fleet_extend(i, now_tick) != FRAZIL_OK)
        fail_msg("%s", fleet.owners[i].err.message);
}

void fleet_release(size_t i, uint64_t used_tick)
{
    struct fleet_owner *owner = &fleet.owners[i];

    owner->granter.release(owner->granter.ctx, FZ_DEADLINE_NONE, &owner->held, used_tick);
}

const struct fz_grant *fleet_held(size_t i)
{
    return &fleet.owners[i].held;
}

void assert_grant(const struct fz_grant *grant, uint32_t worker, uint64_t floor, uint64_t until)
{
    assert_int_equal(grant->worker, worker);
    assert_int_equal(grant->floor, floor);
    assert_int_equal(grant->until, until);
}

uint64_t fleet_record(uint32_t worker, struct fz_worker_record *ret)
{
    struct fz_register reg = sim_register(&fleet.observer.link);
    struct fz_record raw = {.version = 0};

    assert_int_equal(reg.read(reg.ctx, FZ_DEADLINE_NONE, worker, &raw, NULL, NULL), FZ_REGISTER_OK);
    memset(ret, 0, sizeof *ret);
    if (raw.version != 0)
        assert_int_equal(fz_worker_record_parse(raw.data, raw.len, ret, NULL), FRAZIL_OK);
    return raw.version;
}

struct fz_namespace_record fleet_namespace(void)
{
    struct fz_register reg = sim_register(&fleet.observer.link);
    struct fz_record raw = {.version = 0};
    struct fz_namespace_record record;

    assert_int_equal(reg.read(reg.ctx, FZ_DEADLINE_NONE, FZ_NAMESPACE, &raw, NULL, NULL), FZ_REGISTER_OK);
    assert_int_equal(fz_namespace_record_parse(raw.data, raw.len, &record, NULL), FRAZIL_OK);
    return record;
}

static void write_bytes(uint32_t number, const char *text, size_t len)
{
    struct fz_register reg = sim_register(&fleet.observer.link);
    struct fz_record raw = {.version = 0};
    uint64_t version;

    assert_int_equal(reg.read(reg.ctx, FZ_DEADLINE_NONE, number, &raw, NULL, NULL), FZ_REGISTER_OK);
    assert_int_equal(
        reg.swap(reg.ctx, FZ_DEADLINE_NONE, &(struct fz_swap){number, raw.version, text, len}, &version, NULL, NULL),
        FZ_REGISTER_OK);
}

void fleet_write(uint32_t worker, const struct fz_worker_record *record)
{
    char text[FZ_RECORD_SIZE_MAX];

    write_bytes(worker, text, fz_worker_record_format(record, text));
}

void fleet_write_text(uint32_t number, const char *text)
{
    write_bytes(number, text, strlen(text));
}

struct fz_lease_counters fleet_count(size_t i)
{
    return fz_lease_count(fleet.owners[i].lease);
}

void fleet_assert_error(size_t i, frazil_err code, const char *words)
{
    const frazil_error *err = &fleet.owners[i].err;

    if (err->code != code || strstr(err->message, words) == NULL)
        fail_msg("%s: %s; wanted %s: %s", frazil_err_name(err->code), err->message, frazil_err_name(code), words);
}

void fleet_start_with_child(uint64_t workers)
{
    fleet_start_with(workers, 1);
    fleet_must_acquire(0, FLEET_NOW);
    struct fz_lease_options options = fleet_options(1);
    options.token = fleet_options(0).token;
    fleet_open_with(1, &options);
    fleet.owners[1].held = fleet.owners[0].held;
}
