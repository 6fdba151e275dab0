/* SPDX-License-Identifier: MIT */
/*
 * A real etcd, a cluster of one member unless the arguments say otherwise; see lib/server.h for
 * how it is ended.
 */
#ifndef TESTS_LIB_ETCD_SERVER_H
#define TESTS_LIB_ETCD_SERVER_H

#include "frazil/coordinators.h"
#include "lease/coordinator.h"
#include "lib/register_rig.h"
#include "lib/server.h"

/* server_installed of it, and of etcdctl. */
bool etcd_server_installed(void);

/*
 * Starts one and waits until it serves clients.  arguments: further options as on its
 * command line, ended by NULL, which go before its own; may be NULL.
 */
void etcd_server_start(struct server *server, const char *const *arguments);

/* Starts it again in the same place, after server_kill; launch does not wait for it. */
void etcd_server_restart(struct server *server, const char *const *arguments);
void etcd_server_launch(struct server *server, const char *const *arguments);

/* Runs etcdctl with these words, separated by single spaces; whether it says that all is well. */
bool etcd_server_control(const struct server *server, const char *words);

/* etcd_server_control; the test fails unless it says that all is well. */
void etcd_server_must(const struct server *server, const char *words);

/* A register of the URL that printf would write. */
#define etcd_open_url(...) register_open(frazil_coordinator_etcd()->open_register, __VA_ARGS__)

#endif
