/* SPDX-License-Identifier: MIT */
#include "postgresql_connection.h"

#include <libpq-fe.h>
#include <poll.h>
#include <string.h>

#include "common/tls.h"
#include "core/sentence.h"

/*
 * The beginning of each transaction, before it has a snapshot, whatever a role's or the database's default is.  Under
 * another level a statement that has waited for the table's lock sees what was there before: of a table that was
 * rewritten, nothing.  It is no SET LOCAL, of which the server would warn, and holds for this transaction all the same.
 */
static const char isolation[] = "SET transaction_isolation = 'read committed'";

/*
 * Goes ahead of each statement, in the same transaction and the same round trip.
 * The server's own timeout is the shorter one, so that a statement that waits for a
 * lock ends in an answer.  A setting that waits for more than the disk is left.
 * The warning that a commit did not wait for the standbys must come, whatever a role's default is.
 */
static const char settings[] = "SELECT CASE WHEN current_setting('synchronous_commit') IN ('off', 'local', "
                               "'remote_write') THEN set_config('synchronous_commit', 'on', true) END, "
                               "set_config('client_min_messages', 'warning', true), "
                               "set_config('statement_timeout', '"; /* milliseconds follow */

/* The statements that can have results of their own: these two, the caller's, and the commit if it fails. */
enum { STEPS = 4 };

/* ---- the session ---------------------------------------------------------------- */

static int socket_of(void *handle)
{
    return PQsocket(handle);
}

static void close_handle(void *handle)
{
    PQfinish(handle);
}

/* It may be none of the URL's. */
static const char *password_of(const struct fz_session *session)
{
    return session->handle == NULL ? NULL : PQpass(session->handle);
}

static enum fz_register_result connect_to(struct fz_session *session, const struct fz_allowance *allowance,
                                          frazil_error *reterr);

static const struct fz_session_client libpq = {
    .connect = connect_to, .socket = socket_of, .close = close_handle, .password = password_of};

void fz_postgresql_connection_start(struct fz_sql_connection *sql)
{
    struct fz_postgresql_connection *connection = (struct fz_postgresql_connection *)sql;

    fz_postgresql_url_show(&connection->url, connection->shown);
    sql->table = connection->url.table;
    fz_session_start(&sql->session, &libpq, &connection->url.common, connection->shown);
}

static int wait_within(const struct fz_postgresql_connection *connection, const struct fz_allowance *allowance,
                       short events)
{
    short ready = 0;

    return fz_session_wait(&connection->sql.session, allowance, events, &ready);
}

/* The first warning is kept, and nothing is printed, which is what libpq does by itself. */
static void note_notice(void *arg, const PGresult *notice)
{
    struct fz_postgresql_connection *connection = arg;
    const char *severity = PQresultErrorField(notice, PG_DIAG_SEVERITY_NONLOCALIZED);
    const char *message = PQresultErrorField(notice, PG_DIAG_MESSAGE_PRIMARY);

    if (connection->sql.warning[0] != '\0' || (severity != NULL && strcmp(severity, "WARNING") != 0))
        return;
    struct fz_sentence s = fz_sentence_in(connection->sql.warning, sizeof connection->sql.warning);
    fz_sentence_str(&s, message == NULL || message[0] == '\0' ? "a warning without a message" : message);
}

/* ---- connecting ------------------------------------------------------------ */

static const char *given(const char *text)
{
    return text[0] == '\0' ? NULL : text;
}

/*
 * Whether the environment or a service says this.  libpq's own default counts as nothing said: what PQconndefaults
 * returns does not tell its source.
 */
static bool is_said_outside(const char *keyword)
{
    PQconninfoOption *options = PQconndefaults();
    bool said = false;

    for (const PQconninfoOption *option = options; option != NULL && option->keyword != NULL; option++) {
        if (strcmp(option->keyword, keyword) == 0 && option->val != NULL && option->val[0] != '\0')
            said = option->compiled == NULL || strcmp(option->val, option->compiled) != 0;
    }
    PQconninfoFree(options);
    return said;
}

/* Whether it is said how much TLS there is to be. */
static bool sslmode_is_set(const struct fz_postgresql_url *url)
{
    return url->sslmode[0] != '\0' || is_said_outside("sslmode");
}

/* libpq goes to the address that it finds outside, and takes the URL's host for a name of that. */
static bool leads_past(const struct fz_url_host *host)
{
    return host->name[0] != '\0' && is_said_outside("hostaddr");
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

    *ret_adds_tls = !sslmode_is_set(url);
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

/*
 * Whether TLS was refused, here or there, or another kind of server answers.  libpq has no number for it, so its words
 * are looked for; where they are in another language, the server counts as out of reach.
 */
static bool is_refusal(const char *message)
{
    static const char *const words[] = {
        "certificate verify failed",
        "does not match host name",
        "does not support SSL",
        "root certificate file",
        "certificate file",
        "private key file",
        "certificate required",
        "unknown ca",
        "invalid response to SSL negotiation",
        "expected authentication request from server",
    };

    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (strstr(message, words[i]) != NULL)
            return true;
    }
    return false;
}

/* The server asks for a password, and libpq found none anywhere. */
static enum fz_register_result no_password(struct fz_postgresql_connection *connection, frazil_error *reterr)
{
    const char *why = PQerrorMessage(connection->sql.session.handle);

    fz_fail(reterr, FRAZIL_EREFUSED,
            "%s: cannot connect: %Q: give the password by password_file=, or in the URL, as in "
            "postgres://USER:PASSWORD@HOST/DATABASE/NAMESPACE",
            connection->shown, why, strcspn(why, "\r\n"));
    fz_session_drop(&connection->sql.session);
    return FZ_REGISTER_REFUSED;
}

static enum fz_register_result not_connected(struct fz_postgresql_connection *connection, frazil_error *reterr)
{
    const char *message =
        connection->sql.session.handle == NULL ? "out of memory" : PQerrorMessage(connection->sql.session.handle);
    enum fz_register_result result = FZ_REGISTER_UNREACHABLE;

    read_sqlstate(message, connection->sqlstate);
    /* A wrong user, database or privilege does not get better by itself. */
    if (strncmp(connection->sqlstate, "28", 2) == 0 || strncmp(connection->sqlstate, "3D", 2) == 0 ||
        strncmp(connection->sqlstate, "42", 2) == 0)
        result = FZ_REGISTER_REFUSED;
    if (connection->sql.session.handle != NULL && PQconnectionNeedsPassword(connection->sql.session.handle))
        return no_password(connection, reterr);
    if (is_refusal(message))
        result = FZ_REGISTER_REFUSED;
    if (result == FZ_REGISTER_UNREACHABLE && connection->sqlstate[0] != '\0') /* it starts, or has no connection left */
        return fz_session_cannot(&connection->sql.session, FRAZIL_EAGAIN, "cannot connect", message, reterr);
    return fz_session_failed(&connection->sql.session, result, "cannot connect", message, reterr);
}

/* The server has no TLS, or none that this host can speak, and nobody but begin_connecting demands it. */
static enum fz_register_result no_tls(struct fz_postgresql_connection *connection, frazil_error *reterr)
{
    const char *why = PQerrorMessage(connection->sql.session.handle);
    bool refuses = is_refusal(why);

    fz_fail(reterr, refuses ? FRAZIL_EREFUSED : FRAZIL_EUNREACHABLE,
            "%s: cannot connect: %Q: no password is sent without TLS unless sslmode= allows it: set up TLS at "
            "the server, or write sslmode=disable in the URL if you trust the network",
            connection->shown, why, strcspn(why, "\r\n"));
    fz_session_drop(&connection->sql.session);
    return refuses ? FZ_REGISTER_REFUSED : FZ_REGISTER_UNREACHABLE;
}

static enum fz_register_result connect_to(struct fz_session *session, const struct fz_allowance *allowance,
                                          frazil_error *reterr)
{
    struct fz_postgresql_connection *connection = (struct fz_postgresql_connection *)session;
    PostgresPollingStatusType state = PGRES_POLLING_WRITING;
    ConnStatusType step = CONNECTION_NEEDED;
    bool adds_tls;

    if (fz_url_check_files(fz_postgresql_url_kind, session->url, session->shown, reterr) != FRAZIL_OK)
        return FZ_REGISTER_UNREACHABLE;
    if (leads_past(&session->url->hosts[session->host])) {
        fz_fail(reterr, FRAZIL_EREFUSED,
                "%s: cannot connect: PGHOSTADDR, or the hostaddr of a service, would lead past the URL's host: unset "
                "it, or name no host in the URL",
                session->shown);
        return FZ_REGISTER_REFUSED;
    }
    fz_tls_begin();
    PGconn *conn = begin_connecting(&connection->url, &session->url->hosts[session->host], &adds_tls);
    session->handle = conn;
    fz_session_bound_socket(session);
    if (conn == NULL || PQstatus(conn) == CONNECTION_BAD)
        return not_connected(connection, reterr);
    PQsetNoticeReceiver(conn, note_notice, connection);
    (void)PQsetErrorVerbosity(conn, PQERRORS_VERBOSE);
    while (state != PGRES_POLLING_OK && state != PGRES_POLLING_FAILED) {
        int sys = wait_within(connection, allowance, state == PGRES_POLLING_READING ? POLLIN : POLLOUT);
        if (sys != 0)
            return fz_session_failed_to_wait(session, FZ_REGISTER_UNREACHABLE, "cannot connect", sys, allowance,
                                             reterr);
        step = PQstatus(conn);
        state = PQconnectPoll(conn);
        fz_session_bound_socket(session);
    }
    if (state == PGRES_POLLING_FAILED && adds_tls && step == CONNECTION_SSL_STARTUP)
        return no_tls(connection, reterr);
    if (state == PGRES_POLLING_FAILED || PQsetnonblocking(conn, 1) != 0 || PQenterPipelineMode(conn) == 0)
        return not_connected(connection, reterr);
    return FZ_REGISTER_OK;
}

/* ---- sending and receiving ------------------------------------------------- */

/* Without parameters, in the protocol that has pipelines. */
static bool queue(PGconn *conn, const char *sql)
{
    return PQsendQueryParams(conn, sql, 0, NULL, NULL, NULL, NULL, 1) == 1;
}

static enum fz_register_result send_all(struct fz_postgresql_connection *connection, const char *sql,
                                        const struct fz_allowance *allowance, frazil_error *reterr)
{
    PGconn *conn = connection->sql.session.handle;
    char first[sizeof settings + 24];
    struct fz_sentence s = fz_sentence_in(first, sizeof first);
    int rest = 1;

    fz_sentence_str(&s, settings);
    fz_sentence_u64(&s, allowance->us / 2000 + 1);
    fz_sentence_str(&s, "', true)");
    if (!queue(conn, isolation) || !queue(conn, first) || !queue(conn, sql) || !PQpipelineSync(conn))
        return fz_session_failed(&connection->sql.session, FZ_REGISTER_UNKNOWN, "could not send",
                                 PQerrorMessage(connection->sql.session.handle), reterr);
    while ((rest = PQflush(connection->sql.session.handle)) > 0) {
        int sys = wait_within(connection, allowance, POLLIN | POLLOUT);
        if (sys != 0)
            return fz_session_failed_to_wait(&connection->sql.session, FZ_REGISTER_UNKNOWN, "could not send", sys,
                                             allowance, reterr);
        if (!PQconsumeInput(connection->sql.session.handle))
            break;
    }
    if (rest != 0)
        return fz_session_failed(&connection->sql.session, FZ_REGISTER_UNKNOWN, "could not send",
                                 PQerrorMessage(connection->sql.session.handle), reterr);
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

    return fz_session_failed(&connection->sql.session, FZ_REGISTER_UNKNOWN, "lost the connection before the reply",
                             last_words[0] != '\0' ? last_words : PQerrorMessage(connection->sql.session.handle),
                             reterr);
}

/* Waits until PQgetResult does not. */
static enum fz_register_result await_result(struct fz_postgresql_connection *connection, const struct answer *answer,
                                            const struct fz_allowance *allowance, frazil_error *reterr)
{
    while (PQisBusy(connection->sql.session.handle)) {
        int sys = wait_within(connection, allowance, POLLIN);
        if (sys != 0)
            return fz_session_failed_to_wait(&connection->sql.session, FZ_REGISTER_UNKNOWN, "did not answer", sys,
                                             allowance, reterr);
        if (!PQconsumeInput(connection->sql.session.handle))
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
        PGresult *result = PQgetResult(connection->sql.session.handle); /* NULL: the end of one statement's results */
        ExecStatusType status = PQresultStatus(result);
        if (result == NULL)
            ends++;
        else if (!keep(answer, result))
            break;
        if (PQstatus(connection->sql.session.handle) == CONNECTION_BAD)
            return broke_off(connection, answer, reterr);
        if (status == PGRES_PIPELINE_SYNC)
            return FZ_REGISTER_OK;
    }
    return fz_session_failed(&connection->sql.session, FZ_REGISTER_UNKNOWN, "unexpected reply",
                             "its results do not match the statements", reterr);
}

/* ---- the meaning of errors ------------------------------------------------------ */

/* Conditions that can pass: the transaction was rolled back, and may be carried out later. */
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
    const char *user = connection->sql.session.handle == NULL ? NULL : PQuser(connection->sql.session.handle);
    char *quoted = user == NULL ? NULL : PQescapeIdentifier(connection->sql.session.handle, user, strlen(user));
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
            connection->shown, fz_session_said(&connection->sql.session, message, said), connection->url.table, user);
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
        return fz_session_failed(&connection->sql.session, FZ_REGISTER_UNKNOWN, "lost the connection", message, reterr);
    if (strcmp(sqlstate, "25006") == 0)
        return fz_session_cannot(&connection->sql.session, FRAZIL_EREFUSED,
                                 "is a standby, or read-only: worker ids need the primary", message, reterr);
    if (passes(sqlstate)) {
        /* A full disk is the one of them that nobody else's end of work makes good. */
        fz_fail(reterr, strcmp(sqlstate, "53100") == 0 ? FRAZIL_EREFUSED : FRAZIL_EAGAIN, "%s: %q (%s)",
                connection->shown, fz_session_said(&connection->sql.session, message, said), sqlstate);
        return FZ_REGISTER_UNREACHABLE;
    }
    if (strcmp(sqlstate, "42501") == 0)
        not_permitted(connection, message, reterr);
    else
        fz_fail(reterr, FRAZIL_EREFUSED, "%s: %q (%s)", connection->shown,
                fz_session_said(&connection->sql.session, message, said), sqlstate);
    return FZ_REGISTER_REFUSED;
}

enum fz_register_result fz_postgresql_carry_out(struct fz_postgresql_connection *connection, const char *sql,
                                                PGresult **ret_result, frazil_error *reterr)
{
    const struct fz_allowance allowance = fz_session_allowance(&connection->sql.session, connection->sql.deadline);
    struct answer answer = {.result = NULL};

    connection->sqlstate[0] = '\0';
    enum fz_register_result result = fz_session_enter(&connection->sql.session, &allowance, reterr);
    if (result != FZ_REGISTER_OK)
        return result;
    connection->sql.warning[0] = '\0';
    result = send_all(connection, sql, &allowance, reterr);
    if (result == FZ_REGISTER_OK)
        result = receive_all(connection, &answer, &allowance, reterr);
    if (result == FZ_REGISTER_OK && answer.error != NULL)
        result = error_reply(connection, answer.error, reterr);
    else if (result == FZ_REGISTER_OK && answer.result == NULL)
        result = fz_session_failed(&connection->sql.session, FZ_REGISTER_UNKNOWN, "unexpected reply",
                                   "it has no result", reterr);
    fz_session_leave(&connection->sql.session);
    PQclear(answer.error);
    if (result == FZ_REGISTER_OK)
        *ret_result = answer.result;
    else
        PQclear(answer.result);
    return result;
}
