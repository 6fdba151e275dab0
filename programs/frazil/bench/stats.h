/* SPDX-License-Identifier: MIT */
/* What measurements come to: medians with their spread, and percentiles of many. */
#ifndef BENCH_STATS_H
#define BENCH_STATS_H

#include <stddef.h>
#include <stdint.h>

/* Where some numbers lie: the middle one, and the middle half of them between the quartiles. */
struct bench_spread {
    double min, q1, median, q3, max;
};

/* The spread of count numbers (at least 1), which it sorts. */
struct bench_spread bench_spread_of(double *numbers, size_t count);

/* Exact below 128; above, a bucket is at most 1/64 of its values wide.  Up to 2^42: more than an hour of nanoseconds.
 */
enum { BENCH_BUCKETS = 128 + 64 * 36 };

/* How often each value occurred, about.  All zero: none yet. */
struct bench_histogram {
    uint64_t count;
    uint64_t max;
    uint64_t buckets[BENCH_BUCKETS];
};

/* Counts a value. */
void bench_histogram_add(struct bench_histogram *histogram, uint64_t value);

/* Counts all of another one's. */
void bench_histogram_merge(struct bench_histogram *histogram, const struct bench_histogram *other);

/* The value that this share of them (0 to 1) does not exceed, to 1/64 of it; 1: the largest, exactly.  0 if there are
 * none. */
uint64_t bench_histogram_quantile(const struct bench_histogram *histogram, double share);

#endif
