/* SPDX-License-Identifier: MIT */
/*
 * A session: one client's conversation in the Redis protocol or HTTP, from bytes to bytes.  It knows no socket, so that
 * a test or a fuzzer can hold the same conversation.
 */
#ifndef FRAZILD_SESSION_H
#define FRAZILD_SESSION_H

#include "bytes.h"
#include "event_thread.h"
#include "peer.h"
#include "resp_read.h"

#define COMMAND_BYTES_MAX ((size_t)64 << 10)
#define COMMAND_BYTES_MAX_UNKNOWN ((size_t)512) /* before AUTH: a HELLO with the longest names */
#define OUT_BYTES_MAX ((size_t)64 << 10)        /* unsent; more is not written before the client reads */
#define OUT_BYTES_MAX_UNKNOWN ((size_t)1 << 10)
#define COMMANDS_MAX_AT_ONCE 1024 /* then other connections have their turn */
#define MULTI_COMMANDS_MAX 1024
#define CLIENT_NAME_MAX 64
#define SESSION_ENDS "shutting down: retry on another instance" /* as a client is told that waited */

struct batch;
struct lease_job;
struct http_request;

/* Why session_run came back. */
enum session_state {
    SESSION_READ,  /* all of the bytes were used up to an unfinished command */
    SESSION_WAIT,  /* it waits for ids or leases: event_thread->wake tells when it can go on */
    SESSION_FULL,  /* the output is to be sent first */
    SESSION_YIELD, /* there is more to do, after other connections have had their turn */
    SESSION_CLOSE  /* after the output was sent */
};

/* The commands that were queued by MULTI, as bytes; then those that EXEC runs. */
struct multi {
    struct bytes queued;
    size_t count;
    size_t done; /* bytes that EXEC has run */
    bool running;
    bool wrong; /* one was refused: EXEC runs none */
};

struct session {
    struct event_thread *event_thread;
    void *connection;    /* whose it is, for event_thread->wake */
    struct setup *known; /* for which setup `user` was looked up */
    struct user *user;   /* NULL: nobody yet, or there are no users */
    struct batch *batch; /* ids that it waits for, or is sending */
    struct lease_job *lease_job;
    struct multi *multi;
    struct http_request *request; /* by HTTP: it waits, or its reply is being sent */
    char *user_name;              /* of `user`, to look it up after a reload */
    unsigned char user_proof[32];
    const char *broken; /* why it is cut, to be told to the operator; NULL: it is not */
    char *name;         /* CLIENT SETNAME */
    char *lib;          /* CLIENT SETINFO LIB-NAME */
    char *lib_version;
    uint64_t id;
    size_t hidden_work; /* of the last session_run: bytes of replies that are not sent, or what takes as long */
    struct peer peer;   /* for the log */
    uint8_t version;    /* of the protocol: 2 or 3 */
    bool has_tls;       /* it is held through TLS */
    bool is_http;       /* else it is of the Redis protocol */
    bool has_asked;     /* something in full */
    bool rounds;        /* the client rounds integers above 2^53 */
    bool closing;       /* after what is written */
    bool is_revoked;    /* `broken` is no mistake of the client: a reload took its user away */
    bool silent;        /* CLIENT REPLY OFF */
    uint8_t skip;       /* CLIENT REPLY SKIP: 2 when it was said, 1 for the command after it */
};

/* A new session. */
void session_open(struct session *session, struct event_thread *event_thread, void *connection, uint64_t id);

/* Whether the time of what it waits for is over, so that it can go on. */
bool session_is_late(const struct session *session);

/* Whether its client has sent a whole request, and has logged in if there are users. */
bool session_is_known(struct session *session);

/* How many bytes this client's next command may have: fewer while it has asked nothing, or has not logged in. */
size_t session_limit(struct session *session);

/* How many bytes of replies may be unsent before no more commands of this client are run. */
size_t session_output_limit(struct session *session);

/* How long its client may be silent when nothing is under way; 0: as long as it wants. */
uint64_t session_idle_ns(const struct session *session);

/*
 * Whether a drain may end it now that it reads: nothing has come that begins a request.  What MULTI has queued has not
 * begun.
 */
bool session_may_end(const struct session *session, size_t unread);

/* Its bytes are not of its protocol, as `why` says, which is never freed: it closes after what is written. */
void session_break(struct session *session, const char *why);

/* Tells the operator of a wrong token. */
void session_log_wrong_token(const struct session *session);

/* Makes it this user's; false: no memory. */
bool session_login(struct session *session, struct user *user);

/* The user, in the setup of now; a user that is there no more closes the session. */
struct user *session_user(struct session *session);

/* ---- requests in, replies out ----------------------- */

/* Tells a client that waits for an answer that the daemon ends; the session is to be closed then. */
void session_cut(struct session *session, struct bytes *out);

/* Ends it, whatever it waits for. */
void session_close(struct session *session);

/*
 * Runs the commands that len bytes hold, and adds replies to out.  *ret_used: how many bytes are done with.  *ret_need:
 * with SESSION_READ, how many bytes the next command takes at least.
 */
enum session_state session_run(struct session *session, const char *bytes, size_t len, size_t *ret_used,
                               size_t *ret_need, struct bytes *out);

#endif
