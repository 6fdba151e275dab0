/* SPDX-License-Identifier: MIT */
/*
 * Files of the library's own.  They are for their owner alone, because whoever
 * can open a file can also lock it.
 */
#ifndef FZ_OS_OWN_FILE_H
#define FZ_OS_OWN_FILE_H

/*
 * open with O_CLOEXEC and mode 0600, which follows no symbolic link at the end
 * of the path and is not interrupted.  0 or an errno.
 */
int fz_own_file_open(const char *path, int flags, int *ret_fd);

/* 0 if that descriptor is of the file that has this path now; ESTALE if it is not; or another errno. */
int fz_own_file_at(int fd, const char *path);

/*
 * flock(LOCK_SH, LOCK_EX or LOCK_UN) that never waits and is not interrupted.  0
 * or an errno; EWOULDBLOCK: somebody else holds it.
 */
int fz_own_file_lock(int fd, int operation);

#endif
