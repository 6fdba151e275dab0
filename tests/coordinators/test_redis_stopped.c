/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: a real Redis is stopped.  Keeping and closing a generator take no longer than the caller allows,
 * though the URL allows a minute, and its health says what a caller will meet.  Calls that have begun finish when
 * Redis goes on.
 */
#include <signal.h>

#include "lib/callers.h"
#include "lib/new_namespace.h"
#include "lib/patience.h"
#include "lib/ports.h"
#include "lib/redis_server.h"
#include "lib/test.h"
#include "os/clock.h"

enum { GENERATORS = 3 };

static struct server server;
static char spec[256];
static const frazil_coordinator *coordinators[2];
static const struct ports ports = {.coordinators = coordinators};

BEFORE_ALL
{
    test_need(redis_server_installed());
}

/* Makes a namespace, and the spec of its generators. */
static void make_namespace(const char *name, uint64_t horizon_ms)
{
    char url[128];

    snprintf(url, sizeof url, "redis://127.0.0.1:%u/%s?timeout=60s", (unsigned)server.port, name);
    new_namespace(frazil_coordinator_redis(), url, "frazil", GENERATORS, horizon_ms);
    snprintf(spec, sizeof spec, "worker=%s&wait=0 keeper=hook", url);
}

/* Grants are short, and the server is new. */
BEFORE_EACH
{
    coordinators[0] = frazil_coordinator_redis();
    redis_server_start(&server, NULL);
    make_namespace("orders", FZ_HORIZON_MS_MIN);
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
    return (fz_real_monotonic_ns() - begun_ns) / 1000000000;
}

TEST("An event loop over three generators goes on while Redis is stopped, and keeps them when it is back")
{
    frazil *gens[GENERATORS];
    frazil_error err = {.code = FRAZIL_OK};

    open_all(gens);
    await_due();
    assert_int_equal(kill(server.pid, SIGSTOP), 0);
    uint64_t begun_ns = fz_real_monotonic_ns();
    for (int round = 0; round < 10; round++) {
        for (int i = 0; i < GENERATORS; i++) {
            uint64_t next_ns;
            assert_int_equal(frazil_keep(gens[i], 0, &next_ns, &err), FRAZIL_EAGAIN);
            assert_true(next_ns < UINT64_C(1000000000));
        }
    }
    assert_true(seconds_since(begun_ns) < ANSWER_S); /* not one of them has waited */
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

/* Keeps it without waiting as long as it is in the state. */
static void keep_while(frazil *gen, enum frazil_health_state state, frazil_health *ret)
{
    uint64_t next_ns;

    do {
        pause_ns(10000000);
        frazil_err kept = frazil_keep(gen, 0, &next_ns, NULL);
        assert_true(kept == FRAZIL_OK || kept == FRAZIL_EAGAIN);
        frazil_get_health(gen, ret, sizeof *ret, NULL);
    } while (ret->state == (int32_t)state);
}

TEST("Health says how it stands with a generator while Redis is stopped, and does not wait for Redis")
{
    frazil *gen;
    frazil_health health;
    frazil_error err;
    uint64_t id;
    uint64_t retry_ns;

    make_namespace("bills", 2000); /* the test looks at it before its grant runs low */
    if (ports_open(&gen, spec, &ports, &err) != FRAZIL_OK)
        fail_msg("%s: %s", spec, err.message);
    frazil_get_health(gen, &health, sizeof health, NULL);
    assert_int_equal(health.state, FRAZIL_HEALTH_SERVING);
    assert_int_equal(health.needs_grant, 1);
    assert_int_equal(health.failures, 0);
    int64_t first_end_unix_ms = health.grant_end_unix_ms;

    assert_int_equal(kill(server.pid, SIGSTOP), 0);
    uint64_t begun_ns = fz_real_monotonic_ns();
    keep_while(gen, FRAZIL_HEALTH_SERVING, &health);
    assert_int_equal(health.state, FRAZIL_HEALTH_NEEDS_GRANT);
    assert_int_equal(health.grant_end_unix_ms, first_end_unix_ms);
    keep_while(gen, FRAZIL_HEALTH_NEEDS_GRANT, &health);
    assert_int_equal(health.state, FRAZIL_HEALTH_FENCED);
    assert_true(fz_real_now().unix_ms >= first_end_unix_ms);
    assert_int_equal(try_one(gen, &id, &retry_ns), FRAZIL_ELEASE);
    assert_true(seconds_since(begun_ns) < ANSWER_S);

    assert_int_equal(kill(server.pid, SIGCONT), 0);
    keep_while(gen, FRAZIL_HEALTH_FENCED, &health);
    assert_int_equal(health.state, FRAZIL_HEALTH_SERVING);
    assert_int_equal(health.failures, 0);
    assert_int_equal(health.last_code, FRAZIL_OK);
    assert_true(health.grant_end_unix_ms > first_end_unix_ms);
    assert_int_equal(try_one(gen, &id, &retry_ns), FRAZIL_OK);
    frazil_close(gen);
}

TEST("A generator is closed within the time while Redis is stopped, and its worker id is given back later")
{
    frazil *gens[GENERATORS];
    frazil *again[GENERATORS];

    open_all(gens);
    assert_int_equal(kill(server.pid, SIGSTOP), 0);
    uint64_t begun_ns = fz_real_monotonic_ns();
    for (int i = 0; i < GENERATORS; i++)
        assert_int_equal(frazil_close_within(gens[i], 1000000), FRAZIL_EAGAIN);
    assert_true(seconds_since(begun_ns) < ANSWER_S); /* not one of them has waited */
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
