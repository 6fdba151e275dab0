/* SPDX-License-Identifier: MIT */
/* What the tests over a real etcd share.  There only where libcurl and jansson are. */
#ifndef TESTS_LIB_ETCD_RIG_H
#define TESTS_LIB_ETCD_RIG_H

#include "lib/etcd_server.h"
#include "registers/etcd/etcd_register.h"

/* A register of the URL that printf would write. */
struct fz_register etcd_open_url(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Closes it. */
void etcd_close(const struct fz_register *reg);

/* What the last of the following said. */
extern frazil_error etcd_said;

/* Swaps a record to a text, and reads one; those that must fail the test if they do not succeed. */
enum fz_register_result etcd_swap(const struct fz_register *reg, uint32_t number, uint64_t expected, const char *text,
                                  uint64_t *ret_version);
uint64_t etcd_must_swap(const struct fz_register *reg, uint32_t number, uint64_t expected, const char *text);
enum fz_register_result etcd_read(const struct fz_register *reg, uint32_t number, struct fz_record *ret);
struct fz_record etcd_must_read(const struct fz_register *reg, uint32_t number);

/* Fails the test unless these words were said. */
void etcd_assert_said(const char *words);

#endif
