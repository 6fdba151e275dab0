/* SPDX-License-Identifier: MIT */
/*
 * Shared by the tests of sfid's keys: a real Redis that is empty when a test begins,
 * granters of frazil's, and sfid itself, played with the commands that its
 * documentation names.  There only where hiredis is.
 */
#ifndef TESTS_LIB_SFID_RIG_H
#define TESTS_LIB_SFID_RIG_H

#include "lease/coordinator.h"
#include "lib/redis_rig.h"

#define SFID_APP "sfid+redis://127.0.0.1:%u/shop?timeout=%s"

/* How far clocks may differ in these tests, and how far a grant reaches. */
enum { SFID_SKEW_MS = 5000, SFID_HOLD_MS = 540000 };

extern struct redis_rig sfid_rig;

/* A frazil's granter, and what it holds. */
struct taker {
    struct fz_granter granter;
    frazil_layout layout;
    frazil_random random;
    uint64_t seed;
    struct fz_grant held;
    frazil_error err; /* of the last call */
};

/* ---- the frazils ----------------------------------------------------------------- */

/* A layout of a text; that of sfid; its tick of an instant, and of now. */
frazil_layout sfid_layout_of(const char *text);
const frazil_layout *sfid_layout(void);
uint64_t sfid_tick_of(int64_t unix_ms);
uint64_t sfid_now_tick(void);

/* A request for pids base .. base + count - 1, straight to the server, to be changed and opened. */
struct fz_lease_request sfid_request(struct taker *taker, uint32_t base, uint32_t count);
void sfid_open_taker(struct taker *taker, const struct fz_lease_request *request);

/* Both in one; and the same through the proxy, with a timeout of 200 ms. */
void sfid_open_plain(struct taker *taker, uint32_t base, uint32_t count);
void sfid_open_through(struct taker *taker, uint32_t base, uint32_t count);
void sfid_close_taker(struct taker *taker);

/* The granter's functions; on success held is the new grant. */
frazil_err sfid_acquire(struct taker *taker);
frazil_err sfid_extend_at(struct taker *taker, uint64_t tick);
frazil_err sfid_extend(struct taker *taker);
void sfid_release(struct taker *taker, uint64_t used_tick);

/* Fails the test, with the sentence, unless that went well. */
void sfid_must(frazil_err err, const struct taker *taker);

/* Fails the test unless the last error's sentence holds these words. */
void sfid_assert_said(const struct taker *taker, const char *words);

/* ---- sfid ------------------------------------------------------------------------ */

/* A command, as printf would write it; see redis_rig_ask. */
#define sfid_ask(...) redis_rig_ask(&sfid_rig, __VA_ARGS__)

/* sfid's key of a pid, as a quoted word of a command, in a buffer that is overwritten four calls later. */
const char *sfid_key(unsigned pid);

/* Takes a pid as sfid does. */
bool sfid_takes(unsigned pid, const char *owner);

/* Whether it has a key, for how many ms, and with this value. */
bool sfid_exists(unsigned pid);
long sfid_pttl(unsigned pid);
void sfid_assert_value(unsigned pid, const char *value);

#endif
