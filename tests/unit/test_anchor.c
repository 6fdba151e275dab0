/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: an anchor is read whole or not at all, and a closed one stays
 * closed until it is published again.  The rate of the counter is never taken
 * for higher than it is, whatever the counter and the scheduler do.
 */

#include <inttypes.h>
#include <pthread.h>

#include "generator/anchor.h"
#include "lib/callers.h"
#include "lib/test.h"
#include "os/counter.h"

#define MS UINT64_C(1000000)

/* ---- the sequence lock ----------------------------------------------------- */

enum { WRITERS = 2, READERS = 2, PUBLICATIONS = 6000000 / INSTRUMENT_SLOWDOWN, READINGS = 10000 };

struct readers_and_writers {
    struct fz_anchor anchor;
    atomic_int writing;
    atomic_int torn;
    _Atomic uint64_t whole;
};

/* Four fields that belong together. */
static struct fz_anchor_view view_of(uint64_t n)
{
    return (struct fz_anchor_view){.counter = n, .range = 3 * n + 1, .first_slot = 5 * n + 2, .first_id = ~n};
}

static void *publish_often(void *arg)
{
    struct readers_and_writers *shared = arg;
    uint64_t seed = (uint64_t)(uintptr_t)&seed;

    /* Until the readers have had their turn, whatever the scheduler thinks. */
    for (int i = 0; i < PUBLICATIONS || atomic_load(&shared->whole) < READINGS; i++) {
        struct fz_anchor_view view = view_of(caller_random(&seed));
        fz_anchor_publish(&shared->anchor, &view, &(struct fz_anchor_lead){.end = 0});
        if (i % 5 == 0)
            fz_anchor_close(&shared->anchor);
    }
    atomic_fetch_sub(&shared->writing, 1);
    return NULL;
}

/* A closed anchor keeps its other fields. */
static bool is_whole(const struct fz_anchor_view *view)
{
    struct fz_anchor_view right = view_of(view->counter);

    return (view->range == right.range || view->range == 0) && view->first_slot == right.first_slot &&
           view->first_id == right.first_id;
}

static void *read_often(void *arg)
{
    struct readers_and_writers *shared = arg;
    struct fz_anchor_view view;

    while (atomic_load(&shared->writing) > 0) {
        if (!fz_anchor_read(&shared->anchor, &view))
            continue;
        atomic_fetch_add(&shared->whole, 1);
        if (!is_whole(&view))
            atomic_fetch_add(&shared->torn, 1);
    }
    return NULL;
}

TEST("Readers never see fields of two publications, with several writers at once")
{
    struct readers_and_writers shared = {.writing = WRITERS};
    struct fz_anchor_view first = view_of(1);
    pthread_t threads[WRITERS + READERS];

    fz_anchor_publish(&shared.anchor, &first, &(struct fz_anchor_lead){.end = 0});
    for (size_t i = 0; i < WRITERS + READERS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, i < WRITERS ? publish_often : read_often, &shared), 0);
    for (size_t i = 0; i < WRITERS + READERS; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(shared.torn, 0);
    assert_true(shared.whole > 0);
    assert_int_equal(atomic_load(&shared.anchor.version) & 1, 0);
}

TEST("A new anchor is closed: its range is empty")
{
    struct fz_anchor anchor = {.version = 0};
    struct fz_anchor_view view;

    assert_true(fz_anchor_read(&anchor, &view));
    assert_int_equal(view.range, 0);
}

TEST("Closing empties the range; publishing opens it again")
{
    struct fz_anchor anchor = {.version = 0};
    struct fz_anchor_view in = view_of(9);
    struct fz_anchor_view out;

    fz_anchor_publish(&anchor, &in, &(struct fz_anchor_lead){.end = 0});
    assert_true(fz_anchor_read(&anchor, &out));
    assert_memory_equal(&in, &out, sizeof in);
    fz_anchor_close(&anchor);
    assert_true(fz_anchor_read(&anchor, &out));
    assert_int_equal(out.range, 0);
    fz_anchor_close(&anchor);
    assert_true(fz_anchor_read(&anchor, &out));
    assert_int_equal(out.range, 0);
    fz_anchor_publish(&anchor, &in, &(struct fz_anchor_lead){.end = 0});
    assert_true(fz_anchor_read(&anchor, &out));
    assert_memory_equal(&in, &out, sizeof in);
}

TEST("An anchor that leads is moved on under the version that it had, and once it is closed no more")
{
    struct fz_anchor anchor = {.version = 0};
    const struct fz_anchor_lead lead = {.end = 900, .us = 5, .grant_number = 8};
    struct fz_anchor_view view = {.counter = fz_counter_read(), .first_slot = 64, .first_id = 128};

    view.range = fz_counter_clip(view.counter, UINT64_MAX);
    fz_anchor_publish(&anchor, &view, &lead);
    uint64_t version = anchor.version;
    assert_int_equal(anchor.lead_end, 900);
    assert_true(fz_anchor_move(&anchor, version, 72, 136, 1005));
    assert_false(fz_anchor_move(&anchor, version, 80, 144, 2005));
    assert_int_equal(anchor.lead_us, 1005);
    assert_true(fz_anchor_read(&anchor, &view));
    assert_int_equal(view.first_slot, 72);
    assert_int_equal(view.first_id, 136);
    fz_anchor_close(&anchor);
    assert_int_equal(anchor.lead_end, 0);
}

TEST("One whose range is over when it comes to be published leads nowhere")
{
    struct fz_anchor anchor = {.version = 0};
    const struct fz_anchor_lead lead = {.end = 900};
    const struct fz_anchor_view view = {.counter = fz_counter_read() - 1000, .range = 10};

    fz_anchor_publish(&anchor, &view, &lead);
    assert_int_equal(anchor.version, 2);
    assert_int_equal(anchor.lead_end, 0);
}

TEST("While somebody writes, nobody reads, and nobody else writes")
{
    struct fz_anchor anchor = {.version = 7, .range = 5};
    struct fz_anchor_view view = view_of(3);

    assert_false(fz_anchor_read(&anchor, &view));
    view = view_of(3);
    fz_anchor_publish(&anchor, &view, &(struct fz_anchor_lead){.end = 0});
    fz_anchor_close(&anchor);
    assert_int_equal(anchor.version, 7);
    assert_int_equal(anchor.range, 5);
}

/* ---- the rate ---------------------------------------------------------------- */

/* A machine: time, a counter with a rate, and a scheduler that may preempt before each reading. */
struct machine {
    uint64_t ns;
    uint64_t counter;
    uint64_t counts_per_us;
    uint64_t preempted_ns_max; /* before a reading, at random */
    uint64_t seed;
};

static void pass(struct machine *machine, uint64_t ns)
{
    machine->ns += ns;
    machine->counter += ns * machine->counts_per_us / 1000;
}

static void preempt(struct machine *machine)
{
    pass(machine, 20);
    if (machine->preempted_ns_max != 0 && caller_random(&machine->seed) % 4 == 0)
        pass(machine, caller_random(&machine->seed) % machine->preempted_ns_max);
}

static uint64_t machine_counter(void *ctx)
{
    struct machine *machine = ctx;

    preempt(machine);
    return machine->counter;
}

static uint64_t machine_monotonic_ns(void *ctx)
{
    struct machine *machine = ctx;

    preempt(machine);
    return machine->ns;
}

static struct machine machine_of(uint64_t counts_per_us)
{
    return (struct machine){.ns = 17 * MS, .counter = 123456789, .counts_per_us = counts_per_us, .seed = 99};
}

static uint64_t counts_in(struct machine *machine, struct fz_calibration *calibration, uint64_t ns)
{
    struct fz_counter_source source = {
        .ctx = machine, .counter = machine_counter, .monotonic_ns = machine_monotonic_ns};

    return fz_calibration_counts(calibration, &source, ns);
}

/* Asks once a millisecond for a while; fails as soon as the answer is more than what the counter really does. */
static void run_for(struct machine *machine, struct fz_calibration *calibration, uint64_t ms)
{
    for (uint64_t i = 0; i < ms; i++) {
        pass(machine, MS);
        uint64_t counts = counts_in(machine, calibration, MS);
        if (counts > 1000 * machine->counts_per_us)
            fail_msg("after %" PRIu64 " ms: %" PRIu64 " counts in a millisecond that has %" PRIu64, i, counts,
                     1000 * machine->counts_per_us);
    }
}

/* How much of a millisecond is known to be one, in thousandths. */
static uint64_t share_known(struct machine *machine, struct fz_calibration *calibration)
{
    return counts_in(machine, calibration, MS) / machine->counts_per_us;
}

TEST("Nothing is known at first; after a few milliseconds nearly the whole tick is covered, at any rate there is")
{
    static const uint64_t rates[] = {1, 24, 1000, 2500, 6000};

    for (size_t i = 0; i < sizeof rates / sizeof rates[0]; i++) {
        struct machine machine = machine_of(rates[i]);
        struct fz_calibration calibration = {.period = 0};
        assert_int_equal(counts_in(&machine, &calibration, MS), 0);
        run_for(&machine, &calibration, 5);
        assert_in_range(share_known(&machine, &calibration), 960, 1000);
        run_for(&machine, &calibration, 5000);
        assert_in_range(share_known(&machine, &calibration), 980, 993); /* below it by more than clocks are slewed */
    }
}

TEST("Counts are in proportion to the time asked for; a day of them fits")
{
    struct machine machine = machine_of(6000);
    struct fz_calibration calibration = {.period = 0};

    run_for(&machine, &calibration, 3000);
    uint64_t a_second = counts_in(&machine, &calibration, 1000 * MS);
    uint64_t a_day = counts_in(&machine, &calibration, 86400 * 1000 * MS);
    assert_in_range(a_second, 5880 * MS, 6000 * MS);
    assert_in_range(a_day, 86400 * a_second - 86400, 86400 * a_second + 86400);
    assert_int_equal(counts_in(&machine, &calibration, 0), 0);
    assert_int_equal(counts_in(&machine, &calibration, 999), 0);
}

TEST("A caller that is preempted between two readings finds a lower rate, never a higher one, and gets over it")
{
    struct machine machine = machine_of(2500);

    for (int i = 0; i < 200; i++) {
        struct fz_calibration calibration = {.period = 0};
        machine.preempted_ns_max = 50 * MS;
        run_for(&machine, &calibration, 200);
        machine.preempted_ns_max = 0;
        run_for(&machine, &calibration, 4000);
        assert_in_range(share_known(&machine, &calibration), 980, 1000);
    }
}

static void run_suspended(uint64_t before_ms, uint64_t slept_us)
{
    struct machine machine = machine_of(2500);
    struct fz_calibration calibration = {.period = 0};

    run_for(&machine, &calibration, before_ms);
    machine.counter += slept_us * machine.counts_per_us;
    run_for(&machine, &calibration, 5000);
    assert_in_range(share_known(&machine, &calibration), 980, 1000);
}

TEST("After a machine's sleep, in which its counter went on and its monotonic time did not, it counts as no faster")
{
    static const uint64_t slept_us[] = {100, 1000, 100000, 1000000, 60000000, 3600000000};

    for (uint64_t before_ms = 0; before_ms < 6000; before_ms += 1 + before_ms / 4) {
        for (size_t i = 0; i < sizeof slept_us / sizeof slept_us[0]; i++)
            run_suspended(before_ms, slept_us[i]);
    }
}

TEST("A counter that was set back, by much or by little, has not become faster either; nor is it lost for ever")
{
    static const uint64_t back_us[] = {1, 1000, 1000000, 60000000};

    for (size_t i = 0; i < sizeof back_us / sizeof back_us[0]; i++) {
        struct machine machine = machine_of(2500);
        struct fz_calibration calibration = {.period = 0};
        run_for(&machine, &calibration, 2500);
        machine.counter -= back_us[i] * machine.counts_per_us;
        run_for(&machine, &calibration, 10000);
        assert_in_range(share_known(&machine, &calibration), 980, 1000);
    }
}

TEST(
    "On another host: a faster counter is followed, and a slower one within three seconds, if nothing else has changed")
{
    struct machine machine = machine_of(2500);
    struct fz_calibration calibration = {.period = 0};

    run_for(&machine, &calibration, 5000);
    machine.counts_per_us = 3500;
    run_for(&machine, &calibration, 5000);
    assert_in_range(share_known(&machine, &calibration), 980, 1000);
    machine.counts_per_us = 2000;
    for (int i = 0; i < 3000; i++) {
        pass(&machine, MS);
        counts_in(&machine, &calibration, MS);
    }
    run_for(&machine, &calibration, 5000);
    assert_in_range(share_known(&machine, &calibration), 980, 1000);
}

TEST("After a long time without a call nothing is believed: the machine may have been moved meanwhile")
{
    struct machine machine = machine_of(2500);
    struct fz_calibration calibration = {.period = 0};

    run_for(&machine, &calibration, 5000);
    pass(&machine, 200000 * MS);
    machine.counts_per_us = 1000;
    pass(&machine, 1000 * MS);
    run_for(&machine, &calibration, 5000);
    assert_in_range(share_known(&machine, &calibration), 980, 1000);
}

TEST("Between measurements, which are a second apart in the end, only the counter is read")
{
    struct machine machine = machine_of(2500);
    struct fz_calibration calibration = {.period = 0};
    uint64_t due = 0;
    int measured = 0;

    run_for(&machine, &calibration, 5000);
    for (int i = 0; i < 10000; i++) {
        run_for(&machine, &calibration, 1);
        measured += calibration.due_counter != due;
        due = calibration.due_counter;
    }
    assert_in_range(measured, 9, 13);
}

TEST("Only one thread measures at a time; the others use what is known")
{
    struct machine machine = machine_of(2500);
    struct fz_calibration calibration = {.period = 0};

    run_for(&machine, &calibration, 3000);
    uint64_t due = calibration.due_counter;
    calibration.busy = true;
    run_for(&machine, &calibration, 3000);
    assert_int_equal(calibration.due_counter, due);
    assert_in_range(share_known(&machine, &calibration), 980, 1000);
}
