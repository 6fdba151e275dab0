/* SPDX-License-Identifier: MIT */
/* The identities that a decision has, as texts to compare. */
#ifndef TESTS_LIB_IDENTITY_H
#define TESTS_LIB_IDENTITY_H

#include "config/decision.h"

enum { IDENTITY_SIZE = 16384 };

struct identity {
    char place[IDENTITY_SIZE];     /* of the word, and of the grant or the lease that belongs to it; empty: in memory */
    char generator[IDENTITY_SIZE]; /* of frazil_open_shared */
};

/* Reads the identities of a decision into *ret. */
void identity_of(const struct fz_decision *decision, struct identity *ret);

/* Says in which of its texts two identities differ: 1 the place, 2 the generator, 3 both; 0: in none. */
int identity_apart(const struct identity *one, const struct identity *other);

#endif
