/* SPDX-License-Identifier: MIT */
/*
 * A descriptor that a thread waits for, and that others make readable.  Two connected sockets and no eventfd: these all
 * have one inode, so that nobody could tell ours from one that the program has opened under the same number.
 */
#ifndef FZ_OS_NOTICE_H
#define FZ_OS_NOTICE_H

#include <stdbool.h>

#include "kept_fd.h"

struct fz_notice {
    struct fz_kept_fd reader;
    struct fz_kept_fd writer;
};

/* Opens one that is not readable.  0 or an errno. */
FZ_PRIVATE int fz_notice_open(struct fz_notice *ret);

/* The descriptor to wait for; -1: it is not ours any more, or what makes it readable is not. */
FZ_PRIVATE int fz_notice_fd(const struct fz_notice *notice);

/* Makes it readable until fz_notice_drain.  Any thread. */
FZ_PRIVATE void fz_notice_signal(const struct fz_notice *notice);

/* Makes it no longer readable.  Whether it was.  Any thread. */
FZ_PRIVATE bool fz_notice_drain(const struct fz_notice *notice);

/* Closes it, once or more often. */
FZ_PRIVATE void fz_notice_close(struct fz_notice *notice);

#endif
