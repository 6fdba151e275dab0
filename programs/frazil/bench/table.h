/* SPDX-License-Identifier: MIT */
/*
 * The results: a row for each thing that was measured, with a sample a round,
 * and what is asked of it.
 */
#ifndef BENCH_TABLE_H
#define BENCH_TABLE_H

#include <stdbool.h>
#include <stddef.h>

enum { BENCH_ROUNDS_MAX = 1000, BENCH_ROWS_MAX = 128, BENCH_TARGETS_MAX = 2 };

/* What is asked of a row. */
enum bench_sense {
    BENCH_NOTHING,
    BENCH_AT_MOST,       /* limit times the other row, or the limit itself */
    BENCH_AT_LEAST,      /* the limit itself */
    BENCH_TIMES_AS_FAST, /* as the other row, at least the limit */
    BENCH_TIMES          /* nothing, but how many times the other row it is shall be seen */
};

struct bench_target {
    enum bench_sense sense;
    double limit;
    const char *against; /* the key of another row; NULL: none */
};

struct bench_row {
    const char *group; /* a heading; rows of one group follow each other */
    const char *key;   /* unique */
    const char *name;  /* for people */
    const char *unit;
    const char *missed; /* what to say of rounds that brought no sample; NULL: all do */
    struct bench_target targets[BENCH_TARGETS_MAX];
    size_t rounds;                    /* with those that brought none */
    double samples[BENCH_ROUNDS_MAX]; /* NAN: none */
};

/* A row without samples, and one that is held to targets. */
#define BENCH_ROW(row_group, row_key, row_name, row_unit)                                                              \
    {                                                                                                                  \
        .group = (row_group), .key = (row_key), .name = (row_name), .unit = (row_unit)                                 \
    }
#define BENCH_ROW_HELD_TO(row_group, row_key, row_name, row_unit, ...)                                                 \
    {                                                                                                                  \
        .group = (row_group), .key = (row_key), .name = (row_name), .unit = (row_unit), .targets = { __VA_ARGS__ }     \
    }

struct bench_table {
    size_t count;
    struct bench_row rows[BENCH_ROWS_MAX];
};

/* Appends a row that has no sample yet, from one whose texts outlive the table; the row stays where it is. */
struct bench_row *bench_table_add(struct bench_table *table, const struct bench_row *row);

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
 * The median over the rounds of what dividend is in units of divisor in the same
 * round: rounds differ more than what is measured in one of them.  0 if there is no
 * round in which both have a sample.
 */
double bench_ratio(const struct bench_row *dividend, const struct bench_row *divisor);

/* What a target compares with its limit; false if the row, or what it is compared with, was not measured often enough.
 */
bool bench_target_value(const struct bench_table *table, const struct bench_row *row, const struct bench_target *target,
                        double *ret);

/* Whether that value meets the limit; it does where there is none. */
bool bench_target_met(const struct bench_target *target, double value);

/* Writes the rows that have rounds for people, and as a JSON array with a row a line. */
void bench_table_print(const struct bench_table *table);
void bench_table_json(const struct bench_table *table);

#endif
