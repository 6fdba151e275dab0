/* SPDX-License-Identifier: MIT */
/* How long many calls took: percentiles without keeping each of them. */
#ifndef LAB_HISTOGRAM_H
#define LAB_HISTOGRAM_H

#include <stdint.h>

/* Exact below 128; above, a bucket is at most 1/64 of its values wide.  Up to 2^42: more than an hour of nanoseconds.
 */
enum { LAB_BUCKETS = 128 + 64 * 36 };

/* How often each value occurred, about.  All zero: none yet. */
struct lab_histogram {
    uint64_t count;
    uint64_t max;
    uint64_t buckets[LAB_BUCKETS];
};

/* Counts a value. */
void lab_histogram_add(struct lab_histogram *histogram, uint64_t value);

/* Counts all of another one's. */
void lab_histogram_merge(struct lab_histogram *histogram, const struct lab_histogram *other);

/* The value that this share of them (0 to 1) does not exceed, to 1/64 of it; 1: the largest, exactly.  0 if there are
 * none. */
uint64_t lab_histogram_quantile(const struct lab_histogram *histogram, double share);

#endif
