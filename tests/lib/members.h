/* SPDX-License-Identifier: MIT */
/*
 * Processes of a host that share a lease, as share=host has it: in one process, over the namespace of
 * memory_namespace.h, on a manual clock, with a run directory of their own.
 */
#ifndef TESTS_LIB_MEMBERS_H
#define TESTS_LIB_MEMBERS_H

#include "frazil.h"
#include "lib/ports.h"

struct members {
    const char *scratch; /* its "run" is their run directory */
    frazil_manual_clock *manual;
    frazil_clock clock;
    char spec[1024]; /* of each, with keeper=inline */
};

extern struct members members;

/* Makes all of it for one test, with a namespace of 8 worker ids; and removes it. */
void members_start(uint64_t horizon_ms);
void members_stop(void);

/* The clock and the coordinator. */
struct ports members_ports(void);

/* Opens one more, with the clock in the place of the real one; fails the test, with the sentence, if it cannot. */
frazil *open_member(const char *spec);

/* The worker id of its grant. */
uint32_t worker_of(frazil *gen);

/* One id, which there must be. */
uint64_t take(frazil *gen);

#endif
