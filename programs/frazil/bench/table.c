/* SPDX-License-Identifier: MIT */
#include "table.h"

#include "output.h"
#include "stats.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

struct bench_row *bench_table_add(struct bench_table *table, const struct bench_row *row)
{
    assert(table->count < BENCH_ROWS_MAX);
    struct bench_row *added = &table->rows[table->count++];

    *added = *row;
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
        if (strcmp(table->rows[i].key, key) == 0)
            return &table->rows[i];
    }
    return NULL;
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
    *ret = target->sense == BENCH_TIMES_AS_FAST ? bench_ratio(other, row) : bench_ratio(row, other);
    return *ret > 0; /* else no round has a sample of both */
}

bool bench_target_met(const struct bench_target *target, double value)
{
    return target->sense == BENCH_TIMES ||
           (target->sense == BENCH_AT_MOST ? value <= target->limit : value >= target->limit);
}

/* ---- for people ------------------------------------------------------------ */

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
    switch (target->sense) {
    case BENCH_AT_MOST:
        return "at most";
    case BENCH_AT_LEAST:
    case BENCH_TIMES_AS_FAST:
        return "at least";
    case BENCH_TIMES:
    case BENCH_NOTHING:
        break;
    }
    return "";
}

/* "ok     0.96 x clock read, at most 1.00". */
static void print_target(const struct bench_table *table, const struct bench_row *row,
                         const struct bench_target *target, double value)
{
    char is[NUMBER_SIZE], limit[NUMBER_SIZE];

    output_format("%-6s %s",
                  target->sense == BENCH_TIMES      ? ""
                  : bench_target_met(target, value) ? "ok"
                                                    : "SHORT",
                  number(value, is));
    if (target->against != NULL)
        output_format("%s %s", target->sense == BENCH_TIMES_AS_FAST ? " times as fast as" : " x",
                      bench_table_find(table, target->against)->name);
    else
        output_format(" %s", row->unit);
    if (target->sense != BENCH_TIMES)
        output_format(", %s %s", sense_words(target), number(target->limit, limit));
}

/* Why it is not judged. */
static void print_note(const struct bench_row *row)
{
    if (row->missed != NULL && !bench_row_counts(row))
        output_format("  %s (%zu of %zu rounds)", row->missed, row->rounds - bench_row_samples(row), row->rounds);
    output_string("\n");
}

/* The first one on the row's own line, the others below it. */
static void print_targets(const struct bench_table *table, const struct bench_row *row)
{
    bool first = true;
    double value;

    for (size_t i = 0; i < BENCH_TARGETS_MAX; i++) {
        if (!bench_target_value(table, row, &row->targets[i], &value))
            continue;
        output_format("%*s", first ? 2 : 75, "");
        print_target(table, row, &row->targets[i], value);
        output_string("\n");
        first = false;
    }
    if (first)
        print_note(row);
}

/* How many readings of the clock that is; empty for what is no time. */
static const char *in_clocks(const struct bench_table *table, const struct bench_row *row, char buf[NUMBER_SIZE])
{
    const struct bench_row *clock = bench_table_find(table, "clock");

    buf[0] = '\0';
    if (clock == NULL || clock->rounds == 0 || bench_row_samples(row) == 0 || strcmp(row->unit, clock->unit) != 0)
        return buf;
    return number(spread(row).median / spread(clock).median, buf);
}

static void print_row(const struct bench_table *table, const struct bench_row *row)
{
    char median[NUMBER_SIZE], q1[NUMBER_SIZE], q3[NUMBER_SIZE], clocks[NUMBER_SIZE], range[2 * NUMBER_SIZE] = "";
    struct bench_spread s = spread(row);

    if (bench_row_samples(row) > 1)
        (void)snprintf(range, sizeof range, "%s-%s", number(s.q1, q1), number(s.q3, q3));
    output_format("  %-36s %8s %-6s %-13s %5s", row->name, bench_row_samples(row) > 0 ? number(s.median, median) : "-",
                  row->unit, range, in_clocks(table, row, clocks));
    print_targets(table, row);
}

void bench_table_print(const struct bench_table *table)
{
    const char *group = "";

    for (size_t i = 0; i < table->count; i++) {
        const struct bench_row *row = &table->rows[i];
        if (row->rounds == 0)
            continue;
        if (strcmp(group, row->group) != 0)
            output_format("\n%-38s   median        middle half  x clock  target\n", row->group);
        group = row->group;
        print_row(table, row);
    }
}

/* ---- as JSON ---------------------------------------------------------------- */

static void json_target(const struct bench_target *target, double value, bool first)
{
    output_format("%s{\"value\":%.4f", first ? "" : ",", value);
    if (target->sense != BENCH_TIMES) {
        output_format(",\"limit\":%.4f,\"sense\":", target->limit);
        output_json_string(sense_words(target));
    }
    if (target->against != NULL) {
        output_string(target->sense == BENCH_TIMES_AS_FAST ? ",\"times_as_fast_as\":" : ",\"times\":");
        output_json_string(target->against);
    }
    if (target->sense != BENCH_TIMES)
        output_format(",\"ok\":%s", bench_target_met(target, value) ? "true" : "false");
    output_string("}");
}

/* How many rounds brought nothing, and what that means if they are too many. */
static void json_missed(const struct bench_row *row)
{
    output_format(",\"missed\":%zu", row->rounds - bench_row_samples(row));
    if (!bench_row_counts(row)) {
        output_string(",\"note\":");
        output_json_string(row->missed);
    }
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
}

static void json_row(const struct bench_table *table, const struct bench_row *row)
{
    bool first = true;
    double value;

    output_string("{\"group\":");
    output_json_string(row->group);
    output_string(",\"key\":");
    output_json_string(row->key);
    output_string(",\"name\":");
    output_json_string(row->name);
    output_string(",\"unit\":");
    output_json_string(row->unit);
    json_spread(row);
    if (row->missed != NULL)
        json_missed(row);
    output_string(",\"targets\":[");
    for (size_t i = 0; i < BENCH_TARGETS_MAX; i++) {
        if (!bench_target_value(table, row, &row->targets[i], &value))
            continue;
        json_target(&row->targets[i], value, first);
        first = false;
    }
    output_string("]}");
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
