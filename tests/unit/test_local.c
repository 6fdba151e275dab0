/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: a handle issues what it took and nothing else: in the first
 * tick of a layout, after its tick is over, when it is closed, and where it can
 * hold no block at all.
 */

#include "frazil.h"
#include "lib/callers.h"
#include "lib/idset.h"
#include "lib/near_miss.h"
#include "lib/ports.h"
#include "lib/test.h"
#include "os/clock.h"

enum { HANDLES = 3, IDS = 20000 };

static bool counter_is_used(frazil *gen)
{
    frazil_info info;

    frazil_get_info(gen, &info, sizeof info);
    return info.counter_in_use;
}

/* Takes single ids until a millisecond has passed, after which the counter's rate is known and handles get blocks. */
static void warm_up(frazil *gen, struct idset *set)
{
    int64_t until_ms = fz_real_now().unix_ms + 4;
    uint64_t id;

    while (fz_real_now().unix_ms < until_ms) {
        assert_int_equal(frazil_next(gen, &id), FRAZIL_OK);
        idset_add(set, id);
    }
}

/* Handles take turns with each other and with the generator. */
static void take_turns(frazil *gen, struct idset *sets)
{
    frazil_local *locals[HANDLES];
    uint64_t id;

    for (size_t i = 0; i < HANDLES; i++)
        assert_int_equal(frazil_local_open(&locals[i], gen, NULL), FRAZIL_OK);
    for (size_t n = 0; n < IDS; n++) {
        for (size_t i = 0; i < HANDLES; i++) {
            assert_int_equal(frazil_local_next(locals[i], &id), FRAZIL_OK);
            idset_add(&sets[i], id);
        }
        assert_int_equal(frazil_next(gen, &id), FRAZIL_OK);
        idset_add(&sets[HANDLES], id);
    }
    for (size_t i = 0; i < HANDLES; i++)
        frazil_local_close(locals[i]);
}

static void run_turns(const char *spec)
{
    struct idset *sets = idsets_open(HANDLES + 1, 2000000);
    frazil *gen = open_or_fail(spec);

    warm_up(gen, &sets[HANDLES]);
    take_turns(gen, sets);
    idsets_assert_unique_and_increasing(sets, HANDLES + 1);
    assert_int_equal(stat_of(gen, FRAZIL_STAT_ISSUED), idsets_count(sets, HANDLES + 1));
    frazil_close(gen);
    idsets_close(sets, HANDLES + 1);
}

TEST("Tick 0 starts at slot 0: a new handle must not take that for a block it already holds")
{
    char spec[128];

    snprintf(spec, sizeof spec, "layout=41/0/22 tick=1h worker=fixed:0 epoch=%lld",
             (long long)fz_real_now().unix_ms - 1);
    run_turns(spec);
}

TEST("Everywhere else, with ticks that a block outlives and such that end under it; what closing leaves is not issued")
{
    run_turns("layout=41/0/22 tick=1h worker=fixed:0");
    run_turns("layout=41/0/22 tick=1ms worker=fixed:0");
    run_turns("layout=41/6/16 tick=1ms worker=fixed:0 seq_min=100");
    run_turns("layout=39/8/16 worker=fixed:7 behaviour=konayuki");
}

TEST("A block makes the generator's count run ahead of the handle, and closing sets it right")
{
    struct idset *set = idsets_open(1, 2000000);
    frazil *gen = open_or_fail("layout=41/0/22 tick=1h worker=fixed:0");
    frazil_local *local;
    uint64_t id;

    if (!counter_is_used(gen))
        skip();
    warm_up(gen, set);
    bool whole = false;
    /* An anchor that ends in between ends the block, too, which is right and not what is looked for here. */
    for (int tries = 0; tries < 100 && !whole; tries++) {
        uint64_t before = stat_of(gen, FRAZIL_STAT_ISSUED);
        assert_int_equal(frazil_local_open(&local, gen, NULL), FRAZIL_OK);
        for (int i = 0; i < 1500; i++)
            assert_int_equal(frazil_local_next(local, &id), FRAZIL_OK);
        whole = stat_of(gen, FRAZIL_STAT_ISSUED) == before + 2047; /* 1 + 2 + 4 + ... + 1024 */
        frazil_local_close(local);
        if (whole)
            assert_int_equal(stat_of(gen, FRAZIL_STAT_ISSUED), before + 1500);
    }
    assert_true(whole);
    frazil_close(gen);
    idsets_close(set, 1);
}

TEST("A tick with fewer than 16 places is not divided into blocks: every id is the generator's next")
{
    struct idset *sets = idsets_open(1, 4000);
    frazil *gen = open_or_fail("layout=41/18/3 worker=fixed:0 max_wait=none");
    frazil_local *local;
    uint64_t id;

    assert_int_equal(frazil_local_open(&local, gen, NULL), FRAZIL_OK);
    for (int i = 0; i < 400; i++) {
        assert_int_equal(i % 2 == 0 ? frazil_local_next(local, &id) : frazil_next(gen, &id), FRAZIL_OK);
        idset_add(sets, id);
        assert_int_equal(stat_of(gen, FRAZIL_STAT_ISSUED), i + 1);
    }
    idsets_assert_unique_and_increasing(sets, 1);
    frazil_local_close(local);
    frazil_close(gen);
    idsets_close(sets, 1);
}

TEST("Batches of a handle, of all sizes, and single ids between them, increase; nothing is issued twice or lost")
{
    enum { LARGEST = 3000, ROUNDS = 300 };
    static uint64_t ids[LARGEST];
    struct idset *set = idsets_open(1, (size_t)ROUNDS * LARGEST);
    frazil *gen = open_or_fail("layout=41/2/20 worker=fixed:0 max_wait=none");
    frazil_local *local;
    uint64_t random_state = 5;
    uint64_t retry_ns;

    assert_int_equal(frazil_local_open(&local, gen, NULL), FRAZIL_OK);
    for (int i = 0; i < ROUNDS; i++) {
        size_t n = seeded_next(&random_state) % (i % 3 == 0 ? LARGEST : 50);
        size_t taken = n;
        frazil_err err = i % 2 == 0 ? frazil_local_take(local, ids, n, FRAZIL_WAIT_DEFAULT, NULL)
                                    : frazil_local_try_take(local, ids, n, &taken, &retry_ns, NULL);
        assert_true(err == FRAZIL_OK || (err == FRAZIL_EAGAIN && taken == 0));
        assert_true(taken <= n);
        for (size_t k = 0; k < taken; k++)
            idset_add(set, ids[k]);
        assert_int_equal(frazil_local_next(local, ids), FRAZIL_OK);
        idset_add(set, ids[0]);
    }
    size_t count = idsets_count(set, 1);
    idsets_assert_unique_and_increasing(set, 1);
    frazil_local_close(local);
    assert_int_equal(stat_of(gen, FRAZIL_STAT_ISSUED), count);
    frazil_close(gen);
    idsets_close(set, 1);
}

TEST("A sno generator has no handles; closing none is allowed")
{
    frazil *gen = open_or_fail("layout=sno worker=fixed:1");
    frazil_local *untouched = (frazil_local *)&gen;
    frazil_local *local = untouched;

    frazil_error err;

    assert_int_equal(frazil_local_open(&local, gen, &err), FRAZIL_EKIND);
    assert_int_equal(err.code, FRAZIL_EKIND);
    assert_ptr_equal(local, untouched);
    frazil_local_close(NULL);
    frazil_close(gen);
}
