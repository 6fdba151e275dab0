/* SPDX-License-Identifier: MIT */
#include "mysql_connection.h"

#include <assert.h>
#include <errmsg.h>
#include <errno.h>
#include <fcntl.h>
#include <mysql.h>
#include <mysqld_error.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core/duration.h"
#include "core/sentence.h"
#include "mysql_client.h"
#include "os/deadline.h"

/* Errors that MySQL has and mysqld_error.h of MariaDB has not, or under another name. */
enum { SNAPSHOT_CHANGED = ER_CHECKREAD, MYSQL_READ_ONLY_MODE = 1836, MYSQL_ACCOUNT_LOCKED = 3118 };

enum { GIVE_UPS_MAX = 64, RETRIES_MAX = 8 };

/* ---- the session ---------------------------------------------------------------- */

static int socket_of(void *handle)
{
    my_socket fd = mysql_get_socket(handle);

    return fd == MARIADB_INVALID_SOCKET ? -1 : fd;
}

static void close_handle(void *handle)
{
    mysql_close(handle);
}

static enum fz_register_result connect_to(struct fz_session *session, const struct fz_allowance *allowance,
                                          frazil_error *reterr);

static const struct fz_session_client libmariadb = {.connect = connect_to, .socket = socket_of, .close = close_handle};

void fz_mysql_connection_start(struct fz_sql_connection *sql)
{
    struct fz_mysql_connection *connection = (struct fz_mysql_connection *)sql;

    fz_mysql_url_show(&connection->url, connection->shown);
    sql->table = connection->url.table;
    fz_session_start(&sql->session, &libmariadb, &connection->url.common, connection->shown);
}

/* ---- calls that are interrupted while they wait --------------------------------- */

/* One call of libmariadb, which works on a stack of its own, and the time for it. */
struct call {
    struct fz_mysql_connection *connection;
    const struct fz_allowance *allowance;
    int sys;      /* ETIMEDOUT, EMSGSIZE: it was given up; 0: it was not */
    bool is_done; /* a statement without rows was carried out, and cannot be refused any more */
    MYSQL *connected;
    MYSQL_RES *result;
    int code;
};

typedef int (*continuation)(struct call *call, int ready);

static int go_on_connecting(struct call *call, int ready)
{
    return mysql_real_connect_cont(&call->connected, call->connection->sql.session.handle, ready);
}

static int go_on_asking(struct call *call, int ready)
{
    return mysql_real_query_cont(&call->code, call->connection->sql.session.handle, ready);
}

static int go_on_storing(struct call *call, int ready)
{
    return mysql_store_result_cont(&call->result, call->connection->sql.session.handle, ready);
}

static int go_on_to_next(struct call *call, int ready)
{
    return mysql_next_result_cont(&call->code, call->connection->sql.session.handle, ready);
}

/* The time of this thread's call, for wait_in_handshake. */
static _Thread_local const struct fz_allowance *current_allowance;

/* In TLS's handshake libmariadb does not give control back: it asks this to wait.  1: ready. */
static int wait_in_handshake(my_socket fd, my_bool is_read, int timeout)
{
    (void)timeout;
    if (current_allowance == NULL)
        return 0;
    return fz_allowance_wait(current_allowance, fd, is_read ? POLLIN : POLLOUT) == 0 ? 1 : 0;
}

/* TLS reads the socket as it is, so it may not block. */
static void note_socket(struct fz_session *session)
{
    int fd = socket_of(session->handle);

    if (fd < 0)
        return;
    int flags = fcntl(fd, F_GETFL);
    if (flags >= 0 && (flags & O_NONBLOCK) == 0)
        (void)fcntl(fd, F_SETFL, flags | O_NONBLOCK);
    fz_session_bound_socket(session);
}

/* Waits for what the call waits for. */
static int wait_within(const struct call *call, int wanted, int *ret_ready)
{
    short events = 0;
    short ready = 0;

    events = (short)(events | ((wanted & MYSQL_WAIT_READ) != 0 ? POLLIN : 0));
    events = (short)(events | ((wanted & MYSQL_WAIT_WRITE) != 0 ? POLLOUT : 0));
    *ret_ready = wanted & (MYSQL_WAIT_READ | MYSQL_WAIT_WRITE);
    return fz_session_wait(&call->connection->sql.session, call->allowance, events, &ready);
}

/* Lets the call come to its end by itself: only so does it free what it has. */
static void give_up(struct call *call, continuation go_on, int wanted)
{
    for (int i = 0; wanted != 0 && i < GIVE_UPS_MAX; i++) {
        int fd = socket_of(call->connection->sql.session.handle);
        if (fd >= 0)
            (void)shutdown(fd, SHUT_RDWR);
        wanted = go_on(call, MYSQL_WAIT_TIMEOUT);
    }
    if (wanted != 0)
        call->connection->sql.session.handle = NULL; /* it cannot be closed as it is */
}

/* Carries a call on that has begun, and waits for `wanted`. */
static void finish(struct call *call, continuation go_on, int wanted)
{
    while (wanted != 0) {
        int ready = 0;
        note_socket(&call->connection->sql.session);
        call->sys = wait_within(call, wanted, &ready);
        if (call->sys != 0) {
            give_up(call, go_on, wanted);
            return;
        }
        wanted = go_on(call, ready);
    }
}

/* The call failed, or was given up. */
static enum fz_register_result call_failed(struct call *call, enum fz_register_result result, const char *what,
                                           frazil_error *reterr)
{
    struct fz_session *session = &call->connection->sql.session;

    if (call->sys == 0)
        return fz_session_failed(session, result, what, mysql_error(session->handle), reterr);
    return fz_session_failed_to_wait(session, result, what, call->sys, call->allowance, reterr);
}

/* ---- the meaning of errors ------------------------------------------------------ */

/* The meaning of an error's number for the statement.  All others leave it in doubt. */
static const struct {
    unsigned number;
    enum fz_register_result result;
} meanings[] = {
    {ER_LOCK_WAIT_TIMEOUT, FZ_REGISTER_UNREACHABLE},
    {ER_LOCK_DEADLOCK, FZ_REGISTER_UNREACHABLE},
    {SNAPSHOT_CHANGED, FZ_REGISTER_UNREACHABLE},
    {ER_DISK_FULL, FZ_REGISTER_UNREACHABLE},
    {ER_RECORD_FILE_FULL, FZ_REGISTER_UNREACHABLE},
    {ER_CON_COUNT_ERROR, FZ_REGISTER_UNREACHABLE},
    {ER_TOO_MANY_USER_CONNECTIONS, FZ_REGISTER_UNREACHABLE},
    {ER_USER_LIMIT_REACHED, FZ_REGISTER_UNREACHABLE},
    {ER_OPTION_PREVENTS_STATEMENT, FZ_REGISTER_UNREACHABLE},
    {ER_CANT_EXECUTE_IN_READ_ONLY_TRANSACTION, FZ_REGISTER_UNREACHABLE},
    {MYSQL_READ_ONLY_MODE, FZ_REGISTER_UNREACHABLE},
    {ER_DBACCESS_DENIED_ERROR, FZ_REGISTER_REFUSED},
    {ER_ACCESS_DENIED_ERROR, FZ_REGISTER_REFUSED},
    {ER_ACCESS_DENIED_NO_PASSWORD_ERROR, FZ_REGISTER_REFUSED},
    {ER_SPECIFIC_ACCESS_DENIED_ERROR, FZ_REGISTER_REFUSED},
    {ER_NO_DB_ERROR, FZ_REGISTER_REFUSED},
    {ER_BAD_DB_ERROR, FZ_REGISTER_REFUSED},
    {ER_BAD_FIELD_ERROR, FZ_REGISTER_REFUSED},
    {ER_PARSE_ERROR, FZ_REGISTER_REFUSED},
    {ER_TABLEACCESS_DENIED_ERROR, FZ_REGISTER_REFUSED},
    {ER_COLUMNACCESS_DENIED_ERROR, FZ_REGISTER_REFUSED},
    {ER_NO_SUCH_TABLE, FZ_REGISTER_REFUSED},
    {ER_KEY_DOES_NOT_EXISTS, FZ_REGISTER_REFUSED},
    {ER_UNKNOWN_SYSTEM_VARIABLE, FZ_REGISTER_REFUSED},
    {ER_UNKNOWN_STORAGE_ENGINE, FZ_REGISTER_REFUSED},
    {ER_DATA_TOO_LONG, FZ_REGISTER_REFUSED},
    {ER_HOST_IS_BLOCKED, FZ_REGISTER_REFUSED},
    {ER_HOST_NOT_PRIVILEGED, FZ_REGISTER_REFUSED},
    {ER_MUST_CHANGE_PASSWORD, FZ_REGISTER_REFUSED},
    {ER_USER_IS_BLOCKED, FZ_REGISTER_REFUSED},
    {ER_ACCOUNT_HAS_BEEN_LOCKED, FZ_REGISTER_REFUSED},
    {MYSQL_ACCOUNT_LOCKED, FZ_REGISTER_REFUSED},
    {CR_PLUGIN_NOT_ALLOWED, FZ_REGISTER_REFUSED},
    {CR_AUTH_PLUGIN_CANNOT_LOAD, FZ_REGISTER_REFUSED},
};

static enum fz_register_result meaning_of(unsigned number, enum fz_register_result others)
{
    for (size_t i = 0; i < sizeof meanings / sizeof meanings[0]; i++) {
        if (meanings[i].number == number)
            return meanings[i].result;
    }
    return others;
}

static bool is_read_only(unsigned number)
{
    return number == ER_OPTION_PREVENTS_STATEMENT || number == ER_CANT_EXECUTE_IN_READ_ONLY_TRANSACTION ||
           number == MYSQL_READ_ONLY_MODE;
}

/* Whether the number is the server's, and not the client library's. */
static bool is_answer(unsigned number)
{
    return number != 0 && (number < CR_MIN_ERROR || number > CR_MAX_ERROR) && number < CER_MIN_ERROR;
}

/* The server, or its connection, said no to a statement that was sent. */
static enum fz_register_result statement_failed(struct call *call, frazil_error *reterr)
{
    struct fz_mysql_connection *connection = call->connection;
    const char *message = connection->sql.session.handle == NULL ? "" : mysql_error(connection->sql.session.handle);
    unsigned number =
        call->sys != 0 || connection->sql.session.handle == NULL ? 0 : mysql_errno(connection->sql.session.handle);
    enum fz_register_result result = call->is_done ? FZ_REGISTER_UNKNOWN : meaning_of(number, FZ_REGISTER_UNKNOWN);
    char said[FZ_SAID_SIZE];

    if (call->sys != 0)
        return call_failed(call, FZ_REGISTER_UNKNOWN, "did not answer", reterr);
    connection->error = number;
    if (is_read_only(number) && !call->is_done)
        return fz_session_cannot(&connection->sql.session, FRAZIL_EREFUSED,
                                 "is read-only, as replicas are: worker ids need the primary", message, reterr);
    if (result == FZ_REGISTER_UNKNOWN && is_answer(number)) {
        fz_fail(reterr, FRAZIL_EUNREACHABLE, "%s: failed, and may have been carried out: %q (%u)", connection->shown,
                fz_session_said(&connection->sql.session, message, said), (uint64_t)number);
        fz_session_drop(&connection->sql.session);
        return result;
    }
    if (result == FZ_REGISTER_UNKNOWN)
        return fz_session_failed(&connection->sql.session, result, "lost the connection before the reply", message,
                                 reterr);
    bool is_full = number == ER_DISK_FULL || number == ER_RECORD_FILE_FULL;
    fz_fail(reterr, result == FZ_REGISTER_REFUSED || is_full ? FRAZIL_EREFUSED : FRAZIL_EAGAIN, "%s: %q (%u)",
            connection->shown, fz_session_said(&connection->sql.session, message, said), (uint64_t)number);
    return result;
}

/* ---- sending and receiving ------------------------------------------------- */

/* All that the statements answer; the last rows are kept. */
static enum fz_register_result exchange(struct call *call, const char *sql, MYSQL_RES **ret_result,
                                        frazil_error *reterr)
{
    MYSQL *mysql = call->connection->sql.session.handle;

    finish(call, go_on_asking, mysql_real_query_start(&call->code, mysql, sql, strlen(sql)));
    while (call->sys == 0 && call->code == 0) {
        call->result = NULL;
        finish(call, go_on_storing, mysql_store_result_start(&call->result, mysql));
        if (call->result != NULL) {
            mysql_free_result(*ret_result);
            *ret_result = call->result;
        }
        if (call->sys != 0 || mysql_errno(mysql) != 0)
            break;
        call->is_done = call->is_done || call->result == NULL;
        finish(call, go_on_to_next, mysql_next_result_start(&call->code, mysql));
    }
    if (call->sys == 0 && call->code == -1 && *ret_result != NULL)
        return FZ_REGISTER_OK;
    if (call->sys == 0 && call->code == -1 && mysql_errno(mysql) == 0)
        return fz_session_failed(&call->connection->sql.session, FZ_REGISTER_UNKNOWN, "unexpected reply",
                                 "its results do not match the statements", reterr);
    return statement_failed(call, reterr);
}

/* ---- connecting ------------------------------------------------------------ */

/*
 * Whether TLS was refused, here or there.  libmariadb has one number for that and for a connection that was lost, so
 * its words are looked for; they are English.
 */
static bool is_tls_refused(unsigned number, const char *message)
{
    return number == CR_SSL_CONNECTION_ERROR &&
           (strstr(message, "ertificate") != NULL || strstr(message, "not support") != NULL);
}

static enum fz_register_result not_connected(struct call *call, frazil_error *reterr)
{
    struct fz_mysql_connection *connection = call->connection;
    unsigned number =
        call->sys != 0 || connection->sql.session.handle == NULL ? 0 : mysql_errno(connection->sql.session.handle);
    enum fz_register_result result = meaning_of(number, FZ_REGISTER_UNREACHABLE);
    const struct fz_mysql_url *url = &connection->url;

    connection->error = number;
    if (number != 0 && is_tls_refused(number, mysql_error(connection->sql.session.handle)))
        result = FZ_REGISTER_REFUSED;
    if (number == CR_SSL_CONNECTION_ERROR && url->tls == FZ_MYSQL_TLS_UNSET && url->common.access.password[0] != '\0')
        return fz_session_failed(&connection->sql.session, result,
                                 "cannot connect, and no password is sent without TLS that verifies the server, unless "
                                 "ssl-mode=DISABLED allows it",
                                 mysql_error(connection->sql.session.handle), reterr);
    if (number == CR_PLUGIN_NOT_ALLOWED)
        return fz_session_failed(&connection->sql.session, result,
                                 "asks for a password in a way that would expose it: use ssl-mode=VERIFY_IDENTITY, or "
                                 "another authentication method for this user",
                                 mysql_error(connection->sql.session.handle), reterr);
    if (number == ER_DBACCESS_DENIED_ERROR)
        return fz_session_failed(&connection->sql.session, result,
                                 "this user has no privileges in the database: let its owner create the table and run "
                                 "GRANT SELECT, INSERT, UPDATE on it",
                                 mysql_error(connection->sql.session.handle), reterr);
    if (result == FZ_REGISTER_UNREACHABLE && is_answer(number)) /* it ends, or has no connection left */
        return fz_session_cannot(&connection->sql.session, FRAZIL_EAGAIN, "cannot connect",
                                 mysql_error(connection->sql.session.handle), reterr);
    return call_failed(call, result,
                       number == ER_ACCESS_DENIED_ERROR || number == ER_ACCESS_DENIED_NO_PASSWORD_ERROR
                           ? "access denied"
                           : "cannot connect",
                       reterr);
}

/* The server's init_connect may have chosen another database: its users would have a table of their own there. */
static void put_use(struct fz_sentence *s, const char *database)
{
    fz_sentence_str(s, "USE `");
    for (; *database != '\0'; database++) {
        fz_sentence_str(s, *database == '`' ? "`" : "");
        fz_sentence_char(s, *database);
    }
    fz_sentence_str(s, "`; ");
}

/*
 * Every statement sees all that was committed last and waits for a lock for a second at most.  A Galera cluster, whose
 * nodes all take writes, is no one place; a read-only server is a replica or will be one.  MariaDB 12 has more values
 * of read_only than OFF and ON.
 */
static enum fz_register_result set_up(struct call *call, frazil_error *reterr)
{
    static const char settings[] =
        "SET SESSION autocommit = 1, timestamp = DEFAULT, time_zone = '+00:00', sql_mode = 'STRICT_ALL_TABLES', "
        "lock_wait_timeout = 1, innodb_lock_wait_timeout = 1, sql_select_limit = 18446744073709551615, "
        "sql_big_selects = 1, sql_safe_updates = 0, unique_checks = 1; "
        "SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ; "
        "SHOW GLOBAL VARIABLES WHERE (variable_name = 'read_only' AND value <> 'OFF') "
        "OR (variable_name = 'wsrep_on' AND value = 'ON')";
    struct fz_mysql_connection *connection = call->connection;
    char sql[sizeof settings + 2 * FZ_MYSQL_NAME_SIZE + sizeof "USE ``; "];
    struct fz_sentence s = fz_sentence_in(sql, sizeof sql);
    MYSQL_RES *rows = NULL;

    put_use(&s, connection->url.database);
    fz_sentence_str(&s, settings);
    enum fz_register_result result = exchange(call, sql, &rows, reterr);
    MYSQL_ROW row = result == FZ_REGISTER_OK ? mysql_fetch_row(rows) : NULL;

    if (result == FZ_REGISTER_UNKNOWN)
        result = FZ_REGISTER_UNREACHABLE; /* nothing that was sent changes a record */
    if (row != NULL && row[0] != NULL && strcmp(row[0], "wsrep_on") == 0) {
        result =
            fz_session_failed(&connection->sql.session, FZ_REGISTER_REFUSED,
                              "is a node of a Galera cluster, which frazil does not support", "wsrep_on = ON", reterr);
    } else if (row != NULL) {
        result =
            fz_session_cannot(&connection->sql.session, FRAZIL_EREFUSED,
                              "is read-only, as replicas are: worker ids need the primary", "read_only = ON", reterr);
    }
    mysql_free_result(rows);
    return result;
}

/* Rounded up: 0 is no limit. */
static unsigned seconds_left(const struct fz_allowance *allowance)
{
    return (unsigned)(fz_deadline_left_ns(allowance->until) / FZ_NS_PER_S) + 1;
}

static enum fz_register_result connect_to(struct fz_session *session, const struct fz_allowance *allowance,
                                          frazil_error *reterr)
{
    struct fz_mysql_connection *connection = (struct fz_mysql_connection *)session;
    const struct fz_url_host *host = &session->url->hosts[session->host];
    const struct fz_url_access *access = &session->url->access;
    bool is_path = session->url->is_path;
    struct call call = {.connection = connection, .allowance = allowance};

    if (fz_url_check_files(fz_mysql_url_kind, session->url, session->shown, reterr) != FRAZIL_OK)
        return FZ_REGISTER_UNREACHABLE;
    session->handle = fz_mysql_client_new(&connection->url, seconds_left(allowance), wait_in_handshake);
    if (session->handle == NULL) {
        fz_fail(reterr, FRAZIL_EUNREACHABLE, "%s: cannot connect: out of memory", session->shown);
        return FZ_REGISTER_UNREACHABLE;
    }
    current_allowance = allowance;
    int wanted = mysql_real_connect_start(&call.connected, session->handle, is_path ? NULL : host->name, access->user,
                                          access->password, connection->url.database, is_path ? 0 : host->port,
                                          is_path ? host->name : NULL, CLIENT_MULTI_STATEMENTS);
    finish(&call, go_on_connecting, wanted);
    if (call.sys == 0 && call.connected != NULL)
        note_socket(session);
    current_allowance = NULL;
    if (call.sys != 0 || call.connected == NULL)
        return not_connected(&call, reterr);
    return set_up(&call, reterr);
}

/* ---- one exchange --------------------------------------------------------------- */

/* Another one was faster, and nothing was done: the next attempt sees what it did. */
static bool lost_a_race(const struct fz_mysql_connection *connection, enum fz_register_result result)
{
    return result == FZ_REGISTER_UNREACHABLE && connection->sql.session.handle != NULL &&
           (connection->error == ER_LOCK_DEADLOCK || connection->error == SNAPSHOT_CHANGED);
}

enum fz_register_result fz_mysql_carry_out(struct fz_mysql_connection *connection, const char *sql,
                                           MYSQL_RES **ret_result, frazil_error *reterr)
{
    struct fz_session *session = &connection->sql.session;
    const struct fz_allowance allowance = fz_session_allowance(session, connection->sql.deadline);
    MYSQL_RES *rows = NULL;

    connection->error = 0;
    enum fz_register_result result = fz_session_enter(session, &allowance, reterr);
    if (result != FZ_REGISTER_OK)
        return result;
    for (int tries = 0; tries == 0 || (tries < RETRIES_MAX && lost_a_race(connection, result) &&
                                       fz_deadline_left_ns(allowance.until) > 0);
         tries++) {
        struct call call = {.connection = connection, .allowance = &allowance};
        session->intake = fz_intake_of(socket_of(session->handle));
        result = exchange(&call, sql, &rows, reterr);
    }
    fz_session_leave(session);
    if (result == FZ_REGISTER_OK)
        *ret_result = rows;
    else
        mysql_free_result(rows);
    return result;
}
