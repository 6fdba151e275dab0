/* SPDX-License-Identifier: MIT */
/*
 * MySQL and MariaDB as a dialect of common/sql_register.h: one InnoDB table, by default frazil_lease.  A server that is
 * read-only is not asked.
 *
 * The incarnation is ID.HOST.PORT.START.TABLE: the server_id, a checksum of its host
 * name, its port, when it was started, and when the table was made.  It changes when a
 * replica was promoted, when a server was started again with whatever disk, or when
 * the table was made again: then a swap that was answered may be lost.
 */
#ifndef FZ_COORDINATORS_MYSQL_REGISTER_H
#define FZ_COORDINATORS_MYSQL_REGISTER_H

#include "lease/coordinator.h"

/*
 * Makes a register of a URL (see mysql_url.h), without connecting; as open_register in
 * lease/coordinator.h.  FRAZIL_ESPEC, ESYS: the URL or its password file; FRAZIL_ENOMEM;
 * FRAZIL_ENOTBUILT: the environment names code, and is not to be trusted.
 */
frazil_err fz_mysql_register_open(const char *url, struct fz_register *ret, char *ret_name, frazil_error *reterr);

#endif
