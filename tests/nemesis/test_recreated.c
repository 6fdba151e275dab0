/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: when all records are lost and an operator creates the
 * namespace again, with other numbers or by a wrong clock, no id is issued twice
 * (I1), or what was said is refused.  Real processes over real servers; clocks are
 * wrong through the port, so that everything else has the right time.
 */

#include "lib/nemesis.h"
#include "lib/ports.h"
#include "lib/proxy.h"
#include "lib/test.h"

enum { IDS = 400000, SKEW_MS = 250, FAR_MS = 20000 };

/* Those that follow wait for as long as opening waits at all. */
#define SPEC "start=zero max_wait=30s"

static void must_create(const struct register_kind *kind, const struct nemesis_terms *terms)
{
    frazil_error err;

    if (nemesis_create(kind, terms, &err) != FRAZIL_OK)
        fail_msg("%s", err.message);
}

/* Starts one, with the herd's clock or with the right one, that takes ids as fast as duplicates need. */
static size_t start_one(const struct register_kind *kind, struct herd *herd, uint16_t port, bool right)
{
    _Atomic int64_t *offset_ms = herd->offset_ms;

    if (right)
        herd->offset_ms = NULL;
    size_t i = herd_start(herd, nemesis_spec(kind, port, SPEC), IDS, 200);
    herd->offset_ms = offset_ms;
    return i;
}

enum { NEWCOMERS = 20 }; /* more than it ever takes */

/* Starts newcomers until one has ids, or the holder has got its worker id again, as it may. */
static size_t await_successor(const struct register_kind *kind, struct herd *herd, size_t holder)
{
    for (;;) {
        size_t newcomer = start_one(kind, herd, 0, true);
        frazil_err opened = herd_await_open(herd, newcomer);
        if (opened == FRAZIL_OK)
            return newcomer;
        if (opened != FRAZIL_EPOOL && opened != FRAZIL_EAGAIN && opened != FRAZIL_EUNREACHABLE)
            fail_msg("%s", herd->members[newcomer].error.message);
        herd_kill(herd, newcomer);
        if (opened == FRAZIL_EPOOL)
            return holder;
    }
}

/*
 * The horizon that the operator says is far too short.  The holder sees the new
 * namespace in time, and whoever has its worker id next begins above its grant.
 */
static void shorter_horizon(const struct register_kind *kind)
{
    const struct nemesis_terms before = {.workers = 1, .horizon_ms = 3000, .max_skew_ms = SKEW_MS, .never_used = true};
    const struct nemesis_terms after = {.workers = 1, .horizon_ms = 100, .lost_horizon_ms = 2200, .max_skew_ms = 100};
    struct herd herd;

    nemesis_rename();
    must_create(kind, &before);
    herd_open(&herd, 1 + NEWCOMERS, (1 + NEWCOMERS) * IDS, nemesis_coordinators());
    size_t holder = start_one(kind, &herd, 0, true);
    herd_await_ids(&herd, holder, 10);
    kind->wipe();
    must_create(kind, &after);
    uint64_t moves = herd.members[holder].moves;
    size_t successor = await_successor(kind, &herd, holder);
    herd_await_ids(&herd, successor, 500);
    assert_true(successor != holder || herd.members[holder].moves > moves);
    herd_assert_unique(&herd);
    herd_close(&herd);
}

/*
 * Two holders whose clocks are ahead by as much as their namespace allows: one is
 * killed, the other one cut off.  That the numbers stand in the namespace means
 * that an operator who says them is right for all.
 */
static void holders_ahead(const struct register_kind *kind)
{
    const struct nemesis_terms before = {.workers = 2, .horizon_ms = 1000, .max_skew_ms = 1000, .never_used = true};
    const struct nemesis_terms after = {.workers = 2, .horizon_ms = 1000, .max_skew_ms = 1000};
    const struct ports ports = {.coordinators = nemesis_coordinators()};
    struct proxy *proxy = proxy_start(kind->server->port);
    struct herd herd;
    frazil_error err;
    frazil *gen;

    nemesis_rename();
    must_create(kind, &before);
    assert_int_equal(ports_open(&gen, nemesis_spec(kind, 0, "max_skew=250ms"), &ports, &err), FRAZIL_ENAMESPACE);
    assert_non_null(strstr(err.message, "was created with max_skew=1000ms, but this spec has 250ms"));
    herd_open(&herd, 4, 4 * IDS, nemesis_coordinators());
    herd_use_clock(&herd);
    herd_set_clock(&herd, 900);
    for (size_t i = 0; i < 2; i++)
        start_one(kind, &herd, proxy->port, false);
    for (size_t i = 0; i < 2; i++)
        herd_await_ids(&herd, i, 10);
    proxy_set(proxy, PROXY_HOLD_REQUESTS);
    herd_kill(&herd, 0);
    kind->wipe();
    must_create(kind, &after);
    for (size_t i = 2; i < 4; i++)
        start_one(kind, &herd, 0, true);
    for (size_t i = 2; i < 4; i++)
        herd_await_ids(&herd, i, 500);
    herd_assert_unique(&herd);
    herd_close(&herd);
    proxy_stop(proxy);
}

/* A clock that is far off, of whoever creates a namespace or of a holder, is refused by what the server shows. */
static void wrong_clocks(const struct register_kind *kind)
{
    struct herd herd;
    frazil_error err;

    nemesis_rename();
    for (int way = -1; way <= 1; way += 2) {
        for (int never_used = 0; never_used < 2; never_used++) {
            const struct nemesis_terms off = {.workers = 1,
                                              .horizon_ms = 1000,
                                              .max_skew_ms = SKEW_MS,
                                              .offset_ms = way * FAR_MS,
                                              .never_used = never_used};
            assert_int_equal(nemesis_create(kind, &off, &err), FRAZIL_ECLOCK);
        }
    }
    const struct nemesis_terms right = {.workers = 1, .horizon_ms = 1000, .max_skew_ms = SKEW_MS, .never_used = true};
    must_create(kind, &right);
    herd_open(&herd, 3, 3 * IDS, nemesis_coordinators());
    herd_use_clock(&herd);
    for (int way = -1; way <= 1; way += 2) {
        herd_set_clock(&herd, way * FAR_MS);
        assert_int_equal(herd_await_open(&herd, start_one(kind, &herd, 0, false)), FRAZIL_ECLOCK);
    }
    /* One whose clock runs away later is granted nothing more, and its ids end with its grant. */
    herd_set_clock(&herd, 0);
    size_t holder = start_one(kind, &herd, 0, false);
    herd_await_ids(&herd, holder, 10);
    herd_set_clock(&herd, FAR_MS);
    herd_await_error(&herd, holder, FRAZIL_ELEASE, "the clocks differ too much");
    herd_close(&herd);
}

/*
 * The operator says that nobody ever used it, and is wrong.  That cannot be known
 * in time; the holder whose worker id a newcomer has gives up as soon as it looks.
 * A holder that looks before there is a newcomer has the worker id again: then the
 * operator errs once more.
 */
static void falsely_never_used(const struct register_kind *kind)
{
    const struct nemesis_terms terms = {.workers = 1, .horizon_ms = 3000, .max_skew_ms = SKEW_MS, .never_used = true};
    struct herd herd;

    nemesis_rename();
    must_create(kind, &terms);
    herd_open(&herd, 1 + NEWCOMERS, (1 + NEWCOMERS) * IDS, nemesis_coordinators());
    size_t holder = start_one(kind, &herd, 0, true);
    herd_await_ids(&herd, holder, 10);
    size_t newcomer = holder;
    while (newcomer == holder) {
        kind->wipe();
        must_create(kind, &terms);
        newcomer = await_successor(kind, &herd, holder);
    }
    herd_await_ids(&herd, newcomer, 10);
    herd_await_error(&herd, holder, FRAZIL_ELEASE, "frazil verify");
    herd_close(&herd);
}

TEST_OF_KINDS(for_each_server,
              "A namespace that was created again hands out no id once more, whatever the operator says of it")
{
    shorter_horizon(kind);
    holders_ahead(kind);
    wrong_clocks(kind);
    falsely_never_used(kind);
}
