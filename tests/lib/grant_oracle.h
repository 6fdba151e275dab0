/* SPDX-License-Identifier: MIT */
/*
 * An oracle that knows nothing of leases: rectangles of worker x ticks, each
 * owned by somebody, and none of them may overlap another.
 */
#ifndef TESTS_LIB_GRANT_ORACLE_H
#define TESTS_LIB_GRANT_ORACLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rectangle {
    uint32_t worker;
    uint64_t first;
    uint64_t last;
    uint32_t owner;
};

struct grant_oracle {
    struct rectangle *all;
    size_t n;
    size_t room;
};

/* Notes that owner was given first .. last of worker.  False: some of it is somebody's, or was given before. */
bool grant_oracle_add(struct grant_oracle *oracle, uint32_t owner, uint32_t worker, uint64_t first, uint64_t last);

/* Notes that owner never used, and will never use, the ticks of worker above used that it was given. */
void grant_oracle_give_back(struct grant_oracle *oracle, uint32_t owner, uint32_t worker, uint64_t used);

/* Frees it. */
void grant_oracle_free(struct grant_oracle *oracle);

#endif
