/* SPDX-License-Identifier: MIT */
/*
 * A pile of ids, to be taken back in ascending order: eight bytes each (snos:
 * ten), never a copy of the whole.  It grows by chunks of four million, each is
 * sorted by itself, and they are merged as they are read; chunks that already
 * follow on each other are not even merged.
 */
#ifndef PILE_H
#define PILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pile;

/* An id as a number: the first eight bytes, and the last two of a sno. */
struct pile_id {
    uint64_t high;
    uint16_t low;
};

/* An empty pile; wide: with the last two bytes.  NULL: out of memory. */
struct pile *pile_new(bool wide);

/* Frees it; NULL is allowed. */
void pile_free(struct pile *pile);

/* Adds an id.  False: out of memory, and it is not in. */
bool pile_add(struct pile *pile, struct pile_id id);

/* How many ids are in. */
uint64_t pile_count(const struct pile *pile);

/* Sorts; afterwards nothing can be added.  False: out of memory, and nothing can be taken. */
bool pile_sort(struct pile *pile);

/* Takes the next id in ascending order, equal ones one after the other; false at the end. */
bool pile_take(struct pile *pile, struct pile_id *ret);

#endif
