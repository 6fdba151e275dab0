/* SPDX-License-Identifier: MIT */
/*
 * A real redis-server; see lib/server.h for how it is ended.
 */
#ifndef TESTS_LIB_REDIS_SERVER_H
#define TESTS_LIB_REDIS_SERVER_H

#include "lib/server.h"

/* server_installed of it. */
bool redis_server_installed(void);

/*
 * Starts one and waits until it answers.  arguments: further options in pairs as
 * on its command line, ended by NULL; may be NULL.
 */
void redis_server_start(struct server *server, const char *const *arguments);

/* Starts it again in the same place, after server_kill. */
void redis_server_restart(struct server *server, const char *const *arguments);

/* Its socket, in a buffer that the next call overwrites. */
const char *redis_server_socket(const struct server *server);

/* Sends one command, words separated by spaces, and returns the reply as text (up to 255 bytes), errors with a '-'. */
const char *redis_server_ask(const struct server *server, const char *command);

#endif
