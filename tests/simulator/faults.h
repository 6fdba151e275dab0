/* SPDX-License-Identifier: MIT */
/*
 * The faults of a world: each begins by itself, or in the middle of a process's work,
 * and lasts for a while.  Then everything heals, and the world waits for
 * each service to issue ids again.
 */
#ifndef SIMULATOR_FAULTS_H
#define SIMULATOR_FAULTS_H

#include <stdbool.h>
#include <stdint.h>

struct host;

/* Sets up the world of the plan and everything that will go wrong in it. */
void faults_begin(void);

/* Begins a fleet's instead: only what happens in the middle of the processes' work, and not on that host. */
void faults_begin_fleet(struct host *quiet);

/* Ends them. */
void faults_end(void);

/*
 * A step of a process: an atomic operation or a call of the system.  Now and then
 * it is held up here: others go on, or it is stopped, killed or copied.
 */
void faults_step(void);

/* The cost of a system call, and room for events in it. */
void faults_call(uint64_t ns);

/* Here of all places the power of the calling process's host may be lost: once in n times. */
void faults_power_may_fail(unsigned n);

/* Where the operator works: nothing happens there.  NULL: there is none. */
const struct host *faults_operator_host(void);

/* Whether all faults are over; how long programs may think from then on. */
bool faults_are_over(void);
uint64_t faults_think_ns(void);

/* Whether the world is done: all services have issued since, or the time for it is over. */
bool faults_done(void);

/* The process that runs has issued an id, or learned that the layout's life is over. */
void faults_note_issued(void);
void faults_note_life_ended(void);

/* Whether the layout's life can be over as some clock sees it. */
bool faults_life_may_have_ended(void);

/* A frazil_random's function; ctx is not used. */
uint64_t faults_any_number(void *ctx);

#endif
