/* SPDX-License-Identifier: MIT */
/*
 * Files of the library's own.  Most are for their owner alone: a process that can
 * open a file can also lock it, and one that can write to a mapped file writes
 * into this process.
 */
#ifndef FZ_OS_OWN_FILE_H
#define FZ_OS_OWN_FILE_H

#include <stdbool.h>
#include <sys/stat.h>

#include "kept_fd.h"

/*
 * open with O_CLOEXEC and mode 0600, which follows no symbolic link at the end of
 * the path, never waits (for the other end of a FIFO) and is not interrupted.  The
 * descriptor is above 2, so that a program that was started without standard
 * output does not print into the file.
 *
 * 0 or an errno, or one of enum fz_file_refusal (fail_errno.h): the file must be a
 * regular one of one name, of the effective user's or root's, which nobody else
 * may write to.
 */
FZ_PRIVATE int fz_own_file_open(const char *path, int flags, int *ret_fd);

/*
 * The same; the file is kept.  One look at it answers all that is asked of it; *ret_status (may be NULL) is what that
 * look saw.
 */
FZ_PRIVATE int fz_own_file_keep(const char *path, int flags, struct fz_kept_fd *ret, struct stat *ret_status);

/* The same, but a file that is made can be read by everybody, as far as the umask lets it. */
FZ_PRIVATE int fz_own_file_keep_open_to_all(const char *path, int flags, struct fz_kept_fd *ret,
                                            struct stat *ret_status);

/*
 * Opens a file to read or to lock it, in the same way, whosoever it is.  0, an errno, FZ_REFUSED_KIND or
 * FZ_REFUSED_LINK.
 */
FZ_PRIVATE int fz_own_file_open_any(const char *path, int *ret_fd, struct stat *ret_status);

/* The same for a directory, to sync it; whose it is does not matter. */
FZ_PRIVATE int fz_own_file_open_directory(const char *path, int *ret_fd);

/* Whether a file or directory of that status belongs to the effective user or to root. */
FZ_PRIVATE bool fz_own_file_is_trusted(const struct stat *status);

/* 0 if the file that is kept is the one that has this path now; ESTALE if it is not; or another errno. */
FZ_PRIVATE int fz_own_file_at(const struct fz_kept_fd *kept, const char *path);

/*
 * flock(LOCK_SH, LOCK_EX or LOCK_UN) that never waits and is not interrupted.  0
 * or an errno; EWOULDBLOCK: another process holds it.
 */
FZ_PRIVATE int fz_own_file_lock(int fd, int operation);

/*
 * Gives its lock up and closes it, as fz_kept_fd_close does.  Closing alone would leave the lock to a child that was
 * forked meanwhile.
 */
FZ_PRIVATE void fz_own_file_unlock_and_close(struct fz_kept_fd *kept);

/*
 * Whether no other process has a lock on it.  0 or an errno; EWOULDBLOCK: one has.
 * No lock of ours is left on it, either: a child that was forked meanwhile would
 * hold that for as long as it lives.
 */
FZ_PRIVATE int fz_own_file_try(int fd);

#endif
