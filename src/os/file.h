/* SPDX-License-Identifier: MIT */
/* Small files. */
#ifndef FZ_OS_FILE_H
#define FZ_OS_FILE_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Reads a whole file into buf and puts a zero byte behind it.  0, or an errno;
 * EFBIG if it does not fit into size - 1 bytes; FZ_REFUSED_FIFO (fail_errno.h) for
 * a FIFO, on which it could wait for ever.
 */
int fz_file_read(const char *path, char *buf, size_t size, size_t *ret_len);

/*
 * Whether a file may hold a secret: 0, FZ_REFUSED_SECRET or an errno.  It is for its owner alone; the group may read it
 * if root owns it.  On a file system that is mounted read-only its mode does not count: containers are given their
 * secrets in this way, with modes that nobody in them can change.
 */
int fz_file_check_secret(int fd);

/* fz_file_read of a file that holds a secret, and is refused as that says.  The caller wipes buf. */
int fz_file_read_secret(const char *path, char *buf, size_t size, size_t *ret_len);

/* Whether something has that name, if only a link that leads nowhere.  False also where the folder may not be entered.
 */
bool fz_file_exists(const char *path);

#endif
