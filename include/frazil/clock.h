/* SPDX-License-Identifier: MIT */
/*
 * Time and randomness as ports, so that tests and simulators can replace the clock and the random numbers of a
 * generator.
 */
#ifndef FRAZIL_CLOCK_H
#define FRAZIL_CLOCK_H

#include "error.h"

FRAZIL_BEGIN_DECLS

/* A reading of the wall clock, to the nanosecond.  These 16 bytes do not grow. */
typedef struct frazil_instant {
    int64_t unix_ms;   /* whole milliseconds since 1970 */
    uint32_t ns;       /* nanoseconds within the millisecond, 0 .. 999999 */
    uint32_t reserved; /* 0 */
} frazil_instant;

/*
 * A clock.  The functions are called by any thread that uses a generator, several at once, and must not call back into
 * frazil.  Later versions may add members at the end, and accept shorter structs.
 */
typedef struct frazil_clock {
    size_t size;                                           /* sizeof(frazil_clock) */
    void *ctx;                                             /* passed to the functions */
    void (*now)(void *ctx, frazil_instant *ret);           /* wall clock: may step either way */
    uint64_t (*monotonic_ns)(void *ctx);                   /* never steps: bounds every wait */
    void (*sleep_until)(void *ctx, uint64_t monotonic_ns); /* may return early, never much later */
} frazil_clock;

/* A source of randomness: 64 bits per call; any thread, several at once.  It grows as frazil_clock does. */
typedef struct frazil_random {
    size_t size;                 /* sizeof(frazil_random) */
    void *ctx;                   /* passed to the function */
    uint64_t (*next)(void *ctx); /* the next 64 bits */
} frazil_random;

/*
 * A clock that moves only when told to.  A sleep takes no real time: it advances the wall time by the time slept.
 * Close it after the generators that use it.  Any thread.
 */
typedef struct frazil_manual_clock frazil_manual_clock;

/* For frazil_manual_clock_open: a sleep advances only the monotonic time, not the wall time. */
#define FRAZIL_CLOCK_FROZEN UINT32_C(1)

/*
 * Creates a manual clock set to unix_ms.  flags: 0 or FRAZIL_CLOCK_FROZEN.  FRAZIL_EINVAL: an unknown flag;
 * FRAZIL_ENOMEM.
 */
FRAZIL_API FRAZIL_CHECK frazil_err frazil_manual_clock_open(frazil_manual_clock **ret, int64_t unix_ms, uint32_t flags,
                                                            frazil_error *reterr) FRAZIL_NONNULL(1);

/* Closes it; NULL is allowed. */
FRAZIL_API void frazil_manual_clock_close(frazil_manual_clock *clock);

/* Sets the wall time: a step.  The monotonic time does not change.  Any number is allowed. */
FRAZIL_API void frazil_manual_clock_set(frazil_manual_clock *clock, int64_t unix_ms) FRAZIL_NONNULL(1);

/* Advances both times by ns nanoseconds.  The wall time stops at INT64_MAX. */
FRAZIL_API void frazil_manual_clock_advance(frazil_manual_clock *clock, uint64_t ns) FRAZIL_NONNULL(1);

/*
 * Fills ret with the port for frazil_options_clock, valid until the clock is closed.  size is sizeof *ret (frazil.h),
 * and ret->size becomes the number of bytes filled.  Cannot fail.
 */
FRAZIL_API void frazil_manual_clock_port(frazil_manual_clock *clock, frazil_clock *ret, size_t size)
    FRAZIL_NONNULL(1, 2);

FRAZIL_END_DECLS

#endif
