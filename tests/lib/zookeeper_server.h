/* SPDX-License-Identifier: MIT */
/*
 * Real ZooKeepers, alone or as an ensemble, and registers over them (see server.h).  There only where
 * its client library is.
 */
#ifndef TESTS_LIB_ZOOKEEPER_SERVER_H
#define TESTS_LIB_ZOOKEEPER_SERVER_H

#include <stddef.h>

#include "lease/register.h"
#include "lib/server.h"

/* Whether Debian's package zookeeper and a Java are there, as server_installed says it. */
bool zookeeper_server_installed(void);

/* Starts one with these lines in its configuration, ended by NULL; may be NULL. */
void zookeeper_server_start(struct server *server, const char *const *settings);

/* Starts it again in the same place, with what was on its disk. */
void zookeeper_server_restart(struct server *server, const char *const *settings);

/* What it answers to four letters, such as "srvr" (see 4lw.commands.whitelist); empty if it does not. */
const char *zookeeper_server_ask(const struct server *server, const char *letters);

/* Waits until the answer to these letters holds these words; fails the test if it never does. */
void zookeeper_server_await(const struct server *server, const char *letters, const char *words);

/* Starts an ensemble of n, with data folders and ports of their own. */
void zookeeper_ensemble_start(struct server *servers, size_t n);

/* A register of the URL that printf would write. */
struct fz_register zookeeper_open_url(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
