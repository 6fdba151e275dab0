/* SPDX-License-Identifier: MIT */
#include "stats.h"

#include <assert.h>
#include <stdlib.h>

#define EXACT 128 /* values below have a bucket each */
#define PER_POWER 64

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

/* The highest seven bits of a value say the bucket within its power of two. */
static size_t bucket_of(uint64_t value)
{
    unsigned shift = 0;

    for (; value >> shift >= EXACT; shift++)
        continue;
    size_t bucket = shift * PER_POWER + (size_t)(value >> shift);
    return bucket < BENCH_BUCKETS ? bucket : BENCH_BUCKETS - 1;
}

/* The largest value of a bucket; the last one takes all that is larger. */
static uint64_t last_of(size_t bucket)
{
    if (bucket < EXACT)
        return bucket;
    if (bucket == BENCH_BUCKETS - 1)
        return UINT64_MAX;
    size_t shift = (bucket - PER_POWER) / PER_POWER;
    return ((uint64_t)(bucket - shift * PER_POWER) + 1) * (UINT64_C(1) << shift) - 1;
}

void bench_histogram_add(struct bench_histogram *histogram, uint64_t value)
{
    histogram->buckets[bucket_of(value)]++;
    histogram->count++;
    if (value > histogram->max)
        histogram->max = value;
}

void bench_histogram_merge(struct bench_histogram *histogram, const struct bench_histogram *other)
{
    for (size_t i = 0; i < BENCH_BUCKETS; i++)
        histogram->buckets[i] += other->buckets[i];
    histogram->count += other->count;
    if (other->max > histogram->max)
        histogram->max = other->max;
}

uint64_t bench_histogram_quantile(const struct bench_histogram *histogram, double share)
{
    double wanted = share * (double)histogram->count;
    uint64_t seen = 0;

    for (size_t i = 0; i < BENCH_BUCKETS; i++) {
        seen += histogram->buckets[i];
        if (seen > 0 && (double)seen >= wanted)
            return last_of(i) < histogram->max ? last_of(i) : histogram->max;
    }
    return histogram->max;
}
