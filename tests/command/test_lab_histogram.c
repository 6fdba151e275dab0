/* SPDX-License-Identifier: MIT */
/* Goal of this test: the percentiles of many measurements are right to a 64th. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "histogram.h"

/* A histogram of nothing has no percentile. */
static void histogram_of_nothing(void **state)
{
    struct lab_histogram *histogram = calloc(1, sizeof *histogram);

    (void)state;
    assert_non_null(histogram);
    assert_int_equal(lab_histogram_quantile(histogram, 0.5), 0);
    assert_int_equal(lab_histogram_quantile(histogram, 1), 0);
    free(histogram);
}

/* Small values are kept exactly. */
static void small_values(void **state)
{
    struct lab_histogram *histogram = calloc(1, sizeof *histogram);

    (void)state;
    assert_non_null(histogram);
    for (uint64_t value = 1; value <= 100; value++)
        lab_histogram_add(histogram, value);
    assert_int_equal(lab_histogram_quantile(histogram, 0), 1);
    assert_int_equal(lab_histogram_quantile(histogram, 0.5), 50);
    assert_int_equal(lab_histogram_quantile(histogram, 0.99), 99);
    assert_int_equal(lab_histogram_quantile(histogram, 1), 100);
    free(histogram);
}

/* Of any value, what is kept is not below it and at most a 64th above; the largest is exact. */
static void large_values(void **state)
{
    struct lab_histogram *histogram = malloc(sizeof *histogram);

    (void)state;
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

/* Neighbouring values fall in buckets that do not go back: larger values have no lower percentile. */
static void buckets_ascend(void **state)
{
    struct lab_histogram *histogram = malloc(sizeof *histogram);
    uint64_t before = 0;

    (void)state;
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

/* What is too large for a bucket of its own is counted, and the largest is known. */
static void beyond_the_last_bucket(void **state)
{
    struct lab_histogram *histogram = calloc(1, sizeof *histogram);

    (void)state;
    assert_non_null(histogram);
    lab_histogram_add(histogram, UINT64_MAX);
    assert_int_equal(histogram->count, 1);
    assert_int_equal(lab_histogram_quantile(histogram, 1), UINT64_MAX);
    free(histogram);
}

/* Two histograms merged are one of all their values. */
static void merged(void **state)
{
    struct lab_histogram *a = calloc(1, sizeof *a), *b = calloc(1, sizeof *b);

    (void)state;
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(histogram_of_nothing),   cmocka_unit_test(small_values),
        cmocka_unit_test(large_values),           cmocka_unit_test(buckets_ascend),
        cmocka_unit_test(beyond_the_last_bucket), cmocka_unit_test(merged),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
