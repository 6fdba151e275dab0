/* SPDX-License-Identifier: MIT */
/*
 * Stretches of time in which ids were made, set apart by long pauses of all
 * workers.  Ids of another layout show as one: read with the wrong layout, their
 * times lie together, but years from those of the others.
 */
#ifndef ERAS_H
#define ERAS_H

#include "ids.h"

struct era {
    uint64_t ids;
    struct id first;
    int64_t first_ms, last_ms;
    uint32_t worker; /* of the first id */
    bool is_of_many; /* other workers made ids in it, too */
};

struct eras {
    int64_t pause_ms; /* a longer one begins a new era; 0: none does */
    struct era *list;
    size_t count, room;
};

/* Counts an id that is there `times` times; times must not descend.  False: out of memory. */
bool eras_add(struct eras *eras, const struct id *id, uint32_t worker, int64_t unix_ms, uint64_t times);

/* The era with most ids, the first of equals; NULL if there is none.  The others are apart from it. */
const struct era *eras_home(const struct eras *eras);

/* How many ids lie outside of it. */
uint64_t eras_ids_apart(const struct eras *eras);

/* The pause between an era and the nearest other one (there are at least two), in ms. */
uint64_t eras_distance_ms(const struct eras *eras, const struct era *era);

/* Frees the list. */
void eras_free(struct eras *eras);

#endif
