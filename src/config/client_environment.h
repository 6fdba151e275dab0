/* SPDX-License-Identifier: MIT */
/*
 * The variables by which a coordinator's client library completes a URL, so that one URL may lead to two coordinators,
 * or to two tables of one.  Only PostgreSQL's does so: the others are told everything.
 */
#ifndef FZ_CONFIG_CLIENT_ENVIRONMENT_H
#define FZ_CONFIG_CLIENT_ENVIRONMENT_H

#include <stdbool.h>

typedef void (*fz_variable_visitor)(void *ctx, const char *variable);

/*
 * Calls visit for each "NAME=VALUE" that may decide where the URL leads, in the order of the names.  More of them than
 * matter, so that a variable of a later libpq counts as well.
 */
FZ_PRIVATE void fz_client_environment(const char *url, fz_variable_visitor visit, void *ctx);

/* Whether the client reads where to connect from files that it alone finds, so that two processes cannot be compared.
 */
FZ_PRIVATE bool fz_client_reads_files(const char *url);

#endif
