/* SPDX-License-Identifier: MIT */
/*
 * The simulated world: its time, what will happen in it, and chance.  There is
 * one at a time; everything happens in one thread, in an order that the seed
 * alone decides.
 */
#ifndef SIMULATOR_WORLD_H
#define SIMULATOR_WORLD_H

#include <stdbool.h>
#include <stdint.h>

#define US UINT64_C(1000)
#define MS UINT64_C(1000000)
#define SECOND UINT64_C(1000000000)
#define MINUTE (60 * SECOND)
#define HOUR (60 * MINUTE)

/* Begins a world.  Everything in it comes from the seed. */
void world_begin(uint64_t seed);

/* True time: nanoseconds since the world began.  No clock in it need show it. */
uint64_t world_now(void);

/* Has fn called with arg and number at that time, after all that is already due then. */
typedef void (*world_fn)(void *arg, uint64_t number);
void world_at(uint64_t when_ns, world_fn fn, void *arg, uint64_t number);

/* Lets time pass up to when_ns if nothing else is due until then. */
bool world_skip_to(uint64_t when_ns);

/* Lets the next thing happen.  False: nothing is left, or somebody has failed. */
bool world_step(void);

/* Whose turn it is: false if it is nobody's. */
bool world_place(unsigned *ret_host, unsigned *ret_pid, unsigned *ret_thread);

/* Ends the run: a promise was broken.  From any place; the first one counts. */
void world_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The sentence of world_fail; NULL: all is well. */
const char *world_failure(void);

/* ---- chance --------------------------------------------------------------- */

/* 64 random bits. */
uint64_t any_number(void);

/* One of 0 .. n - 1 (n >= 1). */
uint64_t pick(uint64_t n);

/* True once in n times. */
bool once_in(uint64_t n);

/* One of low .. high, each as likely. */
uint64_t between(uint64_t low, uint64_t high);

/* One of low .. high (low >= 1), each order of magnitude as likely. */
uint64_t of_any_size(uint64_t low, uint64_t high);

#endif
