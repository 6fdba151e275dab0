/* SPDX-License-Identifier: MIT */
/*
 * How a register keeps a record where its coordinator keeps bytes: the text "VERSION DATA", under a name that is the
 * record's number, or "namespace".  Pure.
 */
#ifndef FZ_LEASE_RECORD_TEXT_H
#define FZ_LEASE_RECORD_TEXT_H

#include <stdbool.h>

#include "core/decimal.h"
#include "register.h"

/* Bytes of a record's name, terminator included. */
#define FZ_RECORD_NAME_SIZE 11

/* The most bytes of its text; it has no terminator. */
#define FZ_RECORD_TEXT_SIZE (FZ_DECIMAL_MAX_LEN + 1 + FZ_RECORD_SIZE_MAX)

/* Writes the name of a record. */
FZ_PRIVATE void fz_record_name_write(uint32_t number, char ret[FZ_RECORD_NAME_SIZE]);

/* Reads it, strictly.  false: it is no record's; *ret is then untouched. */
FZ_PRIVATE bool fz_record_name_read(const char *name, size_t len, uint32_t *ret);

/* Writes the text of version and data, of at most FZ_RECORD_SIZE_MAX bytes.  Returns its length. */
FZ_PRIVATE size_t fz_record_text_write(uint64_t version, const char *data, size_t len, char ret[FZ_RECORD_TEXT_SIZE]);

/* Reads it, strictly; version 0 is none.  false: it was not written by frazil; *ret is then untouched. */
FZ_PRIVATE bool fz_record_text_read(const char *text, size_t len, struct fz_record *ret);

#endif
