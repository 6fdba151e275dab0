/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: while a real Redis is stopped, keeping and closing a generator take no longer than the caller
 * allows, though the URL allows a minute; and what they have begun comes to its end when Redis goes on.
 */
#include <signal.h>

#include "lease/coordinator.h"
#include "lib/callers.h"
#include "lib/ports.h"
#include "lib/redis_server.h"
#include "lib/test.h"
#include "os/clock.h"

enum { GENERATORS = 3 };

static struct server server;
static char spec[256];
static const frazil_coordinator *coordinators[2];
static const struct ports ports = {.coordinators = coordinators};

static uint64_t creation_tick(void *ctx)
{
    const frazil_layout *layout = ctx;

    return (uint64_t)(fz_real_now().unix_ms - layout->epoch_unix_ms) / layout->tick_ms;
}

BEFORE_ALL
{
    test_need(redis_server_installed());
}

/* A namespace whose grants are short, in a new server. */
BEFORE_EACH
{
    frazil_layout layout;
    frazil_error err;
    char url[128];

    coordinators[0] = frazil_coordinator_redis();
    redis_server_start(&server, NULL);
    assert_int_equal(frazil_layout_parse("frazil", strlen("frazil"), &layout, NULL), FRAZIL_OK);
    const struct fz_namespace_options options = {.layout = &layout,
                                                 .horizon_ms = FZ_HORIZON_MS_MIN,
                                                 .workers = GENERATORS,
                                                 .max_skew_ms = 250,
                                                 .token = {1, 2},
                                                 .never_used = true,
                                                 .now_tick = creation_tick,
                                                 .now_ctx = &layout};
    snprintf(url, sizeof url, "redis://127.0.0.1:%u/orders", (unsigned)server.port);
    if (frazil_coordinator_redis()->init(frazil_coordinator_redis(), url, &options, &err) != FRAZIL_OK)
        fail_msg("%s", err.message);
    snprintf(spec, sizeof spec, "worker=%s?timeout=60s&wait=0 keeper=hook", url);
}

AFTER_EACH
{
    assert_int_equal(kill(server.pid, SIGCONT), 0);
    server_stop(&server);
}

static void open_all(frazil *gens[GENERATORS])
{
    frazil_error err;

    for (int i = 0; i < GENERATORS; i++) {
        if (ports_open(&gens[i], spec, &ports, &err) != FRAZIL_OK)
            fail_msg("%s: %s", spec, err.message);
    }
}

/* A grant is extended after a third of it. */
static void await_due(void)
{
    pause_ns(UINT64_C(1000000) * FZ_HORIZON_MS_MIN / 2);
}

static uint64_t seconds_since(uint64_t begun_ns)
{
    const frazil_clock clock = fz_real_clock();

    return (clock.monotonic_ns(clock.ctx) - begun_ns) / 1000000000;
}

static uint64_t now_ns(void)
{
    const frazil_clock clock = fz_real_clock();

    return clock.monotonic_ns(clock.ctx);
}

TEST("An event loop over three generators goes on while Redis is stopped, and keeps them when it is back")
{
    frazil *gens[GENERATORS];
    frazil_error err = {.code = FRAZIL_OK};

    open_all(gens);
    await_due();
    assert_int_equal(kill(server.pid, SIGSTOP), 0);
    uint64_t begun_ns = now_ns();
    for (int round = 0; round < 10; round++) {
        for (int i = 0; i < GENERATORS; i++) {
            uint64_t next_ns;
            assert_int_equal(frazil_keep(gens[i], 0, &next_ns, &err), FRAZIL_EAGAIN);
            assert_true(next_ns < UINT64_C(1000000000));
        }
    }
    assert_true(seconds_since(begun_ns) < 30);
    assert_int_equal(kill(server.pid, SIGCONT), 0);
    for (int i = 0; i < GENERATORS; i++) {
        uint64_t next_ns;
        frazil_err kept = frazil_keep(gens[i], 0, &next_ns, &err);
        while (kept == FRAZIL_EAGAIN) {
            pause_ns(next_ns);
            kept = frazil_keep(gens[i], 0, &next_ns, &err);
        }
        assert_true(kept == FRAZIL_OK || kept == FRAZIL_ELEASE); /* a slow machine may have let it end */
        frazil_close(gens[i]);
    }
}

TEST("A generator is closed within the time while Redis is stopped, and its worker id is given back later")
{
    frazil *gens[GENERATORS];
    frazil *again[GENERATORS];

    open_all(gens);
    assert_int_equal(kill(server.pid, SIGSTOP), 0);
    uint64_t begun_ns = now_ns();
    for (int i = 0; i < GENERATORS; i++)
        assert_int_equal(frazil_close_within(gens[i], 1000000), FRAZIL_EAGAIN);
    assert_true(seconds_since(begun_ns) < 30);
    assert_int_equal(kill(server.pid, SIGCONT), 0);
    frazil_err err = ports_open(&again[0], spec, &ports, NULL);
    while (err != FRAZIL_OK) {
        pause_ns(10000000);
        err = ports_open(&again[0], spec, &ports, NULL);
    }
    assert_int_equal(frazil_close_within(again[0], UINT64_C(60000000000)), FRAZIL_OK);
}

TEST("Closing says that nobody has confirmed it")
{
    frazil *gens[GENERATORS];

    open_all(gens);
    server_kill(&server);
    for (int i = 0; i < GENERATORS; i++)
        assert_int_equal(frazil_close_within(gens[i], UINT64_C(60000000000)), FRAZIL_EUNREACHABLE);
    redis_server_start(&server, NULL); /* for AFTER_EACH */
}
