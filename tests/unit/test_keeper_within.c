/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: a call waits for a granter no longer than it may wait, and not at all if it never waits, though
 * the request that it has begun is not cut off.
 */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <sys/resource.h>
#include <time.h>

#include "generator/generator_internal.h"
#include "lib/fake_granter.h"
#include "lib/patience.h"
#include "lib/rig.h"
#include "lib/test.h"
#include "os/deadline.h"

enum { WORKER = 3, HORIZON = 1000 };

#define SPEC "layout=frazil worker=fixed:3 start=zero max_wait=20ms max_lead=0"

static struct rig rig;
static struct fake_granter *fake;
static _Thread_local unsigned sleeps;

/* Stands for the one of libc, and can be cancelled like that. */
int clock_nanosleep(clockid_t clock, int flags, const struct timespec *wanted, struct timespec *ret_left)
{
    struct timespec from = {.tv_sec = 0};

    (void)ret_left;
    sleeps++;
    if (flags == TIMER_ABSTIME)
        (void)clock_gettime(clock, &from);
    /* Rounded up: who sleeps for less than a millisecond would else come back at once, and sleep again and again. */
    int64_t ms = (wanted->tv_sec - from.tv_sec) * 1000 + (wanted->tv_nsec - from.tv_nsec + 999999) / 1000000;
    return ms > 0 && poll(NULL, 0, (int)ms) < 0 ? errno : 0;
}

/* A generator whose coordinator is silent, in the last quarter of its grant. */
static void open_silent(void)
{
    fake = fake_granter_open(&rig, SPEC, WORKER, HORIZON, FZ_KEEPER_INLINE);
    rig.gen->keeper.asks_coordinator = true;
    fake->holds = true;
    rig_step(&rig, HORIZON - 100);
}

/* The request has arrived, for which a call may have been too short on a busy machine. */
static void await_request(void)
{
    while (fake->extended == 0)
        pause_shortly();
}

/* The coordinator answers; what a call has left at work is awaited. */
static void answer(void)
{
    fake->holds = false;
    while (atomic_load(&rig.gen->keeper.job) != 0)
        pause_shortly();
}

AFTER_EACH
{
    answer();
    fake_granter_end(fake, &rig);
}

TEST("A call that never waits comes back while the coordinator is silent, with an id as long as the grant lasts; one "
     "request is made for all of them, and has no deadline")
{
    uint64_t id = 0;
    uint64_t retry_ns = 0;

    open_silent();
    for (int i = 0; i < 3; i++)
        assert_int_equal(try_one(rig.gen, &id, &retry_ns), FRAZIL_OK);
    rig_step(&rig, 200);
    for (int i = 0; i < 3; i++)
        assert_int_equal(try_one(rig.gen, &id, &retry_ns), FRAZIL_ELEASE);
    await_request();
    assert_true(fake->inside);
    assert_int_equal(fake->extended, 1);
    assert_int_equal(fake->deadline_ns, FZ_DEADLINE_NONE.at_ns);
    answer();
    assert_int_equal(try_one(rig.gen, &id, &retry_ns), FRAZIL_OK);
}

TEST("A call that waits gives a silent coordinator up when max_wait is over, and a later one has the answer")
{
    uint64_t id = 0;

    open_silent();
    rig_step(&rig, 200); /* beyond the end */
    assert_int_equal(frazil_next(rig.gen, &id), FRAZIL_ELEASE);
    assert_int_equal(frazil_take(rig.gen, &id, 1, RIG_MS, NULL), FRAZIL_ELEASE);
    await_request();
    assert_int_equal(fake->extended, 1);
    answer();
    assert_int_equal(frazil_next(rig.gen, &id), FRAZIL_OK);
}

/* A call in another thread, which waits for the coordinator. */
static frazil_err (*waits)(uint64_t *ret);
static const uint64_t beyond_ns = 1000 * PATIENCE_S * RIG_S; /* who waits until then hangs */
static frazil_err ended_with;

static frazil_err waits_for_id(uint64_t *ret)
{
    return frazil_take(rig.gen, ret, 1, beyond_ns, NULL);
}

static frazil_err waits_for_id_for_ever(uint64_t *ret)
{
    return frazil_take(rig.gen, ret, 1, FRAZIL_WAIT_FOREVER, NULL);
}

static frazil_err waits_for_grant(uint64_t *ret)
{
    return frazil_keep(rig.gen, beyond_ns, ret, NULL);
}

static frazil_err waits_for_grant_for_ever(uint64_t *ret)
{
    return frazil_keep(rig.gen, FRAZIL_WAIT_FOREVER, ret, NULL);
}

/* A cancelled thread leaves frames without a return from them, which the address sanitizer cannot see. */
static void leave_frames(void *unused)
{
    (void)unused;
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
    void __asan_handle_no_return(void);
    __asan_handle_no_return();
#endif
#endif
}

static void *wait_in_thread(void *arg)
{
    uint64_t ignored;

    pthread_cleanup_push(leave_frames, NULL);
    ended_with = waits(&ignored);
    pthread_cleanup_pop(0);
    return arg;
}

static frazil_err (*const waiting[])(uint64_t *) = {waits_for_id, waits_for_id_for_ever, waits_for_grant,
                                                    waits_for_grant_for_ever};

/* Starts a call, which asks itself if no other one does, and returns when it is being waited for. */
static pthread_t start_waiting(unsigned nth)
{
    pthread_t thread;

    waits = waiting[nth];
    ended_with = FRAZIL_OK;
    assert_int_equal(pthread_create(&thread, NULL, wait_in_thread, NULL), 0);
    await_request();
    return thread;
}

TEST("A stopped call no longer waits for a silent coordinator, whether the request is its own or another call's")
{
    for (unsigned nth = 0; nth < sizeof waiting / sizeof waiting[0]; nth++) {
        open_silent();
        rig_step(&rig, 200); /* beyond the end */
        pthread_t thread = start_waiting(nth);
        pthread_t second = start_waiting(nth);
        frazil_stop(rig.gen);
        assert_int_equal(pthread_join(thread, NULL), 0);
        assert_int_equal(pthread_join(second, NULL), 0);
        assert_int_equal(ended_with, FRAZIL_ESTOPPED);
        assert_true(fake->inside);
        assert_int_equal(fake->extended, 1);
        if (nth + 1 < sizeof waiting / sizeof waiting[0]) {
            answer();
            fake_granter_end(fake, &rig);
        }
    }
}

TEST("A call that waits for the request of another one looks for its end a few times only")
{
    enum { WAIT_MS = 400, LOOKS_MAX = 60 }; /* with a look each millisecond there would be 400 */
    uint64_t next_ns;

    open_silent();
    assert_int_equal(frazil_keep(rig.gen, 0, &next_ns, NULL), FRAZIL_EAGAIN);
    await_request();
    sleeps = 0;
    assert_int_equal(frazil_keep(rig.gen, WAIT_MS * RIG_MS, &next_ns, NULL), FRAZIL_EAGAIN);
    assert_in_range(sleeps, 1, LOOKS_MAX);
}

TEST("A thread that waits for a silent coordinator can be cancelled, and a later call has the answer")
{
    open_silent();
    rig_step(&rig, 200);
    for (unsigned nth = 0; nth < sizeof waiting / sizeof waiting[0]; nth++) {
        void *result = NULL;
        pthread_t thread = start_waiting(nth);
        assert_int_equal(pthread_cancel(thread), 0);
        assert_int_equal(pthread_join(thread, &result), 0);
        assert_ptr_equal(result, PTHREAD_CANCELED);
        assert_true(fake->inside);
    }
    assert_int_equal(fake->extended, 1);
    answer();
    (void)rig_next(&rig);
}

TEST("Without a descriptor for a connection, an extension that fails says so, and not that the coordinator is silent")
{
    struct rlimit before;
    uint64_t next_ns;
    frazil_error why;

    open_silent();
    fake->holds = false;
    fake->fails = FRAZIL_EUNREACHABLE;
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    const struct rlimit none = {.rlim_cur = 0, .rlim_max = before.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
    frazil_err err = frazil_keep(rig.gen, beyond_ns, &next_ns, &why);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
    assert_int_equal(err, FRAZIL_ESYS);
    assert_int_equal(why.sys_errno, EMFILE);
    assert_non_null(strstr(why.message, "(ulimit -n)"));
    fake->fails = FRAZIL_OK;
}

/* One whose granter is a file, which answers at once. */
static void open_over_file(void)
{
    open_silent();
    rig.gen->keeper.asks_coordinator = false;
    fake->holds = false;
}

TEST("Of a file the call's own time bounds the wait for its guard, and a thread's is bounded as well")
{
    uint64_t id = 0;
    uint64_t retry_ns = 0;

    open_over_file();
    uint64_t before_ns = fz_deadline_in(0).at_ns;
    assert_int_equal(try_one(rig.gen, &id, &retry_ns), FRAZIL_OK);
    assert_int_equal(fake->extended, 1);
    assert_in_range(fake->deadline_ns, before_ns, fz_deadline_in(0).at_ns); /* none: it looks once */
    rig_step(&rig, HORIZON - 100);
    assert_int_equal(frazil_next(rig.gen, &id), FRAZIL_OK);
    assert_in_range(fake->deadline_ns, before_ns, fz_deadline_in(20 * RIG_MS).at_ns);
    rig_step(&rig, HORIZON - 100);
    assert_int_equal(frazil_keep(rig.gen, FRAZIL_WAIT_FOREVER, &retry_ns, NULL), FRAZIL_OK);
    assert_int_equal(fake->extended, 3);
    assert_in_range(fake->deadline_ns, before_ns, FZ_DEADLINE_NONE.at_ns - 1);
}

TEST("A call that never waits, and does not get into the guard, puts nothing off: the next call may wait for it")
{
    uint64_t id = 0;
    uint64_t retry_ns = 0;

    open_over_file();
    fake->fails = FRAZIL_EAGAIN;
    assert_int_equal(try_one(rig.gen, &id, &retry_ns), FRAZIL_OK);
    assert_int_equal(try_one(rig.gen, &id, &retry_ns), FRAZIL_OK);
    assert_int_equal(fake->extended, 2);
    assert_int_equal(fz_keeper_retry_in_ns(rig.gen), 0);
    assert_int_equal(frazil_next(rig.gen, &id), FRAZIL_OK);
    assert_int_equal(fake->extended, 3);
    assert_true(fz_keeper_retry_in_ns(rig.gen) > 0);
    fake->fails = FRAZIL_OK;
}

TEST("Opening and closing hand their deadlines to the granter")
{
    const struct fz_granter never_asked = {.ctx = NULL};
    struct rig other = {.random_state = 1};
    frazil_error err;

    open_silent();
    const struct fz_granter granter = rig.gen->keeper.granter;
    rig_open(&other, SPEC, RIG_NOW);
    const struct fz_deadline deadline = fz_deadline_in(120 * RIG_S);
    assert_int_equal(fz_keeper_open(other.gen, &granter, FZ_KEEPER_INLINE, deadline, &err), FRAZIL_OK);
    assert_int_equal(fake->deadline_ns, deadline.at_ns);
    other.gen->keeper.granter = never_asked; /* closed by the first one */
    rig_close(&other);
    uint64_t before_ns = fz_deadline_in(0).at_ns;
    const struct fz_remnant remnant = fz_keeper_end(rig.gen);
    assert_int_equal(fz_keeper_release(rig.gen, (struct fz_deadline){before_ns}, &remnant), FRAZIL_OK);
    assert_int_equal(fake->deadline_ns, before_ns);
}
