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

#include "common/out_of_time.h"
#include "common/said.h"
#include "core/sentence.h"
#include "core/wipe.h"
#include "mysql_client.h"
#include "os/clients.h"
#include "os/quiet_signal.h"

/* Errors that MySQL has and mysqld_error.h of MariaDB has not, or under another name. */
enum { SNAPSHOT_CHANGED = ER_CHECKREAD, MYSQL_READ_ONLY_MODE = 1836, MYSQL_ACCOUNT_LOCKED = 3118 };

enum { GIVE_UPS_MAX = 64, RETRIES_MAX = 8 };

/* ---- opening and closing ------------------------------------------------------- */

void fz_mysql_connection_start(struct fz_mysql_connection *connection, const struct fz_mysql_url *url)
{
    fz_wipe(connection, sizeof *connection);
    connection->url = *url;
    fz_mysql_url_show(url, connection->shown);
}

/* -1: it has none yet. */
static int socket_of(const struct fz_mysql_connection *connection)
{
    my_socket fd = mysql_get_socket(connection->mysql);

    return fd == MARIADB_INVALID_SOCKET ? -1 : fd;
}

/* Whether the socket is still that of the connection: a program may have closed it, and opened something else. */
static bool is_own(const struct fz_mysql_connection *connection)
{
    int fd = socket_of(connection);

    return fd < 0 || fz_fd_is_marked(fd, &connection->socket);
}

/* mysql_close says good-bye to whatever has the socket's number: rather than that, its memory is given up. */
void fz_mysql_connection_drop(struct fz_mysql_connection *connection)
{
    struct fz_quiet_signal quiet;

    if (connection->mysql != NULL && is_own(connection) && fz_clients_enter(NULL) == FRAZIL_OK) {
        fz_quiet_signal_begin(&quiet, SIGPIPE);
        mysql_close(connection->mysql);
        fz_quiet_signal_end(&quiet);
        fz_clients_leave();
    }
    connection->mysql = NULL;
}

void fz_mysql_connection_stop(struct fz_mysql_connection *connection)
{
    fz_mysql_connection_drop(connection);
    fz_wipe(&connection->url, sizeof connection->url);
}

void fz_mysql_connection_abandon(struct fz_mysql_connection *connection)
{
    bool is_busy = atomic_exchange(&connection->is_busy, false);
    MYSQL *mysql = connection->mysql;

    if (mysql == NULL || !is_own(connection)) {
        connection->mysql = NULL;
        return;
    }
    /*
     * The good-bye must not reach the parent's server.  If it cannot be led elsewhere, or if a thread of the parent's
     * was changing the connection, or was inside libmariadb for another one, when this process was born, its memory is
     * given up.
     */
    int fd = socket_of(connection);
    bool is_whole = fz_clients_enter(NULL) == FRAZIL_OK;
    int nowhere = is_busy || !is_whole ? -1 : open("/dev/null", O_RDWR | O_CLOEXEC);
    connection->mysql = NULL;
    if (nowhere >= 0 && fd >= 0 && dup2(nowhere, fd) == fd)
        mysql_close(mysql);
    else if (fd >= 0)
        (void)close(fd);
    if (nowhere >= 0)
        (void)close(nowhere);
    if (is_whole)
        fz_clients_leave();
}

/* ---- sentences ------------------------------------------------------------ */

/* "mysql://...: <what>: '<why>'", and closes the connection. */
static enum fz_register_result failed(struct fz_mysql_connection *connection, enum fz_register_result result,
                                      const char *what, const char *why, frazil_error *reterr)
{
    frazil_err code = result == FZ_REGISTER_REFUSED ? FRAZIL_EREFUSED : FRAZIL_EUNREACHABLE;
    char said[FZ_SAID_SIZE];

    fz_fail(reterr, code, "%s: %s: %q", connection->shown, what,
            fz_said(why, strcspn(why, "\r\n"), connection->url.common.access.password, said));
    fz_mysql_connection_drop(connection);
    return result;
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
    return mysql_real_connect_cont(&call->connected, call->connection->mysql, ready);
}

static int go_on_asking(struct call *call, int ready)
{
    return mysql_real_query_cont(&call->code, call->connection->mysql, ready);
}

static int go_on_storing(struct call *call, int ready)
{
    return mysql_store_result_cont(&call->result, call->connection->mysql, ready);
}

static int go_on_to_next(struct call *call, int ready)
{
    return mysql_next_result_cont(&call->code, call->connection->mysql, ready);
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

/* Each attempt, at each of a host's addresses, may have another socket; TLS reads it as it is, so it may not block. */
static void note_socket(struct fz_mysql_connection *connection)
{
    static const int bytes = 65536; /* it is empty soon, even if the peer never stops; then the bytes are counted */
    int fd = socket_of(connection);

    if (fd < 0)
        return;
    int flags = fcntl(fd, F_GETFL);
    if (flags >= 0 && (flags & O_NONBLOCK) == 0)
        (void)fcntl(fd, F_SETFL, flags | O_NONBLOCK);
    if (fz_fd_is_marked(fd, &connection->socket))
        return;
    (void)fz_fd_mark(fd, &connection->socket); /* cannot fail: it is open */
    connection->intake = fz_intake_of(fd);
    (void)setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof bytes);
}

/* Waits for what the call waits for, but not if more bytes have come than any answer has. */
static int wait_within(const struct call *call, int wanted, int *ret_ready)
{
    int fd = socket_of(call->connection);
    short events = 0;
    short ready = 0;

    if (fz_intake_exceeds(&call->connection->intake, fd, FZ_ANSWER_SIZE_MAX))
        return EMSGSIZE;
    events = (short)(events | ((wanted & MYSQL_WAIT_READ) != 0 ? POLLIN : 0));
    events = (short)(events | ((wanted & MYSQL_WAIT_WRITE) != 0 ? POLLOUT : 0));
    int sys = fz_allowance_poll(call->allowance, fd, events, &ready);
    *ret_ready = wanted & (MYSQL_WAIT_READ | MYSQL_WAIT_WRITE);
    return sys;
}

/* Lets the call come to its end by itself: only so does it free what it has. */
static void give_up(struct call *call, continuation go_on, int wanted)
{
    for (int i = 0; wanted != 0 && i < GIVE_UPS_MAX; i++) {
        int fd = socket_of(call->connection);
        if (fd >= 0)
            (void)shutdown(fd, SHUT_RDWR);
        wanted = go_on(call, MYSQL_WAIT_TIMEOUT);
    }
    if (wanted != 0)
        call->connection->mysql = NULL; /* it cannot be closed as it is */
}

/* Carries a call on that has begun, and waits for `wanted`. */
static void finish(struct call *call, continuation go_on, int wanted)
{
    while (wanted != 0) {
        int ready = 0;
        note_socket(call->connection);
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
    struct fz_mysql_connection *connection = call->connection;
    char buf[128];

    if (call->sys == 0)
        return failed(connection, result, what, mysql_error(connection->mysql), reterr);
    if (call->sys == EMSGSIZE)
        return failed(connection, result, what, "it sends more than any answer has", reterr);
    if (call->sys != ETIMEDOUT)
        return failed(connection, result, what, strerror_r(call->sys, buf, sizeof buf) == 0 ? buf : "unknown error",
                      reterr);
    fz_fail(reterr, FRAZIL_EUNREACHABLE, "%s: %s within %D", connection->shown, what, call->allowance->us);
    fz_mysql_connection_drop(connection);
    return result;
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

/* The server, or its connection, said no to a statement that was sent. */
static enum fz_register_result statement_failed(struct call *call, frazil_error *reterr)
{
    struct fz_mysql_connection *connection = call->connection;
    const char *message = connection->mysql == NULL ? "" : mysql_error(connection->mysql);
    unsigned number = call->sys != 0 || connection->mysql == NULL ? 0 : mysql_errno(connection->mysql);
    enum fz_register_result result = call->is_done ? FZ_REGISTER_UNKNOWN : meaning_of(number, FZ_REGISTER_UNKNOWN);
    char said[FZ_SAID_SIZE];

    if (call->sys != 0)
        return call_failed(call, FZ_REGISTER_UNKNOWN, "did not answer", reterr);
    connection->error = number;
    if (is_read_only(number) && !call->is_done)
        return failed(connection, result, "is read-only, as replicas are: worker ids need the primary", message,
                      reterr);
    if (result == FZ_REGISTER_UNKNOWN)
        return failed(connection, result, "broke off without an answer", message, reterr);
    fz_fail(reterr, result == FZ_REGISTER_REFUSED ? FRAZIL_EREFUSED : FRAZIL_EUNREACHABLE, "%s: %q (%u)",
            connection->shown, fz_said(message, strlen(message), connection->url.common.access.password, said),
            (uint64_t)number);
    return result;
}

/* ---- sending and receiving ------------------------------------------------- */

/* All that the statements answer; the last rows are kept. */
static enum fz_register_result exchange(struct call *call, const char *sql, MYSQL_RES **ret_result,
                                        frazil_error *reterr)
{
    MYSQL *mysql = call->connection->mysql;

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
        return failed(call->connection, FZ_REGISTER_UNKNOWN, "answers", "in no form that was asked for", reterr);
    return statement_failed(call, reterr);
}

/* ---- connecting ------------------------------------------------------------ */

/* The server's end is closed when it stops: then there is something to read, although nobody asked. */
static bool has_ended(const struct fz_mysql_connection *connection)
{
    struct pollfd poll_fd = {.fd = socket_of(connection), .events = POLLIN};

    return !is_own(connection) || poll(&poll_fd, 1, 0) != 0;
}

static enum fz_register_result not_connected(struct call *call, frazil_error *reterr)
{
    struct fz_mysql_connection *connection = call->connection;
    unsigned number = call->sys != 0 || connection->mysql == NULL ? 0 : mysql_errno(connection->mysql);
    enum fz_register_result result = meaning_of(number, FZ_REGISTER_UNREACHABLE);
    const struct fz_mysql_url *url = &connection->url;

    connection->error = number;
    if (number == CR_SSL_CONNECTION_ERROR && url->tls == FZ_MYSQL_TLS_UNSAID && url->common.access.password[0] != '\0')
        return failed(connection, result,
                      "cannot be connected to, and no password is sent without TLS that proves who the server is, "
                      "unless ssl-mode=DISABLED allows it",
                      mysql_error(connection->mysql), reterr);
    if (number == CR_PLUGIN_NOT_ALLOWED)
        return failed(connection, result,
                      "asks for a password in a way that would tell it to everybody: use ssl-mode=VERIFY_IDENTITY, or "
                      "another way for this user",
                      mysql_error(connection->mysql), reterr);
    if (number == ER_DBACCESS_DENIED_ERROR)
        return failed(connection, result,
                      "this user has no right to anything in the database: let its owner create the table and run "
                      "GRANT SELECT, INSERT, UPDATE on it",
                      mysql_error(connection->mysql), reterr);
    return call_failed(call, result,
                       number == ER_ACCESS_DENIED_ERROR || number == ER_ACCESS_DENIED_NO_PASSWORD_ERROR
                           ? "does not let this user in"
                           : "cannot be connected to",
                       reterr);
}

/*
 * Every statement sees all that was committed last and waits for a lock for a second at most.  A Galera cluster, whose
 * nodes all take writes, is no one place; a read-only server is a replica or will be one.  MariaDB 12 has more values
 * of read_only than OFF and ON.
 */
static enum fz_register_result set_up(struct call *call, frazil_error *reterr)
{
    static const char sql[] =
        "SET SESSION autocommit = 1, timestamp = DEFAULT, time_zone = '+00:00', sql_mode = 'STRICT_ALL_TABLES', "
        "lock_wait_timeout = 1, innodb_lock_wait_timeout = 1, sql_select_limit = 18446744073709551615, "
        "sql_big_selects = 1, sql_safe_updates = 0, unique_checks = 1; "
        "SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ; "
        "SHOW GLOBAL VARIABLES WHERE (variable_name = 'read_only' AND value <> 'OFF') "
        "OR (variable_name = 'wsrep_on' AND value = 'ON')";
    struct fz_mysql_connection *connection = call->connection;
    MYSQL_RES *rows = NULL;
    enum fz_register_result result = exchange(call, sql, &rows, reterr);
    MYSQL_ROW row = result == FZ_REGISTER_OK ? mysql_fetch_row(rows) : NULL;

    if (result == FZ_REGISTER_UNKNOWN)
        result = FZ_REGISTER_UNREACHABLE; /* nothing that was sent changes a record */
    if (row != NULL && row[0] != NULL && strcmp(row[0], "wsrep_on") == 0) {
        result = failed(connection, FZ_REGISTER_REFUSED, "is a node of a Galera cluster, which frazil does not support",
                        "wsrep_on = ON", reterr);
    } else if (row != NULL) {
        result = failed(connection, FZ_REGISTER_UNREACHABLE,
                        "is read-only, as replicas are: worker ids need the primary", "read_only = ON", reterr);
    } else if (result != FZ_REGISTER_OK) {
        fz_mysql_connection_drop(connection);
    }
    mysql_free_result(rows);
    return result;
}

static enum fz_register_result connect_to(struct fz_mysql_connection *connection, const struct fz_allowance *allowance,
                                          frazil_error *reterr)
{
    const struct fz_url_host *host = &connection->url.common.hosts[connection->host];
    const struct fz_url_access *access = &connection->url.common.access;
    bool is_path = connection->url.common.is_path;
    struct call call = {.connection = connection, .allowance = allowance};

    connection->mysql = fz_mysql_client_new(&connection->url, wait_in_handshake);
    if (connection->mysql == NULL) {
        fz_fail(reterr, FRAZIL_EUNREACHABLE, "%s: cannot be connected to: out of memory", connection->shown);
        return FZ_REGISTER_UNREACHABLE;
    }
    connection->socket = (struct fz_fd_mark){.inode = 0};
    current_allowance = allowance;
    int wanted = mysql_real_connect_start(&call.connected, connection->mysql, is_path ? NULL : host->name, access->user,
                                          access->password, connection->url.database, is_path ? 0 : host->port,
                                          is_path ? host->name : NULL, CLIENT_MULTI_STATEMENTS);
    finish(&call, go_on_connecting, wanted);
    if (call.sys == 0 && call.connected != NULL)
        note_socket(connection);
    current_allowance = NULL;
    if (call.sys != 0 || call.connected == NULL)
        return not_connected(&call, reterr);
    return set_up(&call, reterr);
}

/* Tries each host once, beginning with the one that served last; each has its share of the time. */
static enum fz_register_result connect_now(struct fz_mysql_connection *connection, const struct fz_allowance *allowance,
                                           frazil_error *reterr)
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

/* ---- one exchange --------------------------------------------------------------- */

/* Another one was faster, and nothing was done: the next attempt sees what it did. */
static bool lost_a_race(const struct fz_mysql_connection *connection, enum fz_register_result result)
{
    return result == FZ_REGISTER_UNREACHABLE && connection->mysql != NULL &&
           (connection->error == ER_LOCK_DEADLOCK || connection->error == SNAPSHOT_CHANGED);
}

static enum fz_register_result carry_out(struct fz_mysql_connection *connection, const char *sql,
                                         MYSQL_RES **ret_result, frazil_error *reterr)
{
    const struct fz_allowance allowance =
        fz_allowance_of(connection->url.common.access.timeout_ms, connection->deadline);
    enum fz_register_result result = FZ_REGISTER_OK;

    connection->error = 0;
    if (fz_out_of_time(allowance.until, connection->shown, reterr))
        return FZ_REGISTER_UNREACHABLE;
    if (connection->mysql != NULL && has_ended(connection))
        fz_mysql_connection_drop(connection);
    if (connection->mysql == NULL)
        result = connect_now(connection, &allowance, reterr);
    if (result != FZ_REGISTER_OK)
        return result;
    for (int tries = 0; tries == 0 || (tries < RETRIES_MAX && lost_a_race(connection, result) &&
                                       fz_deadline_left_ns(allowance.until) > 0);
         tries++) {
        struct call call = {.connection = connection, .allowance = &allowance};
        connection->intake = fz_intake_of(socket_of(connection));
        result = exchange(&call, sql, ret_result, reterr);
    }
    return result;
}

enum fz_register_result fz_mysql_carry_out(struct fz_mysql_connection *connection, const char *sql,
                                           MYSQL_RES **ret_result, frazil_error *reterr)
{
    struct fz_quiet_signal quiet;
    MYSQL_RES *rows = NULL;

    if (fz_clients_enter(reterr) != FRAZIL_OK)
        return FZ_REGISTER_UNREACHABLE;
    atomic_store(&connection->is_busy, true);
    fz_quiet_signal_begin(&quiet, SIGPIPE); /* TLS writes without MSG_NOSIGNAL */
    enum fz_register_result result = carry_out(connection, sql, &rows, reterr);
    fz_quiet_signal_end(&quiet);
    atomic_store(&connection->is_busy, false);
    fz_clients_leave();
    if (result == FZ_REGISTER_OK)
        *ret_result = rows;
    else
        mysql_free_result(rows);
    return result;
}
