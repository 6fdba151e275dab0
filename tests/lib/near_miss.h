/* SPDX-License-Identifier: MIT */
/*
 * Shared by the tests of all decoders: texts that are one step away from a
 * right one, and whether an error says where.
 */
#ifndef TESTS_LIB_NEAR_MISS_H
#define TESTS_LIB_NEAR_MISS_H

#include <stddef.h>
#include <stdint.h>

#include "frazil/error.h"

/* Handles a variant that differs from the original at that index, counted from 0, or not at all. */
typedef void (*near_miss_fn)(void *ctx, const char *variant, size_t len, size_t index);

/*
 * Calls fn for the text with each byte value at each place: 256 * len variants.
 * They lie in memory of exactly len bytes, so that the address sanitizer sees
 * who reads further.
 */
void near_miss_bytes(const char *text, size_t len, near_miss_fn fn, void *ctx);

/* Calls fn for each proper prefix of the text, the empty one first; index is then its length. */
void near_miss_prefixes(const char *text, size_t len, near_miss_fn fn, void *ctx);

/* Fails the test unless err has that code and its sentence says "position N" with N = index + 1. */
void assert_error_at(const frazil_error *err, frazil_err code, size_t index);

/* The next number of a sequence that depends on a state alone, which is a uint64_t (splitmix64): frazil_random.next. */
uint64_t seeded_next(void *state);

#endif
