/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: a namespace is created once, with what was asked for, and an
 * interrupted creation grants nothing.
 */

#include "lib/fleet.h"
#include "lib/test.h"

AFTER_EACH
{
    fleet_stop();
}

#define NOW FLEET_NOW
#define HORIZON FLEET_HORIZON

TEST("The namespace has exactly the settings asked for; without a number, all worker ids of the layout")
{
    fleet_start();
    memcpy(fleet.server.incarnation, "run-1", sizeof "run-1");
    assert_int_equal(fleet_init(0, NOW, true, NULL), FRAZIL_OK);
    struct fz_namespace_record record = fleet_namespace();
    assert_string_equal(record.layout, FLEET_LAYOUT);
    assert_int_equal(record.horizon_ms, HORIZON);
    assert_int_equal(record.workers, 1024);
    assert_int_equal(record.created_unix_ms, NOW);
    assert_int_equal(record.quarantine_until, 0);
    assert_string_equal(record.incarnation, "run-1");
}

TEST("A namespace is created once: the second time, the error says what is there")
{
    frazil_error err;

    fleet_start_with(16, 0);
    struct fz_namespace_record before = fleet_namespace();
    assert_int_equal(fleet_init(8, NOW + 1, false, &err), FRAZIL_EINVAL);
    assert_non_null(strstr(err.message, "exists since 1970-01-01T00:16:40.000Z, with the layout '" FLEET_LAYOUT
                                        "', a horizon of 1 min and 16 worker ids"));
    struct fz_namespace_record after = fleet_namespace();
    assert_memory_equal(&before, &after, sizeof before);
    fleet_write_text(FZ_NAMESPACE, "frazil7 namespace");
    assert_int_equal(fleet_init(8, NOW + 1, false, &err), FRAZIL_EINVAL);
    assert_non_null(strstr(err.message, "exists, but the record was written by a newer frazil"));
}

TEST("Horizon and number are held to what makes sense")
{
    frazil_error err;

    fleet_start();
    struct fz_register reg = sim_register(&fleet.observer.link);
    struct fz_namespace_options options = {
        .layout = &fleet.layout, .name = "orders", .horizon_ms = 99}; /* no clock: it is not asked */
    assert_int_equal(fz_lease_init(&reg, &options, &err), FRAZIL_ERANGE);
    assert_non_null(strstr(err.message, "100 ms to 7 d"));
    options.horizon_ms = 604800001;
    assert_int_equal(fz_lease_init(&reg, &options, &err), FRAZIL_ERANGE);
    options.horizon_ms = 3000;
    options.workers = 1025;
    assert_int_equal(fz_lease_init(&reg, &options, &err), FRAZIL_ERANGE);
    assert_non_null(strstr(err.message, "1025 worker ids: the layout has 1024"));
    options.workers = 1024;
    fleet.layout.tick_ms = 1001;
    assert_int_equal(fz_lease_init(&reg, &options, &err), FRAZIL_ERANGE);
    assert_non_null(strstr(err.message, "3 s 3 ms"));
    assert_int_equal(fleet.observer.link.trips, 0);
}

TEST("When the layout's life is over, there is no namespace to be created for it")
{
    frazil_error err;

    fleet_start();
    assert_int_equal(fleet_init(1, UINT64_C(1) << 41, false, &err), FRAZIL_EEXHAUSTED);
}

TEST("Creation can fail like anything else, and says so")
{
    static const struct {
        enum sim_fault read;
        enum sim_fault swap;
        frazil_err err;
    } cases[] = {
        {SIM_UNREACHABLE, SIM_NONE, FRAZIL_EUNREACHABLE},
        {SIM_NONE, SIM_LOST_REPLY, FRAZIL_EUNREACHABLE},
        {SIM_NONE, SIM_RIVAL, FRAZIL_EAGAIN},
        {SIM_NONE, SIM_REFUSED, FRAZIL_EREFUSED},
        {SIM_REFUSED, SIM_NONE, FRAZIL_EREFUSED},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        fleet_start();
        sim_link_script(&fleet.observer.link, cases[i].read);
        sim_link_script(&fleet.observer.link, cases[i].swap);
        assert_int_equal(fleet_init(8, NOW, true, NULL), cases[i].err);
    }
}

TEST("A creation that was interrupted leaves the namespace closed: nothing is granted, and the next creation goes on")
{
    fleet_start();
    fleet_open(0);
    sim_link_script(&fleet.observer.link, SIM_NONE);
    sim_link_script(&fleet.observer.link, SIM_NONE);
    sim_link_script(&fleet.observer.link, SIM_LOST_REQUEST);
    assert_int_equal(fleet_init(4, NOW, false, NULL), FRAZIL_EUNREACHABLE);
    assert_int_equal(fleet_acquire(0, NOW), FRAZIL_EAGAIN);
    fleet_assert_error(0, FRAZIL_EAGAIN, "is being created; if that was interrupted, call frazil lease init");
    assert_int_equal(fleet_init(4, NOW + 50, false, NULL), FRAZIL_OK);
    assert_int_equal(fleet_namespace().quarantine_until, NOW + 50 + HORIZON);
    assert_int_equal(fleet_namespace().created_unix_ms, NOW);
    assert_int_equal(fleet_init(4, NOW + 60, false, NULL), FRAZIL_EINVAL);
}

TEST("Only by one who wants the same: another layout finds that it exists")
{
    frazil_error err;

    fleet_start();
    sim_link_script(&fleet.observer.link, SIM_NONE);
    sim_link_script(&fleet.observer.link, SIM_NONE);
    sim_link_script(&fleet.observer.link, SIM_LOST_REQUEST);
    assert_int_equal(fleet_init(4, NOW, false, NULL), FRAZIL_EUNREACHABLE);
    assert_int_equal(
        frazil_layout_parse("41/10/12 epoch=1 tick=1ms", strlen("41/10/12 epoch=1 tick=1ms"), &fleet.layout, NULL),
        FRAZIL_OK);
    assert_int_equal(fleet_init(4, NOW, false, &err), FRAZIL_EINVAL);
}

/* L8: the time that a quarantine is reckoned from is read when the namespace stands there, closed. */
static uint64_t tick_when_closed(void *ctx)
{
    (void)ctx;
    struct fz_register reg = fz_memory_register(fleet.server.store);
    struct fz_record raw = {.version = 0};
    struct fz_namespace_record record;

    assert_int_equal(reg.read(reg.ctx, FZ_DEADLINE_NONE, FZ_NAMESPACE, &raw, NULL, NULL), FZ_REGISTER_OK);
    if (raw.version == 0)
        return NOW - 500; /* before a pause */
    assert_int_equal(fz_namespace_record_parse(raw.data, raw.len, &record, NULL), FRAZIL_OK);
    assert_int_equal(record.quarantine_until, FZ_TICK_MAX);
    return NOW;
}

TEST("The clock is read when the namespace is closed already: a pause before that shortens no quarantine")
{
    fleet_start();
    struct fz_register reg = sim_register(&fleet.observer.link);
    struct fz_namespace_options options = {.layout = &fleet.layout,
                                           .name = "orders",
                                           .horizon_ms = HORIZON,
                                           .workers = 4,
                                           .now_tick = tick_when_closed,
                                           .now_ctx = &fleet};
    assert_int_equal(fz_lease_init(&reg, &options, NULL), FRAZIL_OK);
    assert_int_equal(fleet_namespace().quarantine_until, NOW + HORIZON);
}

/* The readings of the clock here, one after the other. */
struct readings {
    const uint64_t *ticks;
    size_t n;
};

static uint64_t next_reading(void *ctx)
{
    struct readings *readings = ctx;

    readings->n++;
    return *readings->ticks++;
}

TEST("How long an answer takes is no difference of clocks, and what differs before and after it is one")
{
    enum { SKEW = 250, LATE = 5000 };
    static const struct {
        uint64_t ticks[2]; /* before the request, and after the answer, in which it is NOW */
        frazil_err err;
    } cases[] = {{{NOW, NOW}, FRAZIL_OK},
                 {{NOW - 1, NOW + LATE}, FRAZIL_OK},
                 {{NOW - LATE, NOW}, FRAZIL_OK},
                 {{NOW - LATE, NOW - SKEW}, FRAZIL_OK},
                 {{NOW - LATE, NOW - SKEW - 1}, FRAZIL_ECLOCK},
                 {{NOW + SKEW, NOW + LATE}, FRAZIL_OK},
                 {{NOW + SKEW + 1, NOW + LATE}, FRAZIL_ECLOCK}};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const uint64_t ticks[] = {cases[i].ticks[0], cases[i].ticks[1], NOW}; /* the last one before the record */
        struct readings readings = {.ticks = ticks};
        fleet_start();
        fleet.server.has_clock = true;
        fleet.server.unix_ms = NOW;
        struct fz_register reg = sim_register(&fleet.observer.link);
        const struct fz_namespace_options options = {.layout = &fleet.layout,
                                                     .name = "orders",
                                                     .horizon_ms = HORIZON,
                                                     .workers = 4,
                                                     .max_skew_ms = SKEW,
                                                     .never_used = true,
                                                     .now_tick = next_reading,
                                                     .now_ctx = &readings};
        assert_int_equal(fz_lease_init(&reg, &options, NULL), cases[i].err);
        assert_int_equal(readings.n, cases[i].err == FRAZIL_OK ? 3 : 2);
    }
}

static uint64_t tick_after_the_end(void *ctx)
{
    uint64_t *calls = ctx;

    return (*calls)++ < 3 ? NOW : UINT64_C(1) << 41;
}

TEST("A namespace stays closed if the layout's life ends while it is being made")
{
    uint64_t calls = 0;

    fleet_start();
    struct fz_register reg = sim_register(&fleet.observer.link);
    const struct fz_namespace_options options = {.layout = &fleet.layout,
                                                 .name = "orders",
                                                 .horizon_ms = FLEET_HORIZON,
                                                 .now_tick = tick_after_the_end,
                                                 .now_ctx = &calls};
    assert_int_equal(fz_lease_init(&reg, &options, NULL), FRAZIL_EEXHAUSTED);
    assert_int_equal(calls, 4); /* before and after the look and the record */
    assert_int_equal(fleet_namespace().quarantine_until, FZ_TICK_MAX);
}
