/* SPDX-License-Identifier: MIT */
/*
 * A guard lets one process at a time make, look over or change a file that
 * several share.  It is an flock on a file of its own, PATH.lock, which nobody
 * removes: a lock on PATH itself would be one on whatever file that name had a
 * moment ago.  A process that dies has left.
 *
 * Waiters enter in the order in which they came (queue.h).  A waiter that is stopped in the queue is passed over after
 * a while.  In the portable build chance decides which one is next.
 */
#ifndef FZ_OS_GUARD_H
#define FZ_OS_GUARD_H

#include <stdbool.h>

#include "deadline.h"
#include "file.h"
#include "frazil/error.h"
#include "kept_fd.h"

struct fz_guard {
    struct fz_kept_fd file; /* none: closed */
    char path[FZ_PATH_SIZE];
};

/*
 * Why a guard was waited for in vain.  No errno, as open(2) has all of them, and above all refusals (fail_errno.h): one
 * int can say any.
 */
enum {
    FZ_GUARD_HELD = -2,  /* the process inside may be stopped, as nobody has moved */
    FZ_GUARD_OUTRUN = -1 /* the queue moves, but it was too long */
};

/* For operators, and for threads that nothing waits for: a process that is inside for two seconds was stopped. */
FZ_PRIVATE struct fz_deadline fz_guard_deadline(void);

/* Opens, and makes if need be, the guard of a file.  0 or an errno.  Not entered yet; close it with fz_guard_close. */
FZ_PRIVATE int fz_guard_open(struct fz_guard *ret, const char *path);

/*
 * Waits for its turn, up to the deadline.  If that has passed, it looks once.  0, FZ_GUARD_HELD, FZ_GUARD_OUTRUN or an
 * errno.  EBADF: the guard is not open, or the program has closed it.
 * One caller at a time.  A child process that inherited the guard is, as the
 * kernel sees it, the same as its parent: it must open one of its own.
 */
FZ_PRIVATE int fz_guard_enter(struct fz_guard *guard, struct fz_deadline deadline);

/*
 * Opens the guard of a file and enters it; the file is looked at once for both.  0, or as those two; then it is
 * closed.
 */
FZ_PRIVATE int fz_guard_open_and_enter(struct fz_guard *ret, const char *path, struct fz_deadline deadline);

/* How a caller waits for a guard. */
struct fz_guard_wish {
    struct fz_deadline deadline;
    bool (*gives_up)(void *ctx); /* asked at each look: true ends the wait.  NULL: nothing but the deadline does */
    void *ctx;
};

/* As fz_guard_open_and_enter.  ECANCELED: the wish gave up. */
FZ_PRIVATE int fz_guard_open_and_enter_wished(struct fz_guard *ret, const char *path, const struct fz_guard_wish *wish);

/*
 * Fails as fz_fail_errno does, for a file whose guard cannot be opened or entered: the sentence names the guard's own
 * file, so that nobody removes the other one.  If fz_guard_enter waited in vain, that is FRAZIL_EAGAIN, and the
 * sentence says so instead of `what`.
 */
FZ_PRIVATE frazil_err fz_guard_fail(int sys_errno, const char *what, const char *path, frazil_error *reterr);

/* Lets the next one in. */
FZ_PRIVATE void fz_guard_leave(struct fz_guard *guard);

/* The same, and closes it. */
FZ_PRIVATE void fz_guard_leave_for_good(struct fz_guard *guard);

/* Closes it.  In a child process, leaves its parent inside if it is. */
FZ_PRIVATE void fz_guard_close(struct fz_guard *guard);

#endif
