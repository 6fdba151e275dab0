/* SPDX-License-Identifier: MIT */
/* Writing to a file of the library's own, without a signal to the program. */
#ifndef FZ_OS_WRITE_FILE_H
#define FZ_OS_WRITE_FILE_H

#include <stddef.h>
#include <stdint.h>

/*
 * Writes all of buf at an offset of a file that is open for writing.  0 or an errno.  Where the file would become
 * larger than the process's limit, that is EFBIG and not the death of the process (SIGXFSZ); so it is below.
 */
int fz_file_write(int fd, uint64_t offset, const void *buf, size_t len);

/* Gives a file that many bytes of the disk, so that a full disk is an error now and no SIGBUS later.  0 or an errno. */
int fz_file_reserve(int fd, uint64_t size);

#endif
