/* SPDX-License-Identifier: MIT */
#include "table.h"

#include "output.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- rows --------------------------------------------------------------------- */

struct bench_row *bench_table_add(struct bench_table *table, const struct bench_label *label)
{
    assert(table->count < BENCH_ROWS_MAX);
    struct bench_row *added = &table->rows[table->count++];

    added->label = *label;
    added->rounds = 0;
    return added;
}

void bench_row_add(struct bench_row *row, double sample)
{
    if (row->rounds < BENCH_ROUNDS_MAX)
        row->samples[row->rounds++] = sample;
}

void bench_row_miss(struct bench_row *row)
{
    bench_row_add(row, NAN);
}

size_t bench_row_samples(const struct bench_row *row)
{
    size_t samples = 0;

    for (size_t i = 0; i < row->rounds; i++)
        samples += isnan(row->samples[i]) ? 0 : 1;
    return samples;
}

bool bench_row_counts(const struct bench_row *row)
{
    size_t samples = bench_row_samples(row);

    return samples > 0 && 2 * samples >= row->rounds;
}

const struct bench_row *bench_table_find(const struct bench_table *table, const char *key)
{
    for (size_t i = 0; i < table->count; i++) {
        if (strcmp(table->rows[i].label.key, key) == 0)
            return &table->rows[i];
    }
    return NULL;
}

/* ---- their statistics -------------------------------------------------------- */

static int compare(const void *a, const void *b)
{
    const double *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

/* Between neighbours it is interpolated. */
static double quantile(const double *sorted, size_t count, double share)
{
    double place = share * (double)(count - 1);
    size_t below = (size_t)place;

    if (below + 1 == count)
        return sorted[below];
    return sorted[below] + (sorted[below + 1] - sorted[below]) * (place - (double)below);
}

struct bench_spread bench_spread_of(double *numbers, size_t count)
{
    assert(count > 0);
    qsort(numbers, count, sizeof *numbers, compare);
    return (struct bench_spread){
        .min = numbers[0],
        .q1 = quantile(numbers, count, 0.25),
        .median = quantile(numbers, count, 0.5),
        .q3 = quantile(numbers, count, 0.75),
        .max = numbers[count - 1],
    };
}

/* Of the samples that there are; all zero if there are none. */
static struct bench_spread spread_of(double *numbers, size_t count)
{
    const struct bench_spread none = {0};
    size_t samples = 0;

    for (size_t i = 0; i < count; i++) {
        if (!isnan(numbers[i]))
            numbers[samples++] = numbers[i];
    }
    return samples == 0 ? none : bench_spread_of(numbers, samples);
}

static struct bench_spread spread(const struct bench_row *row)
{
    double numbers[BENCH_ROUNDS_MAX];

    memcpy(numbers, row->samples, row->rounds * sizeof *numbers);
    return spread_of(numbers, row->rounds);
}

double bench_ratio(const struct bench_row *dividend, const struct bench_row *divisor)
{
    double ratios[BENCH_ROUNDS_MAX];
    size_t rounds = dividend->rounds < divisor->rounds ? dividend->rounds : divisor->rounds;

    for (size_t i = 0; i < rounds; i++)
        ratios[i] = dividend->samples[i] / divisor->samples[i];
    return spread_of(ratios, rounds).median;
}

bool bench_target_value(const struct bench_table *table, const struct bench_row *row, const struct bench_target *target,
                        double *ret)
{
    if (target->sense == BENCH_NOTHING || !bench_row_counts(row))
        return false;
    if (target->against == NULL) {
        *ret = spread(row).median;
        return true;
    }
    const struct bench_row *other = bench_table_find(table, target->against);
    if (other == NULL || !bench_row_counts(other))
        return false;
    *ret = bench_ratio(row, other);
    return *ret > 0; /* else no round has a sample of both */
}

bool bench_target_met(const struct bench_target *target, double value)
{
    return target->sense == BENCH_TIMES ||
           (target->sense == BENCH_AT_MOST ? value <= target->limit : value >= target->limit);
}

/* ---- as text ------------------------------------------------------------------ */

enum { NUMBER_SIZE = 32 };

/* Three significant digits or more, none after the point of a large number. */
static const char *number(double value, char buf[NUMBER_SIZE])
{
    int digits = value < 10 ? 2 : value < 100 ? 1 : 0;

    (void)snprintf(buf, NUMBER_SIZE, "%.*f", digits, value);
    return buf;
}

static const char *sense_words(const struct bench_target *target)
{
    return target->sense == BENCH_AT_MOST ? "at most" : "at least";
}

static const char *verdict(const struct bench_target *target, double value)
{
    if (target->sense == BENCH_TIMES)
        return "";
    return bench_target_met(target, value) ? "ok" : "MISSED";
}

/* "ok     0.96 x clock read, at most 1.00". */
static void print_target(const struct bench_table *table, const struct bench_row *row,
                         const struct bench_target *target, double value)
{
    char is[NUMBER_SIZE], limit[NUMBER_SIZE];
    const struct bench_row *other = target->against == NULL ? NULL : bench_table_find(table, target->against);

    output_format("%-6s %s %s%s", verdict(target, value), number(value, is), other != NULL ? "x " : "",
                  other != NULL ? other->label.name : row->label.unit);
    if (target->sense != BENCH_TIMES)
        output_format(", %s %s", sense_words(target), number(target->limit, limit));
    output_string("\n");
}

/* The first one on the row's own line, the others below it; without any, why the row is not judged. */
static void print_targets(const struct bench_table *table, const struct bench_row *row)
{
    bool first = true;
    double value;

    for (size_t i = 0; i < BENCH_TARGETS_MAX; i++) {
        if (!bench_target_value(table, row, &row->label.targets[i], &value))
            continue;
        output_format("%*s", first ? 2 : 75, "");
        print_target(table, row, &row->label.targets[i], value);
        first = false;
    }
    if (first && row->label.missed != NULL && !bench_row_counts(row))
        output_format("  %s (%zu of %zu rounds)", row->label.missed, row->rounds - bench_row_samples(row), row->rounds);
    if (first)
        output_string("\n");
}

/* How many readings of the clock that is; empty for what is no time. */
static const char *in_clocks(const struct bench_table *table, const struct bench_row *row, char buf[NUMBER_SIZE])
{
    const struct bench_row *clock = bench_table_find(table, "clock");

    buf[0] = '\0';
    if (clock == NULL || clock->rounds == 0 || bench_row_samples(row) == 0 ||
        strcmp(row->label.unit, clock->label.unit) != 0)
        return buf;
    return number(spread(row).median / spread(clock).median, buf);
}

static void print_row(const struct bench_table *table, const struct bench_row *row)
{
    char median[NUMBER_SIZE], q1[NUMBER_SIZE], q3[NUMBER_SIZE], clocks[NUMBER_SIZE], range[2 * NUMBER_SIZE] = "";
    struct bench_spread s = spread(row);

    if (bench_row_samples(row) > 1)
        (void)snprintf(range, sizeof range, "%s-%s", number(s.q1, q1), number(s.q3, q3));
    if (bench_row_samples(row) == 0)
        (void)snprintf(median, sizeof median, "-");
    else if (row->label.unit[0] == '\0')
        (void)snprintf(median, sizeof median, "%.0f", s.median); /* a count */
    else
        (void)number(s.median, median);
    output_format("  %-36s %8s %-6s %-13s %5s", row->label.name, median, row->label.unit, range,
                  in_clocks(table, row, clocks));
    print_targets(table, row);
}

void bench_table_print(const struct bench_table *table)
{
    const char *group = "";

    for (size_t i = 0; i < table->count; i++) {
        const struct bench_row *row = &table->rows[i];
        if (row->rounds == 0)
            continue;
        if (strcmp(group, row->label.group) != 0)
            output_format("\n%-38s   median        quartiles    x clock  target\n", row->label.group);
        group = row->label.group;
        print_row(table, row);
    }
}

/* ---- as JSON ------------------------------------------------------------------ */

static void json_target(const struct bench_target *target, double value, bool first)
{
    output_format("%s{\"value\":%.4f", first ? "" : ",", value);
    if (target->sense != BENCH_TIMES)
        output_format(",\"limit\":%.4f,\"sense\":\"%s\"", target->limit, sense_words(target));
    if (target->against != NULL)
        output_format(",\"times\":\"%s\"", target->against);
    if (target->sense != BENCH_TIMES)
        output_format(",\"ok\":%s", bench_target_met(target, value) ? "true" : "false");
    output_string("}");
}

static void json_targets(const struct bench_table *table, const struct bench_row *row)
{
    bool first = true;
    double value;

    output_string(",\"targets\":[");
    for (size_t i = 0; i < BENCH_TARGETS_MAX; i++) {
        if (!bench_target_value(table, row, &row->label.targets[i], &value))
            continue;
        json_target(&row->label.targets[i], value, first);
        first = false;
    }
    output_string("]}");
}

static void json_spread(const struct bench_row *row)
{
    struct bench_spread s = spread(row);

    output_format(",\"rounds\":%zu", bench_row_samples(row));
    if (bench_row_samples(row) == 0)
        output_string(",\"min\":null,\"q1\":null,\"median\":null,\"q3\":null,\"max\":null");
    else
        output_format(",\"min\":%.4f,\"q1\":%.4f,\"median\":%.4f,\"q3\":%.4f,\"max\":%.4f", s.min, s.q1, s.median, s.q3,
                      s.max);
    if (row->label.missed != NULL)
        output_format(",\"missed\":%zu", row->rounds - bench_row_samples(row));
}

static void json_text(const char *key, const char *text)
{
    output_string(key);
    output_json_string(text);
}

static void json_row(const struct bench_table *table, const struct bench_row *row)
{
    json_text("{\"group\":", row->label.group);
    json_text(",\"key\":", row->label.key);
    json_text(",\"name\":", row->label.name);
    json_text(",\"unit\":", row->label.unit);
    json_spread(row);
    if (row->label.missed != NULL && !bench_row_counts(row))
        json_text(",\"note\":", row->label.missed);
    json_targets(table, row);
}

void bench_table_json(const struct bench_table *table)
{
    bool first = true;

    output_string("[");
    for (size_t i = 0; i < table->count; i++) {
        if (table->rows[i].rounds == 0)
            continue;
        output_string(first ? "\n" : ",\n");
        json_row(table, &table->rows[i]);
        first = false;
    }
    output_string("\n]");
}
