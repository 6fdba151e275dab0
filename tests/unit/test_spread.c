/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: ids of a quiet generator fall evenly on any number of
 * shards (id % m), for one caller and for each of two; random starts cover the
 * whole range; and spreading costs a busy generator nothing.  All numbers come
 * from seeds, so the test gives the same result each time.
 */

#include "lib/near_miss.h"
#include "lib/rig.h"
#include "lib/test.h"

enum { IDS = 20000, SHARDS_MAX = 4096 };

static const unsigned moduli[] = {2, 3, 4, 8, 10, 16, 64};
enum { MODULI = sizeof moduli / sizeof moduli[0] };

/*
 * The value that chi-square with m - 1 degrees of freedom exceeds once in 10,000
 * cases.
 */
static const double limits[MODULI] = {15.14, 18.42, 21.11, 29.88, 33.72, 44.26, 111.06};

static double chi_square(const uint64_t *ids, size_t count, size_t stride, unsigned m)
{
    uint64_t seen[SHARDS_MAX] = {0};
    const size_t counted = count / stride;
    const double expected = (double)counted / m;
    double sum = 0;

    for (size_t i = 0; i < count; i += stride)
        seen[ids[i] % m]++;
    for (unsigned shard = 0; shard < m; shard++) {
        const double off = (double)seen[shard] - expected;
        sum += off * off / expected;
    }
    return sum;
}

/* When the next ids are wanted. */
enum pace {
    TEN_A_SECOND,           /* on the average, as independent users come */
    EVERY_TENTH_OF_A_SECOND /* to the ms, as a timer comes */
};

/* Takes ids, so many at once and then none for a while. */
static void take_quietly(const char *spec, uint64_t seed, size_t at_once, enum pace pace, uint64_t ids[IDS])
{
    struct rig rig = {.random_state = seed};
    uint64_t pace_state = seed;

    rig_open(&rig, spec, RIG_NOW);
    for (size_t i = 0; i < IDS; i++) {
        ids[i] = rig_next(&rig);
        assert_true(i == 0 || ids[i] > ids[i - 1]);
        if (i % at_once == at_once - 1)
            frazil_manual_clock_advance(rig.manual, (pace == TEN_A_SECOND ? 50 + seeded_next(&pace_state) % 101 : 100) *
                                                        RIG_MS * at_once);
    }
    rig_close(&rig);
}

/* How many of the moduli the ids are uneven for, from the first id on, each stride-th. */
static unsigned uneven(const uint64_t *ids, size_t count, size_t stride)
{
    unsigned bad = 0;

    for (size_t i = 0; i < MODULI; i++)
        bad += chi_square(ids, count, stride, moduli[i]) > limits[i];
    return bad;
}

#define SPREAD "layout=twitter worker=fixed:5"

TEST("Ten ids a second, by one caller")
{
    static uint64_t ids[IDS];

    for (uint64_t seed = 1; seed <= 5; seed++) {
        take_quietly(SPREAD, seed, 1, TEN_A_SECOND, ids);
        assert_int_equal(uneven(ids, IDS, 1), 0);
    }
}

TEST("The same by two callers in turns, together and for each of them: no caller is left with the odd ids")
{
    static uint64_t ids[IDS];

    for (uint64_t seed = 1; seed <= 5; seed++) {
        for (size_t at_once = 1; at_once <= 2; at_once++) { /* in ticks of their own, and both in one */
            take_quietly(SPREAD, seed, at_once, TEN_A_SECOND, ids);
            assert_int_equal(uneven(ids, IDS, 1), 0);
            assert_int_equal(uneven(ids, IDS, 2), 0);
            assert_int_equal(uneven(ids + 1, IDS - 1, 2), 0);
        }
    }
}

TEST("A timer that takes an id every 100 ms to the ms keeps the time part of id % 10 constant, and 64 starts do not "
     "divide by 10: seven fall on some shards and six on others")
{
    /* No shard gets more than that; where 64 divides, or the time part moves, all get the same. */
    static uint64_t ids[IDS];
    uint64_t seen[10] = {0};

    take_quietly(SPREAD, 1, 1, EVERY_TENTH_OF_A_SECOND, ids);
    for (size_t i = 0; i < MODULI; i++) {
        if (moduli[i] != 10)
            assert_true(chi_square(ids, IDS, 1, moduli[i]) < limits[i]);
    }
    for (size_t i = 0; i < IDS; i++)
        seen[ids[i] % 10]++;
    for (size_t shard = 0; shard < 10; shard++)
        assert_in_range(seen[shard], IDS * 6 / 64 - 170, IDS * 7 / 64 + 170); /* four standard deviations */
}

TEST("Must fail: a sequence that starts at zero is uneven, and so this test sees the difference")
{
    static uint64_t ids[IDS];

    take_quietly(SPREAD " start=zero", 1, 1, TEN_A_SECOND, ids);
    assert_true(uneven(ids, IDS, 1) >= 5);
    take_quietly(SPREAD " start=zero", 1, 2, TEN_A_SECOND, ids);
    assert_true(uneven(ids, IDS, 2) >= 5);
    assert_true(uneven(ids + 1, IDS - 1, 2) >= 5);
}

TEST("A random start is uniform over the whole range, bounded or not, and reaches both ends")
{
    static const struct {
        const char *spec;
        uint32_t min;
        uint32_t max;
        double limit; /* once in 10,000 cases */
    } rows[] = {
        {"layout=41/10/8 worker=fixed:5 start=random", 0, 255, 344.3},
        {"layout=41/10/8 worker=fixed:5 start=random seq_min=17 seq_max=116", 17, 116, 155.4},
        {"layout=41/10/2 worker=fixed:5 start=random", 0, 3, 21.11},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        static uint64_t sequences[IDS];
        struct rig rig = {.random_state = 11};
        bool lowest = false;
        bool highest = false;

        rig_open(&rig, rows[i].spec, RIG_NOW);
        for (size_t k = 0; k < IDS; k++) {
            const uint32_t sequence = rig_parts(&rig, rig_next(&rig)).sequence;
            assert_in_range(sequence, rows[i].min, rows[i].max);
            lowest |= sequence == rows[i].min;
            highest |= sequence == rows[i].max;
            sequences[k] = sequence - rows[i].min;
            frazil_manual_clock_advance(rig.manual, 100 * RIG_MS);
        }
        assert_true(lowest && highest);
        assert_true(chi_square(sequences, IDS, 1, rows[i].max - rows[i].min + 1) < rows[i].limit);
        rig_close(&rig);
    }
}

TEST("konayuki's price: a tick that starts at random gives what is above the start, and nothing wraps inside it")
{
    struct rig rig = {.random_state = 3};
    uint64_t retry_ns;
    uint64_t id;

    rig_open(&rig, "layout=41/10/8 worker=fixed:5 behaviour=konayuki start=random", RIG_NOW);
    for (int tick = 0; tick < 100; tick++) {
        const uint32_t start = rig_parts(&rig, rig_next(&rig)).sequence;
        for (uint32_t sequence = start + 1; sequence < 256; sequence++)
            assert_int_equal(rig_parts(&rig, rig_next(&rig)).sequence, sequence);
        assert_int_equal(try_one(rig.gen, &id, &retry_ns), FRAZIL_EAGAIN);
        assert_int_equal(retry_ns, RIG_MS);
        frazil_manual_clock_advance(rig.manual, RIG_MS);
    }
    rig_close(&rig);
}

TEST("Spread uses the low six bits and no more; the whole of a small tick stays mostly free")
{
    static const struct {
        unsigned sequence_bits;
        uint32_t starts;
    } rows[] = {{12, 64}, {8, 64}, {7, 64}, {6, 32}, {4, 8}, {2, 2}, {1, 1}};

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct rig rig = {.random_state = 4};
        char spec[64];
        bool seen[64] = {false};

        snprintf(spec, sizeof spec, "layout=41/10/%u worker=fixed:5", rows[i].sequence_bits);
        rig_open(&rig, spec, RIG_NOW);
        for (size_t k = 0; k < 2000; k++) {
            const uint32_t sequence = rig_parts(&rig, rig_next(&rig)).sequence;
            assert_true(sequence < rows[i].starts);
            seen[sequence] = true;
            frazil_manual_clock_advance(rig.manual, 100 * RIG_MS);
        }
        for (uint32_t k = 0; k < rows[i].starts; k++)
            assert_true(seen[k]);
        rig_close(&rig);
    }
}

/* Takes until the tick is full, without waiting. */
static uint64_t drain(struct rig *rig)
{
    uint64_t retry_ns;
    uint64_t id;
    uint64_t count = 0;

    while (try_one(rig->gen, &id, &retry_ns) == FRAZIL_OK)
        count++;
    return count;
}

TEST("At the full rate every tick after the first gives all its ids, one by one and in batches")
{
    static const char *const specs[] = {SPREAD, SPREAD " seq_min=100 seq_max=1099", "layout=41/10/3 worker=fixed:5"};
    static const uint64_t capacities[] = {4096, 1000, 8};

    for (size_t i = 0; i < sizeof specs / sizeof specs[0]; i++) {
        struct rig rig = {.random_state = 6};
        rig_open(&rig, specs[i], RIG_NOW);
        assert_true(drain(&rig) >= capacities[i] / 2);
        for (int tick = 0; tick < 50; tick++) {
            frazil_manual_clock_advance(rig.manual, RIG_MS);
            assert_int_equal(drain(&rig), capacities[i]);
        }
        rig_close(&rig);
    }
}

TEST("Callers that wait get the full rate too: so many ids take exactly so many ticks")
{
    struct rig rig = {.random_state = 6};
    static uint64_t ids[1000];

    rig_open(&rig, SPREAD, RIG_NOW);
    drain(&rig);
    for (int i = 0; i < 4096; i++)
        assert_int_equal(frazil_take(rig.gen, ids, 1000, FRAZIL_WAIT_DEFAULT, NULL), FRAZIL_OK);
    assert_int_equal(rig_now_ms(&rig) - RIG_NOW, 1000);
    rig_close(&rig);
}
