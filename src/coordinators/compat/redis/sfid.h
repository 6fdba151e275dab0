/* SPDX-License-Identifier: MIT */
/*
 * The keys of sfid, a library in Rust, as its documentation has them:
 *
 *     key         "sfid:{app}:" and the pid (its word for the worker id) as little-endian bytes
 *     taking one  SET key owner NX EX 600, from a random pid on, once round all of them
 *     heartbeat   every 3 minutes; the key expires 10 minutes after the last one
 *     the end     the key is deleted
 *
 * so that a fleet can have generators of both.  With these keys alone two owners of
 * a pid are told apart by time only.  frazil keeps a second thing beside them that sfid knows
 * nothing of, the fence: a hash "frazil:sfid:{app}" without expiry, with a field for
 * each pid that a frazil ever had,
 *
 *   "UNTIL VERSION OWNER SINCE NAME"   Unix ms before which its ids lie, the record's version,
 *                                      the key's value, since when, the owner's name
 *
 * and one, "layout", with the fingerprint of the layout.  Each operation is one
 * call of one script over both.  So between frazils it is as with leases: the next owner of a
 * pid starts above the fence, and a version that is not the own is a loss.
 *
 * These two facts hold between a frazil and an sfid.  H1: everybody's clock is within
 * max_skew of the server's, and the server's runs at the speed of theirs.  H2: the server loses
 * no key before it expires.  Then
 * - a frazil's ids lie before the expiry of its key by a minute at least, and the next owner, whose clock is slow by at
 *   most max_skew, stamps none of these;
 * - a frazil that takes a pid starts max_skew above all clocks, so above what the previous
 *   owner stamped, unless that one was ahead of its own clock: sfid bounds that by nothing.
 * Where H1 or H2 do not hold, ids can repeat; a FLUSHALL gives each pid to a second owner, and until its next
 * heartbeat, at most three minutes later, the first one does not notice.  That is the price of sharing these keys:
 * redis:// alone has none of it.
 */
#ifndef FZ_COORDINATORS_SFID_H
#define FZ_COORDINATORS_SFID_H

#include "redis/redis_script.h"

#define FZ_SFID_SCHEME_PREFIX "sfid+"

enum {
    FZ_SFID_PID_BYTES = 2, /* of a pid in a key; sfid does not say: two hold its 1024 */
    FZ_SFID_PIDS_MAX = 1 << (8 * FZ_SFID_PID_BYTES),
    FZ_SFID_EXPIRY_MS = 600000,
    /*
     * So long before its expiry a key is not relied on any more.  The rest is
     * three times sfid's heartbeat, which is how often a grant is extended.
     */
    FZ_SFID_MARGIN_MS = 60000,
    FZ_SFID_HOLD_MS = FZ_SFID_EXPIRY_MS - FZ_SFID_MARGIN_MS,
    FZ_SFID_PIDS_PER_CALL = 1024 /* that one call looks at: a millisecond of the server's */
};

struct fz_sfid {
    struct fz_redis_connection connection;
    struct fz_redis_script script;
    char prefix[sizeof "sfid::" + FZ_URL_NAMESPACE_SIZE];
    char fence[sizeof "frazil:sfid:" + FZ_URL_NAMESPACE_SIZE];
};

/*
 * Readies it for a URL sfid+redis:// or sfid+redis+unix://, whose namespace is the
 * app, without connecting.  Errors as fz_redis_connection_open.
 */
frazil_err fz_sfid_open(struct fz_sfid *sfid, const char *url, frazil_error *reterr);

/* Closes the connection. */
void fz_sfid_close(struct fz_sfid *sfid);

/* Begins a call of the script; arguments of each verb: see sfid.c. */
void fz_sfid_begin(const struct fz_sfid *sfid, struct fz_redis_call *call, const char *verb,
                   struct fz_deadline deadline);

/*
 * Carries it out.  FRAZIL_OK: *ret_answer is an array that begins with a text, freed by
 * freeReplyObject; FRAZIL_EUNREACHABLE: no answer, or not in time; it may have been carried out;
 * FRAZIL_EREFUSED: the server refuses, or answers something else.
 */
frazil_err fz_sfid_call(struct fz_sfid *sfid, const struct fz_redis_call *call, redisReply **ret_answer,
                        frazil_error *reterr);

/* Whether an answer begins with this word and has this number of elements. */
bool fz_sfid_says(const redisReply *answer, const char *word, size_t elements);

#endif
