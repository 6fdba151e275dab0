/* SPDX-License-Identifier: MIT */
/*
 * A register in the memory of one process: for tests, and for simulations.
 */
#ifndef FZ_TESTS_MEMORY_REGISTER_H
#define FZ_TESTS_MEMORY_REGISTER_H

#include "lease/register.h"

struct fz_memory_store;

/* An empty store, whose versions begin at first_version (>= 1).  NULL: no memory. */
struct fz_memory_store *fz_memory_store_new(uint64_t first_version);

/* A store that holds what `store` holds now; new versions begin at first_version.  NULL: no memory. */
struct fz_memory_store *fz_memory_store_copy(struct fz_memory_store *store, uint64_t first_version);

/* Frees it, when no register uses it any more.  NULL is allowed. */
void fz_memory_store_free(struct fz_memory_store *store);

/*
 * A register over a store, which must outlive it.  Any number of them can use one
 * store, each in a thread of its own.  It has no clock and no incarnation.
 */
struct fz_register fz_memory_register(struct fz_memory_store *store);

#endif
