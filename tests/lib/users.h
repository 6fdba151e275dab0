/* SPDX-License-Identifier: MIT */
/* Other users of this host, for tests that root runs. */
#ifndef TESTS_LIB_USERS_H
#define TESTS_LIB_USERS_H

#include <sys/types.h>

/* Lets a child of the test go on as that user, without root's groups; it is still bound to its test. */
void become(uid_t uid);

/* Carries something out in a child that is that user, and returns what it returns; 99: it could not become that user.
 */
int as_user(uid_t uid, int (*act)(void *ctx), void *ctx);

#endif
