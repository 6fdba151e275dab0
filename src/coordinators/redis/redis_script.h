/* SPDX-License-Identifier: MIT */
/*
 * Lua scripts in Redis: called by name, and sent only to a server that does not
 * know the name.  So of a fleet one process sends them.
 *
 * Every script here has one key, and is told what to do by its first argument; the
 * others follow in the order that the script wants.
 */
#ifndef FZ_COORDINATORS_REDIS_SCRIPT_H
#define FZ_COORDINATORS_REDIS_SCRIPT_H

#include "redis_connection.h"
#include "redis_sha1.h"

enum { FZ_REDIS_DIGITS_SIZE = 24 };

struct fz_redis_script {
    const char *text;
    char name[FZ_REDIS_SHA1_LEN + 1]; /* by which servers know it */
};

/*
 * Begins a script with a function: told(text, name) is the value in a line "name:value" of what INFO has answered,
 * or "".  It looks for the name as it is: a pattern of Lua takes ten times as long.
 */
#define FZ_REDIS_TOLD                                                                                                  \
    "local function told(text, name)\n"                                                                                \
    "    local _, at = string.find(text, '\\n' .. name .. ':', 1, true)\n"                                             \
    "    return at and string.match(text, '^[%w-]*', at + 1) or ''\n"                                                  \
    "end\n"

/* Readies a script.  The text is not copied. */
void fz_redis_script_start(struct fz_redis_script *script, const char *text);

/* One call, from collecting its arguments until it is done.  Arguments are not copied, except numbers. */
struct fz_redis_call {
    struct fz_redis_command arguments;
    uint64_t begun_ns; /* monotonic time */
    struct fz_deadline deadline;
    char digits[FZ_REDIS_ARGS_MAX][FZ_REDIS_DIGITS_SIZE];
};

/* Begins a call with its one key, and with what to do as its first argument. */
void fz_redis_call_begin(struct fz_redis_call *call, const char *key, const char *verb, struct fz_deadline deadline);

/* Adds an argument: a string, which must outlive the call, or a number. */
void fz_redis_call_text(struct fz_redis_call *call, const char *text);
void fz_redis_call_bytes(struct fz_redis_call *call, const char *bytes, size_t len);
void fz_redis_call_u64(struct fz_redis_call *call, uint64_t number);
void fz_redis_call_i64(struct fz_redis_call *call, int64_t number);

/*
 * Carries it out.  has_written says of an answer whether something was written
 * that the replicas of the URL's wait=N must have before it counts; NULL: never.
 * FZ_REGISTER_OK: the script's answer, which is no error; freed by
 * freeReplyObject.  UNKNOWN: also if too few replicas have it.  Others as
 * fz_redis_exchange and fz_redis_error_reply.
 */
enum fz_register_result fz_redis_call_script(struct fz_redis_connection *connection,
                                             const struct fz_redis_script *script, const struct fz_redis_call *call,
                                             bool (*has_written)(const redisReply *answer), redisReply **ret_answer,
                                             frazil_error *reterr);

/*
 * The server's clock showed there_ms when it ran the script, which is more than
 * max_skew_ms away from the caller's here_ms of when the call began.  FRAZIL_EUNREACHABLE: it is
 * later by no more than the call has taken, so the answer was slow; else FRAZIL_ECLOCK, with both.
 */
frazil_err fz_redis_clocks_differ(const struct fz_redis_connection *connection, const struct fz_redis_call *call,
                                  int64_t here_ms, int64_t there_ms, int64_t max_skew_ms, frazil_error *reterr);

/* Strict readings of what a script answers: a text, and one that is a number. */
bool fz_redis_is_text(const redisReply *reply);
bool fz_redis_read_u64(const redisReply *reply, uint64_t *ret);

#endif
