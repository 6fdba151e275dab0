/* SPDX-License-Identifier: MIT */
/*
 * Worlds of a large fleet: thousands of services over one coordinator that works for a while on each request.  All
 * start at once, the coordinator is away for longer than a grant, all hosts are started again one after another, and in
 * some worlds hardly a worker id is to spare.  Services are killed and hosts lose power meanwhile.
 */
#ifndef SIMULATOR_FLEET_H
#define SIMULATOR_FLEET_H

#include <stdbool.h>
#include <stdint.h>

/* X(identifier, name): what the fleet goes through, one after another. */
#define FLEET_PHASES(X)                                                                                                \
    X(START, "start")                                                                                                  \
    X(STEADY, "steady")                                                                                                \
    X(OUTAGE, "outage")                                                                                                \
    X(RETURN, "return")                                                                                                \
    X(ROLLING, "rolling restart")                                                                                      \
    X(CALM, "calm")

enum fleet_phase {
#define FLEET_PHASE_ENUM(identifier, name) PHASE_##identifier,
    FLEET_PHASES(FLEET_PHASE_ENUM)
#undef FLEET_PHASE_ENUM
        PHASES
};

/* Measurements of the coordinator and the services in one phase; or in that of many worlds: sums, and the largest. */
struct fleet_figures {
    uint64_t ns;
    uint64_t requests;
    uint64_t bytes;      /* of answers that show several records */
    uint64_t peak;       /* requests of the busiest second */
    uint64_t queue_ns;   /* the longest that a request waited for its turn */
    uint64_t without_ns; /* the longest that a service wanted ids and had none */
};

/* Plans a world of so many services; planted: with a coordinator that gives one worker id to many. */
void fleet_plan(unsigned services, bool planted);

/* How many hosts and processes it needs. */
unsigned fleet_hosts(void);
unsigned fleet_processes(void);

/* Sets it up, after all other parts of the world have begun. */
void fleet_begin(void);

/* Whether it is over: then every service must have issued ids after all faults. */
bool fleet_done(void);

/* Adds this world's figures to the sums, one for each phase. */
void fleet_add_figures(struct fleet_figures sums[PHASES]);

/* Adds sums to others. */
void fleet_add_sums(struct fleet_figures to[PHASES], const struct fleet_figures from[PHASES]);

/* Prints them. */
void fleet_print(const struct fleet_figures sums[PHASES]);

/* Prints what kind of world it is. */
void fleet_print_plan(void);

#endif
