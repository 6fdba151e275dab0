/* SPDX-License-Identifier: MIT */
/*
 * Callers: threads (or processes) that take ids from one generator in every way
 * there is, in a random mixture, and write down what they got in the order in
 * which they got it.
 */
#ifndef FRAZIL_TESTS_LIB_CALLERS_H
#define FRAZIL_TESTS_LIB_CALLERS_H

#include <pthread.h>

#include "frazil/clock.h"
#include "frazil/generator.h"
#include "idset.h"

/* Thread sanitizer, valgrind and emulators cost a factor of ten and more: numbers of ids are divided by this. */
#if defined(FRAZIL_EMULATED)
#define INSTRUMENT_SLOWDOWN 10
#elif defined(__SANITIZE_THREAD__)
#define INSTRUMENT_SLOWDOWN 20
#elif defined(__SANITIZE_ADDRESS__)
#define INSTRUMENT_SLOWDOWN 4
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define INSTRUMENT_SLOWDOWN 20
#elif __has_feature(address_sanitizer)
#define INSTRUMENT_SLOWDOWN 4
#endif
#endif
#ifndef INSTRUMENT_SLOWDOWN
#define INSTRUMENT_SLOWDOWN 1
#endif

enum { CALLER_BATCH_MAX = 8192 };

struct caller {
    frazil *gen;
    struct idset *shared; /* from frazil_next, _next_n, _try_next and _take; for sno its likes */
    struct idset *local;  /* from frazil_local_next; NULL: take none this way */
    size_t quota;         /* ids to take, all ways together */
    size_t batch_max;     /* largest n of a batch, up to CALLER_BATCH_MAX */
    size_t run_max;       /* most calls in a row of one way */
    uint64_t seed;
    const frazil_clock *clock; /* on which it sleeps after FRAZIL_EAGAIN; NULL: real time */
    frazil_err err;            /* the first error that no policy explains; FRAZIL_OK: none */
    pthread_t thread;
};

/* Numbers without state of the C library's: xorshift. */
uint64_t caller_random(uint64_t *state);

/* Takes the quota of 64-bit ids of a struct caller.  Returns NULL; an error is in its err. */
void *caller_take_ids(void *arg);

/* Takes the quota of snos; their sno_key()s are what is written down. */
void *caller_take_snos(void *arg);

/* Runs n callers as threads, each with `take`, to their end, and asserts that none had an error. */
void callers_run(struct caller *callers, size_t n, void *(*take)(void *));

/* Sleeps ns nanoseconds of real time. */
void pause_ns(uint64_t ns);

#endif
