/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: a namespace is agreed upon by all, and what a coordinator
 * may have lost is never granted again.
 */

#include "lib/fleet.h"
#include "lib/test.h"

AFTER_EACH
{
    fleet_stop();
}

#define NOW FLEET_NOW
#define HORIZON FLEET_HORIZON

/* ---- agreement -------------------------------------------------------------- */

TEST("A missing namespace is an error that says what may have happened, not a fresh start")
{
    fleet_start();
    fleet_open(0);
    assert_int_equal(fleet_acquire(0, NOW), FRAZIL_ENAMESPACE);
    fleet_assert_error(0, FRAZIL_ENAMESPACE, "there is no namespace 'orders': create it once with frazil lease init");
    assert_int_equal(fleet.owners[0].link.swaps, 0);
}

TEST("One that vanishes under an owner is said to have been wiped, for as long as its grant lasts, and after it")
{
    fleet_start_with(4, 1);
    fleet_must_acquire(0, NOW);
    sim_server_wipe(&fleet.server);
    assert_int_equal(fleet_extend(0, NOW + 1), FRAZIL_EAGAIN);
    fleet_assert_error(0, FRAZIL_EAGAIN, "namespace 'orders' has vanished: the coordinator was wiped");
    assert_int_equal(fleet_extend(0, NOW + HORIZON + 1), FRAZIL_ELEASE);
    fleet_assert_error(0, FRAZIL_ELEASE, "has vanished");
}

TEST("Another layout, or epoch, or tick, in the same namespace: refused, with both")
{
    static const char *const others[] = {"41/11/11 epoch=0 tick=1ms", "41/10/12 epoch=1 tick=1ms",
                                         "41/10/12 epoch=0 tick=10ms"};

    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        fleet_start_with(16, 0);
        assert_int_equal(frazil_layout_parse(others[i], strlen(others[i]), &fleet.layout, NULL), FRAZIL_OK);
        fleet_open(0);
        assert_int_equal(fleet_acquire(0, NOW), FRAZIL_ENAMESPACE);
        fleet_assert_error(0, FRAZIL_ENAMESPACE, others[i]);
        fleet_assert_error(0, FRAZIL_ENAMESPACE, FLEET_LAYOUT);
    }
}

TEST("A record of the namespace that is damaged, or of a newer form, is refused with the reason")
{
    fleet_start_with(16, 1);
    fleet_write_text(FZ_NAMESPACE, "frazil1 namespace layout=");
    assert_int_equal(fleet_acquire(0, NOW), FRAZIL_ENAMESPACE);
    fleet_assert_error(0, FRAZIL_ENAMESPACE, "namespace 'orders': the record cannot be read");
    fleet_write_text(FZ_NAMESPACE, "frazil3 namespace layout=");
    assert_int_equal(fleet_acquire(0, NOW), FRAZIL_ENAMESPACE);
    fleet_assert_error(0, FRAZIL_ENAMESPACE, "written by a newer frazil");
}

TEST("Numbers beyond what one look can tell apart are found in several")
{
    fleet_start();
    assert_int_equal(
        frazil_layout_parse("31/20/12 epoch=0 tick=1ms", strlen("31/20/12 epoch=0 tick=1ms"), &fleet.layout, NULL),
        FRAZIL_OK);
    assert_int_equal(fleet_init(0, NOW, true, NULL), FRAZIL_OK);
    for (size_t i = 0; i < FLEET_OWNERS_MAX; i++) {
        fleet_open(i);
        fleet_must_acquire(i, NOW);
        for (size_t j = 0; j < i; j++)
            assert_int_not_equal(fleet_held(i)->worker, fleet_held(j)->worker);
    }
}

/* ---- quarantine ------------------------------------------------------------ */

TEST("Creation holds everything back that may have been granted before, unless the namespace is known to be new")
{
    fleet_start();
    assert_int_equal(fleet_init(4, NOW, false, NULL), FRAZIL_OK);
    assert_int_equal(fleet_namespace().quarantine_until, NOW + HORIZON);
    fleet_open(0);
    assert_int_equal(fleet_acquire(0, NOW), FRAZIL_EAGAIN);
    fleet_assert_error(0, FRAZIL_EAGAIN,
                       "namespace 'orders' was created without --never-used: its first ids come at "
                       "1970-01-01T00:17:40.001Z");
    assert_int_equal(fleet.owners[0].err.retry_ns, 1000000);
    fleet_must_acquire(0, NOW + 1);
    assert_int_equal(fleet_held(0)->floor, NOW + HORIZON + 1);
}

TEST("Nobody is told of a quarantine at the first tick of a namespace that is known to be new")
{
    fleet_start();
    assert_int_equal(fleet_init(4, 0, true, NULL), FRAZIL_OK);
    fleet_open(0);
    fleet_must_acquire(0, 0);
    assert_int_equal(fleet_held(0)->floor, 1);
    assert_false(fleet_held(0)->ends_quarantine);
}

TEST("FLUSHALL and a new init: whoever still holds a grant of before never meets one of after")
{
    fleet_start_with(1, 2);
    fleet_must_acquire(0, NOW);
    sim_server_wipe(&fleet.server);
    assert_int_equal(fleet_init(1, NOW, false, NULL), FRAZIL_OK);
    for (uint64_t t = NOW; fleet_acquire(1, t) != FRAZIL_OK; t++)
        assert_true(t < NOW + HORIZON);
    assert_true(fleet_held(1)->floor > fleet_held(0)->until);
}

TEST("Another incarnation of the coordinator: nothing up to now + horizon is granted any more, to anybody")
{
    fleet_start_with_clock(4, 3);
    fleet_must_acquire(0, NOW);
    memcpy(fleet.server.incarnation, "run-2", sizeof "run-2");
    assert_int_equal(fleet_acquire(1, NOW + 100), FRAZIL_EAGAIN);
    assert_int_equal(fleet_namespace().quarantine_until, NOW + 100 + HORIZON);
    assert_string_equal(fleet_namespace().incarnation, "run-2");
    assert_int_equal(fleet_count(1).quarantines, 1);

    /* The next one finds it begun, and nothing is taken before its end (L9). */
    assert_int_equal(fleet_acquire(2, NOW + 150), FRAZIL_EAGAIN);
    assert_int_equal(fleet.owners[2].err.retry_ns, (HORIZON - 49) * UINT64_C(1000000));
    assert_int_equal(fleet_acquire(2, NOW + 100 + HORIZON), FRAZIL_EAGAIN);
    fleet_must_acquire(2, NOW + 100 + HORIZON + 1);
    assert_int_equal(fleet_held(2)->floor, NOW + 100 + HORIZON + 1);
    assert_int_equal(fleet_namespace().quarantine_until, NOW + 100 + HORIZON);
    assert_int_equal(fleet_count(2).quarantines, 0);
}

TEST("An owner whose grant has ended notices it in the answer to its swap: that grant is burned, and the next "
     "grant begins after the quarantine")
{
    fleet_start_with_clock(4, 1);
    fleet_must_acquire(0, NOW);
    const struct fz_grant old = *fleet_held(0);
    memcpy(fleet.server.incarnation, "run-2", sizeof "run-2");
    assert_int_equal(fleet_extend(0, old.until), FRAZIL_EAGAIN);
    fleet_assert_error(0, FRAZIL_EAGAIN, "since records may have been lost");
    const uint64_t end = old.until + HORIZON;
    assert_int_equal(fleet_namespace().quarantine_until, end);
    assert_int_equal(fleet_count(0).burned, 1);
    assert_int_equal(fleet_extend(0, end), FRAZIL_ELEASE);
    fleet_must_extend(0, end + 1);
    assert_grant(fleet_held(0), old.worker, end + 1, end + 1 + HORIZON);
    fleet_must_extend(0, end + 2);
    assert_grant(fleet_held(0), old.worker, end + 1, end + 2 + HORIZON);
}

TEST("Nor does it go on when another has begun the quarantine, or another process reads it first: no swap "
     "is tried")
{
    fleet_start_with_clock(4, 3);
    fleet_must_acquire(0, NOW);
    const struct fz_grant old = *fleet_held(0);
    memcpy(fleet.server.incarnation, "run-2", sizeof "run-2");
    assert_int_equal(fleet_acquire(1, NOW + 100), FRAZIL_EAGAIN);
    fleet.owners[2].held = old; /* shares the grant, and has never asked the coordinator before */
    assert_int_equal(fleet_extend(2, old.until), FRAZIL_EAGAIN);
    assert_int_equal(fleet.owners[2].link.swaps, 0);
    assert_int_equal(fleet_extend(2, NOW + 100 + HORIZON), FRAZIL_ELEASE);
    fleet_must_extend(2, NOW + 100 + HORIZON + 1);
    assert_int_equal(fleet_held(2)->floor, NOW + 100 + HORIZON + 1);
}

TEST("A fail-over to a copy that has not seen the last swaps: the overtaken owner's version is the current one again")
{
    fleet_start_with_clock(1, 2);
    fleet_must_acquire(0, NOW);
    struct fz_memory_store *copy = sim_server_copy(&fleet.server);
    fleet_must_acquire(1, NOW + HORIZON + 1);
    sim_server_roll_back(&fleet.server, copy);
    memcpy(fleet.server.incarnation, "replica", sizeof "replica");
    uint64_t t = NOW + HORIZON + 2;
    while (fleet_extend(0, t) != FRAZIL_OK)
        t++;
    assert_true(fleet_held(0)->floor > fleet_held(1)->until);
}

struct usurper {
    uint64_t trips;
};

static void usurp_second(void *ctx)
{
    struct usurper *usurper = ctx;

    if (++usurper->trips == 2)
        memcpy(fleet.server.incarnation, "run-2", sizeof "run-2");
}

TEST("If the coordinator changes between the look and the swap, what the swap granted is burned")
{
    fleet_start_with_clock(2, 1);
    for (uint32_t worker = 0; worker < 2; worker++) /* a record that is there: L8 does not look again */
        fleet_write(worker, &(struct fz_worker_record){.owner = "x", .released = true, .owners = 1});
    struct usurper usurper = {0};
    fleet.owners[0].link.before = usurp_second;
    fleet.owners[0].link.ctx = &usurper;
    assert_int_equal(fleet_acquire(0, NOW), FRAZIL_EAGAIN);
    assert_int_equal(fleet_count(0).burned, 1);
    assert_int_equal(fleet_namespace().quarantine_until, NOW + HORIZON);
}

/*
 * L8: wiped between the look and the first taking of a worker id, and perhaps made
 * again: that its record is missing proves nothing, and what was granted is burned.
 */
static void wipe_before_swap(void *ctx)
{
    (void)ctx;

    if (fleet.owners[0].link.trips == 1)
        sim_server_wipe(&fleet.server);
}

static void create_again_before_swap(bool never_used)
{
    if (fleet.owners[0].link.trips != 1)
        return;
    sim_server_wipe(&fleet.server);
    assert_int_equal(fleet_init(4, NOW, never_used, NULL), FRAZIL_OK);
}

static void wipe_and_create_before_swap(void *ctx)
{
    (void)ctx;
    create_again_before_swap(false);
}

static void wipe_and_create_as_new_before_swap(void *ctx)
{
    (void)ctx;
    create_again_before_swap(true);
}

static void raise_quarantine_before_swap(void *ctx)
{
    (void)ctx;
    struct fz_namespace_record record = fleet_namespace();
    char text[FZ_RECORD_SIZE_MAX + 1];

    if (fleet.owners[0].link.trips != 1)
        return;
    record.quarantine_until = NOW + 17;
    text[fz_namespace_record_format(&record, text)] = '\0';
    fleet_write_text(FZ_NAMESPACE, text);
}

TEST("If the namespace is wiped, made anew or closed between the look and the swap, what the swap granted is burned")
{
    fleet_start_with(4, 1);
    fleet.owners[0].link.before = wipe_before_swap;
    assert_int_equal(fleet_acquire(0, NOW), FRAZIL_ENAMESPACE);
    fleet_assert_error(0, FRAZIL_ENAMESPACE, "has vanished");
    assert_int_equal(fleet_count(0).burned, 1);

    fleet_start_with(4, 1);
    fleet.owners[0].link.before = wipe_and_create_before_swap;
    assert_int_equal(fleet_acquire(0, NOW), FRAZIL_EAGAIN);
    assert_int_equal(fleet_count(0).burned, 1);

    /* As new, and without a clock of the coordinator: the time counts at the next call. */
    fleet_start_with(4, 1);
    fleet.owners[0].link.before = wipe_and_create_as_new_before_swap;
    assert_int_equal(fleet_acquire(0, NOW), FRAZIL_EAGAIN);
    assert_int_equal(fleet_count(0).burned, 1);

    fleet_start_with(4, 1);
    fleet.owners[0].link.before = raise_quarantine_before_swap;
    fleet_must_acquire(0, NOW);
    assert_int_equal(fleet_count(0).burned, 1);
    assert_int_equal(fleet_held(0)->floor, NOW + 18);
}

TEST("A namespace that was created again as new, although an owner remembers it: that owner begins the quarantine")
{
    fleet_start_with_clock(4, 3);
    fleet_must_acquire(0, NOW);
    fleet_must_acquire(1, NOW);
    sim_server_wipe(&fleet.server);
    assert_int_equal(fleet_init(4, NOW + 10, true, NULL), FRAZIL_OK);
    assert_int_equal(fleet_extend(0, NOW + 20), FRAZIL_EAGAIN);
    assert_int_equal(fleet_namespace().quarantine_until, NOW + 20 + HORIZON);
    assert_int_equal(fleet_extend(1, NOW + 30), FRAZIL_EAGAIN);
    assert_int_equal(fleet_namespace().quarantine_until, NOW + 20 + HORIZON);
    assert_int_equal(fleet_acquire(2, NOW + 20 + HORIZON), FRAZIL_EAGAIN);
    fleet_must_acquire(2, NOW + 20 + HORIZON + 1);
    assert_int_equal(fleet_held(2)->floor, NOW + 20 + HORIZON + 1);
}

TEST("A quarantine is never shortened by a later one, whose coordinator's clock is behind")
{
    fleet_start();
    assert_int_equal(fleet_init(4, NOW + 1000, false, NULL), FRAZIL_OK);
    fleet.server.has_clock = fleet.clock_follows = true;
    memcpy(fleet.server.incarnation, "run-2", sizeof "run-2");
    struct fz_lease_options options = fleet_options(0);
    fleet_open_with(0, &options);
    /* The namespace's own record says when it was created, which counts like a clock: here it lies before. */
    struct fz_namespace_record record = fleet_namespace();
    record.created_unix_ms = 0;
    char text[FZ_RECORD_SIZE_MAX + 1];
    text[fz_namespace_record_format(&record, text)] = '\0';
    fleet_write_text(FZ_NAMESPACE, text);
    assert_int_equal(fleet_acquire(0, NOW), FRAZIL_EAGAIN);
    assert_string_equal(fleet_namespace().incarnation, "run-2");
    assert_int_equal(fleet_namespace().quarantine_until, NOW + 1000 + HORIZON);
}

TEST("A quarantine that cannot be written down is not begun, and nothing is granted")
{
    fleet_start_with_clock(4, 2);
    memcpy(fleet.server.incarnation, "run-2", sizeof "run-2");
    sim_link_script(&fleet.owners[0].link, SIM_NONE);
    sim_link_script(&fleet.owners[0].link, SIM_LOST_REQUEST);
    assert_int_equal(fleet_acquire(0, NOW + 1), FRAZIL_EUNREACHABLE);
    assert_int_equal(fleet_namespace().quarantine_until, 0);
    sim_link_script(&fleet.owners[0].link, SIM_NONE);
    sim_link_script(&fleet.owners[0].link, SIM_RIVAL);
    assert_int_equal(fleet_acquire(0, NOW + 2), FRAZIL_EAGAIN);
    assert_int_equal(fleet_namespace().quarantine_until, NOW + 2 + HORIZON);
    assert_int_equal(fleet_count(0).quarantines, 0);
}

TEST("Without a coordinator's clock, the caller's own counts only if it was read after the loss was seen: the first "
     "call sees it, the second one begins the quarantine")
{
    fleet_start_with(4, 1);
    memcpy(fleet.server.incarnation, "run-2", sizeof "run-2");
    assert_int_equal(fleet_acquire(0, NOW + 1), FRAZIL_EAGAIN);
    fleet_assert_error(0, FRAZIL_EAGAIN, "may have been lost: nothing is granted now");
    assert_int_equal(fleet_namespace().quarantine_until, 0);
    memcpy(fleet.server.incarnation, "run-3", sizeof "run-3");
    assert_int_equal(fleet_acquire(0, NOW + 2), FRAZIL_EAGAIN);
    assert_int_equal(fleet_namespace().quarantine_until, 0);
    assert_int_equal(fleet_acquire(0, NOW + 3), FRAZIL_EAGAIN);
    assert_int_equal(fleet_namespace().quarantine_until, NOW + 3 + HORIZON);
}

TEST("A layout may have more worker ids than a namespace has numbers: the namespace has all of its own")
{
    fleet_start();
    assert_int_equal(
        frazil_layout_parse("25/32/6 epoch=0 tick=1ms", strlen("25/32/6 epoch=0 tick=1ms"), &fleet.layout, NULL),
        FRAZIL_OK);
    assert_int_equal(fleet_init(0, NOW, true, NULL), FRAZIL_OK);
    assert_int_equal(fleet_namespace().workers, FZ_NAMESPACE);
    fleet_open(0);
    fleet_must_acquire(0, NOW);
    struct fz_lease_options options = fleet_options(1);
    options.base = FZ_NAMESPACE - 1;
    fleet_open_with(1, &options);
    fleet_must_acquire(1, NOW);
    assert_int_equal(fleet_held(1)->worker, FZ_NAMESPACE - 1);
}

TEST("One that says it was created outside the layout's life has not guarded what was granted before it: the end of "
     "the holder's own grant is known")
{
    fleet_start();
    assert_int_equal(frazil_layout_parse("41/10/12 epoch=1000 tick=1ms", strlen("41/10/12 epoch=1000 tick=1ms"),
                                         &fleet.layout, NULL),
                     FRAZIL_OK);
    assert_int_equal(fleet_init(4, NOW, true, NULL), FRAZIL_OK);
    fleet_open(0);
    fleet_must_acquire(0, NOW);
    sim_server_wipe(&fleet.server);
    assert_int_equal(fleet_init(4, NOW, true, NULL), FRAZIL_OK);
    struct fz_namespace_record record = fleet_namespace();
    record.created_unix_ms = 0;
    char text[FZ_RECORD_SIZE_MAX + 1];
    text[fz_namespace_record_format(&record, text)] = '\0';
    fleet_write_text(FZ_NAMESPACE, text);
    assert_int_equal(fleet_extend(0, NOW + 20), FRAZIL_EAGAIN);
    assert_int_equal(fleet_extend(0, NOW + 30), FRAZIL_EAGAIN);
    assert_int_equal(fleet_namespace().quarantine_until, NOW + HORIZON);
    assert_int_equal(fleet_namespace().losses, 1);
}

TEST("One that an owner finds to be due when it extends, and cannot write down, begins at its next call")
{
    fleet_start_with_clock(4, 1);
    fleet_must_acquire(0, NOW);
    memcpy(fleet.server.incarnation, "run-2", sizeof "run-2");
    sim_link_script(&fleet.owners[0].link, SIM_NONE);
    sim_link_script(&fleet.owners[0].link, SIM_NONE);
    sim_link_script(&fleet.owners[0].link, SIM_LOST_REQUEST);
    fleet_must_extend(0, NOW + 1);
    assert_int_equal(fleet_namespace().quarantine_until, 0);
    fleet_must_extend(0, NOW + 2);
    assert_int_equal(fleet_namespace().quarantine_until, NOW + 2 + HORIZON);
}

/* Somebody who writes the namespace's record again, as it is, before each swap. */
static enum sim_fault rewrite(void *ctx, bool is_swap)
{
    (void)ctx;
    char text[FZ_RECORD_SIZE_MAX + 1];

    if (is_swap) {
        struct fz_namespace_record record = fleet_namespace();
        text[fz_namespace_record_format(&record, text)] = '\0';
        fleet_write_text(FZ_NAMESPACE, text);
    }
    return SIM_NONE;
}

TEST("A process that is never fast enough to begin a quarantine has no grant, and no further one")
{
    fleet_start_with_clock(4, 2);
    fleet_must_acquire(1, NOW);
    memcpy(fleet.server.incarnation, "run-2", sizeof "run-2");
    for (size_t i = 0; i < 2; i++) {
        fleet.owners[i].link.choose = rewrite;
    }
    assert_int_equal(fleet_acquire(0, NOW + 1), FRAZIL_EAGAIN);
    fleet_assert_error(0, FRAZIL_EAGAIN, "other processes changed namespace");
    fleet_must_extend(1, NOW + 1); /* sees it; what it extends is certainly its own */
    assert_int_equal(fleet_extend(1, NOW + 2), FRAZIL_EAGAIN);
    fleet_assert_error(1, FRAZIL_EAGAIN, "other processes changed namespace");
    assert_int_equal(fleet_namespace().quarantine_until, 0);
    assert_int_equal(fleet_count(0).quarantines, 0);
}

/* A coordinator that is another incarnation at each look. */
static enum sim_fault change_incarnation(void *ctx, bool is_swap)
{
    (void)ctx;
    char *last = &fleet.server.incarnation[4];

    memcpy(fleet.server.incarnation, "run-", 4);
    if (!is_swap)
        *last = *last == '1' ? '2' : '1';
    return SIM_NONE;
}

TEST("A search that begins a quarantine at each look says so, and does not speak of others")
{
    fleet_start_with_clock(4, 2);
    fleet.owners[0].link.choose = change_incarnation;
    assert_int_equal(fleet_acquire(0, NOW + 1), FRAZIL_EAGAIN);
    fleet_assert_error(0, FRAZIL_EAGAIN, "changed between reads");
    assert_int_equal(fleet_count(0).quarantines, 4);
}
