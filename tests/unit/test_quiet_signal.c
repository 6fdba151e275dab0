/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: a write to a socket that is gone, or beyond the limit on the
 * size of files, does not end the program, and of the program's own signals nothing
 * is lost and nothing is left behind.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "lib/test.h"
#include "os/quiet_signal.h"

static int write_to_nobody(void)
{
    int ends[2];

    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    close(ends[1]);
    errno = 0;
    assert_int_equal(write(ends[0], "x", 1), -1);
    int code = errno;
    close(ends[0]);
    return code;
}

static int write_beyond_the_limit(void)
{
    FILE *file = tmpfile();
    struct rlimit limit;

    assert_non_null(file);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    const struct rlimit small = {.rlim_cur = 4, .rlim_max = limit.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    errno = 0;
    ssize_t n = pwrite(fileno(file), "x", 1, 4);
    int code = errno;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    fclose(file);
    assert_int_equal(n, -1);
    return code;
}

/* The signals, and a write that raises each of them and returns its error. */
static const struct kind {
    int number;
    int code;
    int (*write)(void);
} kinds[] = {{SIGPIPE, EPIPE, write_to_nobody}, {SIGXFSZ, EFBIG, write_beyond_the_limit}};

static const struct kind *kind;

static bool is_pending(void)
{
    sigset_t pending;

    assert_int_equal(sigpending(&pending), 0);
    return sigismember(&pending, kind->number) == 1;
}

static bool is_blocked(void)
{
    sigset_t blocked;

    assert_int_equal(pthread_sigmask(SIG_SETMASK, NULL, &blocked), 0);
    return sigismember(&blocked, kind->number) == 1;
}

static void for_each_signal(void (*rule)(void))
{
    for (kind = kinds; kind < kinds + sizeof kinds / sizeof kinds[0]; kind++)
        rule();
}

static void hold_thrown_away(void)
{
    struct fz_quiet_signal quiet;

    fz_quiet_signal_begin(&quiet, kind->number);
    assert_int_equal(kind->write(), kind->code);
    assert_true(is_pending());
    errno = kind->code;
    fz_quiet_signal_end(&quiet);
    assert_int_equal(errno, kind->code);
    assert_false(is_pending());
    assert_false(is_blocked());

    fz_quiet_signal_begin(&quiet, kind->number);
    assert_true(is_blocked());
    fz_quiet_signal_end(&quiet);
    assert_false(is_blocked());
}

TEST("The signal is kept back and thrown away; the mask and errno are as before")
{
    for_each_signal(hold_thrown_away);
}

static void hold_unraised(void)
{
    struct fz_quiet_signal quiet;

    fz_quiet_signal_begin(&quiet, kind->number);
    errno = EIO;
    fz_quiet_signal_end_unraised(&quiet);
    assert_int_equal(errno, EIO);
    assert_false(is_blocked());
}

TEST("Where no call has raised it, the mask and errno are as before, too")
{
    for_each_signal(hold_unraised);
}

static void hold_programs_own(void)
{
    const struct timespec at_once = {0, 0};
    struct fz_quiet_signal quiet;
    sigset_t alone;

    sigemptyset(&alone);
    sigaddset(&alone, kind->number);
    assert_int_equal(pthread_sigmask(SIG_BLOCK, &alone, NULL), 0);
    fz_quiet_signal_begin(&quiet, kind->number);
    assert_int_equal(kind->write(), kind->code);
    fz_quiet_signal_end(&quiet);
    assert_false(is_pending());
    assert_true(is_blocked());

    assert_int_equal(kind->write(), kind->code);
    assert_true(is_pending());
    fz_quiet_signal_begin(&quiet, kind->number);
    assert_int_equal(kind->write(), kind->code);
    fz_quiet_signal_end(&quiet);
    assert_true(is_pending());
    assert_int_equal(sigtimedwait(&alone, NULL, &at_once), kind->number);
    assert_int_equal(pthread_sigmask(SIG_UNBLOCK, &alone, NULL), 0);
}

TEST("Where the program has blocked it, it stays blocked; one that was pending before is the program's, and stays")
{
    for_each_signal(hold_programs_own);
}
