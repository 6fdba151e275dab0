/* SPDX-License-Identifier: MIT */
/*
 * A simulated coordinator and the network to it: a set of records behind messages that
 * are lost, late, doubled and out of order.  Its machine crashes, is wiped, falls back to
 * an older state, and has a clock of its own.
 */
#ifndef SIMULATOR_COORDINATOR_H
#define SIMULATOR_COORDINATOR_H

#include <stdbool.h>
#include <stdint.h>

#include "lease/coordinator.h"

struct coordinator_options {
    uint32_t workers;      /* that may have a record */
    uint64_t request_ns;   /* that its machine works for a request, one after another; 0: it is never busy */
    uint64_t record_ns;    /* and for each record that it shows */
    bool forgets_versions; /* a swap is done whatever the record's version: what the oracle must find */
    bool has_clock;
    bool has_incarnation;    /* if not, it never falls back to an older state; it may be wiped */
    uint64_t timeout_ns;     /* after which a client gives up */
    unsigned trouble_permil; /* how many of a thousand messages something happens to */
};

/* Begins an empty one. */
void coordinator_begin(const struct coordinator_options *options);

/* The coordinator for options, and for operators: its URLs are sim://.  Never freed. */
const frazil_coordinator *coordinator_port(void);

/* The load on it since the world began. */
struct coordinator_load {
    uint64_t requests;   /* that reached its machine, answered or not */
    uint64_t bytes;      /* of its answers: the records' texts */
    uint64_t longest_ns; /* that a request has waited for its turn, since this was set to 0 */
};

struct coordinator_load *coordinator_load(void);

/* From now on messages arrive, one after another, without trouble, at a machine that works. */
void coordinator_heal(void);

/* It stops answering for a while, and comes back as it was, but as another incarnation. */
void coordinator_crash(uint64_t ns);

/* All records are gone, and it may not notice (its incarnation stays). */
void coordinator_wipe(void);

/* Puts away what it holds; falls back to that, as another incarnation.  False: nothing was put away. */
void coordinator_put_away(void);
bool coordinator_roll_back(void);

/* Sets its clock that far ahead of true time; says how far it is. */
void coordinator_set_clock(int64_t offset_ns);
int64_t coordinator_clock_ns(void);

/* Whether ticks were granted up to this one that no clock can have asked for by now which is as the coordinator's. */
bool coordinator_is_far_ahead(uint64_t until);

/* The highest world time that it has ever shown: what it grants no more after a loss ends behind that. */
uint64_t coordinator_highest_ns(void);

#endif
