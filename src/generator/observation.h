/* SPDX-License-Identifier: MIT */
/* Looking at the grant, the word and the clock. */
#ifndef FZ_GENERATOR_OBSERVATION_H
#define FZ_GENERATOR_OBSERVATION_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/slot.h"
#include "frazil/generator.h"
#include "lease/granter.h"

/*
 * Looks at the grant, the word and the clock, in this order.  The grant is read first,
 * so the word has already been raised to its floor.  The clock is read last, so it seems
 * to be behind the word only if it has stepped.
 */
struct fz_observation {
    struct fz_grant grant;
    uint64_t grant_number; /* of it in the ring */
    struct fz_slot_view view;
    frazil_instant now;
    int64_t high_us;  /* the highest reading before this one */
    uint64_t counter; /* read just before the clock; 0 where there is none */
    bool before_epoch;
};

/* Looks, and notes what the clock showed. */
FZ_PRIVATE struct fz_observation fz_observe(frazil *gen);

/* Whether the grant that was seen has ended by the clock, or was taken away: then it has no tick. */
FZ_PRIVATE bool fz_has_ended(const struct fz_observation *seen);

/* Nanoseconds from now to the start of a tick; 0 if it has come, UINT64_MAX if that does not fit. */
FZ_PRIVATE uint64_t fz_ns_until(const frazil *gen, frazil_instant now, uint64_t tick);

/* Raises an atomic to at least value. */
FZ_PRIVATE void fz_raise_u64(_Atomic uint64_t *target, uint64_t value);
FZ_PRIVATE void fz_raise_i64(_Atomic int64_t *target, int64_t value);

/* Microseconds since 1970 of a reading; saturates. */
FZ_PRIVATE int64_t fz_unix_us(frazil_instant instant);

#endif
