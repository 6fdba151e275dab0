/* SPDX-License-Identifier: MIT */
/*
 * Writing to a socket whose other end is gone raises SIGPIPE, which ends a
 * program that does not expect it.  A client library that writes by itself can be
 * kept from that without touching the program's signal handlers:
 *
 *   struct fz_quiet_pipe quiet;
 *   fz_quiet_pipe_begin(&quiet);
 *   ... writes, in this thread ...
 *   fz_quiet_pipe_end(&quiet);
 */
#ifndef FZ_OS_QUIET_PIPE_H
#define FZ_OS_QUIET_PIPE_H

#include <signal.h>
#include <stdbool.h>

struct fz_quiet_pipe {
    bool active; /* false: the thread had blocked it itself */
    sigset_t before;
};

/* Blocks SIGPIPE in the calling thread.  Cannot fail. */
void fz_quiet_pipe_begin(struct fz_quiet_pipe *quiet);

/* Takes back one that has come since then, and restores the thread's mask.  errno stays as it is. */
void fz_quiet_pipe_end(const struct fz_quiet_pipe *quiet);

#endif
