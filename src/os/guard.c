/* SPDX-License-Identifier: MIT */
#include "guard.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include "clock.h"
#include "core/sentence.h"
#include "fail_errno.h"
#include "own_file.h"
#include "queue.h"
#include "waits.h"

/* Between two looks at a lock that is held, for each waiter ahead. */
static const uint64_t queue_pause_ns = 1000000;
enum { LONGEST_PAUSES = 16 };

static const uint64_t guard_operator_wait_ns = 2000000000;

/* The queue counts as stuck after this time: a process has been stopped, as far as the others can know. */
static const uint64_t longest_stay_ns = 2000000000;

/* So has the first one in it, if nobody is inside, now and after this time, and it has not entered. */
static const uint64_t longest_vacancy_ns = 500000000;

/* ---- waiting -------------------------------------------------------------- */

/* A waiter, and what it has seen of the others. */
struct guard_wait {
    uint64_t place;     /* 0: there is no queue */
    uint64_t passed;    /* those up to this place are passed over */
    uint64_t ahead;     /* a waiter ahead; 0: there is none */
    uint64_t inside;    /* see fz_queue_inside */
    uint64_t moved_ns;  /* when a process has entered or left, at the latest: one that gives up is no move */
    uint64_t vacant_ns; /* since when nobody is inside and the one ahead is the same; 0: not so */
    uint64_t begun_ns;
    const struct fz_guard_wish *wish;
};

/* Looks at the queue.  A waiter that one further behind has passed over is passed over by all. */
static void look_at_queue(struct guard_wait *wait, int fd, uint64_t now_ns)
{
    uint64_t ahead = fz_queue_ahead(fd, wait->passed, wait->place);
    uint64_t inside = fz_queue_inside(fd);

    if (inside != wait->inside)
        wait->moved_ns = now_ns;
    if (inside != wait->inside || ahead != wait->ahead)
        wait->vacant_ns = 0;
    wait->ahead = ahead;
    wait->inside = inside;
    if (ahead != 0 && inside > ahead)
        wait->passed = ahead;
}

/* Passes over the waiter ahead, if it does not enter a free guard: it may have been stopped. */
static void pass_over(struct guard_wait *wait, int fd, uint64_t now_ns)
{
    if (wait->ahead == 0 || now_ns - wait->moved_ns < longest_vacancy_ns)
        return;
    bool is_vacant = fz_own_file_lock(fd, LOCK_SH) == 0 && fz_own_file_lock(fd, LOCK_UN) == 0;
    if (!is_vacant)
        wait->vacant_ns = 0;
    else if (wait->vacant_ns == 0)
        wait->vacant_ns = now_ns;
    else if (now_ns - wait->vacant_ns >= longest_vacancy_ns)
        wait->passed = wait->ahead;
}

/* The further behind, the longer: it will take others at least as long. */
static uint64_t pause_in_queue(const struct guard_wait *wait)
{
    uint64_t others = wait->ahead == 0 ? 1 : wait->place - wait->ahead;

    return queue_pause_ns * (others < LONGEST_PAUSES ? others : LONGEST_PAUSES);
}

/* Why it was in vain.  Without a queue nothing is seen to move. */
static int waited_in_vain(const struct guard_wait *wait, uint64_t now_ns)
{
    bool moved = wait->moved_ns != wait->begun_ns && now_ns - wait->moved_ns < longest_stay_ns;

    return moved ? FZ_GUARD_OUTRUN : FZ_GUARD_HELD;
}

/* Tries once at least: a deadline that has passed is that of a call that does not wait. */
static int wait_in_queue(struct guard_wait *wait, int fd)
{
    const frazil_clock clock = fz_real_clock();

    for (;;) {
        uint64_t now_ns = fz_real_monotonic_ns();
        look_at_queue(wait, fd, now_ns);
        int err = wait->ahead == 0 ? fz_own_file_lock(fd, LOCK_EX) : EWOULDBLOCK;
        if (err != EWOULDBLOCK)
            return err;
        uint64_t left_ns = fz_deadline_left_ns(wait->wish->deadline);
        if (left_ns == 0 || fz_waits_ended())
            return waited_in_vain(wait, now_ns);
        if (wait->wish->gives_up != NULL && wait->wish->gives_up(wait->wish->ctx))
            return ECANCELED;
        pass_over(wait, fd, now_ns);
        uint64_t pause_ns = pause_in_queue(wait);
        clock.sleep_until(clock.ctx, now_ns + (pause_ns < left_ns ? pause_ns : left_ns));
    }
}

static int lock_in_turn(int fd, const struct fz_guard_wish *wish)
{
    /* No process goes before waiters, not even in the moment between two of them. */
    int err = fz_queue_is_empty(fd) ? fz_own_file_lock(fd, LOCK_EX) : EWOULDBLOCK;

    if (err != EWOULDBLOCK)
        return err;
    uint64_t now_ns = fz_real_monotonic_ns();
    struct guard_wait wait = {.place = fz_queue_join(fd), .moved_ns = now_ns, .begun_ns = now_ns, .wish = wish};
    wait.inside = fz_queue_inside(fd);
    err = wait_in_queue(&wait, fd);
    if (err == 0 && wait.place != 0)
        fz_queue_enter(fd, wait.place);
    else
        fz_queue_leave(fd);
    return err;
}

struct fz_deadline fz_guard_deadline(void)
{
    return fz_deadline_in(guard_operator_wait_ns);
}

/* ---- the guard ------------------------------------------------------------ */

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
    char joined[FZ_PATH_SIZE];
    const char *name = fz_path_join(joined, path, ".lock", "") == 0 ? joined : path;

    /* Both pass by themselves, and no system call failed. */
    if (sys_errno == FZ_GUARD_HELD)
        return fz_fail(reterr, FRAZIL_EAGAIN,
                       "a process has held the lock %q for longer than the call may wait: try again, with more time; "
                       "if the process is stopped, resume it (`kill -CONT`) or end it; `fuser -v` names it",
                       name);
    if (sys_errno == FZ_GUARD_OUTRUN)
        return fz_fail(
            reterr, FRAZIL_EAGAIN,
            "too many processes are waiting for the lock %q: try again, with more time or fewer processes at once",
            name);
    return fz_fail_errno(reterr, sys_errno, what, name, "");
}

/* Enters by the descriptor, which is the guard's and was looked at just now.  0 or an errno. */
static int enter_by(struct fz_guard *guard, int fd, const struct fz_guard_wish *wish)
{
    int err;

    while ((err = lock_in_turn(fd, wish)) == 0) {
        err = fz_own_file_at(&guard->file, guard->path);
        if (err == 0)
            return 0;
        /* ESTALE: the file was removed after all.  Meet the others at the one that is there now. */
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
    const struct fz_guard_wish wish = {.deadline = deadline};
    int fd = fz_kept_fd_get(&guard->file);

    return fd < 0 ? errno : enter_by(guard, fd, &wish);
}

int fz_guard_open_and_enter_wished(struct fz_guard *ret, const char *path, const struct fz_guard_wish *wish)
{
    int err = fz_guard_open(ret, path);

    if (err == 0) {
        err = enter_by(ret, fz_kept_fd_known(&ret->file), wish);
        if (err != 0)
            fz_guard_close(ret);
    }
    return err;
}

int fz_guard_open_and_enter(struct fz_guard *ret, const char *path, struct fz_deadline deadline)
{
    const struct fz_guard_wish wish = {.deadline = deadline};

    return fz_guard_open_and_enter_wished(ret, path, &wish);
}

void fz_guard_leave(struct fz_guard *guard)
{
    int fd = fz_kept_fd_get(&guard->file);

    /* Said, not left to close: a child that was forked meanwhile holds the descriptor, too. */
    if (fd >= 0)
        fz_queue_leave(fd);
    if (fd < 0 || fz_own_file_lock(fd, LOCK_UN) != 0)
        fz_guard_close(guard);
}

void fz_guard_leave_for_good(struct fz_guard *guard)
{
    int fd = fz_kept_fd_get(&guard->file);

    if (fd >= 0)
        fz_queue_leave(fd);
    fz_own_file_unlock_and_close(&guard->file);
}

void fz_guard_close(struct fz_guard *guard)
{
    fz_kept_fd_close(&guard->file);
}
