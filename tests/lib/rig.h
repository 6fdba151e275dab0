/* SPDX-License-Identifier: MIT */
/*
 * A generator under test: on a manual clock, with random numbers that come from
 * a seed, and what all of its tests ask.
 */
#ifndef TESTS_LIB_RIG_H
#define TESTS_LIB_RIG_H

#include "frazil.h"
#include "lib/ports.h"

#define RIG_MS UINT64_C(1000000) /* nanoseconds */
#define RIG_S (1000 * RIG_MS)

/* An instant within the life of every preset: 2026-06-01T00:00:00Z. */
#define RIG_NOW INT64_C(1780272000000)

/* The value of an output that a failing call must not touch. */
#define RIG_UNTOUCHED UINT64_C(0x5a5a5a5a5a5a5a5a)

struct rig {
    frazil *gen;
    frazil_manual_clock *manual;
    frazil_clock clock;
    frazil_random random;
    uint64_t random_state; /* set it before rig_open for another sequence */
    uint64_t random_calls;
    const frazil_coordinator *const *coordinators; /* set it before rig_open; NULL: those that are installed */
    const frazil_granter *granter;                 /* likewise; NULL: none */
};

/* Opens a generator over a manual clock at unix_ms.  Fails the test, with the sentence, if that does not succeed. */
void rig_open(struct rig *rig, const char *spec, int64_t unix_ms);

/* Opens one with a spec of these settings, whose state is in files below `dir` (scratch.h). */
void rig_open_below(struct rig *rig, const char *dir, const char *settings, int64_t unix_ms);

/* Opens one over a frozen clock. */
void rig_open_frozen(struct rig *rig, const char *spec, int64_t unix_ms);

/* Opens one that goes on from a snapshot. */
void rig_open_snapshot(struct rig *rig, const char *spec, const struct fz_snapshot *snapshot, int64_t unix_ms);

/* Closes both. */
void rig_close(struct rig *rig);

/* The clock's two times. */
int64_t rig_now_ms(const struct rig *rig);
uint64_t rig_monotonic_ns(const struct rig *rig);

/* The clock's time, and an id's, as a tick of the generator's layout. */
uint64_t rig_now_tick(const struct rig *rig);
uint64_t rig_tick_of(const struct rig *rig, uint64_t id);

/* Moves the clock on by so many of them. */
void rig_advance(struct rig *rig, uint64_t ticks);

/* Steps the wall clock by delta_ms. */
void rig_step(struct rig *rig, int64_t delta_ms);

/* Takes one id; fails the test if there is none. */
uint64_t rig_next(struct rig *rig);

/* Takes one sno, with a metabyte of 0. */
frazil_sno rig_sno(struct rig *rig);
frazil_sno_fields rig_sno_parts(struct rig *rig);

/* Takes an id apart in the generator's layout. */
frazil_fields rig_parts(const struct rig *rig, uint64_t id);

/* Fails the test unless the spec is refused with code, in a sentence that holds `why`, and *ret is untouched. */
void assert_open_refused(const char *spec, const struct ports *ports, frazil_err code, const char *why);

#endif
