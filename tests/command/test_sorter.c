/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: a sorter gives back what was put in, in ascending order, over any number of chunks in any order.
 * Its chunks are small here; tests/cli/verify_many.bats fills those that it has.
 */
#include <stdlib.h>

#include "lib/test.h"
#include "sorter.h"

enum { IDS_MAX = 120, ROUNDS = 2000 };

static uint64_t state = 1;

static uint64_t random_below(uint64_t n)
{
    state = state * UINT64_C(6364136223846793005) + 1442695040888963407;
    return (state >> 33) % n;
}

static int compare(const void *left, const void *right)
{
    struct sorter_id a = *(const struct sorter_id *)left;
    struct sorter_id b = *(const struct sorter_id *)right;

    if (a.high != b.high)
        return a.high < b.high ? -1 : 1;
    return (int)a.low - (int)b.low;
}

static void fill(struct sorter_id ids[], size_t n, bool wide)
{
    uint64_t span = (uint64_t)1 << (1 + random_below(40)); /* small: many are equal */

    for (size_t i = 0; i < n; i++) {
        ids[i] = (struct sorter_id){random_below(span) * random_below(span), 0};
        if (wide)
            ids[i].low = (uint16_t)random_below(1 << 16);
    }
}

/* In order, but for two that have changed places: whole chunks stay ascending, and follow on each other. */
static void order_nearly(struct sorter_id ids[], size_t n, bool exchanges)
{
    qsort(ids, n, sizeof ids[0], compare);
    if (!exchanges || n == 0)
        return;
    size_t at = random_below(n);
    struct sorter_id id = ids[0];
    ids[0] = ids[at];
    ids[at] = id;
}

static void assert_sorts(struct sorter_id ids[], size_t n, bool wide)
{
    struct sorter *sorter = sorter_new(wide);
    struct sorter_id id;

    assert_non_null(sorter);
    for (size_t i = 0; i < n; i++)
        assert_true(sorter_add(sorter, ids[i]));
    assert_int_equal(sorter_count(sorter), n);
    assert_true(sorter_sort(sorter));
    qsort(ids, n, sizeof ids[0], compare);
    for (size_t i = 0; i < n; i++) {
        assert_true(sorter_take(sorter, &id));
        assert_int_equal(id.high, ids[i].high);
        assert_int_equal(id.low, ids[i].low);
    }
    assert_false(sorter_take(sorter, &id));
    sorter_free(sorter);
}

TEST("Ids come back in ascending order, equal ones one after the other, over no chunk, one and many")
{
    for (unsigned round = 0; round < ROUNDS; round++) {
        struct sorter_id ids[IDS_MAX] = {{0}};
        size_t n = random_below(IDS_MAX + 1);
        bool wide = round % 2 == 1;
        fill(ids, n, wide);
        if (round % 3 > 0)
            order_nearly(ids, n, round % 3 == 2);
        assert_sorts(ids, n, wide);
    }
}
