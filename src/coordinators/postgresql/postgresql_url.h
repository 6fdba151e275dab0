/* SPDX-License-Identifier: MIT */
/*
 * Where a PostgreSQL is, and which namespace of it:
 *
 *   postgres://[USER[:PASSWORD]@][HOST[:PORT][,...]]/DATABASE/NAMESPACE[?KEY=VALUE&...]
 *   postgresql://...   the same
 *
 * libpq finds the parts that the URL leaves out where it always does: PGHOST and the like,
 * PGSERVICE, PGPASSFILE and ~/.pgpass.  Of several hosts the first one that may be
 * written to is used.
 */
#ifndef FZ_COORDINATORS_POSTGRESQL_URL_H
#define FZ_COORDINATORS_POSTGRESQL_URL_H

#include "common/url.h"

enum {
    FZ_POSTGRESQL_NAME_SIZE = 64, /* of a database, of half a table's name */
    FZ_POSTGRESQL_TABLE_SIZE = 2 * FZ_POSTGRESQL_NAME_SIZE + 4
};

/* Texts that are empty were not given: libpq has its own defaults, for host and port, too. */
struct fz_postgresql_url {
    struct fz_url common;
    char database[FZ_POSTGRESQL_NAME_SIZE];
    char table[FZ_POSTGRESQL_TABLE_SIZE]; /* as SQL writes it: "public"."frazil_lease" */
    char sslmode[16];
    char sslrootcert[FZ_URL_PATH_SIZE];
    char sslcert[FZ_URL_PATH_SIZE];
    char sslkey[FZ_URL_PATH_SIZE];
};

/* For fz_url_parse, which reads them into the common part of such a struct.  Never freed. */
extern const struct fz_url_kind *const fz_postgresql_url_kind;

/* Bytes of a URL that is shown, terminator included; longer ones are cut. */
#define FZ_POSTGRESQL_SHOWN_SIZE 160

/* The URL without user, password and keys, for sentences. */
void fz_postgresql_url_show(const struct fz_postgresql_url *url, char buf[FZ_POSTGRESQL_SHOWN_SIZE]);

#endif
