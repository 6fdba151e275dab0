/* SPDX-License-Identifier: MIT */
/*
 * Telling a callback that ticks overflow.  It is called by a caller that has to
 * wait anyway, so a slow callback costs nobody else anything.
 */
#ifndef FZ_GENERATOR_OVERFLOW_H
#define FZ_GENERATOR_OVERFLOW_H

#include <stdatomic.h>
#include <stdint.h>

#include "frazil/observe.h"

struct fz_observation;

/* Whom to tell. */
struct fz_overflow_hook {
    frazil_overflow_fn fn; /* NULL: nobody */
    void *ctx;
};

/* An overflow as it is reported to the callback. */
struct fz_overflow_state {
    _Atomic uint32_t waiting;       /* callers in a wait for a free tick */
    _Atomic uint32_t ticks;         /* ticks reported in this overflow; 0: there is none */
    _Atomic uint64_t reported_tick; /* the last one reported, plus one */
};

/* A caller waits because the tick is full: tells the callback, once a tick. */
FZ_PRIVATE void fz_overflow_enter(frazil *gen, const struct fz_observation *seen);

/* It waits no more. */
FZ_PRIVATE void fz_overflow_leave(frazil *gen);

/* A slot was taken without waiting: the overflow may have ended. */
FZ_PRIVATE void fz_overflow_quiet(frazil *gen, const struct fz_observation *seen);

/* The generator is closed: whatever overflow there was has ended. */
FZ_PRIVATE void fz_overflow_close(frazil *gen);

#endif
