/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: at the full rate of the default layout no call fails, no id
 * is issued twice and all increase.  How much of the capacity was reached, and
 * what processor time it took, is printed and not asserted: that depends on what
 * else the machine does.
 */

#include <time.h>

#include "frazil.h"
#include "lib/callers.h"
#include "lib/ports.h"
#include "lib/test.h"

enum { SECONDS = 5, CAPACITY = 4096, TICKS_PER_SECOND = 1000, THREADS = 64, THREADS_SECONDS = 1 };

static double cpu_seconds(void)
{
    struct timespec ts;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
    return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

static uint64_t tick_of(uint64_t id)
{
    return id >> 22;
}

/* The ids of whole ticks, as a share of what these ticks can hold. */
static void print_rate(const char *what, const struct idset *sets, size_t n, double cpu_s)
{
    uint64_t first = UINT64_MAX;
    uint64_t last = 0;

    for (size_t i = 0; i < n; i++) {
        uint64_t from = tick_of(sets[i].ids[0]);
        uint64_t to = tick_of(sets[i].ids[sets[i].count - 1]);
        first = from < first ? from : first;
        last = to > last ? to : last;
    }
    double ticks = (double)(last - first + 1);
    printf("%s: %.2f %% of the capacity over %.0f ticks, %.1f %% of one core\n", what,
           100 * (double)idsets_count(sets, n) / (ticks * CAPACITY), ticks, 100 * cpu_s / (ticks / TICKS_PER_SECOND));
}

TEST("One caller, as fast as it can, for five seconds")
{
    struct idset *set = idsets_open(1, (size_t)CAPACITY * TICKS_PER_SECOND * (SECONDS + 1));
    frazil *gen = open_or_fail("worker=fixed:1 max_wait=60s");
    uint64_t id;

    double started_s = cpu_seconds();
    do {
        assert_int_equal(frazil_next(gen, &id), FRAZIL_OK);
        idset_add(set, id);
    } while (tick_of(id) < tick_of(set->ids[0]) + SECONDS * TICKS_PER_SECOND);
    print_rate("one caller", set, 1, cpu_seconds() - started_s);
    idsets_assert_unique_and_increasing(set, 1);
    frazil_close(gen);
    idsets_close(set, 1);
}

static void *take_singles(void *arg)
{
    struct caller *caller = arg;
    uint64_t id;

    do {
        caller->err = frazil_next(caller->gen, &id);
        if (caller->err != FRAZIL_OK)
            break;
        idset_add(caller->shared, id);
    } while (tick_of(id) < tick_of(caller->shared->ids[0]) + THREADS_SECONDS * TICKS_PER_SECOND);
    return NULL;
}

TEST("Sixty-four of them: nobody is kept waiting for ever, and the rate does not collapse")
{
    struct idset *sets = idsets_open(THREADS, (size_t)CAPACITY * TICKS_PER_SECOND * (THREADS_SECONDS + 1));
    struct caller callers[THREADS];
    frazil *gen = open_or_fail("worker=fixed:1 max_wait=60s");

    for (size_t i = 0; i < THREADS; i++)
        callers[i] = (struct caller){.gen = gen, .shared = &sets[i]};
    double started_s = cpu_seconds();
    callers_run(callers, THREADS, take_singles);
    print_rate("64 callers", sets, THREADS, cpu_seconds() - started_s);
    idsets_assert_unique_and_increasing(sets, THREADS);
    frazil_close(gen);
    idsets_close(sets, THREADS);
}
