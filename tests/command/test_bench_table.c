/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: medians and quartiles are exact, a row is compared with
 * another one round by round, and a target is met at its limit and not beyond.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "bench/table.h"

static struct bench_table *table;

static int make_table(void **state)
{
    (void)state;
    table = calloc(1, sizeof *table);
    return table == NULL ? -1 : 0;
}

static int drop_table(void **state)
{
    (void)state;
    free(table);
    return 0;
}

static struct bench_row *add_row(const char *key, struct bench_target target)
{
    const struct bench_label label = {.group = "group", .key = key, .name = key, .unit = "ns", .targets = {target}};

    return bench_table_add(table, &label);
}

static const struct bench_target nothing = {BENCH_NOTHING, 0, NULL};

/* A row is found by its key, and by no other. */
static void find(void **state)
{
    (void)state;
    struct bench_row *a = add_row("a", nothing);
    struct bench_row *b = add_row("b", nothing);

    assert_ptr_equal(bench_table_find(table, "a"), a);
    assert_ptr_equal(bench_table_find(table, "b"), b);
    assert_null(bench_table_find(table, "c"));
}

/* A round in which all was slow says nothing against either row: ratios are taken within rounds. */
static void ratios_are_of_rounds(void **state)
{
    (void)state;
    struct bench_row *a = add_row("a", nothing);
    struct bench_row *b = add_row("b", nothing);
    const double slow[] = {1, 100, 3};

    for (size_t i = 0; i < 3; i++) {
        bench_row_add(a, 2 * slow[i]);
        bench_row_add(b, slow[2 - i] * (i == 1 ? 1 : slow[i] / slow[2 - i]));
    }
    assert_true(bench_ratio(a, b) == 2);
    assert_true(bench_ratio(b, a) == 0.5);
}

/* What was not measured is compared with nothing. */
static void without_samples(void **state)
{
    const struct bench_target against_b = {BENCH_AT_MOST, 1, "b"};
    const struct bench_target against_c = {BENCH_AT_MOST, 1, "c"};
    double value;

    (void)state;
    struct bench_row *a = add_row("a", against_b);
    struct bench_row *b = add_row("b", nothing);
    assert_true(bench_ratio(a, b) == 0);
    assert_false(bench_target_value(table, a, &against_b, &value));
    bench_row_add(a, 1);
    assert_false(bench_target_value(table, a, &against_b, &value));
    assert_false(bench_target_value(table, a, &against_c, &value));
    assert_false(bench_target_value(table, a, &nothing, &value));
    bench_row_add(b, 2);
    assert_true(bench_target_value(table, a, &against_b, &value));
    assert_true(value == 0.5);
}

/* Each sense compares what it says. */
static void senses(void **state)
{
    const struct bench_target at_most = {BENCH_AT_MOST, 2, "b"};
    const struct bench_target alone = {BENCH_AT_LEAST, 3, NULL};
    double value;

    (void)state;
    struct bench_row *a = add_row("a", nothing);
    struct bench_row *b = add_row("b", nothing);
    bench_row_add(a, 3);
    bench_row_add(b, 6);
    assert_true(bench_target_value(table, a, &at_most, &value) && value == 0.5);
    assert_true(bench_target_value(table, a, &alone, &value) && value == 3);
}

/* The limit itself is within it; what lies beyond is not. */
static void limits(void **state)
{
    const struct bench_target at_most = {BENCH_AT_MOST, 2, NULL};
    const struct bench_target at_least = {BENCH_AT_LEAST, 2, NULL};

    (void)state;
    assert_true(bench_target_met(&at_most, 2) && !bench_target_met(&at_most, 2.01));
    assert_true(bench_target_met(&at_least, 2) && !bench_target_met(&at_least, 1.99));
}

/* A round that brought no sample is in neither the median nor a ratio, and the other rounds stay in their places. */
static void missed_rounds(void **state)
{
    (void)state;
    struct bench_row *a = add_row("a", nothing);
    struct bench_row *b = add_row("b", nothing);
    const struct bench_target alone = {BENCH_AT_MOST, 100, NULL};
    double value;

    bench_row_add(a, 6);
    bench_row_miss(a);
    bench_row_add(a, 30);
    bench_row_add(b, 2);
    bench_row_add(b, 7);
    bench_row_add(b, 10);
    assert_int_equal(bench_row_samples(a), 2);
    assert_int_equal(bench_row_samples(b), 3);
    assert_true(bench_ratio(a, b) == 3);
    assert_true(bench_ratio(b, a) == 2.0 / 6);
    assert_true(bench_target_value(table, b, &alone, &value) && value == 7);
}

/* A row that missed more than half of its rounds is neither judged nor compared with. */
static void too_many_missed(void **state)
{
    const struct bench_target alone = {BENCH_AT_MOST, 2, NULL};
    const struct bench_target against_a = {BENCH_AT_MOST, 2, "a"};
    double value;

    (void)state;
    struct bench_row *a = add_row("a", nothing);
    struct bench_row *b = add_row("b", nothing);
    assert_false(bench_row_counts(a));
    bench_row_add(a, 1);
    bench_row_miss(a);
    bench_row_add(b, 1);
    bench_row_add(b, 1);
    assert_true(bench_row_counts(a));
    assert_true(bench_target_value(table, a, &alone, &value));
    assert_true(bench_target_value(table, b, &against_a, &value));
    bench_row_miss(a);
    assert_false(bench_row_counts(a));
    assert_false(bench_target_value(table, a, &alone, &value));
    assert_false(bench_target_value(table, b, &against_a, &value));
}

/* Rows that never had a sample in the same round are not compared. */
static void never_together(void **state)
{
    const struct bench_target against_b = {BENCH_AT_MOST, 2, "b"};
    double value;

    (void)state;
    struct bench_row *a = add_row("a", nothing);
    struct bench_row *b = add_row("b", nothing);
    bench_row_add(a, 1);
    bench_row_miss(a);
    bench_row_miss(b);
    bench_row_add(b, 1);
    assert_true(bench_row_counts(a) && bench_row_counts(b));
    assert_false(bench_target_value(table, a, &against_b, &value));
}

/* What is only shown asks for nothing. */
static void shown_only(void **state)
{
    const struct bench_target times = {BENCH_TIMES, 0, "b"};
    double value;

    (void)state;
    struct bench_row *a = add_row("a", nothing);
    struct bench_row *b = add_row("b", nothing);
    bench_row_add(a, 6);
    bench_row_add(b, 2);
    assert_true(bench_target_value(table, a, &times, &value) && value == 3);
    assert_true(bench_target_met(&times, value));
}

/* Samples beyond those that a row has room for are dropped. */
static void many_samples(void **state)
{
    (void)state;
    struct bench_row *a = add_row("a", nothing);

    for (int i = 0; i < BENCH_ROUNDS_MAX + 10; i++)
        bench_row_add(a, 1);
    assert_int_equal(a->rounds, BENCH_ROUNDS_MAX);
}

/* One number is all of its own spread. */
static void spread_of_one(void **state)
{
    double numbers[] = {7};
    struct bench_spread s = bench_spread_of(numbers, 1);

    (void)state;
    assert_true(s.min == 7 && s.q1 == 7 && s.median == 7 && s.q3 == 7 && s.max == 7);
}

/* The order in which numbers come does not matter, and quartiles lie between neighbours where they must. */
static void spread_of_some(void **state)
{
    double odd[] = {5, 1, 4, 2, 3};
    double even[] = {40, 10, 30, 20};
    struct bench_spread s = bench_spread_of(odd, 5);
    struct bench_spread t = bench_spread_of(even, 4);

    (void)state;
    assert_true(s.min == 1 && s.q1 == 2 && s.median == 3 && s.q3 == 4 && s.max == 5);
    assert_true(t.min == 10 && t.q1 == 17.5 && t.median == 25 && t.q3 == 32.5 && t.max == 40);
}

int main(void)
{
#define TEST(function) cmocka_unit_test_setup_teardown(function, make_table, drop_table)
    const struct CMUnitTest tests[] = {
        TEST(find),       TEST(ratios_are_of_rounds), TEST(without_samples), TEST(senses),
        TEST(limits),     TEST(missed_rounds),        TEST(too_many_missed), TEST(never_together),
        TEST(shown_only), TEST(many_samples),         TEST(spread_of_one),   TEST(spread_of_some),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
