/* SPDX-License-Identifier: MIT */
/*
 * Time and randomness as ports, which is what a generator asks of the world, so that
 * tests and simulators can stand in for it.
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
 * A clock.  The functions are called by any thread that uses a generator,
 * several at once, and must not call back into frazil.  Later versions add members at the end, and accept what is
 * shorter.
 */
typedef struct frazil_clock {
    size_t size;                                           /* sizeof(frazil_clock) */
    void *ctx;                                             /* passed to the functions */
    void (*now)(void *ctx, frazil_instant *ret);           /* wall clock: may step either way */
    uint64_t (*monotonic_ns)(void *ctx);                   /* never steps: bounds every wait */
    void (*sleep_until)(void *ctx, uint64_t monotonic_ns); /* may return early, never much later */
} frazil_clock;

/* A source of randomness: 64 bits a call; any thread, several at once.  It grows as frazil_clock does. */
typedef struct frazil_random {
    size_t size;                 /* sizeof(frazil_random) */
    void *ctx;                   /* passed to the function */
    uint64_t (*next)(void *ctx); /* the next 64 bits */
} frazil_random;

/*
 * A clock that moves only when told to.  Its sleeps take no real time: they move its wall time on by the time slept.
 * Close it after the generators that use it.  Any thread.
 */
typedef struct frazil_manual_clock frazil_manual_clock;

/* frazil_manual_clock_open: sleeping does not move the wall time, while monotonic time passes. */
#define FRAZIL_CLOCK_FROZEN UINT32_C(1)

/* A manual clock at unix_ms.  flags: 0 or FRAZIL_CLOCK_FROZEN.  FRAZIL_EINVAL: another flag; FRAZIL_ENOMEM. */
FRAZIL_API FRAZIL_CHECK frazil_err frazil_manual_clock_open(frazil_manual_clock **ret, int64_t unix_ms, uint32_t flags,
                                                            frazil_error *reterr) FRAZIL_NONNULL(1);

/* Closes it; NULL is allowed. */
FRAZIL_API void frazil_manual_clock_close(frazil_manual_clock *clock);

/* Sets the wall time: a step.  Monotonic time stays.  Any number will do. */
FRAZIL_API void frazil_manual_clock_set(frazil_manual_clock *clock, int64_t unix_ms) FRAZIL_NONNULL(1);

/* Lets ns nanoseconds pass, on both times.  The wall time stops at INT64_MAX. */
FRAZIL_API void frazil_manual_clock_advance(frazil_manual_clock *clock, uint64_t ns) FRAZIL_NONNULL(1);

/*
 * The port to give to frazil_options_clock.  Valid as long as the clock.  size is sizeof *ret (frazil.h), and ret->size
 * becomes the part of it that was filled.  Cannot fail.
 */
FRAZIL_API void frazil_manual_clock_port(frazil_manual_clock *clock, frazil_clock *ret, size_t size)
    FRAZIL_NONNULL(1, 2);

FRAZIL_END_DECLS

#endif
