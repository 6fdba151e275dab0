/* SPDX-License-Identifier: MIT */
/*
 * Shared by the tests of slots from Redis: a real server that is empty when a test
 * begins, and sources of slots over it.  There only where hiredis is.
 */
#ifndef TESTS_LIB_SLOTS_RIG_H
#define TESTS_LIB_SLOTS_RIG_H

#include "lease/coordinator.h"
#include "lib/redis_rig.h"

extern struct redis_rig slots_rig;

/* Whether sources that are opened from now on start at random; false at first. */
extern bool slots_next_random_start;

/* The first sequence number of sources that are opened from now on; 0 at first. */
extern uint64_t slots_next_seq_min;

/* A source of slots of worker 7, and what it gave last. */
struct slot_taker {
    struct fz_slot_source source;
    struct fz_slot_run run;
    frazil_error err; /* of the last call */
};

/* A source of the URL, in which %u is the server's port, or the proxy's; the layout is konayuki's. */
struct slot_taker slots_open(const char *url, uint64_t capacity, int64_t max_lead_ms, int64_t max_skew_ms);
struct slot_taker slots_open_through(const char *url, uint64_t capacity, int64_t max_lead_ms, int64_t max_skew_ms);
void slots_close(struct slot_taker *taker);

/* Fails the test unless such a source is refused with code, in a sentence that has these words. */
void slots_assert_refused(const char *url, int64_t max_lead_ms, int64_t max_skew_ms, frazil_err code,
                          const char *words);

/* The layout's tick of now. */
uint64_t slots_now_tick(void);

/* Takes up to n; the second one fails the test, with the sentence, unless it succeeds. */
frazil_err slots_take(struct slot_taker *taker, uint64_t now_tick, uint64_t n);
void slots_must_take(struct slot_taker *taker, uint64_t now_tick, uint64_t n);

/* Fails the test unless the last error's sentence holds these words. */
void slots_assert_said(const struct slot_taker *taker, const char *words);

/* A command, as printf would write it; see redis_rig_ask. */
#define slots_ask(...) redis_rig_ask(&slots_rig, __VA_ARGS__)

/* The server's run id and replication id, as "RUN:REPLICATION". */
const char *slots_life(void);

#endif
