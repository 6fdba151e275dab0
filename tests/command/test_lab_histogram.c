/* SPDX-License-Identifier: MIT */
/* Goal of this test: the percentiles of many measurements are right to a 64th. */

#include "histogram.h"
#include "lib/test.h"

TEST("A histogram of nothing has no percentile")
{
    struct lab_histogram *histogram = calloc(1, sizeof *histogram);

    assert_non_null(histogram);
    assert_int_equal(lab_histogram_quantile(histogram, 0.5), 0);
    assert_int_equal(lab_histogram_quantile(histogram, 1), 0);
    free(histogram);
}

TEST("Small values are kept exactly")
{
    struct lab_histogram *histogram = calloc(1, sizeof *histogram);

    assert_non_null(histogram);
    for (uint64_t value = 1; value <= 100; value++)
        lab_histogram_add(histogram, value);
    assert_int_equal(lab_histogram_quantile(histogram, 0), 1);
    assert_int_equal(lab_histogram_quantile(histogram, 0.5), 50);
    assert_int_equal(lab_histogram_quantile(histogram, 0.99), 99);
    assert_int_equal(lab_histogram_quantile(histogram, 1), 100);
    free(histogram);
}

TEST("Of any value, what is kept is not below it and at most a 64th above; the largest is exact")
{
    struct lab_histogram *histogram = malloc(sizeof *histogram);

    assert_non_null(histogram);
    for (uint64_t value = 1; value < UINT64_C(1) << 42; value += 1 + value / 50) {
        *histogram = (struct lab_histogram){0};
        lab_histogram_add(histogram, value);
        lab_histogram_add(histogram, UINT64_C(1) << 43);
        uint64_t kept = lab_histogram_quantile(histogram, 0.5);
        assert_in_range(kept, value, value + value / 64);
        assert_int_equal(lab_histogram_quantile(histogram, 1), UINT64_C(1) << 43);
    }
    free(histogram);
}

TEST("Neighbouring values fall in buckets that do not go back: larger values have no lower percentile")
{
    struct lab_histogram *histogram = malloc(sizeof *histogram);
    uint64_t before = 0;

    assert_non_null(histogram);
    for (uint64_t value = 1; value < 100000; value++) {
        *histogram = (struct lab_histogram){0};
        lab_histogram_add(histogram, value);
        histogram->max = UINT64_MAX;
        uint64_t kept = lab_histogram_quantile(histogram, 0.5);
        assert_true(kept >= before);
        before = kept;
    }
    free(histogram);
}

TEST("A value too large for a bucket of its own is counted, and the largest is known")
{
    struct lab_histogram *histogram = calloc(1, sizeof *histogram);

    assert_non_null(histogram);
    lab_histogram_add(histogram, UINT64_MAX);
    assert_int_equal(histogram->count, 1);
    assert_int_equal(lab_histogram_quantile(histogram, 1), UINT64_MAX);
    free(histogram);
}

TEST("Two histograms merged are one of all their values")
{
    struct lab_histogram *a = calloc(1, sizeof *a), *b = calloc(1, sizeof *b);

    assert_non_null(a);
    assert_non_null(b);
    for (uint64_t value = 1; value <= 50; value++) {
        lab_histogram_add(a, value);
        lab_histogram_add(b, 50 + value);
    }
    lab_histogram_merge(a, b);
    assert_int_equal(a->count, 100);
    assert_int_equal(a->max, 100);
    assert_int_equal(lab_histogram_quantile(a, 0.25), 25);
    assert_int_equal(lab_histogram_quantile(a, 0.75), 75);
    free(a);
    free(b);
}
