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
    struct fz_deadline over = fz_deadline_in(0);
    struct fz_deadline late = fz_deadline_in(3600000);
    assert_int_equal(fz_deadline_wait(&late, ends[1], POLLOUT), 0);
    assert_int_equal(fz_deadline_wait(&over, ends[1], POLLOUT), ETIMEDOUT);
    assert_int_equal(fz_deadline_wait(&over, ends[0], POLLIN), ETIMEDOUT);
    uint64_t began_ns = now_ns();
    struct fz_deadline soon = fz_deadline_in(20);
    assert_int_equal(soon.timeout_ms, 20);
    assert_int_equal(fz_deadline_wait(&soon, ends[0], POLLIN), ETIMEDOUT);
    assert_true(now_ns() - began_ns >= 20000000);
    assert_int_equal(fz_deadline_wait(&soon, ends[0], POLLIN), ETIMEDOUT);
    assert_int_equal(write(ends[1], "x", 1), 1);
    assert_int_equal(fz_deadline_wait(&soon, ends[0], POLLIN), ETIMEDOUT);
    short ready = 0;
    assert_int_equal(fz_deadline_poll(&late, ends[0], POLLIN | POLLOUT, &ready), 0);
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
    struct fz_deadline deadline = fz_deadline_in(100);
    assert_int_equal(pthread_create(&other, NULL, disturb, &self), 0);
    assert_int_equal(fz_deadline_wait(&deadline, ends[0], POLLIN), ETIMEDOUT);
    assert_true(now_ns() >= deadline.at_ns);
    pthread_join(other, NULL);
    close(ends[0]);
    close(ends[1]);
}

TEST("A part ends earlier than the whole, the only one with it; of what is over, all parts are")
{
    struct fz_deadline whole = fz_deadline_in(3600000);
    uint64_t began_ns = now_ns();
    struct fz_deadline third = fz_deadline_part(&whole, 3);
    struct fz_deadline only = fz_deadline_part(&whole, 1);
    struct fz_deadline over = {.at_ns = began_ns - 1};

    assert_int_equal(only.at_ns, whole.at_ns);
    assert_int_equal(third.timeout_ms, whole.timeout_ms);
    assert_true(third.at_ns - began_ns >= UINT64_C(1100) * 1000000000);
    assert_true(third.at_ns - began_ns <= UINT64_C(1300) * 1000000000);
    assert_int_equal(fz_deadline_part(&over, 3).at_ns, over.at_ns);
}

TEST("A pipe that nobody writes to any more is ready: its end can be read")
{
    struct fz_deadline deadline = fz_deadline_in(3600000);
    int ends[2];

    assert_int_equal(pipe(ends), 0);
    close(ends[1]);
    assert_int_equal(fz_deadline_wait(&deadline, ends[0], POLLIN), 0);
    close(ends[0]);
}
