/* SPDX-License-Identifier: MIT */
/*
 * Real ZooKeepers, alone or as an ensemble, and registers over them (see server.h).  There only where
 * its client library is.
 */
#ifndef TESTS_LIB_ZOOKEEPER_SERVER_H
#define TESTS_LIB_ZOOKEEPER_SERVER_H

#include <stddef.h>

#include "coordinators/zookeeper/zookeeper_register.h"
#include "lib/register_rig.h"
#include "lib/server.h"

/* Whether Debian's package zookeeper and a Java are there, as server_installed says it. */
bool zookeeper_server_installed(void);

/* Starts one with these lines in its configuration, ended by NULL; may be NULL. */
void zookeeper_server_start(struct server *server, const char *const *settings);

/* Starts it again in the same place, with what was on its disk. */
void zookeeper_server_restart(struct server *server, const char *const *settings);

/* Its answer to four letters, such as "srvr" (see 4lw.commands.whitelist); empty if it does not. */
const char *zookeeper_server_ask(const struct server *server, const char *letters);

/* Waits until the answer to these letters holds these words; fails the test if it never does. */
void zookeeper_server_await(const struct server *server, const char *letters, const char *words);

/* Starts an ensemble of n, with data folders and ports of their own. */
void zookeeper_ensemble_start(struct server *servers, size_t n);

/* One server of an ensemble of three, the others of which are not there: it answers, and serves nobody. */
void zookeeper_minority_start(struct server *server);

/* Makes a node with these permissions, as another client would; NULL for the data: it is there and only gets them. */
struct ACL_vector;
void zookeeper_server_put(const struct server *server, const char *path, const char *data, struct ACL_vector *acl);

/* A register of the URL that printf would write. */
#define zookeeper_open_url(...) register_open(fz_zookeeper_register_open, __VA_ARGS__)

#endif
