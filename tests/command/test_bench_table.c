/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: medians and quartiles are exact, a row is compared with
 * another one round by round, and a target is met at its limit and not beyond.
 */

#include "bench/table.h"
#include "lib/test.h"

static struct bench_table *table;

BEFORE_EACH
{
    table = calloc(1, sizeof *table);
    assert_non_null(table);
}

AFTER_EACH
{
    free(table);
}

static struct bench_row *add_row(const char *key, struct bench_target target)
{
    const struct bench_label label = {.group = "group", .key = key, .name = key, .unit = "ns", .targets = {target}};

    return bench_table_add(table, &label);
}

static const struct bench_target nothing = {BENCH_NOTHING, 0, NULL};

TEST("A row is found by its key, and by no other")
{
    struct bench_row *a = add_row("a", nothing);
    struct bench_row *b = add_row("b", nothing);

    assert_ptr_equal(bench_table_find(table, "a"), a);
    assert_ptr_equal(bench_table_find(table, "b"), b);
    assert_null(bench_table_find(table, "c"));
}

TEST("A round in which all was slow says nothing against either row: ratios are taken within rounds")
{
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

TEST("A row that was not measured is compared with nothing")
{
    const struct bench_target against_b = {BENCH_AT_MOST, 1, "b"};
    const struct bench_target against_c = {BENCH_AT_MOST, 1, "c"};
    double value;

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

TEST("Each sense compares what it says")
{
    const struct bench_target at_most = {BENCH_AT_MOST, 2, "b"};
    const struct bench_target alone = {BENCH_AT_LEAST, 3, NULL};
    double value;

    struct bench_row *a = add_row("a", nothing);
    struct bench_row *b = add_row("b", nothing);
    bench_row_add(a, 3);
    bench_row_add(b, 6);
    assert_true(bench_target_value(table, a, &at_most, &value) && value == 0.5);
    assert_true(bench_target_value(table, a, &alone, &value) && value == 3);
}

TEST("The limit itself is within it; what lies beyond is not")
{
    const struct bench_target at_most = {BENCH_AT_MOST, 2, NULL};
    const struct bench_target at_least = {BENCH_AT_LEAST, 2, NULL};

    assert_true(bench_target_met(&at_most, 2) && !bench_target_met(&at_most, 2.01));
    assert_true(bench_target_met(&at_least, 2) && !bench_target_met(&at_least, 1.99));
}

TEST("A round that brought no sample is in neither the median nor a ratio, and the other rounds stay in their places")
{
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

TEST("A row that missed more than half of its rounds is neither judged nor compared with")
{
    const struct bench_target alone = {BENCH_AT_MOST, 2, NULL};
    const struct bench_target against_a = {BENCH_AT_MOST, 2, "a"};
    double value;

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

TEST("Rows that never had a sample in the same round are not compared")
{
    const struct bench_target against_b = {BENCH_AT_MOST, 2, "b"};
    double value;

    struct bench_row *a = add_row("a", nothing);
    struct bench_row *b = add_row("b", nothing);
    bench_row_add(a, 1);
    bench_row_miss(a);
    bench_row_miss(b);
    bench_row_add(b, 1);
    assert_true(bench_row_counts(a) && bench_row_counts(b));
    assert_false(bench_target_value(table, a, &against_b, &value));
}

TEST("A row without a target asks for nothing")
{
    const struct bench_target times = {BENCH_TIMES, 0, "b"};
    double value;

    struct bench_row *a = add_row("a", nothing);
    struct bench_row *b = add_row("b", nothing);
    bench_row_add(a, 6);
    bench_row_add(b, 2);
    assert_true(bench_target_value(table, a, &times, &value) && value == 3);
    assert_true(bench_target_met(&times, value));
}

TEST("Samples beyond those that a row has room for are dropped")
{
    struct bench_row *a = add_row("a", nothing);

    for (int i = 0; i < BENCH_ROUNDS_MAX + 10; i++)
        bench_row_add(a, 1);
    assert_int_equal(a->rounds, BENCH_ROUNDS_MAX);
}

TEST("One number is all of its own spread")
{
    double numbers[] = {7};
    struct bench_spread s = bench_spread_of(numbers, 1);

    assert_true(s.min == 7 && s.q1 == 7 && s.median == 7 && s.q3 == 7 && s.max == 7);
}

TEST("The order in which numbers come does not matter, and quartiles lie between neighbours where they must")
{
    double odd[] = {5, 1, 4, 2, 3};
    double even[] = {40, 10, 30, 20};
    struct bench_spread s = bench_spread_of(odd, 5);
    struct bench_spread t = bench_spread_of(even, 4);

    assert_true(s.min == 1 && s.q1 == 2 && s.median == 3 && s.q3 == 4 && s.max == 5);
    assert_true(t.min == 10 && t.q1 == 17.5 && t.median == 25 && t.q3 == 32.5 && t.max == 40);
}
