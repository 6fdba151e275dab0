/* SPDX-License-Identifier: MIT */
/*
 * A real MariaDB, in lib/server.h.  The user "owner" may do everything and needs no password; the database is "app".
 * As root it is run as the user that Debian's package has made for it.  There only where libmariadb is.
 */
#ifndef TESTS_LIB_MYSQL_SERVER_H
#define TESTS_LIB_MYSQL_SERVER_H

#include "frazil/coordinators.h"
#include "lease/coordinator.h"
#include "lib/register_rig.h"
#include "lib/server.h"

/* Whether there is a mariadbd to start, as server_installed says. */
bool mysql_server_installed(void);

/* Makes a data folder, starts the server and waits until it answers.  options: as on its command line, ended by NULL;
 * may be NULL. */
void mysql_server_start(struct server *server, const char *const *options);

/* Starts it again in the same place. */
void mysql_server_restart(struct server *server, const char *const *options);

/* Starts one with TLS, as server_certify has it, and with a user "guarded", who has the password "s3cret" and must come
 * over TLS. */
void mysql_server_start_tls(struct server *server);

/* Makes a replica of a primary that was started with --log-bin and --server-id, and waits until it has all it has. */
void mysql_server_follow(struct server *server, const struct server *primary);

/* One command of SQL as "owner", which must succeed: the first column of the first row as text, up to 255 bytes, or
 * empty. */
const char *mysql_server_do(const struct server *server, const char *sql);

/* Asks until the answer is the one that is wanted. */
void mysql_server_await(const struct server *server, const char *sql, const char *wanted);

/* A register of the URL that printf would write. */
#define mysql_open_url(...) register_open(frazil_coordinator_mysql()->open_register, __VA_ARGS__)

/* `server`, which all tests of a file share.  Needs lib/test.h, and takes the place of BEFORE_ALL and AFTER_ALL. */
#define MYSQL_SERVER_OF_ALL                                                                                            \
    static struct server server;                                                                                       \
    BEFORE_ALL                                                                                                         \
    {                                                                                                                  \
        test_need(mysql_server_installed());                                                                           \
        mysql_server_start(&server, NULL);                                                                             \
    }                                                                                                                  \
    AFTER_ALL                                                                                                          \
    {                                                                                                                  \
        server_stop(&server);                                                                                          \
    }

#endif
