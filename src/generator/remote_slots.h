/* SPDX-License-Identifier: MIT */
/*
 * Slots from elsewhere than memory (state=URL): hosts that share a worker number
 * and no memory take them from a coordinator, a batch at a time.
 *
 * A batch belongs to the process that took it, and is not used after its tick.
 * Slots whose tick has not come are tickets, for which the policies hold as for
 * any other.  A slot that is left over is never used by another process.
 */
#ifndef FZ_GENERATOR_REMOTE_SLOTS_H
#define FZ_GENERATOR_REMOTE_SLOTS_H

#include "config/decision.h"
#include "frazil/generator.h"
#include "lease/coordinator.h"
#include "refusal.h"

/*
 * Opens the source of slots that the decision names, through one of the coordinators given (NULL at the
 * end, or NULL) or one that is loaded.  Errors as fz_coordinator_open_slots.
 */
FZ_PRIVATE frazil_err fz_remote_open(frazil *gen, const struct fz_decision *decision, uint32_t worker,
                                     const frazil_coordinator *const *given, frazil_error *reterr);

/*
 * Takes n ids, or none: then ret_ids is untouched, and the slots are for the next call unless another thread took later
 * ones meanwhile.  Waits at most wait_ns for their ticks and for another thread's request; if this call makes the
 * request itself, an answer may take as long as the coordinator's URL says on top of that.  FRAZIL_EFULL, ECLOCK,
 * EEXHAUSTED as fz_take; those of the source's take, or of the request that this call waited for; FRAZIL_EAGAIN:
 * another thread's request takes longer than wait_ns; FRAZIL_ENOMEM.  Any thread.
 */
FZ_PRIVATE frazil_err fz_remote_take(frazil *gen, uint64_t *ret_ids, size_t n, uint64_t wait_ns,
                                     struct fz_refusal *refusal);

/* Closes this process's end, if there is a source. */
FZ_PRIVATE void fz_remote_close(frazil *gen);

#endif
