/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: the six steps of frazil_fast_path, written down here from the header alone, take ids that nobody
 * else takes, beside threads that call the library, in children, up to the last of a tick, and no more after
 * frazil_stop.
 */
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include "frazil.h"
#include "lib/bound.h"
#include "lib/callers.h"
#include "lib/ports.h"
#include "lib/test.h"

enum { STEPPERS = 2, CALLERS = 2, BATCH_MAX = 3000 };

/* ---- the steps ------------------------------------------------------------------------ */

struct tick {
    uint64_t start, range, first_slot, first_id;
};

static uint64_t load_acquire(const uint64_t *number)
{
    return __atomic_load_n(number, __ATOMIC_ACQUIRE);
}

/* Steps 1 to 3. */
static bool read_tick(const frazil_fast_path *path, struct tick *ret)
{
    uint64_t version = load_acquire(&path->anchor[0]);

    ret->start = load_acquire(&path->anchor[1]);
    ret->range = load_acquire(&path->anchor[2]);
    ret->first_slot = load_acquire(&path->anchor[3]);
    ret->first_id = load_acquire(&path->anchor[4]);
    return (version & 1) == 0 && __atomic_load_n(&path->anchor[0], __ATOMIC_RELAXED) == version;
}

static uint64_t read_counter(void)
{
#if defined(__x86_64__)
    return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
    uint64_t value;
    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(value));
    return value;
#else
    return 0;
#endif
}

/* Step 4.  False as well for a form that this program does not know. */
static bool is_in_range(uint32_t form, uint64_t counter, const struct tick *tick)
{
    switch (form) {
    case FRAZIL_FAST_X86_TSC:
        return counter >> 32 == tick->start >> 32 && (uint32_t)counter - (uint32_t)tick->start < (uint32_t)tick->range;
    case FRAZIL_FAST_ARM_CNTVCT:
        return counter - tick->start < tick->range;
    default:
        return false;
    }
}

/* Step 5. */
static bool take_slots(const frazil_fast_path *path, const struct tick *tick, uint64_t n, uint64_t *ret_nth)
{
    uint64_t word = __atomic_load_n(path->word, __ATOMIC_RELAXED);

    do {
        *ret_nth = word - tick->first_slot;
        if (*ret_nth > path->capacity || n > path->capacity - *ret_nth)
            return false;
    } while (!__atomic_compare_exchange_n(path->word, &word, word + n, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
    return true;
}

/* All of them: the first of n ids, which are 1 << shift apart. */
static bool take_by_steps(const frazil_fast_path *path, uint64_t n, uint64_t *ret_first)
{
    struct tick tick;
    uint64_t nth;

    if (!read_tick(path, &tick) || !is_in_range(path->form, read_counter(), &tick) || !take_slots(path, &tick, n, &nth))
        return false;
    *ret_first = tick.first_id + (nth << path->shift);
    return true;
}

/* ---- generators that have them --------------------------------------------------------- */

/* Skips the test where nothing is faster than a call. */
static frazil *open_fast(const char *spec, frazil_fast_path *ret)
{
    frazil *gen = open_or_fail(spec);

    frazil_get_fast_path(gen, ret, sizeof *ret);
    if (ret->form == FRAZIL_FAST_NONE) {
        frazil_close(gen);
        skip();
    }
    return gen;
}

/* One id by the steps, or by a call where these give up. */
static frazil_err take_somehow(frazil *gen, const frazil_fast_path *path, uint64_t *ret_id)
{
    return take_by_steps(path, 1, ret_id) ? FRAZIL_OK : frazil_next(gen, ret_id);
}

TEST("There is a fast path where the counter is in use, but not for snos; a shorter struct gets its beginning")
{
    frazil_fast_path path;
    frazil_info info;
    frazil *gen = open_or_fail("worker=fixed:1");

    frazil_get_info(gen, &info, sizeof info);
    frazil_get_fast_path(gen, &path, sizeof path);
    assert_int_equal(path.form != FRAZIL_FAST_NONE, info.counter_in_use);
    memset(&path, 0xff, sizeof path);
    frazil_get_fast_path(gen, &path, offsetof(frazil_fast_path, capacity));
    assert_int_equal(path.capacity, UINT64_MAX);
    assert_int_equal(path.form != FRAZIL_FAST_NONE, info.counter_in_use);
    frazil_close(gen);

    gen = open_or_fail("layout=sno worker=fixed:1");
    frazil_get_fast_path(gen, &path, sizeof path);
    assert_int_equal(path.form, FRAZIL_FAST_NONE);
    assert_null(path.word);
    frazil_close(gen);
}

/* Seven ids a tick, so that most of what is tried comes to the end of one.  Ids that begin in another tick or beyond
 * their worker's numbers show what was one too many. */
TEST("Steps take the last id of a tick, and none behind it")
{
    enum { IDS = 2000, CAPACITY = 7 };
    frazil_fast_path path;
    frazil_fields fields;
    uint32_t highest = 0;
    frazil *gen = open_fast("layout=41/19/3 seq_max=6 worker=fixed:77 start=zero max_wait=none", &path);

    assert_int_equal(path.capacity, CAPACITY);
    for (unsigned i = 0; i < IDS; i++) {
        uint64_t id;
        if (!take_by_steps(&path, 1, &id)) {
            assert_int_equal(frazil_next(gen, &id), FRAZIL_OK);
            continue;
        }
        frazil_info info;
        frazil_get_info(gen, &info, sizeof info);
        assert_int_equal(frazil_id_decompose(info.layout, id, &fields, NULL), FRAZIL_OK);
        assert_int_equal(fields.worker, 77);
        assert_true(fields.sequence < CAPACITY);
        highest = fields.sequence > highest ? fields.sequence : highest;
    }
    printf("the highest number by steps was %u of %d\n", highest, CAPACITY - 1);
    frazil_close(gen);
}

/* ---- each step gives up where it has to -------------------------------------------------- */

static uint64_t word;
static uint64_t anchor[5];

static frazil_fast_path path_of(uint64_t version, uint64_t slot)
{
    anchor[0] = version;
    anchor[1] = UINT64_C(0x500000010); /* start */
    anchor[2] = 16;                    /* range */
    anchor[3] = 100;                   /* first_slot */
    anchor[4] = 7000;                  /* first_id */
    word = slot;
    return (frazil_fast_path){.form = FRAZIL_FAST_X86_TSC, .shift = 3, .capacity = 4, .word = &word, .anchor = anchor};
}

TEST("No tick is read while it is written")
{
    struct tick tick;
    frazil_fast_path path = path_of(6, 100);

    assert_true(read_tick(&path, &tick));
    path = path_of(7, 100);
    assert_false(read_tick(&path, &tick));
}

TEST("A range begins with its start and ends before its end, in both forms")
{
    const struct tick tick = {.start = UINT64_C(0x500000010), .range = 16};

    for (uint32_t form = FRAZIL_FAST_X86_TSC; form <= FRAZIL_FAST_ARM_CNTVCT; form++) {
        assert_true(is_in_range(form, tick.start, &tick));
        assert_true(is_in_range(form, tick.start + 15, &tick));
        assert_false(is_in_range(form, tick.start + 16, &tick));
        assert_false(is_in_range(form, tick.start - 1, &tick));
        assert_false(is_in_range(form, tick.start + (UINT64_C(1) << 32), &tick));
    }
    assert_false(is_in_range(FRAZIL_FAST_NONE, tick.start, &tick));
    assert_false(is_in_range(99, tick.start, &tick));
}

TEST("Slots are taken up to the capacity, all or none, and never from before the tick")
{
    struct tick tick;
    uint64_t nth;
    frazil_fast_path path = path_of(6, 102);

    assert_true(read_tick(&path, &tick));
    assert_false(take_slots(&path, &tick, 3, &nth));
    assert_int_equal(word, 102);
    assert_true(take_slots(&path, &tick, 2, &nth));
    assert_int_equal(nth, 2);
    assert_int_equal(word, 104);
    assert_false(take_slots(&path, &tick, 1, &nth));
    path = path_of(6, 99);
    assert_false(take_slots(&path, &tick, 1, &nth));
    assert_int_equal(word, 99);
}

/* ---- beside others ------------------------------------------------------------------------- */

struct stepper {
    frazil *gen;
    frazil_fast_path path;
    struct idset *set;
    size_t quota;
    uint64_t seed;
    size_t by_steps; /* ids that needed no call */
    frazil_err err;
    pthread_t thread;
};

static void add_batch(struct idset *set, uint64_t first, uint64_t n, uint32_t shift)
{
    for (uint64_t i = 0; i < n; i++)
        idset_add(set, first + (i << shift));
}

static void *step(void *arg)
{
    struct stepper *stepper = arg;

    while (stepper->set->count < stepper->quota) {
        uint64_t left = stepper->quota - stepper->set->count;
        uint64_t n = (caller_random(&stepper->seed) & 7) == 0 ? 1 + caller_random(&stepper->seed) % BATCH_MAX : 1;
        uint64_t id = 0;
        n = n < left ? n : left;
        if (take_by_steps(&stepper->path, n, &id)) {
            add_batch(stepper->set, id, n, stepper->path.shift);
            stepper->by_steps += n;
            continue;
        }
        stepper->err = frazil_next(stepper->gen, &id);
        if (stepper->err == FRAZIL_OK)
            idset_add(stepper->set, id);
        else if (stepper->err != FRAZIL_EFULL)
            break;
        else
            sched_yield();
        stepper->err = FRAZIL_OK;
    }
    return NULL;
}

/* Threads that step and, unless they would be refused in a full tick, threads that call. */
static void run_beside(const char *spec, size_t quota, size_t callers)
{
    struct idset *sets;
    struct stepper steppers[STEPPERS];
    struct caller others[CALLERS];
    frazil_fast_path path;
    size_t by_steps = 0;
    frazil *gen = open_fast(spec, &path);

    quota = quota / INSTRUMENT_SLOWDOWN + 1;
    sets = idsets_open(STEPPERS + CALLERS, quota);
    for (size_t i = 0; i < STEPPERS; i++) {
        steppers[i] = (struct stepper){.gen = gen, .path = path, .set = &sets[i], .quota = quota, .seed = i + 77};
        assert_int_equal(pthread_create(&steppers[i].thread, NULL, step, &steppers[i]), 0);
    }
    for (size_t i = 0; i < callers; i++)
        others[i] = (struct caller){.gen = gen,
                                    .shared = &sets[STEPPERS + i],
                                    .quota = quota,
                                    .batch_max = BATCH_MAX,
                                    .run_max = 1000,
                                    .seed = i + 1};
    callers_run(others, callers, caller_take_ids);
    for (size_t i = 0; i < STEPPERS; i++) {
        pthread_join(steppers[i].thread, NULL);
        assert_int_equal(steppers[i].err, FRAZIL_OK);
        by_steps += steppers[i].by_steps;
    }
    assert_int_equal(idsets_count(sets, STEPPERS + callers), (STEPPERS + callers) * quota);
    idsets_assert_unique_and_increasing(sets, STEPPERS + callers);
    printf("%zu of %zu ids needed no call\n", by_steps, STEPPERS * quota);
    idsets_close(sets, STEPPERS + CALLERS);
    frazil_close(gen);
}

TEST("Where nothing limits")
{
    run_beside("layout=41/0/22 worker=fixed:0", 1000000, CALLERS);
}

TEST("Where ticks are full all the time, and calls add past their end")
{
    run_beside("worker=fixed:5 max_wait=60s", 200000, CALLERS);
}

TEST("Where ids lead the clock")
{
    run_beside("behaviour=sfid worker=fixed:3", 500000, CALLERS);
}

TEST("Where the sequence has bounds and stands above the worker")
{
    run_beside("layout=41/16s/6w seq_min=1000 seq_max=5095 worker=fixed:9 max_wait=60s", 200000, CALLERS);
}

TEST("Where a full tick is an error, and each one begins at random")
{
    run_beside("worker=fixed:3 start=random on_full=error", 200000, 0);
}

/* ---- children, and the end ------------------------------------------------------------------- */

TEST("A child that is forked between steps goes on with them, and so does its parent")
{
    enum { CHILDREN = 8, EACH = 20000 / INSTRUMENT_SLOWDOWN + 1 };
    struct idset *sets = idsets_open(1 + CHILDREN, (CHILDREN + 1) * (size_t)EACH);
    pid_t children[CHILDREN];
    frazil_fast_path path;
    uint64_t id;
    frazil *gen = open_fast("layout=41/0/22 worker=fixed:0", &path);

    for (size_t i = 0; i < CHILDREN; i++) {
        children[i] = bound_fork();
        assert_true(children[i] >= 0);
        struct idset *set = &sets[children[i] == 0 ? 1 + i : 0];
        for (size_t k = 0; k < EACH; k++) {
            if (take_somehow(gen, &path, &id) != FRAZIL_OK)
                abort();
            idset_add(set, id);
        }
        if (children[i] == 0)
            _exit(0);
    }
    for (size_t i = 0; i < CHILDREN; i++) {
        int status;
        assert_int_equal(waitpid(children[i], &status, 0), children[i]);
        assert_int_equal(status, 0);
    }
    assert_int_equal(idsets_count(sets, 1 + CHILDREN), 2 * CHILDREN * EACH);
    idsets_assert_unique_and_increasing(sets, 1 + CHILDREN);
    idsets_close(sets, 1 + CHILDREN);
    frazil_close(gen);
}

/* A tick of an hour: nothing but frazil_stop ends its range soon. */
TEST("After frazil_stop no step finds a range")
{
    frazil_fast_path path;
    struct tick tick;
    uint64_t id;
    frazil *gen = open_fast("layout=41/0/22 tick=1h worker=fixed:0 epoch=2020-01-01T00:00:00Z", &path);

    do
        assert_int_equal(frazil_next(gen, &id), FRAZIL_OK);
    while (!read_tick(&path, &tick) || tick.range == 0);
    frazil_stop(gen);
    assert_true(read_tick(&path, &tick));
    assert_int_equal(tick.range, 0);
    assert_false(take_by_steps(&path, 1, &id));
    assert_int_equal(take_somehow(gen, &path, &id), FRAZIL_ESTOPPED);
    frazil_close(gen);
}
