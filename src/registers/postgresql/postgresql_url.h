/* SPDX-License-Identifier: MIT */
/*
 * Where a PostgreSQL is, and which namespace of it (see also registers/common/url.h):
 *
 *   postgres://[USER[:PASSWORD]@][HOST[:PORT][,...]]/DATABASE/NAMESPACE[?KEY=VALUE&...]
 *   postgresql://...   the same
 *
 *   timeout, password_file, user
 *   host=/FOLDER     where the server's socket is, instead of a HOST
 *   table=NAME       the table, NAME or SCHEMA.NAME; default frazil_lease, where search_path leads
 *   sslmode=, sslrootcert=, sslcert=, sslkey=
 *                    as in libpq
 *
 * What the URL does not say libpq finds where it always does: PGHOST and the like,
 * PGSERVICE, PGPASSFILE and ~/.pgpass.  Of several hosts the first one that may be
 * written to is used.
 */
#ifndef FZ_REGISTERS_POSTGRESQL_URL_H
#define FZ_REGISTERS_POSTGRESQL_URL_H

#include "common/url.h"

enum {
    FZ_POSTGRESQL_HOSTS_MAX = 8,
    FZ_POSTGRESQL_NAME_SIZE = 64, /* of a database, of half a table's name */
    FZ_POSTGRESQL_TABLE_SIZE = 2 * FZ_POSTGRESQL_NAME_SIZE + 4
};

/* Texts that are empty were not given. */
struct fz_postgresql_url {
    struct fz_url_host hosts[FZ_POSTGRESQL_HOSTS_MAX]; /* a name may be empty, a port 0: libpq's default; or a folder */
    size_t host_count;                                 /* 1 .. FZ_POSTGRESQL_HOSTS_MAX */
    struct fz_url_access access;
    char database[FZ_POSTGRESQL_NAME_SIZE];
    char name[FZ_URL_NAMESPACE_SIZE];
    char table[FZ_POSTGRESQL_TABLE_SIZE]; /* as SQL writes it, quoted: "frazil_lease" */
    char sslmode[16];
    char sslrootcert[FZ_URL_PATH_SIZE];
    char sslcert[FZ_URL_PATH_SIZE];
    char sslkey[FZ_URL_PATH_SIZE];
};

/*
 * Reads a URL, and the password file that it names.  FRAZIL_ESPEC: what is wrong
 * with it; FRAZIL_ESYS: the file cannot be read.  The caller wipes *ret when he is
 * done with it.
 */
frazil_err fz_postgresql_url_parse(const char *text, struct fz_postgresql_url *ret, frazil_error *reterr);

/* Bytes of a URL that is shown, terminator included; longer ones are cut. */
#define FZ_POSTGRESQL_SHOWN_SIZE 160

/* The URL without user, password and keys, for sentences. */
void fz_postgresql_url_show(const struct fz_postgresql_url *url, char buf[FZ_POSTGRESQL_SHOWN_SIZE]);

#endif
