/* SPDX-License-Identifier: MIT */
/*
 * A real redis-server, started by the test on a free port of the loopback, with a
 * folder of its own, and ended by its process id.
 */
#ifndef TESTS_LIB_REDIS_SERVER_H
#define TESTS_LIB_REDIS_SERVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct redis_server {
    pid_t pid; /* 0: not running */
    uint16_t port;
    char folder[64];
    char socket[96];
};

/*
 * Whether there is a redis-server to start.  If not, says so; with
 * FRAZIL_SKIP_NOTHING in the environment the test fails.
 */
bool redis_server_installed(void);

/*
 * Starts one and waits until it answers.  arguments: further options in pairs as
 * on its command line, ended by NULL; may be NULL.
 */
void redis_server_start(struct redis_server *server, const char *const *arguments);

/* Ends it as `kill -9` does.  Its folder and its port stay. */
void redis_server_kill(struct redis_server *server);

/* Starts it again in the same place. */
void redis_server_restart(struct redis_server *server, const char *const *arguments);

/* Kills it, and removes the folder. */
void redis_server_stop(struct redis_server *server);

/* Sends one command, words separated by spaces, and returns the reply as text (up to 255 bytes), errors with a '-'. */
const char *redis_server_ask(const struct redis_server *server, const char *command);

/* A port of the loopback on which nobody listens. */
uint16_t free_port(void);

#endif
