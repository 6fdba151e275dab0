/* SPDX-License-Identifier: MIT */
#include "zookeeper_connection.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/out_of_time.h"
#include "core/sentence.h"
#include "core/wipe.h"
#include "os/clients.h"
#include "os/clock.h"
#include "os/quiet_signal.h"
#include "os/socket.h"

/*
 * The session time that we ask for.  The client gives up a connection that was idle for two thirds of it, and the
 * server, which decides, allows 40 s by default: so a grant that is extended every 20 s keeps its connection.
 */
enum { SESSION_MS = 60000, SESSION_MS_MAX = 24 * 60 * 60 * 1000 };

/* Below all levels: nothing is formatted, which would be done in buffers that all threads share. */
static const ZooLogLevel log_nothing = (ZooLogLevel)0;

/* "Operation was throttled and not executed at all"; not every version has the name. */
enum { THROTTLED = -127 };

uint64_t fz_zookeeper_deadline(struct fz_zookeeper_connection *connection, struct fz_deadline deadline)
{
    connection->allowance = fz_allowance_of(connection->url.common.access.timeout_ms, deadline);
    return connection->allowance.until.at_ns;
}

int fz_zookeeper_wait(int fd, short events, uint64_t deadline_ns)
{
    const struct fz_allowance allowance = {.until = {deadline_ns}};
    short ready = 0;
    int sys = fz_allowance_poll(&allowance, fd, events, &ready);

    errno = sys;
    return sys == 0 ? ready : sys == ETIMEDOUT ? 0 : -1;
}

static void discard(const char *message)
{
    (void)message;
}

void fz_zookeeper_connection_start(struct fz_zookeeper_connection *connection, const struct fz_zookeeper_url *url)
{
    zoo_set_debug_level(log_nothing);
    zoo_deterministic_conn_order(1);
    fz_wipe(connection, sizeof *connection);
    connection->url = *url;
    fz_kept_fd_forget(&connection->socket);
    connection->next_host = fz_real_monotonic_ns(); /* so that not everybody begins with the same server */
    fz_zookeeper_url_show(url, connection->shown);
}

/* ---- ending ----------------------------------------------------------------- */

/* Whether the socket is still that of the session: a program may have closed it, and opened something else. */
static bool is_own(const struct fz_zookeeper_connection *connection)
{
    return fz_kept_fd_get(&connection->socket) >= 0;
}

/* Leaves the handle as it is, which is a few kilobytes: to free it would say good-bye. */
static void give_up(struct fz_zookeeper_connection *connection)
{
    connection->handle = NULL;
    fz_kept_fd_forget(&connection->socket);
}

static void end(struct fz_zookeeper_connection *connection, bool say_so)
{
    zhandle_t *handle = connection->handle;

    if (handle == NULL)
        return;
    if ((zoo_state(handle) == ZOO_CONNECTED_STATE && !is_own(connection)) || fz_clients_enter(NULL) != FRAZIL_OK) {
        give_up(connection);
        return;
    }
    /* The client says good-bye when it is connected, and waits for an answer; only then is the socket its own. */
    if (!say_so && zoo_state(handle) == ZOO_CONNECTED_STATE)
        shutdown(fz_kept_fd_get(&connection->socket), SHUT_RDWR);
    connection->handle = NULL;
    fz_kept_fd_forget(&connection->socket);
    zookeeper_close(handle);
    fz_clients_leave();
}

/* Idle for so long that the client would give it up with the next request, or ended by the server. */
static bool has_ended(const struct fz_zookeeper_connection *connection)
{
    struct pollfd poll_fd = {.fd = fz_kept_fd_get(&connection->socket), .events = POLLIN};
    uint64_t session_ns = UINT64_C(1000000) * (uint64_t)zoo_recv_timeout(connection->handle);

    return zoo_state(connection->handle) != ZOO_CONNECTED_STATE || !is_own(connection) ||
           fz_real_monotonic_ns() - connection->used_ns > session_ns / 2 || poll(&poll_fd, 1, 0) != 0;
}

/* Closes the connection without a word to the server, which ends the session some time later. */
static void drop(struct fz_zookeeper_connection *connection)
{
    struct fz_quiet_signal quiet;

    fz_quiet_signal_begin(&quiet, SIGPIPE);
    end(connection, false);
    fz_quiet_signal_end(&quiet);
}

void fz_zookeeper_connection_stop(struct fz_zookeeper_connection *connection)
{
    struct fz_quiet_signal quiet;

    fz_quiet_signal_begin(&quiet, SIGPIPE);
    end(connection, connection->handle != NULL && !has_ended(connection));
    fz_quiet_signal_end(&quiet);
    fz_wipe(&connection->url, sizeof connection->url);
}

void fz_zookeeper_connection_forget(struct fz_zookeeper_connection *connection)
{
    fz_kept_fd_close(&connection->socket);
    /* The good-bye would be in the parent's name, and a thread of its may have been changing it. */
    give_up(connection);
}

/* ---- sentences -------------------------------------------------------------- */

static const char *reason(int sys_errno, char buf[128])
{
    if (sys_errno == EHOSTDOWN) /* the client's name for an end of file */
        return "the server closed the connection, as it does without a quorum";
    if (sys_errno == EMSGSIZE)
        return "the reply is too large";
    if (sys_errno == 0)
        return "unexpected reply";
    return strerror_r(sys_errno, buf, 128) == 0 ? buf : "unknown error";
}

/* "zookeeper://...: <at> <what>: <why>" */
static void say(const struct fz_zookeeper_connection *connection, const char *what, int rc, frazil_error *reterr)
{
    char buf[128];

    if (rc == ZOPERATIONTIMEOUT)
        fz_fail(reterr, FRAZIL_EUNREACHABLE, "%s: %s: %s within %D", connection->shown, connection->at, what,
                connection->allowance.us);
    else
        fz_fail(reterr, FRAZIL_EUNREACHABLE, "%s: %s: %s: %s", connection->shown, connection->at, what,
                reason(connection->sys_errno, buf));
}

/* ---- running the client ----------------------------------------------------- */

static int failed(struct fz_zookeeper_connection *connection, int rc)
{
    connection->sys_errno = errno;
    return rc;
}

/* Lets the client do what there is to do, after waiting for it.  ZOK, or why this connection is of no more use. */
static int step(struct fz_zookeeper_connection *connection, uint64_t deadline_ns)
{
    struct timeval unused; /* when to ping: never in so short a time */
    int interest = 0;
    int fd = -1;

    errno = 0;
    int rc = zookeeper_interest(connection->handle, &fd, &interest, &unused);
    if (rc != ZOK)
        return failed(connection, rc);
    if (fd < 0)
        return failed(connection, ZCONNECTIONLOSS);
    if (zoo_state(connection->handle) != ZOO_CONNECTED_STATE) {
        (void)fz_kept_fd_set(&connection->socket, fd); /* cannot fail: it is open */
        (void)fcntl(fd, F_SETFD, FD_CLOEXEC);          /* as early as can be: the client opens it */
        if (!connection->intake.is_known)
            connection->intake = fz_intake_of(fd);
    }
    if (fz_intake_exceeds(&connection->intake, fd, FZ_ANSWER_SIZE_MAX)) {
        errno = EMSGSIZE;
        return failed(connection, ZDATAINCONSISTENCY);
    }
    short events = (short)((interest & ZOOKEEPER_READ ? POLLIN : 0) | (interest & ZOOKEEPER_WRITE ? POLLOUT : 0));
    int ready = fz_zookeeper_wait(fd, events, deadline_ns);
    if (ready <= 0)
        return failed(connection, ready == 0 ? ZOPERATIONTIMEOUT : ZSYSTEMERROR);
    errno = 0;
    rc = zookeeper_process(connection->handle, (ready & POLLOUT ? ZOOKEEPER_WRITE : 0) |
                                                   (ready & (POLLIN | POLLERR | POLLHUP) ? ZOOKEEPER_READ : 0));
    return rc == ZOK || rc == ZNOTHING ? ZOK : failed(connection, rc);
}

/*
 * The client takes every frame for the answer to a request, and aborts when there
 * is none: so nothing is read unless an answer is awaited.
 */
static int await_answers(struct fz_zookeeper_connection *connection, const struct fz_zookeeper_batch *batch,
                         uint64_t deadline_ns)
{
    int rc = ZOK;

    while (rc == ZOK && batch->awaited > 0) {
        /* Else it would connect again by itself, and send once more what may have been carried out. */
        if (zoo_state(connection->handle) != ZOO_CONNECTED_STATE)
            return failed(connection, ZCONNECTIONLOSS);
        rc = step(connection, deadline_ns);
    }
    return rc;
}

static enum fz_register_result carry_out(struct fz_zookeeper_connection *connection, struct fz_zookeeper_batch *batch,
                                         uint64_t deadline_ns, frazil_error *reterr)
{
    batch->awaited = 0;
    connection->intake = fz_intake_of(fz_kept_fd_get(&connection->socket));
    errno = 0;
    int rc = batch->send(batch, connection->handle);
    if (rc != ZOK)
        failed(connection, rc);
    enum fz_register_result result = batch->awaited == 0 ? FZ_REGISTER_UNREACHABLE : FZ_REGISTER_UNKNOWN;
    if (rc == ZOK)
        rc = await_answers(connection, batch, deadline_ns);
    if (rc == ZOK) {
        connection->used_ns = fz_real_monotonic_ns();
        return FZ_REGISTER_OK;
    }
    if (rc == ZAUTHFAILED) {
        fz_fail(reterr, FRAZIL_EREFUSED, "%s: user or password was rejected", connection->shown);
        result = FZ_REGISTER_REFUSED;
    } else {
        say(connection, "did not answer", rc, reterr);
    }
    end(connection, false);
    return result;
}

/* ---- connecting ------------------------------------------------------------- */

/* "user:password" */
static int add_credentials(const struct fz_zookeeper_url *url, zhandle_t *handle)
{
    char text[2 * FZ_URL_SECRET_SIZE];
    struct fz_sentence s = fz_sentence_in(text, sizeof text);

    if (url->common.access.user[0] == '\0')
        return ZOK;
    fz_sentence_str(&s, url->common.access.user);
    fz_sentence_char(&s, ':');
    fz_sentence_str(&s, url->common.access.password);
    int rc = zoo_add_auth(handle, "digest", text, (int)s.len, NULL, NULL);
    fz_wipe(text, sizeof text);
    return rc;
}

/* Makes a session with the server at connection->at. */
static int connect_now(struct fz_zookeeper_connection *connection, uint64_t deadline_ns)
{
    connection->intake.is_known = false;
    connection->handle = zookeeper_init2(connection->at, NULL, SESSION_MS, NULL, NULL, ZOO_NO_LOG_CLIENTENV, discard);
    if (connection->handle == NULL)
        return failed(connection, ZSYSTEMERROR);
    zoo_set_servers_resolution_delay(connection->handle, -1); /* its address is a number */
    int rc = add_credentials(&connection->url, connection->handle);
    while (rc == ZOK && zoo_state(connection->handle) != ZOO_CONNECTED_STATE)
        rc = step(connection, deadline_ns);
    connection->used_ns = fz_real_monotonic_ns();
    int session_ms = zoo_recv_timeout(connection->handle);
    if (rc == ZOK && (session_ms < 1 || session_ms > SESSION_MS_MAX)) {
        errno = 0;
        rc = failed(connection, ZDATAINCONSISTENCY);
    }
    if (rc != ZOK)
        end(connection, false);
    return rc;
}

/* A share of the time that is left, for the first of n attempts. */
static uint64_t share(uint64_t deadline_ns, uint64_t n)
{
    uint64_t now_ns = fz_real_monotonic_ns();

    return now_ns >= deadline_ns ? deadline_ns : now_ns + (deadline_ns - now_ns) / n;
}

/* The address as the client wants it: a number and a port, without brackets. */
static bool show_address(const struct addrinfo *address, char *ret, size_t size)
{
    char host[FZ_URL_HOST_SIZE];
    char port[8];
    struct fz_sentence s = fz_sentence_in(ret, size);

    if (getnameinfo(address->ai_addr, address->ai_addrlen, host, sizeof host, port, sizeof port,
                    NI_NUMERICHOST | NI_NUMERICSERV) != 0)
        return false;
    fz_sentence_str(&s, host);
    fz_sentence_char(&s, ':');
    fz_sentence_str(&s, port);
    return true;
}

static bool connect_server(struct fz_zookeeper_connection *connection, const struct fz_url_host *server,
                           uint64_t deadline_ns, frazil_error *reterr)
{
    const struct addrinfo hints = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM};
    struct addrinfo *found;
    uint64_t left = 0;
    int rc = ZCONNECTIONLOSS;
    char port[8];
    struct fz_sentence s = fz_sentence_in(port, sizeof port);

    fz_sentence_u64(&s, server->port);
    int error = getaddrinfo(server->name, port, &hints, &found);
    if (error != 0) {
        fz_fail(reterr, FRAZIL_EUNREACHABLE, "%s: host %q: %s", connection->shown, server->name, gai_strerror(error));
        return false;
    }
    for (const struct addrinfo *address = found; address != NULL; address = address->ai_next)
        left++;
    for (const struct addrinfo *address = found; rc != ZOK && address != NULL; address = address->ai_next) {
        if (show_address(address, connection->at, sizeof connection->at))
            rc = connect_now(connection, share(deadline_ns, left--));
        if (rc != ZOK)
            say(connection, "cannot connect", rc, reterr);
    }
    freeaddrinfo(found);
    return rc == ZOK;
}

/* Each server gets its share of the time, so that one that is silent does not hide those that would answer. */
static enum fz_register_result connect_any(struct fz_zookeeper_connection *connection, uint64_t deadline_ns,
                                           frazil_error *reterr)
{
    size_t n = connection->url.common.host_count;

    for (size_t i = 0; i < n; i++, connection->next_host++) {
        const struct fz_url_host *server = &connection->url.common.hosts[connection->next_host % n];
        if (connect_server(connection, server, share(deadline_ns, n - i), reterr))
            return FZ_REGISTER_OK;
    }
    return FZ_REGISTER_UNREACHABLE;
}

enum fz_register_result fz_zookeeper_exchange(struct fz_zookeeper_connection *connection,
                                              struct fz_zookeeper_batch *batch, uint64_t deadline_ns,
                                              frazil_error *reterr)
{
    enum fz_register_result result = FZ_REGISTER_OK;
    struct fz_quiet_signal quiet;

    if (fz_out_of_time((struct fz_deadline){deadline_ns}, connection->shown, reterr))
        return FZ_REGISTER_UNREACHABLE;
    if (fz_clients_enter(reterr) != FRAZIL_OK)
        return FZ_REGISTER_UNREACHABLE;
    fz_quiet_signal_begin(&quiet, SIGPIPE);
    if (connection->handle != NULL && has_ended(connection))
        end(connection, false);
    if (connection->handle == NULL)
        result = connect_any(connection, deadline_ns, reterr);
    if (result == FZ_REGISTER_OK)
        result = carry_out(connection, batch, deadline_ns, reterr);
    fz_quiet_signal_end(&quiet);
    fz_clients_leave();
    return result;
}

/* ---- the meaning of errors ------------------------------------------------------- */

enum fz_register_result fz_zookeeper_error_reply(struct fz_zookeeper_connection *connection, int rc, const char *path,
                                                 frazil_error *reterr)
{
    switch (rc) {
    case ZNOAUTH:
        fz_fail(reterr, FRAZIL_EREFUSED,
                "%s: the permissions of %q, or of the node above it, do not allow this: give the user and password of "
                "its creator, or change its ACL",
                connection->shown, path);
        return FZ_REGISTER_REFUSED;
    case ZSESSIONEXPIRED:
    case ZSESSIONMOVED:
    case ZNOTREADONLY:
        drop(connection);
        fz_fail(reterr, FRAZIL_EAGAIN, "%s: %s", connection->shown, zerror(rc));
        return FZ_REGISTER_UNREACHABLE;
    case THROTTLED:
        fz_fail(reterr, FRAZIL_EAGAIN, "%s: the server is overloaded", connection->shown);
        return FZ_REGISTER_UNREACHABLE;
    case ZRUNTIMEINCONSISTENCY:
    case ZDATAINCONSISTENCY:
    case ZCONNECTIONLOSS:
    case ZOPERATIONTIMEOUT:
        drop(connection);
        fz_fail(reterr, FRAZIL_EUNREACHABLE, "%s: %s", connection->shown, zerror(rc));
        return FZ_REGISTER_UNKNOWN;
    default:
        fz_fail(reterr, FRAZIL_EREFUSED, "%s: %q: %s", connection->shown, path, zerror(rc));
        return FZ_REGISTER_REFUSED;
    }
}
