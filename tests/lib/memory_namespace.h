/* SPDX-License-Identifier: MIT */
/* A namespace "orders" in the memory of this process, which memory://orders names in specs; one at a time. */
#ifndef TESTS_LIB_MEMORY_NAMESPACE_H
#define TESTS_LIB_MEMORY_NAMESPACE_H

#include "frazil/layout.h"
#include "lease/coordinator.h"
#include "lib/memory_register.h"

/* The coordinator, and the list of it, ended by NULL, for those who take one. */
extern const frazil_coordinator memory_coordinator;
extern const frazil_coordinator *const memory_coordinators[];

/* Creates it, never used, in an empty store, with so many worker ids; the test fails if that does not succeed. */
void memory_namespace_start(const frazil_layout *layout, uint64_t workers, uint64_t horizon_ms, int64_t now_ms);

/* Only the store, in which there is no namespace. */
void memory_namespace_start_empty(void);

/* Frees it. */
void memory_namespace_stop(void);

/* Changes each register that is opened from now on; NULL: none. */
extern void (*memory_namespace_wrap)(struct fz_register *reg);

/* A register of it. */
struct fz_register memory_namespace_register(void);

/* The record of a worker id, which was taken. */
struct fz_worker_record memory_namespace_record(uint32_t worker);

/* Frees a worker id by hand. */
void memory_namespace_release(uint32_t worker);

#endif
