/* SPDX-License-Identifier: MIT */
/*
 * The daemon as a target has it: what its threads share, with a generator `main` that needs no files.
 */
#ifndef TESTS_FUZZ_DAEMON_RIG_H
#define TESTS_FUZZ_DAEMON_RIG_H

#include "server.h"

/*
 * Prepares what threads share, with an address to listen on, which it does not open.  With users, there is `shop`,
 * whose token is "hunter2".  It stays for the life of the process.
 */
void daemon_rig_open(struct server *ret, enum protocol protocol, const char *address, bool has_users);

#endif
