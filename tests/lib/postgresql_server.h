/* SPDX-License-Identifier: MIT */
/*
 * A real PostgreSQL, in lib/server.h.  The user "owner" may do everything, and is let
 * in without a password, as all are but "guarded", if a test creates that one.
 * postgres refuses to run as root, so as root it is run as the user that Debian's
 * package has made for it.  There only where libpq is.
 */
#ifndef TESTS_LIB_POSTGRESQL_SERVER_H
#define TESTS_LIB_POSTGRESQL_SERVER_H

#include "frazil/coordinators.h"
#include "lease/coordinator.h"
#include "lib/register_rig.h"
#include "lib/server.h"

/* Whether there is a postgres to start, as server_installed says. */
bool postgresql_server_installed(void);

/*
 * Makes a cluster, starts it and waits until it answers.  settings: "NAME=VALUE" as
 * in its configuration, ended by NULL; may be NULL.
 */
void postgresql_server_start(struct server *server, const char *const *settings);

/* Gives it a certificate of the name "localhost", FOLDER/data/server.crt, for the setting ssl=on. */
void postgresql_server_certify(const struct server *server);

/* Makes a streaming standby of another one and starts it. */
void postgresql_server_follow(struct server *server, const struct server *primary);

/* Ends it at once, with all of its processes, as a crash would: nothing is written any more. */
void postgresql_server_crash(struct server *server);

/* Starts it again in the same place. */
void postgresql_server_restart(struct server *server, const char *const *settings);

/* Ends it, and removes the folder. */
void postgresql_server_stop(struct server *server);

/* One command of SQL as "owner" in the database "postgres", which must succeed: the first column of the first row as
 * text, up to 255 bytes, or empty. */
const char *postgresql_server_do(const struct server *server, const char *sql);

/* A session of its own as "owner", for what has to be held for a while; closed by PQfinish. */
struct pg_conn *postgresql_server_session(const struct server *server);

/* Asks until the answer is the one that is wanted. */
void postgresql_server_await(const struct server *server, const char *sql, const char *wanted);

/* A register of the URL that printf would write. */
#define postgresql_open_url(...) register_open(frazil_coordinator_postgresql()->open_register, __VA_ARGS__)

/* `server`, which all tests of a file share.  Needs lib/test.h, and takes the place of BEFORE_ALL and AFTER_ALL. */
#define POSTGRESQL_SERVER_OF_ALL                                                                                       \
    static struct server server;                                                                                       \
    BEFORE_ALL                                                                                                         \
    {                                                                                                                  \
        test_need(postgresql_server_installed());                                                                      \
        postgresql_server_start(&server, NULL);                                                                        \
    }                                                                                                                  \
    AFTER_ALL                                                                                                          \
    {                                                                                                                  \
        postgresql_server_stop(&server);                                                                               \
    }

#endif
