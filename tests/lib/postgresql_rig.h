/* SPDX-License-Identifier: MIT */
/* What the tests over a real PostgreSQL share.  There only where libpq is. */
#ifndef TESTS_LIB_POSTGRESQL_RIG_H
#define TESTS_LIB_POSTGRESQL_RIG_H

#include "lib/postgresql_server.h"
#include "registers/postgresql/postgresql_register.h"

/* A register of the URL that printf would write. */
struct fz_register postgresql_open_url(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Closes it. */
void postgresql_close(struct fz_register *reg);

/* Makes its table. */
void postgresql_prepare_table(const struct fz_register *reg);

/* Swaps record 0 to a text, and reads it.  What was said of it is kept for postgresql_assert_said. */
enum fz_register_result postgresql_swap(const struct fz_register *reg, uint64_t expected, const char *text,
                                        uint64_t *ret_version);
enum fz_register_result postgresql_read_first(const struct fz_register *reg, struct fz_record *ret);

/* Swaps record 0, which must succeed, and returns its version. */
uint64_t postgresql_must_swap(const struct fz_register *reg, uint64_t expected, const char *text);

/* What the last swap or read said. */
const char *postgresql_said(void);

/* Fails the test unless it holds these words. */
void postgresql_assert_said(const char *words);

/* What the coordinator tells about itself. */
struct fz_register_status postgresql_status_of(const struct fz_register *reg);

#endif
