/* SPDX-License-Identifier: MIT */
/* The environment, as far as it may be trusted. */
#ifndef FZ_OS_ENVIRONMENT_H
#define FZ_OS_ENVIRONMENT_H

#include <stdbool.h>

/*
 * The value of an environment variable; NULL: it is not set, or the environment is not to be trusted.  It lies in the
 * environment, and lives as long as there.  Any thread, unless another one changes the environment.
 */
const char *fz_environment(const char *name);

/*
 * Whether the program has rights that the user who started it does not have (set-user-ID, set-group-ID, file
 * capabilities).  Then that user, who chose the environment, must not choose files and worker ids for it.  Where the
 * system does not tell what it was at the start, the user ids of now decide.
 */
bool fz_environment_is_foreign(void);

/* The variables, "NAME=VALUE" and NULL behind the last; an empty list where the environment is not to be trusted. */
char *const *fz_environment_all(void);

#endif
