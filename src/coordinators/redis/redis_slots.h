/* SPDX-License-Identifier: MIT */
/*
 * Slots of one worker, reserved in Redis in batches, for hosts that issue ids of one worker
 * and share no memory.  Each reservation is one call of a script; whatever had no answer is
 * burned.
 *
 *   redis://HOST/NAMESPACE              frazil's own: a hash "frazil:slots:NAMESPACE" with the next free slot of each
 *                                       line, "WORKER:MIN-MAX" is "TICK PLACE LIFE", and "terms", what all its users
 *                                       must agree about.  "WORKER" names the bounds of its lines, "MIN-MAX ...", none
 * of which overlap: the script that makes a line looks and writes in one step
 *
 * LIFE is the server's run id and replication id.  When it has changed, or the record is not there, slots may have been
 * lost, and others take their place only where none can have been taken before.  Every slot lay at or below its taker's
 * clock + max_lead, and that clock was within max_skew of the server's: so above the server's clock + max_lead + 2
 * max_skew.  The settings of those takers are lost with the record.  So the caller's own count, but not below the
 * defaults.
 *
 * Clocks are compared with the server's in each call.  Slots in keys of another generator's are a script of their own
 * (compat/).
 */
#ifndef FZ_COORDINATORS_REDIS_SLOTS_H
#define FZ_COORDINATORS_REDIS_SLOTS_H

#include "common/url.h"
#include "core/sentence.h"
#include "frazil/coordinator.h"
#include "lease/slot_source.h"
#include "redis_script.h"

/* The prefix of frazil's own keys; the namespace follows. */
#define FZ_REDIS_SLOTS_KEY "frazil:slots:"

enum { FZ_REDIS_SLOTS_KEY_SIZE = FZ_URL_NAMESPACE_SIZE + 48, FZ_REDIS_SLOTS_TEXT_SIZE = FRAZIL_FINGERPRINT_SIZE + 96 };

/*
 * Begins a script that takes slots.  KEYS[1] is the record of the namespace or of the worker.  ARGV:
 *
 *     the verb, worker, first and last ms of the caller's tick, max_skew, max_lead, epoch, ms of a tick,
 *     the caller's tick, the last one allowed, both bounds, how many, where a tick begins, and a text
 *
 * Answers: taken TICK PLACE COUNT, full TICK, clock MS, evicts POLICY, terms TEXT, overlap MIN MAX, foreign.
 */
#define FZ_REDIS_SLOTS_PRELUDE                                                                                         \
    FZ_REDIS_TOLD                                                                                                      \
    "local worker, from, to, skew = ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5])\n"                \
    "local lead, epoch, tick_ms = tonumber(ARGV[6]), tonumber(ARGV[7]), tonumber(ARGV[8])\n"                           \
    "local first, last = tonumber(ARGV[9]), tonumber(ARGV[10])\n"                                                      \
    "local seq_min, seq_max, text = tonumber(ARGV[11]), tonumber(ARGV[12]), ARGV[15]\n"                                \
    "local n, start, capacity = tonumber(ARGV[13]), tonumber(ARGV[14]), seq_max - seq_min + 1\n"                       \
    "local time = redis.call('TIME')\n"                                                                                \
    "local now = time[1] * 1000 + math.floor(time[2] / 1000)\n"                                                        \
    "local function digits(n) return string.format('%.0f', n) end\n"                                                   \
    "local function tick_of(ms) return math.floor((ms - epoch) / tick_ms) end\n"                                       \
    "if now < from - skew or now > to + skew then return {'clock', digits(now)} end\n"                                 \
    "local life = told(redis.call('INFO', 'server'), 'run_id') .. ':' ..\n"                                            \
    "    told(redis.call('INFO', 'replication'), 'master_replid')\n"                                                   \
    "local memory = redis.call('INFO', 'memory')\n"                                                                    \
    "local policy = told(memory, 'maxmemory_policy')\n"

/* The keys that slots are in. */
struct fz_redis_slots_keys {
    const char *script; /* FZ_REDIS_SLOTS_PRELUDE and what these keys are about */

    /* Names the one of max_lead and max_skew that does not go with these keys; NULL: both do. */
    frazil_err (*check)(const struct fz_slots_request *request, frazil_error *reterr);

    /* Writes the key of the record, and the script's text; name is the namespace of the URL. */
    frazil_err (*name)(const char *name, const struct fz_slots_request *request, struct fz_sentence *key,
                       struct fz_sentence *text, frazil_error *reterr);
};

/*
 * Makes a source of slots in frazil's own keys, without connecting.  FRAZIL_ESPEC, ESYS, ENOTBUILT:
 * the URL; FRAZIL_ERANGE: no bound on max_lead; FRAZIL_ENOMEM.  Beyond what slot_source.h says take fails with
 * FRAZIL_ENAMESPACE when the users of the slots do not agree about layout,
 * max_lead and max_skew, or have bounds that overlap, or with FRAZIL_EREFUSED when the server evicts.
 */
frazil_err fz_redis_slots_open(const frazil_coordinator *self, const struct fz_slots_request *request,
                               struct fz_slot_source *ret, frazil_error *reterr);

/* The same in these keys, which live as long as the source; errors also those of check and name. */
frazil_err fz_redis_slots_open_in(const struct fz_redis_slots_keys *keys, const struct fz_slots_request *request,
                                  struct fz_slot_source *ret, frazil_error *reterr);

#endif
