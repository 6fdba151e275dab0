/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: a clock that steps forwards and backwards at random never makes
 * threads take an id twice, or out of order, under any policy.  This holds with and
 * without the processor's counter, which runs independently of the clock here and makes
 * every anchor wrong.
 */
#include <stdatomic.h>

#include <inttypes.h>
#include <sched.h>

#include "core/now.h"
#include "frazil.h"
#include "generator/generator_internal.h"
#include "lib/callers.h"
#include "lib/ports.h"
#include "lib/test.h"

enum { THREADS = 8, QUOTA = 150000 / INSTRUMENT_SLOWDOWN };

static const int64_t start_unix_ms = INT64_C(1800000000000);

/* A manual clock that is stepped, under everybody, while it is being read. */
struct stepper {
    frazil_manual_clock *clock;
    frazil_clock port;
    int64_t step_ms_max;
    _Atomic uint64_t readings;
};

/* Which of these many readings step; the steps come from the number of the reading. */
enum { READINGS_A_STEP = 8, READINGS_A_YIELD = 64 };

/* Either way, mostly within step_ms_max, at times by an hour; in between time passes. */
static void step(struct stepper *stepper, uint64_t dice)
{
    int64_t reach = dice % 256 == 0 ? 3600000 : stepper->step_ms_max;
    int64_t by_ms = (int64_t)(dice >> 16) % (reach + 1);

    if (dice % 3 == 0)
        frazil_manual_clock_advance(stepper->clock, (dice >> 20) % 3000000);
    else
        frazil_manual_clock_set(stepper->clock, fz_now(&stepper->port).unix_ms + (dice % 3 == 1 ? by_ms : -by_ms));
}

static void stepping_now(void *ctx, frazil_instant *ret)
{
    struct stepper *stepper = ctx;
    uint64_t dice = 0x9e3779b97f4a7c15 * (atomic_fetch_add(&stepper->readings, 1) + 1);

    dice = caller_random(&dice);
    if (dice % READINGS_A_STEP == 0)
        step(stepper, dice / READINGS_A_STEP);
    frazil_instant now = fz_now(&stepper->port);
    if (dice % READINGS_A_YIELD == 1)
        sched_yield(); /* the others go on, and this reading grows old */
    *ret = now;
}

static uint64_t stepping_monotonic_ns(void *ctx)
{
    struct stepper *stepper = ctx;

    return stepper->port.monotonic_ns(stepper->port.ctx);
}

static void stepping_sleep_until(void *ctx, uint64_t monotonic_ns)
{
    struct stepper *stepper = ctx;

    stepper->port.sleep_until(stepper->port.ctx, monotonic_ns);
}

/* Gives a generator on a manual clock the fast path that it would have on a real one. */
static void use_counter(frazil *gen, enum fz_fast_path path)
{
    gen->fixed.counter_usable = true;
    gen->fast_path = path;
}

struct run {
    const char *spec;
    enum fz_fast_path path;
    int64_t step_ms_max;
    bool is_sno;
};

static void assert_sides_increase(const struct idset *sets)
{
    uint64_t id;
    size_t at;

    for (size_t i = 0; i < THREADS; i++) {
        if (!idset_increases_by_side(&sets[i], &at))
            fail_msg("caller %zu: %" PRIx64 " does not follow what came before", i, sets[i].ids[at]);
    }
    assert_int_equal(idsets_duplicates(sets, THREADS, &id), 0);
}

static void set_up_callers(struct caller *callers, const struct run *run, frazil *gen, const frazil_clock *clock,
                           struct idset *sets)
{
    bool locals = !run->is_sno && run->path != FZ_FAST_NONE;

    for (size_t i = 0; i < THREADS; i++)
        callers[i] = (struct caller){.gen = gen,
                                     .shared = &sets[i],
                                     .local = locals ? &sets[THREADS + i] : NULL,
                                     .quota = QUOTA,
                                     .batch_max = 300,
                                     .run_max = 100,
                                     .seed = 7 * i + 1,
                                     .clock = clock};
}

static void assert_run(frazil *gen, const struct run *run, const struct idset *sets)
{
    assert_true(stat_of(gen, FRAZIL_STAT_BACKWARD_STEPS) > 0);
    assert_int_equal(stat_of(gen, FRAZIL_STAT_TICKTOCKS) > 0, run->is_sno);
    if (run->path != FZ_FAST_NONE)
        assert_true(atomic_load(&gen->private_page->anchor.version) > 0);
    if (run->is_sno)
        assert_sides_increase(sets);
    else
        idsets_assert_unique_and_increasing(sets, (size_t)2 * THREADS);
}

static void run_steps(const struct run *run)
{
    struct idset *sets = idsets_open((size_t)2 * THREADS, QUOTA);
    struct stepper stepper = {.step_ms_max = run->step_ms_max};
    const frazil_clock clock = {sizeof(frazil_clock), &stepper, stepping_now, stepping_monotonic_ns,
                                stepping_sleep_until};
    const struct ports ports = {.clock = &clock};
    struct caller callers[THREADS];
    frazil *gen;

    assert_int_equal(frazil_manual_clock_open(&stepper.clock, start_unix_ms, 0, NULL), FRAZIL_OK);
    stepper.port = port_of(stepper.clock);
    assert_int_equal(ports_open(&gen, run->spec, &ports, NULL), FRAZIL_OK);
    if (run->path != FZ_FAST_NONE)
        use_counter(gen, run->path);
    set_up_callers(callers, run, gen, &clock, sets);
    callers_run(callers, THREADS, run->is_sno ? caller_take_snos : caller_take_ids);
    assert_run(gen, run, sets);
    frazil_close(gen);
    frazil_manual_clock_close(stepper.clock);
    idsets_close(sets, (size_t)2 * THREADS);
}

TEST("Ids are stamped ahead of a clock that went back")
{
    run_steps(&(struct run){"worker=fixed:1 max_lead=none max_wait=none", FZ_FAST_NONE, 300, false});
    run_steps(&(struct run){"worker=fixed:1 max_wait=none", FZ_FAST_NONE, 300, false});
}

TEST("Callers wait for a clock that went back")
{
    run_steps(&(struct run){"worker=fixed:1 on_backward=wait max_wait=none", FZ_FAST_NONE, 30, false});
}

TEST("The same, where a tick has few places and some of them are out of bounds")
{
    run_steps(
        &(struct run){"layout=41/10/6 worker=fixed:1 seq_min=5 seq_max=60 max_wait=none", FZ_FAST_NONE, 30, false});
}

TEST("With anchors, which the counter keeps open though the clock has gone elsewhere")
{
    run_steps(&(struct run){"worker=fixed:1 max_lead=none max_wait=none", FZ_FAST_ADD_64, 300, false});
    run_steps(&(struct run){"worker=fixed:1 on_backward=wait max_wait=none", FZ_FAST_ADD_64, 30, false});
    run_steps(&(struct run){"behaviour=sfid worker=fixed:1", FZ_FAST_ADD_64, 300, false});
    run_steps(&(struct run){"worker=fixed:1 max_wait=none", FZ_FAST_CHECKED, 300, false});
    run_steps(
        &(struct run){"layout=41/10/6 worker=fixed:1 seq_min=5 seq_max=60 max_wait=none", FZ_FAST_ADD_64, 30, false});
}

TEST("Tick-tock: two lines of ids, each increasing, none met twice")
{
    run_steps(&(struct run){"layout=sno worker=fixed:1 max_wait=none", FZ_FAST_NONE, 30, true});
    run_steps(&(struct run){"layout=sno worker=fixed:1 max_wait=none seq_min=10 seq_max=40", FZ_FAST_NONE, 30, true});
}

TEST("Tick-tock holds on the fast path, too")
{
    run_steps(&(struct run){"layout=sno worker=fixed:1 max_wait=none", FZ_FAST_ADD_SNO, 30, true});
    run_steps(
        &(struct run){"layout=sno worker=fixed:1 max_wait=none seq_min=10 seq_max=40", FZ_FAST_ADD_SNO, 30, true});
}
