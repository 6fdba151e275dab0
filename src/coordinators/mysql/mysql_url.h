/* SPDX-License-Identifier: MIT */
/*
 * Where a MySQL or a MariaDB is, and which namespace of it:
 *
 *   mysql://USER[:PASSWORD]@HOST[:PORT][,...]/DATABASE/NAMESPACE[?KEY=VALUE&...]
 *   mariadb://...   the same
 *
 * Nothing comes from option files or the environment.  Of several hosts the first one that may be written to is used.
 */
#ifndef FZ_COORDINATORS_MYSQL_URL_H
#define FZ_COORDINATORS_MYSQL_URL_H

#include "common/url.h"

enum {
    FZ_MYSQL_NAME_SIZE = 65, /* of a database, of a table */
    FZ_MYSQL_SHOWN_SIZE = 160
};

/* How much TLS there is to be, as MySQL's own clients call it.  libmariadb cannot demand TLS without a check of names.
 */
enum fz_mysql_tls {
    FZ_MYSQL_TLS_UNSET, /* over TCP with a password, or with a file of TLS, as VERIFY_IDENTITY; else none */
    FZ_MYSQL_TLS_DISABLED,
    FZ_MYSQL_TLS_VERIFY_IDENTITY
};

struct fz_mysql_url {
    struct fz_url common;
    char database[FZ_MYSQL_NAME_SIZE];
    char table[FZ_MYSQL_NAME_SIZE]; /* letters, digits and '_' only */
    enum fz_mysql_tls tls;
    char ca[FZ_URL_PATH_SIZE]; /* files in PEM; empty: none, or the system's */
    char cert[FZ_URL_PATH_SIZE];
    char key[FZ_URL_PATH_SIZE];
};

/* For fz_url_parse, which reads them into the common part of such a struct.  Never freed. */
extern const struct fz_url_kind *const fz_mysql_url_kind;

/* The URL without user, password and keys, for sentences; longer ones are cut. */
void fz_mysql_url_show(const struct fz_mysql_url *url, char buf[FZ_MYSQL_SHOWN_SIZE]);

#endif
