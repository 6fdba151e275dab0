/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: the lease protocol over a real Redis: few round trips, and
 * no tick granted twice when the server is restarted, wiped, or silent.  Time is
 * the real one, in ticks of a millisecond, but nobody waits for it.
 */

#include "core/layout_internal.h"
#include "lease/lease.h"
#include "lib/near_miss.h"
#include "lib/redis_rig.h"
#include "lib/test.h"
#include "os/clock.h"

/* Far more than a busy machine may hold up a reply, which then seems to come from a clock that is behind. */
enum { HORIZON = 600000, SKEW_MS = 20000, OWNERS = 3 };

struct owner {
    struct fz_lease *lease;
    struct fz_granter granter;
    struct fz_grant held;
    uint64_t random;
    frazil_error err;
};

struct rig {
    frazil_layout layout;
    struct server server;
    struct proxy *proxy;
    struct fz_register direct;
    struct owner owners[OWNERS];
};

static uint64_t now_tick(void *ctx)
{
    struct rig *rig = ctx;
    uint64_t tick = 0;

    assert_int_equal(fz_layout_tick_of(&rig->layout, fz_real_now().unix_ms, &tick, NULL), FRAZIL_OK);
    return tick;
}

static struct fz_register open_port(uint16_t port, const char *timeout)
{
    return redis_open_url("redis://127.0.0.1:%u/orders?timeout=%s", (unsigned)port, timeout);
}

static frazil_err create(struct rig *rig, uint64_t workers, bool never_used)
{
    struct fz_namespace_options options = {.layout = &rig->layout,
                                           .name = "orders",
                                           .horizon_ms = HORIZON,
                                           .workers = workers,
                                           .token = {.low = now_tick(rig)},
                                           .max_skew_ms = SKEW_MS,
                                           .never_used = never_used,
                                           .now_tick = now_tick,
                                           .now_ctx = rig};

    return fz_lease_init(&rig->direct, &options, NULL);
}

static void start(struct rig *rig, uint64_t workers)
{
    memset(rig, 0, sizeof *rig);
    assert_int_equal(frazil_layout_parse("frazil", strlen("frazil"), &rig->layout, NULL), FRAZIL_OK);
    redis_server_start(&rig->server, NULL);
    rig->proxy = proxy_start(rig->server.port);
    rig->direct = open_port(rig->server.port, "10s");
    assert_int_equal(create(rig, workers, true), FRAZIL_OK);
    for (size_t i = 0; i < OWNERS; i++) {
        struct owner *owner = &rig->owners[i];
        frazil_random random = {.size = sizeof(frazil_random), .ctx = &owner->random, .next = seeded_next};
        struct fz_lease_options options = {.layout = &rig->layout,
                                           .name = "orders",
                                           .owner = "test",
                                           .token = {.high = 1, .low = i},
                                           .random = &random,
                                           .max_skew_ms = SKEW_MS};
        owner->random = i;
        assert_int_equal(fz_lease_open(&owner->lease, open_port(rig->proxy->port, "2s"), &options, NULL), FRAZIL_OK);
        owner->granter = fz_lease_granter(owner->lease);
    }
}

static void stop(struct rig *rig)
{
    for (size_t i = 0; i < OWNERS; i++)
        rig->owners[i].granter.close(rig->owners[i].granter.ctx);
    rig->direct.close(rig->direct.ctx);
    proxy_stop(rig->proxy);
    server_stop(&rig->server);
}

static frazil_err acquire(struct rig *rig, size_t i)
{
    struct owner *owner = &rig->owners[i];

    return owner->granter.acquire(owner->granter.ctx, FZ_DEADLINE_NONE, now_tick(rig), &owner->held, &owner->err);
}

static frazil_err extend(struct rig *rig, size_t i)
{
    struct owner *owner = &rig->owners[i];
    struct fz_grant held = owner->held;

    while (now_tick(rig) + HORIZON <= held.until)
        continue; /* within the same millisecond there is nothing to extend */
    return owner->granter.extend(owner->granter.ctx, FZ_DEADLINE_NONE, now_tick(rig), &held, &owner->held, &owner->err);
}

static void assert_ok(struct rig *rig, size_t i, frazil_err err)
{
    if (err != FRAZIL_OK)
        fail_msg("%s", rig->owners[i].err.message);
}

static void assert_said(struct rig *rig, size_t i, frazil_err code, const char *words)
{
    const frazil_error *err = &rig->owners[i].err;

    if (err->code != code || strstr(err->message, words) == NULL)
        fail_msg("%s: %s; wanted %s: %s", frazil_err_name(err->code), err->message, frazil_err_name(code), words);
}

BEFORE_ALL
{
    test_need(redis_server_installed());
}

TEST("A namespace of 1024 with four free: at most five round trips, with connecting and with the script's first call")
{
    struct rig rig;
    char text[FZ_RECORD_SIZE_MAX];

    start(&rig, 1024);
    for (uint32_t worker = 0; worker < 1024; worker++) {
        uint64_t now = now_tick(&rig);
        struct fz_worker_record record = {
            .until = worker % 300 == 7 ? now - 10000 : now + HORIZON, .owner = "host:1", .owners = 1};
        uint64_t version;
        size_t len = fz_worker_record_format(&record, text);
        assert_int_equal(rig.direct.swap(rig.direct.ctx, FZ_DEADLINE_NONE, &(struct fz_swap){worker, 0, text, len},
                                         &version, NULL, NULL),
                         FZ_REGISTER_OK);
    }
    unsigned before = rig.proxy->requests;
    assert_ok(&rig, 0, acquire(&rig, 0));
    assert_in_range(rig.proxy->requests - before, 2, 5);
    assert_int_equal(rig.owners[0].held.worker % 300, 7);
    before = rig.proxy->requests;
    assert_ok(&rig, 0, extend(&rig, 0));
    assert_int_equal(rig.proxy->requests - before, 1);
    stop(&rig);
}

TEST("A reply that was lost over a real connection: the next grant is another one, above or beside what was burned")
{
    struct rig rig;

    start(&rig, 2);
    assert_ok(&rig, 0, acquire(&rig, 0));
    const struct fz_grant old = rig.owners[0].held;
    unsigned replies = rig.proxy->replies;
    proxy_set(rig.proxy, PROXY_LOSE_REPLIES);
    assert_int_equal(extend(&rig, 0), FRAZIL_EAGAIN);
    proxy_await(&rig.proxy->replies, replies + 1);
    proxy_set(rig.proxy, PROXY_PASS);
    assert_ok(&rig, 0, extend(&rig, 0));
    assert_true(rig.owners[0].held.worker != old.worker);
    stop(&rig);
}

TEST("FLUSHALL: said loudly; created again, nothing meets what was granted before")
{
    struct rig rig;

    start(&rig, 1);
    assert_ok(&rig, 0, acquire(&rig, 0));
    assert_string_equal(redis_server_ask(&rig.server, "FLUSHALL"), "OK");
    assert_int_equal(extend(&rig, 0), FRAZIL_EAGAIN);
    assert_said(&rig, 0, FRAZIL_EAGAIN, "namespace 'orders' has vanished: the coordinator was wiped");
    assert_int_equal(acquire(&rig, 1), FRAZIL_ENAMESPACE);
    assert_said(&rig, 1, FRAZIL_ENAMESPACE, "there is no namespace 'orders'");
    assert_int_equal(create(&rig, 1, false), FRAZIL_OK);
    assert_int_equal(acquire(&rig, 1), FRAZIL_EAGAIN);
    assert_said(&rig, 1, FRAZIL_EAGAIN, "was created without --never-used");
    assert_true(rig.owners[1].err.retry_ns > 0);
    stop(&rig);
}

/* Whether owner i's present grant goes on from the one before. */
static void assert_went_on(const struct rig *rig, size_t i, const struct fz_grant *before)
{
    const struct fz_grant *held = &rig->owners[i].held;

    assert_int_equal(held->worker, before->worker);
    assert_int_equal(held->floor, before->floor);
    assert_true(held->until > before->until);
}

TEST("Killed and restarted with everything that it had: while it is away the grant stands; afterwards it is extended "
     "as if nothing had happened (L9)")
{
    /* The first to notice begins the quarantine, in which others get nothing. */
    static const char *const durable[] = {"--appendonly", "yes", "--appendfsync", "always", NULL};
    struct rig rig;

    start(&rig, 4);
    server_kill(&rig.server);
    redis_server_restart(&rig.server, durable);
    assert_int_equal(create(&rig, 4, true), FRAZIL_OK);
    assert_ok(&rig, 0, acquire(&rig, 0));
    assert_ok(&rig, 1, acquire(&rig, 1));
    const struct fz_grant before[2] = {rig.owners[0].held, rig.owners[1].held};
    server_kill(&rig.server);
    assert_int_equal(extend(&rig, 0), FRAZIL_EAGAIN);
    assert_said(&rig, 0, FRAZIL_EAGAIN, "is ours until");
    redis_server_restart(&rig.server, durable);
    for (size_t round = 0; round < 3; round++) {
        for (size_t i = 0; i < 2; i++) {
            assert_ok(&rig, i, extend(&rig, i));
            assert_went_on(&rig, i, &before[i]);
            struct fz_lease_counters counters = fz_lease_count(rig.owners[i].lease);
            assert_int_equal(counters.quarantines, i == 0 ? 1 : 0);
            assert_int_equal(counters.moves + counters.lost, 0);
        }
    }
    assert_int_equal(acquire(&rig, 2), FRAZIL_EAGAIN);
    assert_said(&rig, 2, FRAZIL_EAGAIN, "since records may have been lost");
    stop(&rig);
}

TEST("Killed and restarted with what it had before the last extension: that owner pauses, and the quarantine covers "
     "what was lost; the one who lost nothing goes on")
{
    static const char *const snapshots[] = {"--appendonly", "no", "--save", "3600 1", NULL};
    struct rig rig;
    struct fz_namespace_record space;
    struct fz_record raw;

    start(&rig, 4);
    assert_ok(&rig, 0, acquire(&rig, 0));
    assert_ok(&rig, 1, acquire(&rig, 1));
    assert_string_equal(redis_server_ask(&rig.server, "SAVE"), "OK");
    assert_ok(&rig, 0, extend(&rig, 0));
    const struct fz_grant before = rig.owners[1].held;
    server_kill(&rig.server);
    redis_server_restart(&rig.server, snapshots);
    assert_int_equal(extend(&rig, 0), FRAZIL_EAGAIN);
    assert_said(&rig, 0, FRAZIL_EAGAIN, "since records may have been lost");
    assert_ok(&rig, 1, extend(&rig, 1));
    assert_went_on(&rig, 1, &before);
    assert_int_equal(rig.direct.read(rig.direct.ctx, FZ_DEADLINE_NONE, FZ_NAMESPACE, &raw, NULL, NULL), FZ_REGISTER_OK);
    assert_int_equal(fz_namespace_record_parse(raw.data, raw.len, &space, NULL), FRAZIL_OK);
    assert_true(space.quarantine_until > rig.owners[0].held.until && space.quarantine_until > before.until);
    stop(&rig);
}

TEST("Two layouts in one namespace: refused, with both")
{
    struct rig rig;

    start(&rig, 4);
    rig.owners[0].granter.close(rig.owners[0].granter.ctx);
    frazil_layout other;
    assert_int_equal(frazil_layout_parse("twitter", strlen("twitter"), &other, NULL), FRAZIL_OK);
    frazil_random random = {.size = sizeof(frazil_random), .ctx = &rig.owners[0].random, .next = seeded_next};
    struct fz_lease_options options = {
        .layout = &other, .name = "orders", .owner = "test", .random = &random, .max_skew_ms = SKEW_MS};
    assert_int_equal(fz_lease_open(&rig.owners[0].lease, open_port(rig.proxy->port, "5s"), &options, NULL), FRAZIL_OK);
    rig.owners[0].granter = fz_lease_granter(rig.owners[0].lease);
    assert_int_equal(acquire(&rig, 0), FRAZIL_ENAMESPACE);
    assert_said(&rig, 0, FRAZIL_ENAMESPACE, "41/10/12 epoch=1767225600000 tick=1ms");
    assert_said(&rig, 0, FRAZIL_ENAMESPACE, "41/5+5/12 epoch=1288834974657 tick=1ms");
    stop(&rig);
}
