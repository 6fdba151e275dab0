/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: whoever waits for a guard enters in its turn.  Nobody who dies or is stopped in the queue keeps
 * the others out, and nobody is said to be stopped where there is only a queue.
 */
#define _GNU_SOURCE /* F_OFD_SETLK */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/scratch.h"
#include "lib/test.h"
#include "os/clock.h"
#include "os/deadline.h"
#include "os/guard.h"
#include "os/memory.h"
#include "os/own_file.h"
#include "os/queue.h"

enum { WAITERS = 20, NS_PER_MS = 1000000, PLACES_MOST = 1 << 20 };

/* Nobody waits for so long unless it hangs; and for so long only when it is to be in vain. */
enum { LONGEST_MS = 60000, SHORT_MS = 1500 };

/* Those who have entered, in their order. */
struct entered {
    _Atomic unsigned n;
    unsigned who[WAITERS];
    bool queued[WAITERS]; /* it had a place */
};

static const char *scratch;
static struct entered *entered;
static struct fz_guard held;   /* by this process */
static int look_fd;            /* on the guard's file, to look at the queue */
static pid_t started[WAITERS]; /* which a test that fails may leave stopped */
static unsigned n_started;
static uint64_t wait_ms; /* of those who are started from now on */

BEFORE_EACH
{
    scratch = scratch_make();
    n_started = 0;
    entered = fz_map_shared(sizeof *entered);
    assert_non_null(entered);
    wait_ms = LONGEST_MS;
    assert_int_equal(fz_guard_open_and_enter(&held, scratch_path(scratch, "word"), fz_deadline_in(0)), 0);
    assert_int_equal(fz_own_file_open(held.path, O_RDWR, &look_fd), 0);
}

AFTER_EACH
{
    for (unsigned i = 0; i < n_started; i++) {
        (void)kill(started[i], SIGKILL);
        (void)waitpid(started[i], NULL, 0);
    }
    close(look_fd);
    fz_guard_close(&held);
    fz_unmap(entered, sizeof *entered);
    scratch_remove(scratch);
}

static void sleep_ms(uint64_t ms)
{
    const frazil_clock clock = fz_real_clock();

    clock.sleep_until(clock.ctx, clock.monotonic_ns(clock.ctx) + ms * NS_PER_MS);
}

/* Enters by a guard of its own, says so, and leaves after a while. */
static int enter_as(unsigned number, uint64_t hold_ms)
{
    struct fz_guard guard;
    int err = fz_guard_open_and_enter(&guard, scratch_path(scratch, "word"), fz_deadline_in(wait_ms * NS_PER_MS));

    if (err != 0)
        return err;
    entered->queued[number] = fz_queue_inside(look_fd) != 0;
    entered->who[atomic_fetch_add(&entered->n, 1)] = number;
    sleep_ms(hold_ms);
    fz_guard_leave_for_good(&guard);
    return 0;
}

static pid_t start_waiter(unsigned number, uint64_t hold_ms)
{
    pid_t pid = fork();

    assert_true(pid >= 0);
    if (pid == 0)
        _exit(enter_as(number, hold_ms));
    started[n_started++] = pid;
    return pid;
}

/* Starts one and waits until it is in the queue, behind the place that was told before. */
static pid_t queue_waiter(unsigned number, uint64_t *place)
{
    pid_t pid = start_waiter(number, 0);
    uint64_t found;

    while ((found = fz_queue_ahead(look_fd, *place, PLACES_MOST)) == 0)
        sleep_ms(1);
    *place = found;
    return pid;
}

static int result_of(pid_t pid)
{
    int status;

    assert_int_equal(waitpid(pid, &status, 0), pid);
    for (unsigned i = 0; i < n_started; i++) {
        if (started[i] == pid)
            started[i] = started[--n_started];
    }
    assert_true(WIFEXITED(status));
    return (int8_t)WEXITSTATUS(status); /* a reason of a wait in vain is negative */
}

TEST("Those who wait enter in the order in which they came")
{
    pid_t pids[WAITERS];
    uint64_t place = 0;

    for (unsigned i = 0; i < WAITERS; i++)
        pids[i] = queue_waiter(i, &place);
    fz_guard_leave(&held);
    for (unsigned i = 0; i < WAITERS; i++)
        assert_int_equal(result_of(pids[i]), 0);
    for (unsigned i = 0; i < WAITERS; i++)
        assert_int_equal(entered->who[i], i);
    assert_true(fz_queue_is_empty(look_fd));
}

TEST("Nobody who comes when the guard is free goes before one who waits")
{
    uint64_t place = 0;
    pid_t first = queue_waiter(0, &place);

    assert_int_equal(kill(first, SIGSTOP), 0);
    fz_guard_leave(&held);
    assert_int_equal(result_of(start_waiter(1, 0)), 0);
    assert_true(entered->queued[1]);
    assert_int_equal(kill(first, SIGCONT), 0);
    assert_int_equal(result_of(first), 0);
    assert_int_equal(result_of(start_waiter(2, 0)), 0);
    assert_false(entered->queued[2]);
}

TEST("One that is killed in the queue keeps nobody out")
{
    uint64_t place = 0;
    pid_t first = queue_waiter(0, &place);
    pid_t second = queue_waiter(1, &place);

    assert_int_equal(kill(first, SIGKILL), 0);
    assert_int_equal(waitid(P_PID, (id_t)first, &(siginfo_t){.si_code = 0}, WEXITED | WNOWAIT), 0);
    fz_guard_leave(&held);
    assert_int_equal(result_of(second), 0);
    assert_int_equal(entered->who[0], 1);
}

TEST("One that is stopped in the queue is passed over by all, and enters when it goes on")
{
    pid_t pids[WAITERS];
    uint64_t place = 0;

    for (unsigned i = 0; i < WAITERS; i++)
        pids[i] = queue_waiter(i, &place);
    assert_int_equal(kill(pids[0], SIGSTOP), 0);
    fz_guard_leave(&held);
    for (unsigned i = 1; i < WAITERS; i++)
        assert_int_equal(result_of(pids[i]), 0);
    assert_int_equal(atomic_load(&entered->n), WAITERS - 1);
    assert_int_equal(kill(pids[0], SIGCONT), 0);
    assert_int_equal(result_of(pids[0]), 0);
}

TEST("If nobody moves, whoever waited in vain is told that the one inside may be stopped")
{
    pid_t pids[3];
    uint64_t place = 0;

    wait_ms = SHORT_MS;
    for (unsigned i = 0; i < 3; i++)
        pids[i] = queue_waiter(i, &place);
    for (unsigned i = 0; i < 3; i++)
        assert_int_equal(result_of(pids[i]), FZ_GUARD_HELD);
    assert_true(fz_queue_is_empty(look_fd));
}

TEST("If others have moved, it is told of a queue")
{
    uint64_t place = 0;
    pid_t first = start_waiter(0, LONGEST_MS);

    while ((place = fz_queue_ahead(look_fd, 0, PLACES_MOST)) == 0)
        sleep_ms(1);
    wait_ms = SHORT_MS;
    pid_t second = queue_waiter(1, &place);
    fz_guard_leave(&held);
    assert_int_equal(result_of(second), FZ_GUARD_OUTRUN);
    assert_int_equal(entered->who[0], 0);
    assert_int_equal(kill(first, SIGKILL), 0);
}

/* Each of the billion places would be asked for. */
TEST("Where the whole file is locked, as a network's file system makes it of a flock, nobody looks for a place in it")
{
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    struct fz_guard guard;

    assert_int_equal(fcntl(look_fd, F_OFD_SETLK, &whole), 0);
    int err = fz_guard_open_and_enter(&guard, scratch_path(scratch, "word"), fz_deadline_in(SHORT_MS * NS_PER_MS));
    assert_true(err == FZ_GUARD_HELD || err == FZ_GUARD_OUTRUN);
    fz_guard_leave(&held);
    assert_int_equal(fz_guard_open_and_enter(&guard, scratch_path(scratch, "word"), fz_deadline_in(0)), 0);
    fz_guard_close(&guard);
}

TEST("A call that may not wait looks once, and takes no place before others")
{
    uint64_t place = 0;

    wait_ms = 0;
    assert_int_equal(result_of(start_waiter(0, 0)), FZ_GUARD_HELD);
    wait_ms = LONGEST_MS;
    pid_t first = queue_waiter(0, &place);
    assert_int_equal(kill(first, SIGSTOP), 0);
    fz_guard_leave(&held);
    wait_ms = 0;
    assert_int_equal(result_of(start_waiter(1, 0)), FZ_GUARD_HELD);
    assert_int_equal(kill(first, SIGCONT), 0);
    assert_int_equal(result_of(first), 0);
}

TEST("A wait in vain passes by itself; the sentence of a queue that was too long accuses nobody of being stopped")
{
    frazil_error stopped;
    frazil_error queued;

    frazil_error closed;

    assert_int_equal(fz_guard_fail(FZ_GUARD_HELD, "", "/word", &stopped), FRAZIL_EAGAIN);
    assert_int_equal(fz_guard_fail(FZ_GUARD_OUTRUN, "", "/word", &queued), FRAZIL_EAGAIN);
    assert_non_null(strstr(stopped.message, "has held the lock '/word.lock' for longer than the call may wait"));
    assert_non_null(strstr(stopped.message, "if the process is stopped, resume it"));
    assert_null(strstr(queued.message, "stopped"));
    assert_non_null(strstr(queued.message, "'/word.lock'"));
    /* What time does not mend is no wait in vain. */
    assert_int_equal(fz_guard_fail(EACCES, "the guard:", "/word", &closed), FRAZIL_ESYS);
    assert_int_equal(closed.sys_errno, EACCES);
    /* Nor is the errno of a file that cannot be opened: nobody is inside because open(2) says EWOULDBLOCK. */
    assert_int_equal(fz_guard_fail(EWOULDBLOCK, "the guard:", "/word", &closed), FRAZIL_ESYS);
    assert_int_equal(closed.sys_errno, EWOULDBLOCK);
    assert_int_equal(fz_guard_fail(ETIMEDOUT, "the guard:", "/word", &closed), FRAZIL_ESYS);
}
