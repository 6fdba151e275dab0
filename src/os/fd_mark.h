/* SPDX-License-Identifier: MIT */
/*
 * Telling an own descriptor from another of the same number: a program may close
 * all descriptors, as daemons do, and open its own in their place.
 */
#ifndef FZ_OS_FD_MARK_H
#define FZ_OS_FD_MARK_H

#include <stdbool.h>
#include <sys/types.h>

struct fz_fd_mark {
    dev_t device;
    ino_t inode;
};

/* Notes what a descriptor stands for.  0 or an errno. */
int fz_fd_mark(int fd, struct fz_fd_mark *ret);

/* Whether it still stands for that. */
bool fz_fd_is_marked(int fd, const struct fz_fd_mark *mark);

#endif
