/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: a deadline bounds all waits together, a file that is ready is
 * seen at once, and parts share out what is left.
 */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include "lib/test.h"
#include "os/clock.h"
#include "os/socket.h"

static uint64_t now_ns(void)
{
    frazil_clock clock = fz_real_clock();

    return clock.monotonic_ns(clock.ctx);
}

TEST("Data that is ready is seen at once while there is time, and not after it: a server that never stops "
     "sending is not read for ever")
{
    /* A descriptor that is not ready is waited for until then, and no less. */
    int ends[2];

    assert_int_equal(pipe(ends), 0);
    struct fz_allowance over = fz_allowance_of(0, FZ_DEADLINE_NONE);
    struct fz_allowance late = fz_allowance_of(3600000, FZ_DEADLINE_NONE);
    assert_int_equal(fz_allowance_wait(&late, ends[1], POLLOUT), 0);
    assert_int_equal(fz_allowance_wait(&over, ends[1], POLLOUT), ETIMEDOUT);
    assert_int_equal(fz_allowance_wait(&over, ends[0], POLLIN), ETIMEDOUT);
    uint64_t began_ns = now_ns();
    struct fz_allowance soon = fz_allowance_of(20, FZ_DEADLINE_NONE);
    assert_int_equal(soon.us, 20000);
    assert_int_equal(fz_allowance_wait(&soon, ends[0], POLLIN), ETIMEDOUT);
    assert_true(now_ns() - began_ns >= 20000000);
    assert_int_equal(fz_allowance_wait(&soon, ends[0], POLLIN), ETIMEDOUT);
    assert_int_equal(write(ends[1], "x", 1), 1);
    assert_int_equal(fz_allowance_wait(&soon, ends[0], POLLIN), ETIMEDOUT);
    short ready = 0;
    assert_int_equal(fz_allowance_poll(&late, ends[0], POLLIN | POLLOUT, &ready), 0);
    assert_int_equal(ready, POLLIN);
    close(ends[0]);
    close(ends[1]);
}

static void nothing(int signal)
{
    (void)signal;
}

static void *disturb(void *ctx)
{
    const pthread_t *waiting = ctx;
    const struct timespec pause = {.tv_nsec = 2000000};

    for (int i = 0; i < 10; i++) {
        clock_nanosleep(CLOCK_MONOTONIC, 0, &pause, NULL);
        pthread_kill(*waiting, SIGUSR1);
    }
    return NULL;
}

TEST("Signals neither end a wait nor make it longer by the whole timeout each time")
{
    const struct sigaction action = {.sa_handler = nothing};
    pthread_t self = pthread_self();
    pthread_t other;
    int ends[2];

    assert_int_equal(pipe(ends), 0);
    assert_int_equal(sigaction(SIGUSR1, &action, NULL), 0);
    struct fz_allowance deadline = fz_allowance_of(100, FZ_DEADLINE_NONE);
    assert_int_equal(pthread_create(&other, NULL, disturb, &self), 0);
    assert_int_equal(fz_allowance_wait(&deadline, ends[0], POLLIN), ETIMEDOUT);
    assert_true(now_ns() >= deadline.until.at_ns);
    pthread_join(other, NULL);
    close(ends[0]);
    close(ends[1]);
}

TEST("A part ends earlier than the whole, the only one with it; of what is over, all parts are")
{
    struct fz_allowance whole = fz_allowance_of(3600000, FZ_DEADLINE_NONE);
    uint64_t began_ns = now_ns();
    struct fz_allowance third = fz_allowance_part(&whole, 3);
    struct fz_allowance only = fz_allowance_part(&whole, 1);
    struct fz_allowance over = {.until = {began_ns - 1}};

    assert_int_equal(only.until.at_ns, whole.until.at_ns);
    assert_int_equal(third.us, whole.us);
    assert_true(third.until.at_ns - began_ns >= UINT64_C(1100) * 1000000000);
    assert_true(third.until.at_ns - began_ns <= UINT64_C(1300) * 1000000000);
    assert_int_equal(fz_allowance_part(&over, 3).until.at_ns, over.until.at_ns);
}

TEST("A pipe that nobody writes to any more is ready: its end can be read")
{
    struct fz_allowance deadline = fz_allowance_of(3600000, FZ_DEADLINE_NONE);
    int ends[2];

    assert_int_equal(pipe(ends), 0);
    close(ends[1]);
    assert_int_equal(fz_allowance_wait(&deadline, ends[0], POLLIN), 0);
    close(ends[0]);
}

TEST("A request has its timeout, or what is left of its call's time if that is less, and says which")
{
    uint64_t began_ns = now_ns();
    struct fz_deadline deadline = fz_deadline_in(UINT64_C(3600) * 1000000000);
    struct fz_allowance cut = fz_allowance_of(UINT32_MAX, deadline);
    struct fz_allowance whole = fz_allowance_of(60000, deadline);
    struct fz_allowance none = fz_allowance_of(60000, (struct fz_deadline){began_ns});

    assert_int_equal(cut.until.at_ns, deadline.at_ns);
    assert_true(cut.us > 0 && cut.us <= UINT64_C(3600) * 1000000);
    assert_int_equal(whole.us, 60000000);
    assert_true(whole.until.at_ns < deadline.at_ns);
    assert_int_equal(none.us, 0);
    assert_int_equal(none.until.at_ns, began_ns);
}

TEST("A deadline that no clock shows is none, and the earlier of two counts")
{
    struct fz_deadline soon = fz_deadline_in(0);

    assert_int_equal(fz_deadline_in(UINT64_MAX).at_ns, FZ_DEADLINE_NONE.at_ns);
    assert_int_equal(fz_deadline_left_ns(FZ_DEADLINE_NONE), UINT64_MAX);
    assert_int_equal(fz_deadline_left_ns(soon), 0);
    assert_int_equal(fz_deadline_earlier(soon, FZ_DEADLINE_NONE).at_ns, soon.at_ns);
    assert_int_equal(fz_deadline_earlier(FZ_DEADLINE_NONE, soon).at_ns, soon.at_ns);
}
