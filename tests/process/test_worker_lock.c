/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: a worker number of a host belongs to one process and its
 * children until the last of them has ended, in any way.  The lowest free one is
 * given; when there is none, the sentence says which processes have them.  A
 * directory that cannot be used is not mistaken for that.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/bound.h"
#include "lib/scratch.h"
#include "lib/test.h"
#include "os/dirs.h"
#include "os/worker_lock.h"

enum { POOL = 64, KILLS = 2000 };

EACH_IN_SCRATCH

static struct fz_worker_lock take(uint32_t base, uint32_t count)
{
    struct fz_worker_lock lock;
    frazil_error err;

    if (fz_worker_lock_take(&lock, scratch, base, count, &err) != FRAZIL_OK)
        fail_msg("%s", err.message);
    assert_in_range(lock.worker, base, base + count - 1);
    return lock;
}

static void assert_refused(const char *directory, uint32_t base, uint32_t count, frazil_err code, frazil_error *err)
{
    struct fz_worker_lock lock = {.worker = 4242};
    unsigned fds = scratch_open_fds();

    assert_int_equal(fz_worker_lock_take(&lock, directory, base, count, err), code);
    assert_int_equal(lock.worker, 4242);
    assert_int_equal(fz_worker_lock_take(&lock, directory, base, count, NULL), code);
    assert_int_equal(scratch_open_fds(), fds);
}

static void assert_says(const frazil_error *err, const char *part)
{
    if (strstr(err->message, part) == NULL)
        fail_msg("'%s' is not in '%s'", part, err->message);
}

/* A process that takes a number, writes it into the pipe, and stays until it is killed. */
struct holder {
    pid_t pid;
    uint32_t worker;
};

static struct holder start_holder(void)
{
    struct holder holder;
    int fds[2];

    assert_int_equal(pipe(fds), 0);
    holder.pid = bound_fork();
    assert_true(holder.pid >= 0);
    if (holder.pid == 0) {
        struct fz_worker_lock lock;
        if (fz_worker_lock_take(&lock, scratch, 0, POOL, NULL) != FRAZIL_OK ||
            write(fds[1], &lock.worker, sizeof lock.worker) != sizeof lock.worker)
            _exit(1);
        for (;;)
            pause();
    }
    close(fds[1]);
    assert_int_equal(read(fds[0], &holder.worker, sizeof holder.worker), sizeof holder.worker);
    close(fds[0]);
    return holder;
}

static void kill_holder(struct holder holder)
{
    assert_int_equal(kill(holder.pid, SIGKILL), 0);
    assert_int_equal(waitpid(holder.pid, NULL, 0), holder.pid);
}

/* ---- one process --------------------------------------------------------- */

TEST("The lowest free number from the base on is given, and one that was given back first of all")
{
    struct fz_worker_lock first = take(10, 3);
    struct fz_worker_lock second = take(10, 3);
    struct fz_worker_lock third = take(10, 3);

    assert_int_equal(first.worker, 10);
    assert_int_equal(second.worker, 11);
    assert_int_equal(third.worker, 12);
    fz_worker_lock_release(&second);
    second = take(10, 3);
    assert_int_equal(second.worker, 11);
    struct fz_worker_lock other = take(9, 4);
    assert_int_equal(other.worker, 9);
    fz_worker_lock_release(&first);
    fz_worker_lock_release(&second);
    fz_worker_lock_release(&third);
    fz_worker_lock_release(&other);
}

TEST("The very last number is given, too; counting does not wrap")
{
    struct fz_worker_lock lock = take(UINT32_MAX, 1);
    frazil_error err;

    assert_refused(scratch, UINT32_MAX, 1, FRAZIL_EPOOL, &err);
    assert_says(&err, "from 4294967295 to 4294967295");
    fz_worker_lock_release(&lock);
}

TEST("A file that was removed from its holder is no lock: another can take the number, and then really has it")
{
    struct fz_worker_lock first = take(0, 1);
    frazil_error err;

    assert_int_equal(unlink(scratch_path(scratch, "worker-0.lock")), 0);
    struct fz_worker_lock second = take(0, 1);
    fz_worker_lock_release(&first);
    assert_refused(scratch, 0, 1, FRAZIL_EPOOL, &err);
    fz_worker_lock_release(&second);
}

TEST("A lock is not inherited by programs that are executed")
{
    struct fz_worker_lock lock = take(0, 1);

    assert_int_equal(fcntl(lock.file.fd, F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
    fz_worker_lock_release(&lock);
}

/* On an overlay a mapping is one of the file below, and keeps no lock. */
static bool is_overlay(void)
{
    struct fz_disk disk = {.kind = FZ_DISK_LASTING};

    assert_int_equal(fz_disk_look(scratch, &disk), 0);
    return disk.kind == FZ_DISK_LAYER;
}

TEST("A process that closes all descriptors, as daemons do, keeps its number, and gives it back as any other")
{
    struct fz_worker_lock lock = take(0, 1);
    frazil_error err;

    if (is_overlay()) {
        fz_worker_lock_release(&lock);
        skip();
    }
    assert_int_equal(close(lock.file.fd), 0);
    assert_refused(scratch, 0, 1, FRAZIL_EPOOL, &err);
    fz_worker_lock_release(&lock);
    lock = take(0, 1);
    fz_worker_lock_release(&lock);
}

TEST("A directory that is missing or cannot be written is said to be that, not a pool that is taken")
{
    const char *missing = scratch_path(scratch, "missing");
    frazil_error err;

    assert_refused(missing, 0, 4, FRAZIL_ESYS, &err);
    assert_int_equal(err.sys_errno, ENOENT);
    assert_says(&err, missing);
    assert_says(&err, "run_dir=");

    int status;
    const char *locked = scratch_path(scratch, "locked");
    assert_int_equal(mkdir(locked, 0555), 0);
    assert_int_equal(chmod(scratch, 0755), 0);
    pid_t pid = bound_fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        struct fz_worker_lock lock;
        if (geteuid() == 0 && setuid(65534) != 0)
            _exit(1);
        if (fz_worker_lock_take(&lock, locked, 0, 4, &err) != FRAZIL_ESYS || err.sys_errno != EACCES)
            _exit(2);
        _exit(strstr(err.message, locked) == NULL ? 3 : 0);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
}

/* ---- several ------------------------------------------------------------- */

TEST("64 processes have 64 numbers, each another; the 65th is told who has them, as far as a sentence is long")
{
    struct holder holders[POOL];
    bool seen[POOL] = {false};
    char text[32];
    frazil_error err;

    for (int i = 0; i < POOL; i++) {
        holders[i] = start_holder();
        assert_in_range(holders[i].worker, 0, POOL - 1);
        assert_false(seen[holders[i].worker]);
        seen[holders[i].worker] = true;
    }
    assert_refused(scratch, 0, POOL, FRAZIL_EPOOL, &err);
    assert_says(&err, "all worker ids from 0 to 63");
    assert_says(&err, scratch);
    assert_says(&err, " more");
    snprintf(text, sizeof text, " %d, %d, ", (int)holders[0].pid, (int)holders[1].pid);
    assert_says(&err, text);

    kill_holder(holders[17]);
    struct fz_worker_lock lock = take(0, POOL);
    assert_int_equal(lock.worker, holders[17].worker);
    fz_worker_lock_release(&lock);
    for (int i = 0; i < POOL; i++) {
        if (i != 17)
            kill_holder(holders[i]);
    }
}

TEST("A few holders are all named, also one whose file says nothing")
{
    struct fz_worker_lock first = take(0, 3);
    struct fz_worker_lock second = take(0, 3);
    struct fz_worker_lock third = take(0, 3);
    char text[64];
    frazil_error err;

    assert_int_equal(ftruncate(second.file.fd, 0), 0);
    assert_refused(scratch, 0, 3, FRAZIL_EPOOL, &err);
    snprintf(text, sizeof text, "processes %d, ?, %d (", (int)getpid(), (int)getpid());
    assert_says(&err, text);
    fz_worker_lock_release(&first);
    fz_worker_lock_release(&second);
    fz_worker_lock_release(&third);
}

TEST("kill -9 gives a number back at once, however often")
{
    for (int i = 0; i < KILLS; i++) {
        struct holder holder = start_holder();
        assert_int_equal(holder.worker, 0);
        kill_holder(holder);
    }
}

TEST("A child shares the number with its parent: it stays taken until both are gone")
{
    struct fz_worker_lock lock = take(0, 1);
    frazil_error err;

    pid_t pid = bound_fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        for (;;)
            pause();
    }
    fz_worker_lock_release(&lock);
    assert_refused(scratch, 0, 1, FRAZIL_EPOOL, &err);
    kill_holder((struct holder){.pid = pid});
    lock = take(0, 1);
    fz_worker_lock_release(&lock);
}

TEST("Many processes that come at once never share a number")
{
    enum { PROCESSES = 32 };
    uint32_t got[PROCESSES];
    bool seen[PROCESSES] = {false};
    int start[2];
    int answer[2];
    int stay[2];
    char byte;

    assert_int_equal(pipe(start), 0);
    assert_int_equal(pipe(answer), 0);
    assert_int_equal(pipe(stay), 0);
    for (int i = 0; i < PROCESSES; i++) {
        struct fz_worker_lock lock;
        pid_t pid = bound_fork();
        assert_true(pid >= 0);
        if (pid > 0)
            continue;
        close(start[1]);
        close(stay[1]);
        if (read(start[0], &byte, 1) != 0 || fz_worker_lock_take(&lock, scratch, 0, PROCESSES, NULL) != FRAZIL_OK ||
            write(answer[1], &lock.worker, sizeof lock.worker) != sizeof lock.worker || read(stay[0], &byte, 1) != 0)
            _exit(1);
        _exit(0);
    }
    close(start[1]);
    for (int i = 0; i < PROCESSES; i++) {
        assert_int_equal(read(answer[0], &got[i], sizeof got[i]), sizeof got[i]);
        assert_in_range(got[i], 0, PROCESSES - 1);
        assert_false(seen[got[i]]);
        seen[got[i]] = true;
    }
    close(stay[1]);
    for (int i = 0; i < PROCESSES; i++) {
        int status;
        assert_true(wait(&status) > 0);
        assert_int_equal(status, 0);
    }
    close(start[0]);
    close(answer[0]);
    close(answer[1]);
    close(stay[0]);
}
