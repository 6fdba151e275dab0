/* SPDX-License-Identifier: MIT */
/* How many pairs a test makes, and of which random numbers.  TEST_PAIRS_SEED=N in the environment makes others. */
#ifndef TESTS_LIB_PAIRS_H
#define TESTS_LIB_PAIRS_H

#include <stddef.h>
#include <stdint.h>

/* n of them; where TEST_EVERY says so, each so many-th. */
size_t pairs_of(size_t n);

/* The state of caller_random for a row of pairs; rows of other numbers have others. */
uint64_t pairs_seed(uint64_t row);

#endif
