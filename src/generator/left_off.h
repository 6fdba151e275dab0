/* SPDX-License-Identifier: MIT */
/*
 * The slots at which generators with their state in memory left off, so that the next one of the same worker in this
 * process goes on there.  Otherwise a program that opens, takes an id and closes would begin each tick anew.
 */
#ifndef FZ_GENERATOR_LEFT_OFF_H
#define FZ_GENERATOR_LEFT_OFF_H

#include "generator_internal.h"

/*
 * Has a generator that was just opened begin behind all closed ones whose worker and layout are its own, and whose
 * sequence numbers overlap with its own.  FRAZIL_ENOMEM.
 */
FZ_PRIVATE frazil_err fz_left_off_resume(frazil *gen, uint32_t worker, const struct fz_bounds *bounds,
                                         frazil_error *reterr);

/*
 * Counts a generator that was just opened among those of the process that live.  Two of one worker, whose sequence
 * numbers overlap, cannot live side by side if one of them goes on from a snapshot, and so knows of no other.
 * FRAZIL_EWORKER, and then it is not counted; FRAZIL_ENOMEM.
 */
FZ_PRIVATE frazil_err fz_left_off_live(frazil *gen, uint32_t worker, const struct fz_decision *decision,
                                       frazil_error *reterr);

/* Ends that; nothing for one that is not counted. */
FZ_PRIVATE void fz_left_off_die(frazil *gen);

/*
 * Says that ids of the tick may be issued from now on, in the claim, which outlives this process: it may be killed, or
 * a child may go on with the generator.  Nothing for a generator that did not resume.  Any thread, and forked children.
 */
FZ_PRIVATE void fz_left_off_use(const frazil *gen, uint64_t tick);

/* Notes where a generator that is about to close leaves off; nothing for one that did not resume. */
FZ_PRIVATE void fz_left_off_note(frazil *gen);

#endif
