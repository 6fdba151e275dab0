/* SPDX-License-Identifier: MIT */
/* The time in a Date header, as every HTTP server writes it. */
#ifndef FZ_COORDINATORS_ETCD_DATE_H
#define FZ_COORDINATORS_ETCD_DATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Reads exactly len characters of the form "Sun, 06 Nov 1994 08:49:37 GMT" as seconds
 * since 1970; the name of the day is not compared with the date.  false: they are no
 * such text, and nothing has changed.  Pure; any thread.
 */
bool fz_etcd_date_read(const char *text, size_t len, int64_t *ret_unix_s);

#endif
