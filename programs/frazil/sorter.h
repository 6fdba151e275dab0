/* SPDX-License-Identifier: MIT */
/*
 * A sorter of ids, which are taken back in ascending order: eight bytes each (snos:
 * ten), never a copy of the whole.  It grows by chunks of four million, each is
 * sorted by itself, and they are merged as they are read; chunks that already
 * follow on each other are not even merged.
 */
#ifndef SORTER_H
#define SORTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sorter;

/* An id as a number: the first eight bytes, and the last two of a sno. */
struct sorter_id {
    uint64_t high;
    uint16_t low;
};

/* An empty sorter; wide: with the last two bytes.  NULL: out of memory. */
struct sorter *sorter_new(bool wide);

/* Frees it; NULL is allowed. */
void sorter_free(struct sorter *sorter);

/* Adds an id.  False: out of memory, and it is not in. */
bool sorter_add(struct sorter *sorter, struct sorter_id id);

/* How many ids are in. */
uint64_t sorter_count(const struct sorter *sorter);

/* Sorts; afterwards nothing can be added.  False: out of memory, and nothing can be taken. */
bool sorter_sort(struct sorter *sorter);

/* Takes the next id in ascending order, equal ones one after the other; false at the end. */
bool sorter_take(struct sorter *sorter, struct sorter_id *ret);

#endif
