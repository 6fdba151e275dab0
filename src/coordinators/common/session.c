/* SPDX-License-Identifier: MIT */
#include "session.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/out_of_time.h"
#include "os/clients.h"

void fz_session_start(struct fz_session *session, const struct fz_session_client *client, const struct fz_url *url,
                      const char *shown)
{
    *session = (struct fz_session){.client = client, .url = url, .shown = shown};
}

struct fz_allowance fz_session_allowance(const struct fz_session *session, struct fz_deadline deadline)
{
    return fz_allowance_of(session->url->access.timeout_ms, deadline);
}

/* ---- the socket ------------------------------------------------------------------ */

static int socket_of(const struct fz_session *session)
{
    return session->handle == NULL ? -1 : session->client->socket(session->handle);
}

/* Whether the socket is still that of the connection: a program may have closed it, and opened something else. */
static bool is_own(const struct fz_session *session)
{
    int fd = socket_of(session);

    return fd < 0 || fz_fd_is_marked(fd, &session->socket);
}

void fz_session_note_socket(struct fz_session *session)
{
    int fd = socket_of(session);

    if (fd < 0 || fz_fd_is_marked(fd, &session->socket))
        return;
    (void)fz_fd_mark(fd, &session->socket); /* cannot fail: it is open */
    (void)fcntl(fd, F_SETFD, FD_CLOEXEC);   /* hiredis and libmariadb do not set it */
    session->intake = fz_intake_of(fd);
}

void fz_session_bound_socket(struct fz_session *session)
{
    static const int bytes = 65536; /* it is empty soon, even if the peer never stops; then the bytes are counted */
    int fd = socket_of(session);

    if (fd < 0 || fz_fd_is_marked(fd, &session->socket))
        return;
    fz_session_note_socket(session);
    (void)setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof bytes);
}

int fz_session_wait(const struct fz_session *session, const struct fz_allowance *allowance, short events,
                    short *ret_ready)
{
    int fd = socket_of(session);

    if (fz_intake_exceeds(&session->intake, fd, FZ_ANSWER_SIZE_MAX))
        return EMSGSIZE;
    return fz_allowance_poll(allowance, fd, events, ret_ready);
}

/* ---- ending ---------------------------------------------------------------------- */

/* A library's good-bye would reach whatever has the socket's number: rather than that, its memory is given up. */
void fz_session_drop(struct fz_session *session)
{
    struct fz_quiet_signal quiet;
    bool may_close = session->handle != NULL && (is_own(session) || session->client->disown != NULL);

    if (may_close && fz_clients_enter(NULL) == FRAZIL_OK) {
        if (!is_own(session))
            session->client->disown(session->handle);
        fz_quiet_signal_begin(&quiet, SIGPIPE);
        session->client->close(session->handle);
        fz_quiet_signal_end(&quiet);
        fz_clients_leave();
    }
    session->handle = NULL;
}

void fz_session_abandon(struct fz_session *session)
{
    void *handle = session->handle;
    bool is_busy = atomic_exchange(&session->is_busy, false);

    if (handle == NULL || !is_own(session)) {
        session->handle = NULL;
        return;
    }
    /*
     * The library's last message, through TLS or not, must not reach the parent's server.  If it cannot be led
     * elsewhere, or if a thread of the parent's was changing the connection, or was inside the library for another one,
     * when this process was born, the memory is given up.
     */
    int fd = socket_of(session);
    bool is_whole = fz_clients_enter(NULL) == FRAZIL_OK;
    int nowhere = is_busy || !is_whole ? -1 : open("/dev/null", O_RDWR | O_CLOEXEC);
    session->handle = NULL;
    if (nowhere >= 0 && fd >= 0 && dup2(nowhere, fd) == fd)
        session->client->close(handle);
    else if (fd >= 0)
        (void)close(fd);
    if (nowhere >= 0)
        (void)close(nowhere);
    if (is_whole)
        fz_clients_leave();
}

/* ---- exchanges ------------------------------------------------------------------- */

/*
 * The server closes its end when it stops, or says so first: then there is something to read, although nobody asked.
 * It would be taken for the next answer, too.
 */
static bool has_ended(const struct fz_session *session)
{
    struct pollfd poll_fd = {.fd = socket_of(session), .events = POLLIN};

    return !is_own(session) || (session->client->has_rest != NULL && session->client->has_rest(session->handle)) ||
           poll(&poll_fd, 1, 0) != 0;
}

/* Tries each host once, beginning with the one that served last; each has its share of the time. */
static enum fz_register_result connect_any(struct fz_session *session, const struct fz_allowance *allowance,
                                           frazil_error *reterr)
{
    enum fz_register_result result = FZ_REGISTER_UNREACHABLE;
    size_t count = session->url->host_count;

    for (size_t left = count; left > 0 && result != FZ_REGISTER_OK; left--) {
        struct fz_allowance share = fz_allowance_part(allowance, (uint32_t)left);
        session->socket = (struct fz_fd_mark){.inode = 0};
        result = session->client->connect(session, &share, reterr);
        if (result == FZ_REGISTER_OK)
            break;
        fz_session_drop(session);
        session->host = (session->host + 1) % count;
    }
    return result;
}

enum fz_register_result fz_session_enter(struct fz_session *session, const struct fz_allowance *allowance,
                                         frazil_error *reterr)
{
    enum fz_register_result result = FZ_REGISTER_OK;

    if (fz_out_of_time(allowance->until, session->shown, reterr) || fz_clients_enter(reterr) != FRAZIL_OK)
        return FZ_REGISTER_UNREACHABLE;
    atomic_store(&session->is_busy, true);
    fz_quiet_signal_begin(&session->quiet, SIGPIPE);
    if (session->handle != NULL && has_ended(session))
        fz_session_drop(session);
    if (session->handle == NULL)
        result = connect_any(session, allowance, reterr);
    if (result == FZ_REGISTER_OK)
        session->intake = fz_intake_of(socket_of(session));
    else
        fz_session_leave(session);
    return result;
}

void fz_session_leave(struct fz_session *session)
{
    fz_quiet_signal_end(&session->quiet);
    atomic_store(&session->is_busy, false);
    fz_clients_leave();
}

/* ---- sentences ------------------------------------------------------------------- */

const char *fz_session_said(const struct fz_session *session, const char *text, char ret[FZ_SAID_SIZE])
{
    const char *password =
        session->client->password == NULL ? session->url->access.password : session->client->password(session);

    return fz_said(text, strcspn(text, "\r\n"), password, ret);
}

enum fz_register_result fz_session_cannot(struct fz_session *session, frazil_err code, const char *what,
                                          const char *why, frazil_error *reterr)
{
    char said[FZ_SAID_SIZE];

    fz_fail(reterr, code, "%s: %s: %q", session->shown, what, fz_session_said(session, why, said));
    fz_session_drop(session);
    return FZ_REGISTER_UNREACHABLE;
}

enum fz_register_result fz_session_failed(struct fz_session *session, enum fz_register_result result, const char *what,
                                          const char *why, frazil_error *reterr)
{
    frazil_err code = result == FZ_REGISTER_REFUSED ? FRAZIL_EREFUSED : FRAZIL_EUNREACHABLE;

    (void)fz_session_cannot(session, code, what, why, reterr);
    return result;
}

enum fz_register_result fz_session_failed_to_wait(struct fz_session *session, enum fz_register_result result,
                                                  const char *what, int sys_errno, const struct fz_allowance *allowance,
                                                  frazil_error *reterr)
{
    char buf[128];

    if (sys_errno == EMSGSIZE)
        return fz_session_failed(session, result, what, "the reply is too large", reterr);
    if (sys_errno != ETIMEDOUT)
        return fz_session_failed(session, result, what,
                                 strerror_r(sys_errno, buf, sizeof buf) == 0 ? buf : "unknown error", reterr);
    fz_fail(reterr, FRAZIL_EUNREACHABLE, "%s: %s within %D", session->shown, what, allowance->us);
    fz_session_drop(session);
    return result;
}

frazil_err fz_session_error(enum fz_register_result result, const frazil_error *said, frazil_error *reterr)
{
    frazil_err code = result == FZ_REGISTER_REFUSED ? FRAZIL_EREFUSED : FRAZIL_EUNREACHABLE;

    if (result != FZ_REGISTER_REFUSED && said->err_class == FRAZIL_CLASS_FATAL)
        code = (frazil_err)said->code;
    return fz_fail(reterr, code, "%s", said->message);
}
