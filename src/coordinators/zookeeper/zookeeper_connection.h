/* SPDX-License-Identifier: MIT */
/*
 * A session with a ZooKeeper, made when it is first needed and made anew when its
 * connection was lost.  It knows whether requests that failed can have been
 * carried out.  One caller at a time.
 *
 * A session is not worth keeping: no record depends on it (there are no ephemeral
 * nodes, and no watches), so an expired one is replaced before anything is sent.
 *
 * It is made with the single-threaded client library.  That library keeps three things
 * in common for all sessions of a process:
 *
 * - Its log, which is off from the first session on.  A session's own log goes nowhere.
 * - The order in which servers are tried.  The library would shuffle it by seeding random()
 *   anew, so we leave the order as it is given.
 * - A counter for the numbers of requests.  They only have to be in order in one
 *   connection, so sessions of several threads do not disturb each other.
 *
 * A program that uses that library itself sets the first two as it likes afterwards.
 */
#ifndef FZ_COORDINATORS_ZOOKEEPER_CONNECTION_H
#define FZ_COORDINATORS_ZOOKEEPER_CONNECTION_H

#include <stdint.h>
#include <zookeeper/zookeeper.h>

#include "lease/register.h"
#include "os/kept_fd.h"
#include "os/socket.h"
#include "zookeeper_url.h"

struct fz_zookeeper_connection {
    struct fz_zookeeper_url url;
    char shown[FZ_ZOOKEEPER_SHOWN_SIZE];
    zhandle_t *handle;             /* NULL: not connected */
    struct fz_kept_fd socket;      /* of the handle */
    struct fz_allowance allowance; /* of the operation at work */
    struct fz_intake intake;       /* in this exchange, or while connecting */
    uint64_t next_host;            /* the server that is tried first, modulo their number */
    uint64_t used_ns;              /* when it last answered, on the monotonic clock */
    int sys_errno;                 /* why the last step failed; 0: not known */
    char at[FZ_URL_HOST_SIZE + 8]; /* the address that was tried last, as "ADDRESS:PORT" */
};

/* Requests that are sent together; the first member of a structure that knows what they are. */
struct fz_zookeeper_batch {
    /* Hands the requests to the client, counting each in `awaited`.  ZOK, or what the client says. */
    int (*send)(struct fz_zookeeper_batch *batch, zhandle_t *handle);
    unsigned awaited; /* replies to come: counted down by each completion */
};

/* Readies a session without making it.  The URL is copied. */
void fz_zookeeper_connection_start(struct fz_zookeeper_connection *connection, const struct fz_zookeeper_url *url);

/* Ends the session, and forgets the password.  May take 1.5 s when the server has stopped answering since it was last
 * used. */
void fz_zookeeper_connection_stop(struct fz_zookeeper_connection *connection);

/* In a child process: closes its copy of the socket, and leaves the session to the parent. */
void fz_zookeeper_connection_forget(struct fz_zookeeper_connection *connection);

/* The end of an operation of this call that begins now, on the monotonic clock. */
uint64_t fz_zookeeper_deadline(struct fz_zookeeper_connection *connection, struct fz_deadline deadline);

/* Waits until the socket is ready for these events of poll().  Returns them, 0 at the deadline, -1: errno. */
int fz_zookeeper_wait(int fd, short events, uint64_t deadline_ns);

/*
 * Connects if need be, sends a batch and waits for its replies, until the
 * deadline.  FZ_REGISTER_OK: every completion was called with the server's
 * answer.  UNREACHABLE: nothing was sent.  UNKNOWN: not every answer came; the
 * connection is closed, and the rest of the completions were called with some
 * error or not at all.  REFUSED: the credentials are not accepted.
 */
enum fz_register_result fz_zookeeper_exchange(struct fz_zookeeper_connection *connection,
                                              struct fz_zookeeper_batch *batch, uint64_t deadline_ns,
                                              frazil_error *reterr);

/*
 * The meaning of a server's error for the request that it answers: UNREACHABLE if it
 * was not carried out and may be later, or in another session (this one is then
 * closed), UNKNOWN if that is not certain, else REFUSED.  path: what was asked for.
 */
enum fz_register_result fz_zookeeper_error_reply(struct fz_zookeeper_connection *connection, int rc, const char *path,
                                                 frazil_error *reterr);

/* ---- for operators ----------------------------------------------- */

/*
 * As fz_register's diagnose, over the folder of the namespace.  The server is asked by a second
 * connection with the four letters "srvr", which it need not answer.
 */
enum fz_register_result fz_zookeeper_diagnose(struct fz_zookeeper_connection *connection, const char *folder,
                                              struct fz_deadline deadline, fz_finding_visitor visit, void *visit_ctx,
                                              frazil_error *reterr);

#endif
