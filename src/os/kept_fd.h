/* SPDX-License-Identifier: MIT */
/*
 * A descriptor that is kept from one call to the next.  The program may close it
 * meanwhile, as daemons do, and open a file of its own under the same number.  So
 * a number alone is never kept: each use asks whether it still stands for the
 * file that was kept, and what stands there instead is not touched.
 */
#ifndef FZ_OS_KEPT_FD_H
#define FZ_OS_KEPT_FD_H

#include <stdbool.h>
#include <sys/stat.h>
#include <sys/types.h>

/*
 * Moves what open() and the like returned above the standard descriptors: else a program whose standard error is closed
 * writes into it.  The one that it returns is closed when another program is executed, if the given one is.  -1 and
 * errno, also if that was given; then nothing is open.
 */
FZ_PRIVATE int fz_fd_above_standard(int fd);

/* The file that a descriptor stands for. */
struct fz_fd_mark {
    dev_t device;
    ino_t inode;
};

/* Notes it.  0 or an errno. */
FZ_PRIVATE int fz_fd_mark(int fd, struct fz_fd_mark *ret);

/* Whether it still stands for that. */
FZ_PRIVATE bool fz_fd_is_marked(int fd, const struct fz_fd_mark *mark);

/* A descriptor with its mark. */
struct fz_kept_fd {
    int fd; /* for kept_fd.c alone; -1: none */
    struct fz_fd_mark mark;
};

#define FZ_KEPT_NONE ((struct fz_kept_fd){.fd = -1})

/* Keeps an open descriptor, in place of none.  0 or an errno; then the caller still has to close it. */
FZ_PRIVATE int fz_kept_fd_set(struct fz_kept_fd *ret, int fd);

/* Keeps what open() and the like returned: -1 and errno give that errno.  0 or an errno; then it is closed. */
FZ_PRIVATE int fz_kept_fd_take(struct fz_kept_fd *ret, int fd);

/* The same for one whose status was just read.  Cannot fail. */
FZ_PRIVATE void fz_kept_fd_set_known(struct fz_kept_fd *ret, int fd, const struct stat *status);

/* Whether one is kept, ours or not by now. */
FZ_PRIVATE bool fz_kept_fd_is_set(const struct fz_kept_fd *kept);

/*
 * The descriptor, to be used at once.  -1 and errno: none is kept, or what has its
 * number is not ours (EBADF), or that cannot be known.
 */
FZ_PRIVATE int fz_kept_fd_get(const struct fz_kept_fd *kept);

/* The same; *ret is its status, which is read in any case. */
FZ_PRIVATE int fz_kept_fd_stat(const struct fz_kept_fd *kept, struct stat *ret);

/*
 * The descriptor, or -1 if none is kept, without asking: for the caller that has kept it or asked for it just now, in
 * the same call and before anything that may wait.
 */
FZ_PRIVATE int fz_kept_fd_known(const struct fz_kept_fd *kept);

/*
 * Keeps none any more, and closes the descriptor unless it is known not to be ours
 * any more: one that cannot be looked at, because its disk fails, may hold a lock.
 */
FZ_PRIVATE void fz_kept_fd_close(struct fz_kept_fd *kept);

/* Keeps none any more, and leaves the descriptor open: its new owner closes it. */
FZ_PRIVATE void fz_kept_fd_forget(struct fz_kept_fd *kept);

#endif
