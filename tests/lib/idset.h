/* SPDX-License-Identifier: MIT */
/*
 * Millions of ids that several callers took, and what must be true of them: no
 * id twice (exactly, by sorting), and increasing in the order in which each
 * caller took them.
 *
 * A set has one writer.  Its memory is shared over a fork, so a child's ids are
 * seen by its parent, also when the child was killed in the middle.
 */
#ifndef FRAZIL_TESTS_LIB_IDSET_H
#define FRAZIL_TESTS_LIB_IDSET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "frazil/sno.h"

struct idset {
    uint64_t *ids; /* in the order in which they were taken */
    size_t count;
    size_t size; /* how many fit */
};

/* n empty sets for size ids each.  Ends the program when there is no memory: a test cannot go on without. */
struct idset *idsets_open(size_t n, size_t size);

/* Gives them back. */
void idsets_close(struct idset *sets, size_t n);

/* Adds an id; more than fit is a mistake of the test's. */
void idset_add(struct idset *set, uint64_t id);

/* Adds n of them. */
void idset_add_n(struct idset *set, const uint64_t *ids, size_t n);

/* How many ids the sets hold together. */
size_t idsets_count(const struct idset *sets, size_t n);

/* How many ids occur a second time, within a set or across; *ret_id: one of them.  Leaves the sets as they are. */
size_t idsets_duplicates(const struct idset *sets, size_t n, uint64_t *ret_id);

/* Whether each id is above the one before; if not, *ret_at is the index of one that is not. */
bool idset_increases(const struct idset *set, size_t *ret_at);

/* Whether the sno_key()s of a set increase within each side of the tick-tock; *ret_at as above. */
bool idset_increases_by_side(const struct idset *set, size_t *ret_at);

/* Fails the test (cmocka) unless no id occurs twice and each set increases. */
void idsets_assert_unique_and_increasing(const struct idset *sets, size_t n);

/* The parts that tell two snos of one partition apart: time, tick-tock bit, sequence.  Orders them as time does, side
 * by side.
 */
uint64_t sno_key(const frazil_sno *id);

#endif
