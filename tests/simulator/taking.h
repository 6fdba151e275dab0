/* SPDX-License-Identifier: MIT */
/* Simulated services take ids from a generator, and the oracle judges what they get. */
#ifndef SIMULATOR_TAKING_H
#define SIMULATOR_TAKING_H

#include <stdint.h>

#include "frazil.h"

/* Judges an opening that has failed with this code. */
void take_refused_opening(frazil_err code, const frazil_error *err);

/* Waits for a while, after that. */
void take_pause_after_refusal(void);

/* One call for n ids, PROGRAM_BATCH_MAX at the most.  *last as below. */
frazil_err take_once(frazil *gen, uint64_t *last, size_t n);

/* A few calls in a row.  *last: the highest slot that this thread was given before. */
void take_burst(frazil *gen, uint64_t *last);

/* The same from a handle; *last is the handle's. */
void take_burst_of_handle(frazil_local *handle, uint64_t *last);

/*
 * Waits until it is time, or something has happened to everybody.  Often that is
 * when others have waited for as well, so that they meet; or an edge of the grant.
 */
void take_pause(frazil *gen);

/* Extends the grant, for keeper=hook. */
void take_keep(frazil *gen);

#endif
