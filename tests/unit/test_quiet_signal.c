/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: a write to a socket that is gone, or beyond the limit on the
 * size of files, does not end the program, and of the program's own signals nothing
 * is lost and nothing is left behind.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "lib/test.h"
#include "os/quiet_signal.h"

static void write_to_nobody(void)
{
    int ends[2];

    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    close(ends[1]);
    errno = 0;
    assert_int_equal(write(ends[0], "x", 1), -1);
    assert_int_equal(errno, EPIPE);
    close(ends[0]);
}

static bool is_pending(void)
{
    sigset_t pending;

    assert_int_equal(sigpending(&pending), 0);
    return sigismember(&pending, SIGPIPE) == 1;
}

static bool is_blocked(void)
{
    sigset_t blocked;

    assert_int_equal(pthread_sigmask(SIG_SETMASK, NULL, &blocked), 0);
    return sigismember(&blocked, SIGPIPE) == 1;
}

TEST("The signal is kept back and thrown away; the mask and errno are as before")
{
    struct fz_quiet_signal quiet;

    fz_quiet_signal_begin(&quiet, SIGPIPE);
    write_to_nobody();
    assert_true(is_pending());
    errno = EPIPE;
    fz_quiet_signal_end(&quiet);
    assert_int_equal(errno, EPIPE);
    assert_false(is_pending());
    assert_false(is_blocked());

    fz_quiet_signal_begin(&quiet, SIGPIPE);
    assert_true(is_blocked());
    fz_quiet_signal_end(&quiet);
    assert_false(is_blocked());
}

TEST("Where the program has blocked it, it stays blocked; one that was pending before is the program's, and stays")
{
    const struct timespec at_once = {0, 0};
    struct fz_quiet_signal quiet;
    sigset_t pipe_only;

    sigemptyset(&pipe_only);
    sigaddset(&pipe_only, SIGPIPE);
    assert_int_equal(pthread_sigmask(SIG_BLOCK, &pipe_only, NULL), 0);
    fz_quiet_signal_begin(&quiet, SIGPIPE);
    write_to_nobody();
    fz_quiet_signal_end(&quiet);
    assert_false(is_pending());
    assert_true(is_blocked());

    write_to_nobody();
    assert_true(is_pending());
    fz_quiet_signal_begin(&quiet, SIGPIPE);
    write_to_nobody();
    fz_quiet_signal_end(&quiet);
    assert_true(is_pending());
    assert_int_equal(sigtimedwait(&pipe_only, NULL, &at_once), SIGPIPE);
    assert_int_equal(pthread_sigmask(SIG_UNBLOCK, &pipe_only, NULL), 0);
}
