/* SPDX-License-Identifier: MIT */
/*
 * The common part of the scenarios that take ids: a generator that was opened
 * by the library itself, time, and an oracle that knows nothing of how ids are
 * taken.
 *
 * Time is a row of moments, each of which shows a tick of the wall clock; the
 * counter runs on by COUNTS_A_TICK from each to the next.  A thread that reads clock or
 * counter may find that the next moment has come; a thread that sleeps always does.  Behind
 * the last one of the row the clock goes on by a tick a moment.  So time is one for
 * all threads, and orders nothing in memory.
 */
#ifndef MEMORY_MODEL_WORLD_H
#define MEMORY_MODEL_WORLD_H

#include "generator/compose.h"
#include "generator/generator_internal.h"
#include "model.h"

enum { COUNTS_A_TICK = 1000, MOMENTS_MAX = 5, FIRST_TICK = 100, GRANTS_MAX = 4 };

/* How a generator is opened, and the row of moments. */
struct world {
    const char *spec;
    bool has_counter; /* false: there is no anchor, and each call looks at the clock */
    unsigned moments;
    uint64_t ticks[MOMENTS_MAX]; /* the wall clock's readings, above FIRST_TICK */
    uint64_t max_lead;           /* ticks; of the spec */
};

/* The generator of the run. */
extern frazil *world_gen;

/*
 * Begins a run: the generator as it was when it was opened, at the first moment.
 * Shares what ids are taken from: the word, the highest reading, the anchor.
 */
void world_begin(const struct world *world);

/* Also shares what tells full ticks, both ends of the tick-tock, or the grant. */
void world_share_carried(void);
void world_share_sides(void);
void world_share_grants(void);

/* Puts a grant in force. */
void world_set_grant(const struct fz_grant *grant);

/* The word as if ids had been taken up to there, on the first side. */
void world_set_word(uint64_t tick_above_first, uint64_t place);

/* An anchor for the tick of the first moment, as a call in it would have left it behind. */
void world_anchor(void);

/*
 * The same where ids lead: the anchor is that of the tick in which the word stands, so far ahead of the first moment,
 * and can be moved on by as much again.  Shares how far.
 */
void world_anchor_lead(uint64_t ticks);

/* Ticks of a worker that were durably granted; everything is, until the first call. */
void world_grant(uint32_t worker, uint64_t first_tick, uint64_t last_tick);

/*
 * Take ids and hold them against the rules:
 * - I1: none comes twice, and none lies below the first word.
 * - I2: none lies outside of what was granted when it is issued.
 * - I3: each is above those of its side that were issued before the call.
 * - I6: none is ahead of what the clock showed in the call, by more than it may lead, or behind it by more than a tick.
 * - I7: the call succeeds.
 */
void world_next(unsigned thread);
void world_next_n(unsigned thread, size_t n);
void world_sno_next(unsigned thread);
void world_local_next(unsigned thread, frazil_local *handle);

/* The same for a call that never waits, and may fail. */
void world_try_next(unsigned thread);

/* The highest tick of an id that was issued in the run; 0: there is none. */
uint64_t world_last_tick(void);

/* How far the word has come since world_set_word. */
uint64_t world_slots_taken(void);

#endif
