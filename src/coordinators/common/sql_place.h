/* SPDX-License-Identifier: MIT */
/* The common form of URLs of SQL databases: SCHEME://[HOSTS]/DATABASE/NAMESPACE. */
#ifndef FZ_COORDINATORS_COMMON_SQL_PLACE_H
#define FZ_COORDINATORS_COMMON_SQL_PLACE_H

#include "url.h"

/* Reads the hosts; without any there is one, which has no name.  Errors as fz_url_read_hosts. */
FZ_PRIVATE frazil_err fz_sql_place_read_hosts(const struct fz_url_kind *kind, struct fz_url_piece place,
                                              struct fz_url *url, frazil_error *reterr);

/* Reads DATABASE/NAMESPACE; the database, with its 0, into `size` bytes.  FRAZIL_ESPEC. */
FZ_PRIVATE frazil_err fz_sql_place_read_path(const struct fz_url_kind *kind, struct fz_url_piece path,
                                             struct fz_url *url, char *ret_database, size_t size, frazil_error *reterr);

/* Writes the URL as it is shown to people, without its password and its keys. */
FZ_PRIVATE void fz_sql_place_show(const struct fz_url_kind *kind, const struct fz_url *url, const char *database,
                                  char *buf, size_t size);

#endif
