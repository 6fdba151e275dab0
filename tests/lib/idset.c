/* SPDX-License-Identifier: MIT */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS, MAP_NORESERVE */
#include "idset.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "lib/asserts.h"

enum { DIGIT_BITS = 11, DIGITS = 1 << DIGIT_BITS };

/* Pages cost nothing until they are written: sizes may be generous. */
static void *map(size_t bytes)
{
    void *pages = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    if (pages == MAP_FAILED) {
        perror("mmap");
        abort();
    }
    return pages;
}

struct idset *idsets_open(size_t n, size_t size)
{
    struct idset *sets = map(n * sizeof *sets);

    for (size_t i = 0; i < n; i++) {
        sets[i].ids = map(size * sizeof *sets[i].ids);
        sets[i].size = size;
    }
    return sets;
}

void idsets_close(struct idset *sets, size_t n)
{
    for (size_t i = 0; i < n; i++)
        munmap(sets[i].ids, sets[i].size * sizeof *sets[i].ids);
    munmap(sets, n * sizeof *sets);
}

void idset_add(struct idset *set, uint64_t id)
{
    if (set->count == set->size)
        abort();
    set->ids[set->count] = id;
    set->count++;
}

void idset_add_n(struct idset *set, const uint64_t *ids, size_t n)
{
    if (n > set->size - set->count)
        abort();
    memcpy(set->ids + set->count, ids, n * sizeof *ids);
    set->count += n;
}

size_t idsets_count(const struct idset *sets, size_t n)
{
    size_t count = 0;

    for (size_t i = 0; i < n; i++)
        count += sets[i].count;
    return count;
}

/* One pass of a radix sort: distributes from one array to the other by one digit; false if all have the same. */
static bool sort_by_digit(const uint64_t *from, uint64_t *to, size_t count, unsigned shift)
{
    size_t start[DIGITS] = {0};

    for (size_t i = 0; i < count; i++)
        start[from[i] >> shift & (DIGITS - 1)]++;
    if (start[from[0] >> shift & (DIGITS - 1)] == count)
        return false;
    size_t sum = 0;
    for (size_t digit = 0; digit < DIGITS; digit++) {
        size_t here = start[digit];
        start[digit] = sum;
        sum += here;
    }
    for (size_t i = 0; i < count; i++)
        to[start[from[i] >> shift & (DIGITS - 1)]++] = from[i];
    return true;
}

static size_t count_neighbours(const uint64_t *ids, size_t count, uint64_t *ret_id)
{
    size_t duplicates = 0;

    for (size_t i = 1; i < count; i++) {
        if (ids[i] == ids[i - 1]) {
            duplicates++;
            *ret_id = ids[i];
        }
    }
    return duplicates;
}

size_t idsets_duplicates(const struct idset *sets, size_t n, uint64_t *ret_id)
{
    size_t count = idsets_count(sets, n);
    size_t at = 0;

    if (count == 0)
        return 0;
    uint64_t *ids = map(count * sizeof *ids);
    uint64_t *spare = map(count * sizeof *ids);
    for (size_t i = 0; i < n; i++) {
        memcpy(ids + at, sets[i].ids, sets[i].count * sizeof *ids);
        at += sets[i].count;
    }
    for (unsigned shift = 0; shift < 64; shift += DIGIT_BITS) {
        if (sort_by_digit(ids, spare, count, shift)) {
            uint64_t *sorted = spare;
            spare = ids;
            ids = sorted;
        }
    }
    size_t duplicates = count_neighbours(ids, count, ret_id);
    munmap(ids, count * sizeof *ids);
    munmap(spare, count * sizeof *ids);
    return duplicates;
}

bool idset_increases(const struct idset *set, size_t *ret_at)
{
    for (size_t i = 1; i < set->count; i++) {
        if (set->ids[i] <= set->ids[i - 1]) {
            *ret_at = i;
            return false;
        }
    }
    return true;
}

bool idset_increases_by_side(const struct idset *set, size_t *ret_at)
{
    uint64_t last[2] = {0, 0};

    for (size_t i = 0; i < set->count; i++) {
        unsigned side = set->ids[i] >> 16 & 1;
        if (set->ids[i] <= last[side]) {
            *ret_at = i;
            return false;
        }
        last[side] = set->ids[i];
    }
    return true;
}

void idsets_assert_unique_and_increasing(const struct idset *sets, size_t n)
{
    uint64_t id = 0;
    size_t at = 0;

    for (size_t i = 0; i < n; i++) {
        if (!idset_increases(&sets[i], &at))
            fail_msg("caller %zu: %" PRIu64 " follows %" PRIu64 ", ids %zu of %zu", i, sets[i].ids[at],
                     sets[i].ids[at - 1], at, sets[i].count);
    }
    size_t duplicates = idsets_duplicates(sets, n, &id);
    if (duplicates != 0)
        fail_msg("%zu of %zu ids were issued twice, among them %" PRIu64, duplicates, idsets_count(sets, n), id);
}

uint64_t sno_key(const frazil_sno *id)
{
    uint64_t block = (uint64_t)id->bytes[0] << 32 | (uint64_t)id->bytes[1] << 24 | (uint64_t)id->bytes[2] << 16 |
                     (uint64_t)id->bytes[3] << 8 | id->bytes[4];

    return block << 16 | (uint64_t)id->bytes[8] << 8 | id->bytes[9];
}
