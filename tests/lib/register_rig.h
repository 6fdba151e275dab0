/* SPDX-License-Identifier: MIT */
/* Short forms for one register: open, swap, read, and the last error. */
#ifndef TESTS_LIB_REGISTER_RIG_H
#define TESTS_LIB_REGISTER_RIG_H

#include <stdarg.h>

#include "lease/lease.h"
#include "lease/register.h"

/* Opens a register of a URL, as frazil_coordinator's open_register does. */
typedef frazil_err (*register_opener)(const char *url, struct fz_register *ret, char *ret_name, frazil_error *reterr);

/* A URL as vprintf would write it; fails the test if it is too long, or empty. */
enum { REGISTER_URL_SIZE = 512 };
void register_url(char ret[REGISTER_URL_SIZE], const char *format, va_list args) __attribute__((format(printf, 2, 0)));

/* A register of the URL that printf would write; fails the test if there is none. */
struct fz_register register_open(register_opener opener, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Closes it. */
void register_close(const struct fz_register *reg);

/* The error of the last of the following. */
extern frazil_error register_said;

/* Swaps a record to a text, and reads one; those that must fail the test if they do not succeed. */
enum fz_register_result register_swap(const struct fz_register *reg, uint32_t number, uint64_t expected,
                                      const char *text, uint64_t *ret_version);
uint64_t register_must_swap(const struct fz_register *reg, uint32_t number, uint64_t expected, const char *text);
enum fz_register_result register_read(const struct fz_register *reg, uint32_t number, struct fz_record *ret);
struct fz_record register_must_read(const struct fz_register *reg, uint32_t number);

/* Visitors of records: one that leaves the version of each below 4 in an array of four, and one that does nothing. */
void register_note_versions(void *ctx, uint32_t number, const struct fz_record *record);
void register_ignore(void *ctx, uint32_t number, const struct fz_record *record);

/* Prepares it, as what needs a table does; it must succeed. */
void register_prepare(const struct fz_register *reg);

/* Creates its namespace, as `frazil lease init --never-used` does. */
frazil_err register_init(const struct fz_register *reg, frazil_error *reterr);

/* The status that the coordinator tells. */
struct fz_register_status register_status_of(const struct fz_register *reg);

/* Fails the test unless the record is this one. */
void register_assert_record(const struct fz_register *reg, uint32_t number, uint64_t version, const char *text);

/* Fails the test unless a child of this process, which drops what it inherited, reads this version of record 0. */
void register_assert_child_reads(const struct fz_register *reg, uint64_t version);

/* Fails the test unless these words were said, or if a password was ("s3cret", in all tests). */
void register_assert_said(const char *words);

#endif
