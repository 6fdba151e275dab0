/* SPDX-License-Identifier: MIT */
/* Paths and small files: reading, writing, and files that appear with all of their content at once. */
#ifndef FZ_OS_FILE_H
#define FZ_OS_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- paths ----------------------------------------------------------------- */

/* Bytes that a path may have, terminator included. */
#define FZ_PATH_SIZE 1024

/*
 * Writes a, b and c one after the other.  0, or ENAMETOOLONG if they do not fit;
 * buf is then untouched.  buf may be a itself.
 */
FZ_PRIVATE int fz_path_join(char buf[FZ_PATH_SIZE], const char *a, const char *b, const char *c);

/* ---- reading --------------------------------------------------------------- */

/*
 * Reads a whole file into buf and puts a zero byte behind it.  0, or an errno, or of
 * fail_errno.h FZ_REFUSED_LENGTH if it does not fit into size - 1 bytes and
 * FZ_REFUSED_FIFO for a FIFO, on which it could wait for ever.
 */
FZ_PRIVATE int fz_file_read(const char *path, char *buf, size_t size, size_t *ret_len);

/* Whether a file that another library is to read can be read: 0, an errno or FZ_REFUSED_FIFO. */
FZ_PRIVATE int fz_file_check(const char *path);

/* Reads at most size bytes from the beginning of a file.  0 or an errno. */
FZ_PRIVATE int fz_file_read_first(int fd, void *buf, size_t size, size_t *ret_len);

/*
 * Whether a file may hold a secret: 0, FZ_REFUSED_SECRET or an errno.  It is for its owner alone; the group may read it
 * if root owns it.  On a file system that is mounted read-only its mode does not count: containers are given their
 * secrets in this way, with modes that nobody in them can change.
 */
FZ_PRIVATE int fz_file_check_secret(int fd);

/* fz_file_read of a file that holds a secret, and is refused as that says.  The caller wipes buf. */
FZ_PRIVATE int fz_file_read_secret(const char *path, char *buf, size_t size, size_t *ret_len);

/*
 * When a file that is open was made, in nanoseconds of some clock.  A copy has another number, also one that a
 * container makes of a file of its image, which keeps the inode's number.  0: the file system does not tell.
 */
FZ_PRIVATE uint64_t fz_file_birth(int fd);

/* Whether something has that name, even a link that leads nowhere.  False also where the folder may not be entered.
 */
FZ_PRIVATE bool fz_file_exists(const char *path);

/* ---- writing, without a signal to the program ------------------------------ */

/*
 * Writes all of buf at an offset of a file that is open for writing.  0 or an errno.  Where the file would become
 * larger than the process's limit, that is EFBIG and not the death of the process (SIGXFSZ); so it is below.
 */
FZ_PRIVATE int fz_file_write(int fd, uint64_t offset, const void *buf, size_t len);

/* Gives a file that many bytes of the disk, so that a full disk is an error now and no SIGBUS later.  0 or an errno. */
FZ_PRIVATE int fz_file_reserve(int fd, uint64_t size);

/* Brings what was written to a file to the disk, but not its name.  0 or an errno. */
FZ_PRIVATE int fz_file_sync(int fd);

/* ---- new files ------------------------------------------------------------- */

/*
 * They are written as PATH.new and renamed.  A process that dies half way
 * leaves a PATH.new, which the next one writes anew.  One maker at a time: hold the file's
 * guard.  Paths are absolute.
 */

/*
 * Opens a PATH.new for reading and writing, for its owner alone.  One that is
 * there is removed, not emptied: it may be another name of some other file.  0 or
 * an errno.
 */
FZ_PRIVATE int fz_new_file_begin(const char *path, int *ret_fd);

/* Gives it up: closes and removes it. */
FZ_PRIVATE void fz_new_file_abandon(const char *path, int fd);

/* Gives it its name, in place of any file that has it.  0 or an errno. */
FZ_PRIVATE int fz_new_file_publish(const char *path);

/* The same, and it is still there after a loss of power. */
FZ_PRIVATE int fz_new_file_publish_durably(const char *path, int fd);

/* Makes a name durable whose creator may not have done so.  0 or an errno. */
FZ_PRIVATE int fz_new_file_sync_name(const char *path);

#endif
