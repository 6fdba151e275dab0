/* SPDX-License-Identifier: MIT */
/* The results: a row for each thing that was measured, with a sample per round, and its targets. */
#ifndef BENCH_TABLE_H
#define BENCH_TABLE_H

#include <stdbool.h>
#include <stddef.h>

enum { BENCH_ROUNDS_MAX = 1000, BENCH_ROWS_MAX = 96, BENCH_TARGETS_MAX = 2 };

/* The target of a row. */
enum bench_sense {
    BENCH_NOTHING,
    BENCH_AT_MOST,  /* limit times the other row, or the limit itself */
    BENCH_AT_LEAST, /* likewise */
    BENCH_TIMES     /* nothing: only show how many times the other row it is */
};

struct bench_target {
    enum bench_sense sense;
    double limit;
    const char *against; /* the key of another row; NULL: none */
};

/* The name of a row, and its targets.  The texts outlive the table. */
struct bench_label {
    const char *group; /* a heading; rows of one group follow each other */
    const char *key;   /* unique */
    const char *name;  /* for people */
    const char *unit;
    const char *missed; /* why a round may bring no sample; NULL: each brings one */
    struct bench_target targets[BENCH_TARGETS_MAX];
};

/* The first four members, as designated initializers of something that has a label. */
#define BENCH_LABEL(row_group, row_key, row_name, row_unit)                                                            \
    .label.group = (row_group), .label.key = (row_key), .label.name = (row_name), .label.unit = (row_unit)

struct bench_row {
    struct bench_label label;
    size_t rounds;                    /* with those that brought no sample */
    double samples[BENCH_ROUNDS_MAX]; /* NAN: none */
};

struct bench_table {
    size_t count;
    struct bench_row rows[BENCH_ROWS_MAX];
};

/* Where some numbers lie: the middle one, and the middle half of them between the quartiles. */
struct bench_spread {
    double min, q1, median, q3, max;
};

/* The spread of count numbers (at least 1), which it sorts. */
struct bench_spread bench_spread_of(double *numbers, size_t count);

/* Appends a row that has no sample yet; the row stays where it is. */
struct bench_row *bench_table_add(struct bench_table *table, const struct bench_label *label);

/* Notes a sample; those above BENCH_ROUNDS_MAX are dropped. */
void bench_row_add(struct bench_row *row, double sample);

/* Notes a round that brought no sample. */
void bench_row_miss(struct bench_row *row);

/* How many rounds brought a sample. */
size_t bench_row_samples(const struct bench_row *row);

/* Whether that is at least half of the rounds, and at least one: with fewer the row is not judged. */
bool bench_row_counts(const struct bench_row *row);

/* The row of a key, or NULL. */
const struct bench_row *bench_table_find(const struct bench_table *table, const char *key);

/*
 * The median over the rounds of dividend / divisor in the same round: rounds differ more from each other than the
 * rows of one round do.  0 if there is no round in which both have a sample.
 */
double bench_ratio(const struct bench_row *dividend, const struct bench_row *divisor);

/*
 * Computes the value that a target compares with its limit.  False: the row, or the row that it is compared with, was
 * measured too few times.
 */
bool bench_target_value(const struct bench_table *table, const struct bench_row *row, const struct bench_target *target,
                        double *ret);

/* Whether that value meets the limit; it does where there is none. */
bool bench_target_met(const struct bench_target *target, double value);

/* Writes the rows that have rounds, as text or as a JSON array with a row a line. */
void bench_table_print(const struct bench_table *table);
void bench_table_json(const struct bench_table *table);

#endif
