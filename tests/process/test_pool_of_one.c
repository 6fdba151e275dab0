/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: file-lock whose numbers another run directory has waits for them with few looks, and not beyond
 * the deadline of the call; what it finds meanwhile is judged by the time of that look, and told as it is.
 */
#include <errno.h>
#include <poll.h>
#include <sys/stat.h>
#include <time.h>

#include "frazil.h"
#include "lib/ports.h"
#include "lib/scratch.h"
#include "lib/test.h"
#include "os/waits.h"

/* Pauses in two seconds: they double from a millisecond to a quarter of a second. */
enum { SLEEPS_LEAST = 2, SLEEPS_MOST = 30 };

#define HOUR_MS INT64_C(3600000)

static frazil *holder; /* of the number that a test wants */

EACH_ON_SCRATCH_HOST

static struct ports ports;
static frazil_clock clock_port;

static frazil_err try_open(frazil **ret, const char *name, const char *worker, frazil_error *reterr)
{
    char spec[1024];

    snprintf(spec, sizeof spec,
             "worker=%s keeper=inline state=file run_dir=%s/%s-run state_dir=%s/%s-state host_dir=%s", worker, scratch,
             name, scratch, name, host);
    return ports_open_in_time(ret, spec, &ports, reterr);
}

/* This is called while an opening sleeps, unless it is NULL. */
static void (*in_sleep)(void);

static unsigned sleeps;

/* Stands for the one of libc. */
int clock_nanosleep(clockid_t clock, int flags, const struct timespec *wanted, struct timespec *ret_left)
{
    void (*happens)(void) = in_sleep;
    struct timespec from = {.tv_sec = 0};

    (void)ret_left;
    sleeps++;
    in_sleep = NULL;
    if (happens != NULL)
        happens();
    if (flags == TIMER_ABSTIME)
        (void)clock_gettime(clock, &from);
    int64_t ms = (wanted->tv_sec - from.tv_sec) * 1000 + (wanted->tv_nsec - from.tv_nsec) / 1000000 + 1;
    return ms > 0 && poll(NULL, 0, (int)ms) < 0 ? errno : 0;
}

TEST("Numbers that another run directory has, one or two, are waited for until the end with a few looks a second")
{
    static const char *const pools[] = {"file-lock base=30 count=1 open_wait=2s",
                                        "file-lock base=30 count=2 open_wait=2s"};
    frazil_error why;
    frazil *holders[2];
    frazil *none;

    for (int i = 0; i < 2; i++) {
        if (try_open(&holders[i], "first", i == 0 ? "fixed:30" : "fixed:31", &why) != FRAZIL_OK)
            fail_msg("%s", why.message);
    }
    for (int i = 0; i < 2; i++) {
        sleeps = 0;
        assert_int_equal(try_open(&none, "second", pools[i], &why), FRAZIL_EPOOL);
        assert_in_range(sleeps, SLEEPS_LEAST, SLEEPS_MOST);
        assert_non_null(strstr(why.message, "/first-run"));
    }
    for (int i = 0; i < 2; i++)
        frazil_close(holders[i]);
}

TEST("An opening that has no time looks once, and so does one of a command that was asked to stop")
{
    static const char *const pools[] = {"file-lock base=30 count=1 open_wait=0", "file-lock base=30 count=1"};
    frazil_error why;
    frazil *first;
    frazil *none;

    if (try_open(&first, "first", "fixed:30", &why) != FRAZIL_OK)
        fail_msg("%s", why.message);
    sleeps = 0;
    for (int stops = 0; stops < 2; stops++) {
        fz_waits_end(stops);
        assert_int_equal(try_open(&none, "second", pools[stops], &why), FRAZIL_EPOOL);
    }
    fz_waits_end(false);
    assert_int_equal(sleeps, 0);
    frazil_close(first);
}

static frazil_manual_clock *manual;

/* An hour passes while an opening waits; the holder uses its number to the last, and closes. */
static void close_in_an_hour(void)
{
    uint64_t id;

    frazil_manual_clock_advance(manual, (uint64_t)HOUR_MS * 1000000);
    assert_int_equal(frazil_take(holder, &id, 1, 0, NULL), FRAZIL_OK);
    frazil_close(holder);
    holder = NULL;
}

TEST("A number that was freed during a long wait does not look as if it was used in the future")
{
    static const char *const pools[] = {"file-lock base=30 count=1 open_wait=2s",
                                        "file-lock base=30 count=2 open_wait=2s"};
    frazil_error why;
    frazil *others = NULL;
    frazil *gen;

    assert_int_equal(frazil_manual_clock_open(&manual, INT64_C(1790000000000), 0, NULL), FRAZIL_OK);
    clock_port = port_of(manual);
    ports.clock = &clock_port;
    for (int i = 0; i < 2; i++) {
        if (try_open(&holder, "first", "fixed:30", &why) != FRAZIL_OK ||
            (i == 1 && try_open(&others, "first", "fixed:31", &why) != FRAZIL_OK))
            fail_msg("%s", why.message);
        in_sleep = close_in_an_hour;
        if (try_open(&gen, "second", pools[i], &why) != FRAZIL_OK)
            fail_msg("%s", why.message);
        frazil_close(gen);
    }
    frazil_close(others);
    ports.clock = NULL;
    frazil_manual_clock_close(manual);
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
