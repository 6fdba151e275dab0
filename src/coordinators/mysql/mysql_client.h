/* SPDX-License-Identifier: MIT */
/* A client of libmariadb's that is not connected yet, with all options that its URL asks for. */
#ifndef FZ_COORDINATORS_MYSQL_CLIENT_H
#define FZ_COORDINATORS_MYSQL_CLIENT_H

#include "mysql_url.h"

struct st_mysql;

/* Waits for a socket in TLS's handshake, as MARIADB_OPT_IO_WAIT wants it. */
typedef int fz_mysql_wait(int fd, char is_read, int timeout);

/*
 * Makes one that gives up after so many seconds where it waits by itself; mysql_close frees it.  NULL: no memory, or
 * libmariadb does not take an option: none is passed over, as without it the login may be weaker.
 */
struct st_mysql *fz_mysql_client_new(const struct fz_mysql_url *url, unsigned timeout_s, fz_mysql_wait *wait);

#endif
