/* SPDX-License-Identifier: MIT */
/* A session with a Redis.  It knows whether a command that failed can have been carried out. */
#ifndef FZ_COORDINATORS_REDIS_CONNECTION_H
#define FZ_COORDINATORS_REDIS_CONNECTION_H

#include <hiredis/hiredis.h>

#include "common/session.h"
#include "frazil/clock.h"
#include "redis_url.h"

/* The type in which hiredis counts elements. */
#if HIREDIS_MAJOR >= 1
#define FZ_REDIS_COUNT size_t
#else
#define FZ_REDIS_COUNT int
#endif

/* Elements of the arrays that one exchange may bring: all records of a namespace have at most three each. */
enum { FZ_REDIS_ELEMENTS_MAX = 1 << 19 };

struct fz_redis_connection {
    struct fz_session session; /* of a redisContext */
    struct fz_redis_url url;
    char shown[FZ_REDIS_SHOWN_SIZE];
    redisReplyObjectFunctions functions;
    void *(*create_array)(const redisReadTask *, FZ_REDIS_COUNT); /* hiredis's own */
    bool has_begun;                                               /* a byte came on this connection */
    bool is_foreign;                                              /* and the first one begins no reply */
    size_t received;                                              /* bytes in this exchange */
    int elements;                                                 /* of arrays in it */
};

enum { FZ_REDIS_ARGS_MAX = 24, FZ_REDIS_PIPELINE_MAX = 4 };

struct fz_redis_command {
    int argc;
    const char *argv[FZ_REDIS_ARGS_MAX];
    size_t len[FZ_REDIS_ARGS_MAX];
};

/* Adds an argument. */
void fz_redis_add(struct fz_redis_command *command, const char *text, size_t len);

/* The same for a string. */
void fz_redis_add_text(struct fz_redis_command *command, const char *text);

/*
 * Readies a connection without making it.  FRAZIL_ESPEC, ESYS: the URL or its password file;
 * FRAZIL_ENOTBUILT: rediss://, as there is no TLS to Redis.
 */
frazil_err fz_redis_connection_open(struct fz_redis_connection *connection, const char *url, frazil_error *reterr);

/* Closes it and forgets the password. */
void fz_redis_connection_stop(struct fz_redis_connection *connection);

/*
 * Sends n commands (1 .. FZ_REDIS_PIPELINE_MAX) at once and waits for their n
 * replies, all within the allowance, connecting included.
 * FZ_REGISTER_OK: the replies, which may be errors; each is freed by freeReplyObject.
 * UNREACHABLE: nothing was sent.  UNKNOWN: not every reply came; the connection is
 * closed, because a late reply would be taken for that to the next command.
 * REFUSED: user, password or database are not accepted.
 */
enum fz_register_result fz_redis_exchange(struct fz_redis_connection *connection,
                                          const struct fz_redis_command *commands, size_t n, redisReply **ret_replies,
                                          const struct fz_allowance *allowance, frazil_error *reterr);

/*
 * The meaning of an error reply for the command that it answers: UNREACHABLE if it
 * was not carried out and may be later, or elsewhere (the connection is then
 * closed where that helps), else REFUSED.
 */
enum fz_register_result fz_redis_error_reply(struct fz_redis_connection *connection, const redisReply *reply,
                                             frazil_error *reterr);

/* ---- for operators ----------------------------------------------- */

/*
 * Shows the findings; keys_expire: the caller's keys have an expiry.  Needs INFO; if the user may not call
 * CONFIG GET, a warning says so.  One exchange; its results.
 */
enum fz_register_result fz_redis_diagnose(struct fz_redis_connection *connection, bool keys_expire,
                                          struct fz_deadline deadline, fz_finding_visitor visit, void *ctx,
                                          frazil_error *reterr);

/* A key that frazil's scripts write, and a command that they write it with: HSET, SET, or one that wants a number. */
struct fz_redis_write {
    const char *command;
    const char *key;
};

/* Shows whether frazil's scripts may write n keys, and writes nothing.  Results as of an exchange. */
enum fz_register_result fz_redis_diagnose_writes(struct fz_redis_connection *connection,
                                                 const struct fz_redis_write *writes, size_t n,
                                                 struct fz_deadline deadline, fz_finding_visitor visit, void *ctx,
                                                 frazil_error *reterr);

/* The keys of slots: of which namespace stands between the texts. */
struct fz_redis_slots_place {
    const char *commands[2]; /* as of a write; NULL: none */
    const char *before;
    const char *behind;
    bool keys_expire;
};

/*
 * Shows the findings about the Redis of a URL that slots come from, its clock among them; one that does not answer is a
 * finding.  Errors as fz_redis_connection_open.
 */
frazil_err fz_redis_diagnose_slots(const char *url, const struct fz_redis_slots_place *place, const frazil_clock *clock,
                                   fz_finding_visitor visit, void *ctx, frazil_error *reterr);

#endif
