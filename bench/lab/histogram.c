/* SPDX-License-Identifier: MIT */
#include "histogram.h"

#include <stddef.h>

#define EXACT 128 /* values below have a bucket each */
#define PER_POWER 64

/* The highest seven bits of a value say the bucket within its power of two. */
static size_t bucket_of(uint64_t value)
{
    unsigned shift = 0;

    for (; value >> shift >= EXACT; shift++)
        continue;
    size_t bucket = shift * PER_POWER + (size_t)(value >> shift);
    return bucket < LAB_BUCKETS ? bucket : LAB_BUCKETS - 1;
}

/* The largest value of a bucket; the last one takes all that is larger. */
static uint64_t last_of(size_t bucket)
{
    if (bucket < EXACT)
        return bucket;
    if (bucket == LAB_BUCKETS - 1)
        return UINT64_MAX;
    size_t shift = (bucket - PER_POWER) / PER_POWER;
    return ((uint64_t)(bucket - shift * PER_POWER) + 1) * (UINT64_C(1) << shift) - 1;
}

void lab_histogram_add(struct lab_histogram *histogram, uint64_t value)
{
    histogram->buckets[bucket_of(value)]++;
    histogram->count++;
    if (value > histogram->max)
        histogram->max = value;
}

void lab_histogram_merge(struct lab_histogram *histogram, const struct lab_histogram *other)
{
    for (size_t i = 0; i < LAB_BUCKETS; i++)
        histogram->buckets[i] += other->buckets[i];
    histogram->count += other->count;
    if (other->max > histogram->max)
        histogram->max = other->max;
}

uint64_t lab_histogram_quantile(const struct lab_histogram *histogram, double share)
{
    double wanted = share * (double)histogram->count;
    uint64_t seen = 0;

    for (size_t i = 0; i < LAB_BUCKETS; i++) {
        seen += histogram->buckets[i];
        if (seen > 0 && (double)seen >= wanted)
            return last_of(i) < histogram->max ? last_of(i) : histogram->max;
    }
    return histogram->max;
}
