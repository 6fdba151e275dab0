/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: file-lock whose numbers another run directory has fails after one wait for those who only look,
 * and does not wait that long again for each of its tries, nor beyond the deadline of the call.
 */
#define _XOPEN_SOURCE 700 /* getrusage */
#include <errno.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>

#include "frazil.h"
#include "lib/scratch.h"
#include "lib/test.h"
#include "os/waits.h"

/* Of 129 pauses for one number, and of 19 for several; with room for all else that a process waits for. */
enum { SLEEPS_MOST = 1000, SLEEPS_MOST_OF_SEVERAL = 200, SLEEPS_MOST_OF_ONE_LOOK = 50 };

static const char *scratch;
static const char *host;
static frazil *holder; /* of the number that a test wants */

BEFORE_EACH
{
    scratch = scratch_make();
    host = scratch_host(scratch);
    unsetenv("FRAZIL_STATE");
}

AFTER_EACH
{
    scratch_remove(scratch);
}

static frazil_err try_open(frazil **ret, const char *name, const char *worker, frazil_error *reterr)
{
    char spec[1024];

    snprintf(spec, sizeof spec,
             "worker=%s keeper=inline state=file run_dir=%s/%s-run state_dir=%s/%s-state host_dir=%s", worker, scratch,
             name, scratch, name, host);
    return frazil_open(ret, spec, reterr);
}

/* This is called while an opening sleeps, unless it is NULL. */
static void (*in_sleep)(void);

/* Stands for the one of libc. */
int clock_nanosleep(clockid_t clock, int flags, const struct timespec *wanted, struct timespec *ret_left)
{
    void (*happens)(void) = in_sleep;
    struct timespec from = {.tv_sec = 0};

    (void)ret_left;
    in_sleep = NULL;
    if (happens != NULL)
        happens();
    if (flags == TIMER_ABSTIME)
        (void)clock_gettime(clock, &from);
    int64_t ms = (wanted->tv_sec - from.tv_sec) * 1000 + (wanted->tv_nsec - from.tv_nsec) / 1000000 + 1;
    return ms > 0 && poll(NULL, 0, (int)ms) < 0 ? errno : 0;
}

static long sleeps(void)
{
    struct rusage usage;

    assert_int_equal(getrusage(RUSAGE_SELF, &usage), 0);
    return usage.ru_nvcsw;
}

TEST("A pool of one number that another run directory has is full, which takes two seconds to see at the most")
{
    frazil_error why;
    frazil *first;
    frazil *second;

    if (try_open(&first, "first", "fixed:30", &why) != FRAZIL_OK)
        fail_msg("%s", why.message);
    long before = sleeps();
    assert_int_equal(try_open(&second, "second", "file-lock base=30 count=1 open_wait=30s", &why), FRAZIL_EPOOL);
    assert_in_range(sleeps() - before, 0, SLEEPS_MOST);
    assert_non_null(strstr(why.message, "/first-run"));
    frazil_close(first);
}

TEST("A pool of two numbers that others have is looked through a few times, and not each millisecond")
{
    frazil_error why;
    frazil *holders[2];
    frazil *other;

    if (try_open(&holders[0], "first", "fixed:30", &why) != FRAZIL_OK ||
        try_open(&holders[1], "first", "fixed:31", &why) != FRAZIL_OK)
        fail_msg("%s", why.message);
    long before = sleeps();
    assert_int_equal(try_open(&other, "second", "file-lock base=30 count=2", &why), FRAZIL_EPOOL);
    assert_in_range(sleeps() - before, 0, SLEEPS_MOST_OF_SEVERAL);
    frazil_close(holders[0]);
    frazil_close(holders[1]);
}

TEST("An opening that has no time looks once")
{
    frazil_error why;
    frazil *first;
    frazil *second;

    if (try_open(&first, "first", "fixed:30", &why) != FRAZIL_OK)
        fail_msg("%s", why.message);
    long before = sleeps();
    assert_int_equal(try_open(&second, "second", "file-lock base=30 count=1 open_wait=0", &why), FRAZIL_EPOOL);
    assert_in_range(sleeps() - before, 0, SLEEPS_MOST_OF_ONE_LOOK);
    frazil_close(first);
}

TEST("An opening of a command that was asked to stop looks once")
{
    frazil_error why;
    frazil *first;
    frazil *second;

    if (try_open(&first, "first", "fixed:30", &why) != FRAZIL_OK)
        fail_msg("%s", why.message);
    fz_waits_end(true);
    long before = sleeps();
    assert_int_equal(try_open(&second, "second", "file-lock base=30 count=1", &why), FRAZIL_EPOOL);
    fz_waits_end(false);
    assert_in_range(sleeps() - before, 0, SLEEPS_MOST_OF_ONE_LOOK);
    frazil_close(first);
}

static void move(const char *from, const char *to)
{
    char former[1024];

    snprintf(former, sizeof former, "%s", scratch_path(scratch, from));
    assert_int_equal(rename(former, scratch_path(scratch, to)), 0);
}

static void find_host_dir(void)
{
    move("lost", "host");
}

/* It is there again for whoever sleeps once more. */
static void lose_host_dir(void)
{
    move("host", "lost");
    in_sleep = find_host_dir;
}

static void find_run_dir(void)
{
    move("lost", "second-run");
}

static void free_number_and_lose_run_dir(void)
{
    frazil_close(holder);
    holder = NULL;
    move("second-run", "lost");
    in_sleep = find_run_dir;
}

TEST("What goes wrong while an opening waits for its one number is told as it is, and not as a pool that is full")
{
    static void (*const troubles[])(void) = {lose_host_dir, free_number_and_lose_run_dir};

    for (size_t i = 0; i < sizeof troubles / sizeof troubles[0]; i++) {
        frazil_error why;
        frazil *gen;
        if (try_open(&holder, "first", "fixed:30", &why) != FRAZIL_OK)
            fail_msg("%s", why.message);
        in_sleep = troubles[i];
        frazil_err err = try_open(&gen, "second", "file-lock base=30 count=1", &why);
        if (err != FRAZIL_ESYS)
            fail_msg("%d: %s", err, why.message);
        assert_non_null(in_sleep);
        in_sleep();
        in_sleep = NULL;
        frazil_close(holder);
        holder = NULL;
        if (try_open(&gen, "second", "file-lock base=30 count=1", &why) != FRAZIL_OK)
            fail_msg("%s", why.message);
        frazil_close(gen);
    }
}
