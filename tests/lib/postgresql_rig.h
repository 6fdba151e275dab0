/* SPDX-License-Identifier: MIT */
/* What the tests over a real PostgreSQL share.  There only where libpq is. */
#ifndef TESTS_LIB_POSTGRESQL_RIG_H
#define TESTS_LIB_POSTGRESQL_RIG_H

#include "lib/postgresql_server.h"
#include "registers/postgresql/postgresql_register.h"

/* A register of the URL that printf would write. */
struct fz_register postgresql_open_url(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Makes its table. */
void postgresql_prepare_table(const struct fz_register *reg);

#endif
