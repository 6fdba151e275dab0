/* SPDX-License-Identifier: MIT */
/*
 * A real ZooKeeper, alone, and registers over it (see server.h).  There only where
 * its client library is.
 */
#ifndef TESTS_LIB_ZOOKEEPER_SERVER_H
#define TESTS_LIB_ZOOKEEPER_SERVER_H

#include "lease/register.h"
#include "lib/server.h"

/* Whether Debian's package zookeeper and a Java are there, as server_installed says it. */
bool zookeeper_server_installed(void);

/* Starts one with these lines in its configuration, ended by NULL; may be NULL. */
void zookeeper_server_start(struct server *server, const char *const *settings);

/* Starts it again in the same place, with what was on its disk. */
void zookeeper_server_restart(struct server *server, const char *const *settings);

/* A register of the URL that printf would write. */
struct fz_register zookeeper_open_url(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
