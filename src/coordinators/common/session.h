/* SPDX-License-Identifier: MIT */
/*
 * A connection to a server through a client library, made when it is first needed and made again when it was lost.  A
 * session knows which host is next, whose socket it is by now, and what a child process may do with it; the library's
 * calls stand in a struct fz_session_client.  One caller at a time.
 */
#ifndef FZ_COMMON_SESSION_H
#define FZ_COMMON_SESSION_H

#include <stdatomic.h>

#include "common/said.h"
#include "common/url.h"
#include "lease/register.h"
#include "os/kept_fd.h"
#include "os/quiet_signal.h"
#include "os/socket.h"

struct fz_session;

/* The functions that differ between client libraries; handle is never NULL. */
struct fz_session_client {
    /*
     * Makes session->handle a connection to the host of number session->host, within the allowance.  After a failure
     * the caller drops what it has made.
     */
    enum fz_register_result (*connect)(struct fz_session *session, const struct fz_allowance *allowance,
                                       frazil_error *reterr);

    /* The connection's socket; -1: it has none yet. */
    int (*socket)(void *handle);

    /* Closes the connection and frees it; it may say good-bye. */
    void (*close)(void *handle);

    /* Takes its socket from it, which is the program's by now, so that close does not touch it.  NULL: it cannot. */
    void (*disown)(void *handle);

    /* Whether it holds bytes that nobody has asked for.  NULL: it never does. */
    bool (*has_rest)(const void *handle);

    /* The password that was sent, which a server may quote.  NULL: the URL's. */
    const char *(*password)(const struct fz_session *session);
};

/* The first member of a coordinator's own connection.  May not be moved while it is connected. */
struct fz_session {
    const struct fz_session_client *client;
    const struct fz_url *url;
    const char *shown;        /* the URL, for sentences */
    void *handle;             /* of the client library; NULL: not connected */
    struct fz_fd_mark socket; /* of the handle */
    struct fz_intake intake;  /* in this exchange */
    struct fz_quiet_signal quiet;
    _Atomic bool is_busy; /* in an exchange: a child forked now inherits a handle that is half changed */
    size_t host;          /* the one that is connected, or the next to try */
};

/* Readies a session without connecting.  All but the session must outlive it. */
void fz_session_start(struct fz_session *session, const struct fz_session_client *client, const struct fz_url *url,
                      const char *shown);

/* The time of a request that begins now, for a call of this deadline. */
struct fz_allowance fz_session_allowance(const struct fz_session *session, struct fz_deadline deadline);

/*
 * Begins an exchange, connecting if need be: to the host that served last, or to the first of the others that answers.
 * FZ_REGISTER_OK: the caller leaves.  Else UNREACHABLE or REFUSED: nothing was sent that matters.
 */
enum fz_register_result fz_session_enter(struct fz_session *session, const struct fz_allowance *allowance,
                                         frazil_error *reterr);
void fz_session_leave(struct fz_session *session);

/*
 * Notes the socket, if it is another one, and has it closed when a program is executed.  Each attempt to connect, at
 * each of a host's addresses, may have its own.
 */
void fz_session_note_socket(struct fz_session *session);

/*
 * Notes the socket, and shortens what one read of it brings, so that fz_session_wait can count.  A client library needs
 * it that reads on as long as something comes, and has room for whatever a length claims.
 */
void fz_session_bound_socket(struct fz_session *session);

/* Waits for the socket as fz_allowance_poll.  EMSGSIZE: more bytes have come in this exchange than any answer has. */
int fz_session_wait(const struct fz_session *session, const struct fz_allowance *allowance, short events,
                    short *ret_ready);

/* Closes the connection, if there is one; one whose socket is the program's by now is given up as it is. */
void fz_session_drop(struct fz_session *session);

/* In a child: drops what it has inherited, without a word to the server, to which it is still the parent's. */
void fz_session_abandon(struct fz_session *session);

/* ---- sentences ----------------------------------------------------------------- */

/* The first line of a server's words, without the password, as fz_said. */
const char *fz_session_said(const struct fz_session *session, const char *text, char ret[FZ_SAID_SIZE]);

/* "mysql://...: <what>: '<why>'", and drops the connection.  Returns result. */
enum fz_register_result fz_session_failed(struct fz_session *session, enum fz_register_result result, const char *what,
                                          const char *why, frazil_error *reterr);

/* The same where the server answers that it cannot: of the codes of FZ_REGISTER_UNREACHABLE.  Returns that. */
enum fz_register_result fz_session_cannot(struct fz_session *session, frazil_err code, const char *what,
                                          const char *why, frazil_error *reterr);

/* Says why fz_session_wait has failed, of that sys_errno, as fz_session_failed does.  Returns result. */
enum fz_register_result fz_session_failed_to_wait(struct fz_session *session, enum fz_register_result result,
                                                  const char *what, int sys_errno, const struct fz_allowance *allowance,
                                                  frazil_error *reterr);

/*
 * A failed exchange as an error for the caller: FRAZIL_EREFUSED, FRAZIL_EUNREACHABLE, or the exchange's own error if no
 * later try can succeed, as from fz_clients_enter.  `said` is the exchange's sentence.
 */
frazil_err fz_session_error(enum fz_register_result result, const frazil_error *said, frazil_error *reterr);

#endif
