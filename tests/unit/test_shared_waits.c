/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: threads that wait for another one that opens or closes their shared generator are woken by its
 * end, whatever that is, and do not look again and again meanwhile; they give up when the waits of the process end.
 */
#define _GNU_SOURCE /* syscall */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "frazil.h"
#include "lib/patience.h"
#include "lib/scratch.h"
#include "lib/test.h"
#include "os/waits.h"

enum { OPENERS = 8 };

static const char *scratch;
static char spec[900];

/* ---- libc's ------------------------------------------------------------------------------- */

enum hold { GOES_ON, IS_TO_BE_HELD, IS_HELD, IS_TO_FAIL };

/* What becomes of the next lock of a file, and how many were taken. */
static _Atomic(enum hold) hold;
static atomic_uint locks;

int flock(int fd, int operation)
{
    enum hold next = IS_TO_BE_HELD;

    atomic_fetch_add(&locks, 1);
    if (!atomic_compare_exchange_strong(&hold, &next, IS_HELD))
        return (int)syscall(SYS_flock, fd, operation);
    while (hold == IS_HELD)
        pause_shortly();
    if (hold == GOES_ON)
        return (int)syscall(SYS_flock, fd, operation);
    hold = GOES_ON;
    errno = EIO;
    return -1;
}

/*
 * How many threads wait for a condition, and whether only a signal ends a wait; otherwise each wait ends soon, as POSIX
 * allows.  A thread that was woken may still have to wait for a processor.
 */
static atomic_uint waiting;
static atomic_bool is_without_time;
static atomic_bool is_busy_machine;

int pthread_cond_timedwait(pthread_cond_t *cond, pthread_mutex_t *lock, const struct timespec *until)
{
    int sys = ETIMEDOUT;

    (void)until;
    atomic_fetch_add(&waiting, 1);
    if (is_without_time) {
        sys = pthread_cond_wait(cond, lock);
        pthread_mutex_unlock(lock);
        while (is_busy_machine)
            pause_shortly();
        pthread_mutex_lock(lock);
    } else {
        pthread_mutex_unlock(lock);
        pause_shortly();
        pthread_mutex_lock(lock);
    }
    atomic_fetch_sub(&waiting, 1);
    return sys;
}

/* ---- openings ------------------------------------------------------------------------------ */

struct opener {
    pthread_t thread;
    frazil *gen;
    frazil_err err;
    frazil_error why;
};

static struct opener openers[OPENERS];
static atomic_uint ended;

static void *open_one(void *arg)
{
    struct opener *opener = arg;

    opener->err = frazil_open_shared(&opener->gen, spec, &opener->why);
    atomic_fetch_add(&ended, 1);
    return NULL;
}

static void start(unsigned first, unsigned end)
{
    for (unsigned i = first; i < end; i++)
        assert_int_equal(pthread_create(&openers[i].thread, NULL, open_one, &openers[i]), 0);
}

/* The openers up to `end`, but for the first, come while somebody is held, and wait. */
static void await_crowd(unsigned end)
{
    AWAIT(hold == IS_HELD, "no file is locked");
    start(1, end);
    AWAIT(waiting == end - 1, "%u of them wait to be woken", (unsigned)waiting);
}

static void hold_first_before(unsigned end)
{
    hold = IS_TO_BE_HELD;
    start(0, 1);
    await_crowd(end);
}

static void join_all(void)
{
    AWAIT(ended == OPENERS, "%u of %u have been woken", (unsigned)ended, (unsigned)OPENERS);
    for (unsigned i = 0; i < OPENERS; i++)
        assert_int_equal(pthread_join(openers[i].thread, NULL), 0);
}

/* All from there on have the same generator, which is closed then. */
static void close_shared(unsigned first)
{
    for (unsigned i = first; i < OPENERS; i++) {
        if (openers[i].err != FRAZIL_OK)
            fail_msg("%s", openers[i].why.message);
        assert_ptr_equal(openers[i].gen, openers[first].gen);
    }
    for (unsigned i = first; i < OPENERS; i++)
        frazil_close(openers[i].gen);
}

BEFORE_EACH
{
    scratch = scratch_make();
    snprintf(spec, sizeof spec,
             "worker=fixed:1 open_wait=1h keeper=inline state=file run_dir=%s/run state_dir=%s/state host_dir=%s",
             scratch, scratch, scratch_host(scratch));
    hold = GOES_ON;
    ended = 0;
    is_without_time = true;
}

AFTER_EACH
{
    scratch_remove(scratch);
}

TEST("Those that wait for an opening are woken by its end, and have its generator")
{
    hold_first_before(OPENERS);
    hold = GOES_ON;
    join_all();
    close_shared(0);
}

TEST("One that waits is a user already: the other one's close closes nothing, and it has that generator")
{
    uint64_t id;

    is_busy_machine = true;
    hold_first_before(2);
    hold = GOES_ON;
    assert_int_equal(pthread_join(openers[0].thread, NULL), 0);
    assert_int_equal(openers[0].err, FRAZIL_OK);
    unsigned before = locks;
    frazil_close(openers[0].gen);
    is_busy_machine = false;
    assert_int_equal(pthread_join(openers[1].thread, NULL), 0);
    assert_int_equal(openers[1].err, FRAZIL_OK);
    assert_int_equal(locks, before); /* neither closed nor opened again */
    assert_int_equal(frazil_next(openers[1].gen, &id), FRAZIL_OK);
    frazil_close(openers[1].gen);
}

TEST("Those that wait for an opening do not get its generator if that was stopped, but a new one together")
{
    unsigned fds = scratch_open_fds();
    uint64_t id;

    is_busy_machine = true;
    hold_first_before(OPENERS);
    hold = GOES_ON;
    AWAIT(ended == 1, "the first one does not open");
    assert_int_equal(openers[0].err, FRAZIL_OK);
    frazil_stop(openers[0].gen);
    frazil_close(openers[0].gen);
    is_busy_machine = false;
    join_all();
    assert_int_equal(openers[1].err, FRAZIL_OK);
    assert_int_equal(frazil_next(openers[1].gen, &id), FRAZIL_OK);
    close_shared(1);
    assert_int_equal(scratch_open_fds(), fds); /* those who waited have closed the one that was stopped */
}

TEST("Those that wait for an opening which fails are woken, and one of them opens for all")
{
    hold_first_before(OPENERS);
    hold = IS_TO_FAIL;
    join_all();
    close_shared(1);
    assert_int_equal(openers[0].err, FRAZIL_ESYS);
}

static void *close_one(void *gen)
{
    frazil_close(gen);
    atomic_fetch_add(&ended, 1);
    return NULL;
}

TEST("Those that wait for the last user to close are woken, and have a new generator together")
{
    frazil_error why;
    frazil *gen;

    if (frazil_open_shared(&gen, spec, &why) != FRAZIL_OK)
        fail_msg("%s", why.message);
    hold = IS_TO_BE_HELD;
    assert_int_equal(pthread_create(&openers[0].thread, NULL, close_one, gen), 0);
    await_crowd(OPENERS);
    hold = GOES_ON;
    join_all();
    close_shared(1);
}

TEST("An opening that waits for another one gives up when the waits of the process end, which leaves the other alone")
{
    hold = IS_TO_BE_HELD;
    is_without_time = false;
    start(0, 1);
    AWAIT(hold == IS_HELD, "no file is locked");
    start(1, OPENERS);
    AWAIT(waiting > 0, "nobody waits");
    fz_waits_end(true);
    AWAIT(ended == OPENERS - 1, "%u have given up", (unsigned)ended);
    fz_waits_end(false);
    for (unsigned i = 1; i < OPENERS; i++) {
        assert_int_equal(pthread_join(openers[i].thread, NULL), 0);
        assert_int_equal(openers[i].err, FRAZIL_EAGAIN);
        assert_non_null(strstr(openers[i].why.message, "this opening waits no longer")); /* not that its time is over */
    }
    hold = GOES_ON;
    assert_int_equal(pthread_join(openers[0].thread, NULL), 0);
    assert_int_equal(openers[0].err, FRAZIL_OK);
    frazil_close(openers[0].gen);
}
