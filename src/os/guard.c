/* SPDX-License-Identifier: MIT */
#include "guard.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#include "fail_errno.h"
#include "own_file.h"

/* Between two looks at a lock that somebody holds: 1 ms at first, then longer. */
static const uint64_t guard_first_pause_ns = 1000000;
static const uint64_t guard_operator_wait_ns = 2000000000;
static const uint64_t guard_longest_pause_ns = 32000000;

/* Tries once at least: a deadline that has passed is that of a call that does not wait. */
static int lock_patiently(int fd, struct fz_deadline deadline)
{
    uint64_t pause_ns = guard_first_pause_ns;
    uint64_t left_ns;
    int err;

    while ((err = fz_own_file_lock(fd, LOCK_EX)) == EWOULDBLOCK && (left_ns = fz_deadline_left_ns(deadline)) > 0) {
        struct timespec pause = {.tv_nsec = (long)(pause_ns < left_ns ? pause_ns : left_ns)};
        clock_nanosleep(CLOCK_MONOTONIC, 0, &pause, NULL);
        if (pause_ns < guard_longest_pause_ns)
            pause_ns *= 2;
    }
    return err;
}

struct fz_deadline fz_guard_deadline(void)
{
    return fz_deadline_in(guard_operator_wait_ns);
}

/* Opens the guard's file, in place of one that is kept.  0 or an errno. */
static int turn_to_file(struct fz_guard *guard)
{
    fz_kept_fd_close(&guard->file);
    return fz_own_file_keep(guard->path, O_RDWR | O_CREAT, &guard->file, NULL);
}

int fz_guard_open(struct fz_guard *ret, const char *path)
{
    struct fz_guard guard = {.file = FZ_KEPT_NONE};

    int err = fz_path_join(guard.path, path, ".lock", "");
    if (err == 0)
        err = turn_to_file(&guard);
    if (err == 0)
        *ret = guard;
    return err;
}

frazil_err fz_guard_fail(int sys_errno, const char *what, const char *path, frazil_error *reterr)
{
    char name[FZ_PATH_SIZE];

    return fz_fail_errno(reterr, sys_errno, what, fz_path_join(name, path, ".lock", "") == 0 ? name : path, "");
}

bool fz_guard_is_open(const struct fz_guard *guard)
{
    return fz_kept_fd_get(&guard->file) >= 0;
}

/* Enters by the descriptor, which is the guard's and was looked at just now.  0 or an errno. */
static int enter_by(struct fz_guard *guard, int fd, struct fz_deadline deadline)
{
    int err;

    while ((err = lock_patiently(fd, deadline)) == 0) {
        err = fz_own_file_at(&guard->file, guard->path);
        if (err == 0)
            return 0;
        /* ESTALE: somebody removed the file after all.  Meet the others at the one that is there now. */
        if (err == ESTALE && (err = turn_to_file(guard)) == 0) {
            fd = fz_kept_fd_known(&guard->file);
            continue;
        }
        fz_guard_leave(guard);
        return err;
    }
    return err;
}

int fz_guard_enter(struct fz_guard *guard, struct fz_deadline deadline)
{
    int fd = fz_kept_fd_get(&guard->file);

    return fd < 0 ? errno : enter_by(guard, fd, deadline);
}

int fz_guard_open_and_enter(struct fz_guard *ret, const char *path, struct fz_deadline deadline)
{
    int err = fz_guard_open(ret, path);

    if (err == 0) {
        err = enter_by(ret, fz_kept_fd_known(&ret->file), deadline);
        if (err != 0)
            fz_guard_close(ret);
    }
    return err;
}

void fz_guard_leave(struct fz_guard *guard)
{
    int fd = fz_kept_fd_get(&guard->file);

    /* Said, not left to close: a child that was forked meanwhile holds the descriptor, too. */
    if (fd < 0 || fz_own_file_lock(fd, LOCK_UN) != 0)
        fz_guard_close(guard);
}

void fz_guard_leave_for_good(struct fz_guard *guard)
{
    fz_own_file_unlock_and_close(&guard->file);
}

void fz_guard_close(struct fz_guard *guard)
{
    fz_kept_fd_close(&guard->file);
}
