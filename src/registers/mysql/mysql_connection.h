/* SPDX-License-Identifier: MIT */
/*
 * A connection to a MySQL or a MariaDB, made when it is first needed and made again
 * when it was lost.  It knows whether a statement that failed can have been carried
 * out.  One caller at a time.
 */
#ifndef FZ_REGISTERS_MYSQL_CONNECTION_H
#define FZ_REGISTERS_MYSQL_CONNECTION_H

#include <stdatomic.h>

#include "lease/register.h"
#include "mysql_url.h"
#include "os/kept_fd.h"
#include "os/socket.h"

/* libmariadb's MYSQL and MYSQL_RES. */
struct st_mysql;
struct st_mysql_res;

struct fz_mysql_connection {
    struct fz_mysql_url url;
    char shown[FZ_MYSQL_SHOWN_SIZE];
    struct st_mysql *mysql;      /* NULL: not connected */
    struct fz_fd_mark socket;    /* of the connection */
    struct fz_deadline deadline; /* of the call that it is used by; each function of the port sets it */
    struct fz_intake intake;     /* in this exchange */
    _Atomic bool is_busy;        /* in an exchange: whoever is forked now inherits a connection that is half changed */
    size_t host;                 /* the one that is connected, or the next to try */
    unsigned error;              /* the number of the last error reply; 0: there was none */
};

/* Readies a connection without making it.  The URL is copied. */
void fz_mysql_connection_start(struct fz_mysql_connection *connection, const struct fz_mysql_url *url);

/* Closes it and forgets the password. */
void fz_mysql_connection_stop(struct fz_mysql_connection *connection);

/* Closes it, if there is one. */
void fz_mysql_connection_drop(struct fz_mysql_connection *connection);

/* Drops what was inherited over a fork, without a word to the server: the connection is the parent's. */
void fz_mysql_connection_abandon(struct fz_mysql_connection *connection);

/*
 * Sends statements, separated by semicolons, and reads all that they answer, within the URL's timeout, connecting
 * included, but for the resolution of host names.  Each statement is a transaction of its own; after one that fails no
 * other is carried out.
 * FZ_REGISTER_OK: *ret_result is the last one's rows, freed by mysql_free_result.
 * UNREACHABLE: certainly none was carried out that changes anything, and it may be later, or elsewhere.
 * UNKNOWN: the answer did not come, or not all of it; the connection is closed.
 * REFUSED: the server said no; connection->error says which no.
 */
enum fz_register_result fz_mysql_carry_out(struct fz_mysql_connection *connection, const char *sql,
                                           struct st_mysql_res **ret_result, frazil_error *reterr);

#endif
