/* SPDX-License-Identifier: MIT */
/*
 * Some writes raise a signal that ends a program that does not expect it: SIGPIPE
 * if the other end of a socket is gone, SIGXFSZ if a file would become larger than
 * the process's limit (ulimit -f).  A library can do without them, as the write
 * fails, too, and it may not touch the program's signal handlers:
 *
 *   struct fz_quiet_signal quiet;
 *   fz_quiet_signal_begin(&quiet, SIGPIPE);
 *   ... writes, in this thread ...
 *   fz_quiet_signal_end(&quiet);
 */
#ifndef FZ_OS_QUIET_SIGNAL_H
#define FZ_OS_QUIET_SIGNAL_H

#include <signal.h>
#include <stdbool.h>

struct fz_quiet_signal {
    int number;
    bool active; /* false: one was pending, which the program has blocked itself */
    sigset_t before;
};

/* Blocks SIGPIPE or SIGXFSZ in the calling thread, to which the kernel sends them.  Cannot fail. */
FZ_PRIVATE void fz_quiet_signal_begin(struct fz_quiet_signal *quiet, int number);

/* Takes back one that has come since then, and restores the thread's mask.  errno stays as it is. */
FZ_PRIVATE void fz_quiet_signal_end(const struct fz_quiet_signal *quiet);

/* The same where no call has failed with the error that comes with the signal, so that there is none to take back. */
FZ_PRIVATE void fz_quiet_signal_end_unraised(const struct fz_quiet_signal *quiet);

#endif
