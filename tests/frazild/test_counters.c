/* SPDX-License-Identifier: MIT */
/* Goal of this test: each request for ids is in the histogram of durations, and each that got its ids in that of sizes.
 */
#include "counters.h"
#include "lib/test.h"

static struct counters counters;

static uint64_t sum(const _Atomic uint64_t *buckets, size_t n)
{
    uint64_t total = 0;

    for (size_t i = 0; i < n; i++)
        total += buckets[i];
    return total;
}

TEST("Requests that got nothing have a duration and no size")
{
    const struct counted_ids ids = {.each = 11, .requests = 3, .answered = 2, .ns = 101000};

    counters_add_ids(&counters, &ids);
    assert_int_equal(counters.durations[2], 3); /* up to 250 us */
    assert_int_equal(sum(counters.durations, DURATION_BUCKETS), 3);
    assert_int_equal(counters.duration_ns, 3 * 101000);
    assert_int_equal(counters.batches[2], 2); /* up to 100 ids */
    assert_int_equal(sum(counters.batches, BATCH_BUCKETS), 2);
    assert_int_equal(counters.batch_ids, 22);
}

TEST("A bound belongs to the bucket below it")
{
    const struct counted_ids bounds[] = {
        {1, 1, 1, 50000}, {10, 1, 1, 50999}, {65536, 1, 1, 51000}, {65537, 1, 1, UINT64_MAX / 2}};

    counters = (struct counters){.duration_ns = 0};
    for (size_t i = 0; i < sizeof bounds / sizeof bounds[0]; i++)
        counters_add_ids(&counters, &bounds[i]);
    assert_int_equal(counters.durations[0], 2);
    assert_int_equal(counters.durations[1], 1);
    assert_int_equal(counters.durations[DURATION_BUCKETS - 1], 1);
    assert_int_equal(counters.batches[0], 1);
    assert_int_equal(counters.batches[1], 1);
    assert_int_equal(counters.batches[BATCH_BUCKETS - 2], 1);
    assert_int_equal(counters.batches[BATCH_BUCKETS - 1], 1);
}
