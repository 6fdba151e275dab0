/* SPDX-License-Identifier: MIT */
/*
 * A real server, started by the test on a free port of the loopback, with a folder
 * of its own, and ended by its process id.  Its output goes to FOLDER/log.
 * A server that a failed test leaves running ends with the test program, on Linux also when that is killed.  Started by
 * a thread, it ends with the thread.
 */
#ifndef TESTS_LIB_SERVER_H
#define TESTS_LIB_SERVER_H

#include <pwd.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct server {
    pid_t pid; /* 0: not running */
    uint16_t port;
    char folder[64];
};

/*
 * Whether there is such a program in $PATH, or of that absolute path.  If not,
 * says so; with TEST_SKIP_NOTHING in the environment the test fails.
 */
bool server_installed(const char *program);

/* Readies one: a folder of its own, empty, and a port.  name is for the folder's name. */
void server_prepare(struct server *server, const char *name);

/* Runs argv (ended by NULL) in its folder, and waits until `answers` says so; the test fails when it does not. */
void server_run(struct server *server, const char *const *argv, bool (*answers)(const struct server *server));

/* Runs another program in its folder to its end, what it prints going to the log; whether it says that all is well. */
bool server_command(const struct server *server, const char *const *argv);

/* Makes in its folder ids.pem, a certificate for 127.0.0.1 that is its own CA, and ids.key.  All may read both. */
void server_certify(const struct server *server);

enum { SERVER_ARGUMENTS_MAX = 48 };

/* For servers that do not run as root: the user to run them as where we are root (of this name, or else nobody); else
 * NULL. */
const struct passwd *server_user(const char *name);

/*
 * Writes `wanted` (ended by NULL) to argv.  Where we are root, what runs it as that user stands in front; it then gets
 * this signal when the test ends, because the kernel forgets that of server_run with the change of user.
 */
void server_as_user(const char *name, const char *end_signal, const char *const *wanted,
                    const char *argv[SERVER_ARGUMENTS_MAX]);

/* Ends it as `kill -9` does.  Its folder and its port stay. */
void server_kill(struct server *server);

/* Kills it, and empties its folder. */
void server_wipe(struct server *server);

/* Kills it, and removes the folder. */
void server_stop(struct server *server);

/* A port of the loopback on which nobody listens, and that no test is given again while this process lives. */
uint16_t free_port(void);

#endif
