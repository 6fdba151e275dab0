/* SPDX-License-Identifier: MIT */
#include "postgresql_connection.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <libpq-fe.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/out_of_time.h"
#include "common/said.h"
#include "core/sentence.h"
#include "core/wipe.h"
#include "os/clients.h"
#include "os/socket.h"

/*
 * Goes ahead of each statement, in the same transaction and the same round trip.
 * The server's own timeout is the shorter one, so that a statement that waits for a
 * lock ends in an answer.  A setting that waits for more than the disk is left.
 */
static const char settings[] = "SELECT set_config('statement_timeout', $1, true), "
                               "CASE WHEN current_setting('synchronous_commit') IN ('off', 'local', 'remote_write') "
                               "THEN set_config('synchronous_commit', 'on', true) END";

/* The statements that can have results of their own: the settings, the caller's, and the commit if it fails. */
enum { STEPS = 3 };

void fz_postgresql_connection_start(struct fz_postgresql_connection *connection, const struct fz_postgresql_url *url)
{
    fz_wipe(connection, sizeof *connection);
    connection->url = *url;
    fz_postgresql_url_show(url, connection->shown);
}

/* Whether the socket is still that of the connection: a program may have closed it, and opened something else. */
static bool is_own(const struct fz_postgresql_connection *connection)
{
    int fd = PQsocket(connection->conn);

    return fd < 0 || fz_fd_is_marked(fd, &connection->socket);
}

void fz_postgresql_connection_drop(struct fz_postgresql_connection *connection)
{
    /* PQfinish says good-bye to whatever has the socket's number: rather than that, its memory is given up. */
    if (connection->conn != NULL && is_own(connection) && fz_clients_enter(NULL) == FRAZIL_OK) {
        PQfinish(connection->conn);
        fz_clients_leave();
    }
    connection->conn = NULL;
}

void fz_postgresql_connection_stop(struct fz_postgresql_connection *connection)
{
    fz_postgresql_connection_drop(connection);
    fz_wipe(&connection->url, sizeof connection->url);
}

void fz_postgresql_connection_abandon(struct fz_postgresql_connection *connection)
{
    PGconn *conn = connection->conn;
    bool is_busy = atomic_exchange(&connection->is_busy, false);

    if (conn == NULL || !is_own(connection)) {
        connection->conn = NULL;
        return;
    }
    /*
     * PQfinish's last message, through TLS or not, must not reach the parent's server.  If it cannot be led elsewhere,
     * or if a thread of the parent's was changing the connection, or was inside libpq for another one, when this
     * process was born, it is given up as it is.
     */
    int fd = PQsocket(conn);
    bool is_whole = fz_clients_enter(NULL) == FRAZIL_OK;
    int nowhere = is_busy || !is_whole ? -1 : open("/dev/null", O_RDWR | O_CLOEXEC);
    connection->conn = NULL;
    if (nowhere >= 0 && dup2(nowhere, fd) == fd)
        PQfinish(conn);
    else if (fd >= 0)
        (void)close(fd);
    if (nowhere >= 0)
        (void)close(nowhere);
    if (is_whole)
        fz_clients_leave();
}

/* ---- sentences ------------------------------------------------------------ */

/* The first line of what the server says; its password may be none of the URL's. */
static const char *say(const struct fz_postgresql_connection *connection, const char *text, char ret[FZ_SAID_SIZE])
{
    const char *password = connection->conn == NULL ? NULL : PQpass(connection->conn);

    return fz_said(text, strcspn(text, "\r\n"), password, ret);
}

/* "postgres://...: <what>: '<the first line of why>'", and closes the connection. */
static enum fz_register_result failed(struct fz_postgresql_connection *connection, enum fz_register_result result,
                                      const char *what, const char *why, frazil_error *reterr)
{
    frazil_err code = result == FZ_REGISTER_REFUSED ? FRAZIL_EREFUSED : FRAZIL_EUNREACHABLE;
    char said[FZ_SAID_SIZE];

    fz_fail(reterr, code, "%s: %s: %q", connection->shown, what, say(connection, why, said));
    fz_postgresql_connection_drop(connection);
    return result;
}

static enum fz_register_result failed_to_wait(struct fz_postgresql_connection *connection,
                                              enum fz_register_result result, const char *what, int sys_errno,
                                              const struct fz_allowance *allowance, frazil_error *reterr)
{
    char buf[128];

    if (sys_errno == EMSGSIZE)
        return failed(connection, result, what, "it sends more than any answer has", reterr);
    if (sys_errno != ETIMEDOUT)
        return failed(connection, result, what, strerror_r(sys_errno, buf, sizeof buf) == 0 ? buf : "unknown error",
                      reterr);
    fz_fail(reterr, FRAZIL_EUNREACHABLE, "%s: %s within %D", connection->shown, what, allowance->us);
    fz_postgresql_connection_drop(connection);
    return result;
}

/* Waits for the socket, but not if more bytes have come than any answer has: libpq keeps all of them. */
static int wait_within(const struct fz_postgresql_connection *connection, const struct fz_allowance *allowance,
                       short events)
{
    int fd = PQsocket(connection->conn);

    if (fz_intake_exceeds(&connection->intake, fd, FZ_ANSWER_SIZE_MAX))
        return EMSGSIZE;
    return fz_allowance_wait(allowance, fd, events);
}

/* Warnings are kept, and nothing is printed, which is what libpq does by itself. */
static void note_notice(void *arg, const PGresult *notice)
{
    struct fz_postgresql_connection *connection = arg;
    const char *severity = PQresultErrorField(notice, PG_DIAG_SEVERITY_NONLOCALIZED);
    const char *message = PQresultErrorField(notice, PG_DIAG_MESSAGE_PRIMARY);
    struct fz_sentence s = fz_sentence_in(connection->warning, sizeof connection->warning);

    if (severity == NULL || strcmp(severity, "WARNING") == 0)
        fz_sentence_str(&s, message == NULL ? "a warning without words" : message);
}

/* ---- connecting ------------------------------------------------------------ */

/* The server's end is closed when it stops, or when it says so: then there is something to read, although nobody asked.
 */
static bool has_ended(const struct fz_postgresql_connection *connection)
{
    struct pollfd poll_fd = {.fd = PQsocket(connection->conn), .events = POLLIN};

    return !is_own(connection) || poll(&poll_fd, 1, 0) != 0;
}

static const char *given(const char *text)
{
    return text[0] == '\0' ? NULL : text;
}

/*
 * Whether the URL, the environment or a service says how much TLS there is to be.  libpq's own default counts as
 * nothing said, wherever it stands but in the URL: what PQconndefaults returns does not tell who said it.
 */
static bool sslmode_is_said(const struct fz_postgresql_url *url)
{
    PQconninfoOption *options = url->sslmode[0] != '\0' ? NULL : PQconndefaults();
    bool said = url->sslmode[0] != '\0';

    for (const PQconninfoOption *option = options; option != NULL && option->keyword != NULL; option++) {
        if (strcmp(option->keyword, "sslmode") == 0 && option->val != NULL)
            said = option->compiled == NULL || strcmp(option->val, option->compiled) != 0;
    }
    PQconninfoFree(options);
    return said;
}

static PGconn *begin_with(const struct fz_postgresql_url *url, const struct fz_url_host *host, const char *sslmode)
{
    char port[8];
    struct fz_sentence digits = fz_sentence_in(port, sizeof port);
    const struct {
        const char *keyword;
        const char *value;
    } parameters[] = {
        {"host", given(host->name)},
        {"port", host->port == 0 ? NULL : port},
        {"user", given(url->common.access.user)},
        {"password", given(url->common.access.password)},
        {"dbname", given(url->database)},
        {"sslmode", sslmode},
        {"sslrootcert", given(url->sslrootcert)},
        {"sslcert", given(url->sslcert)},
        {"sslkey", given(url->sslkey)},
        {"fallback_application_name", "frazil"},
        {"target_session_attrs", url->common.host_count > 1 ? "read-write" : NULL},
        {NULL, NULL},
    };
    enum { PARAMETERS = sizeof parameters / sizeof parameters[0] };
    const char *keywords[PARAMETERS];
    const char *values[PARAMETERS];

    fz_sentence_u64(&digits, host->port);
    for (size_t i = 0; i < PARAMETERS; i++) {
        keywords[i] = parameters[i].keyword;
        values[i] = parameters[i].value;
    }
    return PQconnectStartParams(keywords, values, 0);
}

/*
 * By libpq's default a server that refuses TLS gets the password without.  So where there is a password, from
 * wherever, and nobody says how much TLS there is to be, TLS is demanded.  libpq demands none at a Unix socket.
 */
static PGconn *begin_connecting(const struct fz_postgresql_url *url, const struct fz_url_host *host, bool *ret_adds_tls)
{
    PGconn *conn = NULL;

    *ret_adds_tls = !sslmode_is_said(url);
    if (!*ret_adds_tls)
        return begin_with(url, host, given(url->sslmode));
    if (url->common.access.password[0] == '\0') {
        /* Only libpq finds the password of the environment, of a service and of ~/.pgpass.  Nothing is sent yet. */
        conn = begin_with(url, host, NULL);
        *ret_adds_tls = conn != NULL && PQpass(conn) != NULL && PQpass(conn)[0] != '\0';
        if (!*ret_adds_tls)
            return conn;
        PQfinish(conn);
    }
    return begin_with(url, host, "require");
}

/*
 * The SQLSTATE of the server's refusal to connect.  libpq shows it in the message
 * only, behind the severity, which may be in any language: "FATAL:  28P01: ...".
 */
static void read_sqlstate(const char *message, char ret[6])
{
    static const char code[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";

    for (const char *p = strstr(message, ":  "); p != NULL; p = strstr(p + 1, ":  ")) {
        if (strspn(p + 3, code) == 5 && p[8] == ':') {
            memcpy(ret, p + 3, 5);
            ret[5] = '\0';
            return;
        }
    }
    ret[0] = '\0';
}

static enum fz_register_result not_connected(struct fz_postgresql_connection *connection, frazil_error *reterr)
{
    const char *message = connection->conn == NULL ? "out of memory" : PQerrorMessage(connection->conn);
    enum fz_register_result result = FZ_REGISTER_UNREACHABLE;

    read_sqlstate(message, connection->sqlstate);
    /* A wrong user, database or privilege does not get better by itself. */
    if (strncmp(connection->sqlstate, "28", 2) == 0 || strncmp(connection->sqlstate, "3D", 2) == 0 ||
        strncmp(connection->sqlstate, "42", 2) == 0)
        result = FZ_REGISTER_REFUSED;
    if (connection->conn != NULL && PQconnectionNeedsPassword(connection->conn))
        result = FZ_REGISTER_REFUSED;
    return failed(connection, result, "cannot be connected to", message, reterr);
}

/* The server has no TLS, or none that this host can speak, and nobody but begin_connecting demands it. */
static enum fz_register_result no_tls(struct fz_postgresql_connection *connection, frazil_error *reterr)
{
    const char *why = PQerrorMessage(connection->conn);

    fz_fail(reterr, FRAZIL_EUNREACHABLE,
            "%s: cannot be connected to: %Q: no password is sent without TLS unless sslmode= allows it: set up TLS at "
            "the server, or write sslmode=disable in the URL if you trust the network",
            connection->shown, why, strcspn(why, "\r\n"));
    fz_postgresql_connection_drop(connection);
    return FZ_REGISTER_UNREACHABLE;
}

/*
 * libpq reads on as long as it has room and something is there, and has room for whatever length a message claims.
 * A small buffer in the kernel is empty soon, even if the peer never stops; then the bytes are counted.
 */
static void shorten_reads(int fd)
{
    const int bytes = 65536;

    (void)setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof bytes);
}

/* Each attempt, at each of a host's addresses, may have another socket. */
static void note_socket(struct fz_postgresql_connection *connection)
{
    int fd = connection->conn == NULL ? -1 : PQsocket(connection->conn);

    if (fd < 0 || fz_fd_is_marked(fd, &connection->socket))
        return;
    (void)fz_fd_mark(fd, &connection->socket); /* cannot fail: it is open */
    connection->intake = fz_intake_of(fd);
    shorten_reads(fd);
}

static enum fz_register_result connect_to(struct fz_postgresql_connection *connection,
                                          const struct fz_allowance *allowance, frazil_error *reterr)
{
    PostgresPollingStatusType state = PGRES_POLLING_WRITING;
    ConnStatusType step = CONNECTION_NEEDED;
    bool adds_tls;

    connection->conn = begin_connecting(&connection->url, &connection->url.common.hosts[connection->host], &adds_tls);
    note_socket(connection);
    if (connection->conn == NULL || PQstatus(connection->conn) == CONNECTION_BAD)
        return not_connected(connection, reterr);
    PQsetNoticeReceiver(connection->conn, note_notice, connection);
    (void)PQsetErrorVerbosity(connection->conn, PQERRORS_VERBOSE);
    while (state != PGRES_POLLING_OK && state != PGRES_POLLING_FAILED) {
        int sys = wait_within(connection, allowance, state == PGRES_POLLING_READING ? POLLIN : POLLOUT);
        if (sys != 0)
            return failed_to_wait(connection, FZ_REGISTER_UNREACHABLE, "cannot be connected to", sys, allowance,
                                  reterr);
        step = PQstatus(connection->conn);
        state = PQconnectPoll(connection->conn);
        note_socket(connection);
    }
    if (state == PGRES_POLLING_FAILED && adds_tls && step == CONNECTION_SSL_STARTUP)
        return no_tls(connection, reterr);
    if (state == PGRES_POLLING_FAILED || PQsetnonblocking(connection->conn, 1) != 0 ||
        PQenterPipelineMode(connection->conn) == 0)
        return not_connected(connection, reterr);
    return FZ_REGISTER_OK;
}

/* Tries each host once, beginning with the one that served last; each has its share of the time. */
static enum fz_register_result connect_now(struct fz_postgresql_connection *connection,
                                           const struct fz_allowance *allowance, frazil_error *reterr)
{
    enum fz_register_result result = FZ_REGISTER_UNREACHABLE;
    size_t count = connection->url.common.host_count;

    for (size_t left = count; left > 0 && result != FZ_REGISTER_OK; left--) {
        struct fz_allowance part = fz_allowance_part(allowance, (uint32_t)left);
        result = connect_to(connection, &part, reterr);
        if (result != FZ_REGISTER_OK)
            connection->host = (connection->host + 1) % count;
    }
    return result;
}

/* ---- sending and receiving ------------------------------------------------- */

static bool queue(PGconn *conn, const struct fz_postgresql_statement *statement)
{
    return PQsendQueryParams(conn, statement->sql, statement->n, NULL, statement->values, statement->lengths,
                             statement->formats, 1) == 1;
}

static enum fz_register_result send_all(struct fz_postgresql_connection *connection,
                                        const struct fz_postgresql_statement *statement,
                                        const struct fz_allowance *allowance, frazil_error *reterr)
{
    char digits[24];
    struct fz_sentence timeout_ms = fz_sentence_in(digits, sizeof digits);
    const struct fz_postgresql_statement first = {.sql = settings, .n = 1, .values = {digits}};
    int rest = 1;

    fz_sentence_u64(&timeout_ms, allowance->us / 2000 + 1);
    if (!queue(connection->conn, &first) || !queue(connection->conn, statement) || !PQpipelineSync(connection->conn))
        return failed(connection, FZ_REGISTER_UNKNOWN, "could not be written to", PQerrorMessage(connection->conn),
                      reterr);
    while ((rest = PQflush(connection->conn)) > 0) {
        int sys = wait_within(connection, allowance, POLLIN | POLLOUT);
        if (sys != 0)
            return failed_to_wait(connection, FZ_REGISTER_UNKNOWN, "could not be written to", sys, allowance, reterr);
        if (!PQconsumeInput(connection->conn))
            break;
    }
    if (rest != 0)
        return failed(connection, FZ_REGISTER_UNKNOWN, "could not be written to", PQerrorMessage(connection->conn),
                      reterr);
    return FZ_REGISTER_OK;
}

/* The answers to one transaction.  Both are freed by the caller. */
struct answer {
    PGresult *result; /* of the latest statement that succeeded */
    PGresult *error;  /* the first one */
};

static const char *field(const PGresult *error, int which)
{
    const char *text = PQresultErrorField(error, which);

    return text == NULL ? "" : text;
}

/* With the server's last words, if there were any. */
static enum fz_register_result broke_off(struct fz_postgresql_connection *connection, const struct answer *answer,
                                         frazil_error *reterr)
{
    const char *last_words = field(answer->error, PG_DIAG_MESSAGE_PRIMARY);

    return failed(connection, FZ_REGISTER_UNKNOWN, "broke off without an answer",
                  last_words[0] != '\0' ? last_words : PQerrorMessage(connection->conn), reterr);
}

/* Waits until PQgetResult does not. */
static enum fz_register_result await_result(struct fz_postgresql_connection *connection, const struct answer *answer,
                                            const struct fz_allowance *allowance, frazil_error *reterr)
{
    while (PQisBusy(connection->conn)) {
        int sys = wait_within(connection, allowance, POLLIN);
        if (sys != 0)
            return failed_to_wait(connection, FZ_REGISTER_UNKNOWN, "did not answer", sys, allowance, reterr);
        if (!PQconsumeInput(connection->conn))
            return broke_off(connection, answer, reterr);
    }
    return FZ_REGISTER_OK;
}

/* Keeps a result or frees it; false: it is of a kind that nobody asked for, as COPY is. */
static bool keep(struct answer *answer, PGresult *result)
{
    ExecStatusType status = PQresultStatus(result);
    bool done = status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK;
    PGresult **place = done ? &answer->result : &answer->error;

    if (done || (status == PGRES_FATAL_ERROR && answer->error == NULL)) {
        PQclear(*place);
        *place = result;
        return true;
    }
    PQclear(result);
    return status == PGRES_FATAL_ERROR || status == PGRES_PIPELINE_ABORTED || status == PGRES_PIPELINE_SYNC;
}

/*
 * Up to the word that the transaction has ended.  A result that comes before it
 * proves nothing: the commit is later, and can fail.
 */
static enum fz_register_result receive_all(struct fz_postgresql_connection *connection, struct answer *answer,
                                           const struct fz_allowance *allowance, frazil_error *reterr)
{
    enum fz_register_result awaited = FZ_REGISTER_OK;

    for (int ends = 0; ends <= STEPS;) {
        awaited = await_result(connection, answer, allowance, reterr);
        if (awaited != FZ_REGISTER_OK)
            return awaited;
        PGresult *result = PQgetResult(connection->conn); /* NULL: the end of one statement's results */
        ExecStatusType status = PQresultStatus(result);
        if (result == NULL)
            ends++;
        else if (!keep(answer, result))
            break;
        if (PQstatus(connection->conn) == CONNECTION_BAD)
            return broke_off(connection, answer, reterr);
        if (status == PGRES_PIPELINE_SYNC)
            return FZ_REGISTER_OK;
    }
    return failed(connection, FZ_REGISTER_UNKNOWN, "answers", "in no form that was asked for", reterr);
}

/* ---- the meaning of errors ------------------------------------------------------ */

/* Conditions that pass: the transaction was rolled back, and may be carried out later. */
static bool passes(const char *sqlstate)
{
    static const char *const classes[] = {"40", "53", "55", "57"};

    for (size_t i = 0; i < sizeof classes / sizeof classes[0]; i++) {
        if (strncmp(sqlstate, classes[i], 2) == 0)
            return true;
    }
    return false;
}

void fz_postgresql_user_sql(const struct fz_postgresql_connection *connection, char buf[FZ_POSTGRESQL_USER_SQL_SIZE])
{
    const char *user = connection->conn == NULL ? NULL : PQuser(connection->conn);
    char *quoted = user == NULL ? NULL : PQescapeIdentifier(connection->conn, user, strlen(user));
    struct fz_sentence s = fz_sentence_in(buf, FZ_POSTGRESQL_USER_SQL_SIZE);

    fz_sentence_str(&s, quoted == NULL ? "..." : quoted);
    PQfreemem(quoted);
}

static void not_permitted(const struct fz_postgresql_connection *connection, const char *message, frazil_error *reterr)
{
    char user[FZ_POSTGRESQL_USER_SQL_SIZE];
    char said[FZ_SAID_SIZE];

    fz_postgresql_user_sql(connection, user);
    fz_fail(reterr, FRAZIL_EREFUSED,
            "%s: %q: let the owner of the table run: GRANT SELECT, INSERT, UPDATE ON %s TO %s; USAGE on its schema and "
            "EXECUTE on pg_control_system() are needed, too",
            connection->shown, say(connection, message, said), connection->url.table, user);
}

static enum fz_register_result error_reply(struct fz_postgresql_connection *connection, const PGresult *error,
                                           frazil_error *reterr)
{
    const char *message = field(error, PG_DIAG_MESSAGE_PRIMARY);
    const char *sqlstate = field(error, PG_DIAG_SQLSTATE);
    struct fz_sentence called = fz_sentence_in(connection->sqlstate, sizeof connection->sqlstate);
    char said[FZ_SAID_SIZE];

    fz_sentence_str(&called, sqlstate);
    /* An end of the session, or a proxy that lost the server, does not say how far the transaction got. */
    if (strcmp(field(error, PG_DIAG_SEVERITY_NONLOCALIZED), "ERROR") != 0 || strncmp(sqlstate, "08", 2) == 0 ||
        strcmp(sqlstate, "40003") == 0)
        return failed(connection, FZ_REGISTER_UNKNOWN, "broke off", message, reterr);
    if (strcmp(sqlstate, "25006") == 0)
        return failed(connection, FZ_REGISTER_UNREACHABLE, "is a standby, or read-only: worker ids need the primary",
                      message, reterr);
    if (passes(sqlstate)) {
        fz_fail(reterr, FRAZIL_EUNREACHABLE, "%s: %q (%s)", connection->shown, say(connection, message, said),
                sqlstate);
        return FZ_REGISTER_UNREACHABLE;
    }
    if (strcmp(sqlstate, "42501") == 0)
        not_permitted(connection, message, reterr);
    else
        fz_fail(reterr, FRAZIL_EREFUSED, "%s: %q (%s)", connection->shown, say(connection, message, said), sqlstate);
    return FZ_REGISTER_REFUSED;
}

static enum fz_register_result carry_out(struct fz_postgresql_connection *connection,
                                         const struct fz_postgresql_statement *statement, PGresult **ret_result,
                                         frazil_error *reterr)
{
    const struct fz_allowance allowance =
        fz_allowance_of(connection->url.common.access.timeout_ms, connection->deadline);
    enum fz_register_result result = FZ_REGISTER_OK;
    struct answer answer = {.result = NULL};

    if (fz_out_of_time(allowance.until, connection->shown, reterr))
        return FZ_REGISTER_UNREACHABLE;
    connection->sqlstate[0] = '\0';
    if (connection->conn != NULL && has_ended(connection))
        fz_postgresql_connection_drop(connection);
    if (connection->conn == NULL)
        result = connect_now(connection, &allowance, reterr);
    connection->warning[0] = '\0';
    if (result == FZ_REGISTER_OK) {
        connection->intake = fz_intake_of(PQsocket(connection->conn));
        result = send_all(connection, statement, &allowance, reterr);
    }
    if (result == FZ_REGISTER_OK)
        result = receive_all(connection, &answer, &allowance, reterr);
    if (result == FZ_REGISTER_OK && answer.error != NULL)
        result = error_reply(connection, answer.error, reterr);
    else if (result == FZ_REGISTER_OK && answer.result == NULL)
        result = failed(connection, FZ_REGISTER_UNKNOWN, "answers", "in no form that was asked for", reterr);
    PQclear(answer.error);
    if (result == FZ_REGISTER_OK)
        *ret_result = answer.result;
    else
        PQclear(answer.result);
    return result;
}

enum fz_register_result fz_postgresql_carry_out(struct fz_postgresql_connection *connection,
                                                const struct fz_postgresql_statement *statement, PGresult **ret_result,
                                                frazil_error *reterr)
{
    assert(statement->n <= FZ_POSTGRESQL_PARAMETERS_MAX);
    if (fz_clients_enter(reterr) != FRAZIL_OK)
        return FZ_REGISTER_UNREACHABLE;
    atomic_store(&connection->is_busy, true);
    enum fz_register_result result = carry_out(connection, statement, ret_result, reterr);
    atomic_store(&connection->is_busy, false);
    fz_clients_leave();
    return result;
}
