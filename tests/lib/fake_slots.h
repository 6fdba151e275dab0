/* SPDX-License-Identifier: MIT */
/*
 * A source of slots for tests: the next free place, and what it shall do instead.  Its coordinators are
 * fake://, konayuki+fake:// and slotless://, which has no slots.
 */
#ifndef TESTS_LIB_FAKE_SLOTS_H
#define TESTS_LIB_FAKE_SLOTS_H

#include <stdatomic.h>
#include <stdbool.h>

#include "lease/coordinator.h"

enum { FAKE_SLOTS_CAPACITY = 16 };

struct rig;

struct fake_slots {
    struct fz_slots_request request; /* as it was opened */
    char url[64];
    uint64_t tick;
    uint64_t place;
    uint64_t lead;
    uint64_t most;  /* how many at a time, at the most; 0: as many as are wanted */
    frazil_err err; /* of all takings */
    uint64_t retry_ns;
    uint64_t silence_ns; /* that a taking which fails with err takes, by the clock */
    frazil_manual_clock *clock;
    unsigned takes;
    uint64_t wanted;  /* by the last one */
    uint64_t good;    /* if not 0: takings that succeed before err */
    struct rig *slow; /* if not NULL: its clock goes on by slow_ns before each answer */
    uint64_t slow_ns;
    bool is_folder;
    struct fz_deadline deadline; /* of the last one */
    _Atomic bool is_silent;
    _Atomic unsigned asked; /* takings that have begun */
    unsigned forks;
    unsigned closed;
};

extern struct fake_slots fake_slots;

/* For struct ports. */
extern const frazil_coordinator *const fake_slots_coordinators[];

#endif
