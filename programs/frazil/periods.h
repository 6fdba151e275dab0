/* SPDX-License-Identifier: MIT */
/*
 * Stretches of time in which ids were made, set apart by long pauses of all
 * workers.  Ids of another layout show as one: read with the wrong layout, their
 * times lie together, but years from those of the others.
 */
#ifndef PERIODS_H
#define PERIODS_H

#include "ids.h"

struct period {
    uint64_t ids;
    struct id first;
    int64_t first_ms, last_ms;
    uint32_t worker; /* of the first id */
    bool is_of_many; /* other workers made ids in it, too */
};

struct periods {
    int64_t pause_ms; /* a longer one begins a new period; 0: none does */
    struct period *list;
    size_t count, room;
};

/* Counts an id that is there `times` times; times must not descend.  False: out of memory. */
bool periods_add(struct periods *periods, const struct id *id, uint32_t worker, int64_t unix_ms, uint64_t times);

/* The period with most ids, the first of equals; NULL if there is none.  The others are apart from it. */
const struct period *periods_main(const struct periods *periods);

/* How many ids lie outside of it. */
uint64_t periods_ids_apart(const struct periods *periods);

/* The pause between a period and the nearest other one (there are at least two), in ms. */
uint64_t periods_distance_ms(const struct periods *periods, const struct period *period);

/* Frees the list. */
void periods_free(struct periods *periods);

#endif
