/* SPDX-License-Identifier: MIT */
/* From slots to ids. */
#ifndef FZ_GENERATOR_COMPOSE_H
#define FZ_GENERATOR_COMPOSE_H

#include "frazil/generator.h"

/* Slots that may be issued, and the worker that they were granted to. */
struct fz_taken {
    uint64_t first;
    uint32_t worker;
};

/* The id of a slot and a worker; for sno its low 32 bits, partition and sequence. */
FZ_PRIVATE uint64_t fz_compose_slot(const frazil *gen, uint64_t slot, uint32_t worker);

/* The worker that such an id carries. */
FZ_PRIVATE uint32_t fz_worker_of(const frazil *gen, uint64_t id);

/* The ids of n slots in a row, handed to `emit` in runs that lie in one tick, with the first slot of the run. */
typedef void (*fz_emit_fn)(void *ctx, uint64_t first_slot, uint64_t first_id, uint64_t count);
FZ_PRIVATE void fz_emit_runs(const frazil *gen, const struct fz_taken *taken, uint64_t n, fz_emit_fn emit, void *ctx);

/* The next sequence number for a time of the caller's. */
FZ_PRIVATE uint32_t fz_explicit_sequence(frazil *gen);

#endif
