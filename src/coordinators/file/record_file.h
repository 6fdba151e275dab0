/* SPDX-License-Identifier: MIT */
/*
 * The file of one record.  It has two slots, a page apart, which take turns, so that a write that is torn leaves the
 * record of before.  The file has its size from the beginning and is written in place: a disk that is full does not
 * matter to a record that is there.
 *
 *     0     "frazil-record VERSION DATA\n", then zeros
 *     1020  CRC-32 of all before it, the lowest byte first
 *     4096  the same once more; the slot of odd versions
 *
 * The record with the higher version counts.
 */
#ifndef FZ_COORDINATORS_RECORD_FILE_H
#define FZ_COORDINATORS_RECORD_FILE_H

#include "lease/register.h"

#define FZ_RECORD_SLOT_SIZE 1024
#define FZ_RECORD_SLOT_DISTANCE 4096 /* a disk may tear a whole block of that size */
#define FZ_RECORD_FILE_SIZE (2 * FZ_RECORD_SLOT_DISTANCE)

enum fz_record_form {
    FZ_RECORD_ABSENT,
    FZ_RECORD_SLOTS,
    FZ_RECORD_DAMAGED /* or somebody else's; or both slots were written while they were read */
};

/* How far a write has come when it fails. */
enum fz_record_step {
    FZ_RECORD_NOT_DONE, /* nobody reads the new record, now or after a loss of power */
    FZ_RECORD_PERHAPS   /* it may be read, and may not be durable */
};

/* Reads the content of a file, which exists. */
FZ_PRIVATE enum fz_record_form fz_record_file_parse(const char *content, size_t len, struct fz_record *ret);

/* 0 or an errno.  *ret is set if there is a record: version 0 if the file is absent. */
FZ_PRIVATE int fz_record_file_read(const char *path, struct fz_record *ret, enum fz_record_form *ret_form);

/*
 * Makes the file with that record, in place of any that is there, durably.  0 or an errno; *ret_step: how far it has
 * come.  Inside the guard.
 */
FZ_PRIVATE int fz_record_file_create(const char *path, const struct fz_record *record, enum fz_record_step *ret_step);

/* Writes a record durably into its slot of an open file, whose name is durable already.  As fz_record_file_create. */
FZ_PRIVATE int fz_record_file_write(int fd, const struct fz_record *record, enum fz_record_step *ret_step);

#endif
