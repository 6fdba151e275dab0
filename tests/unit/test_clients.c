/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: a process that was forked while another thread was inside a client library never goes in, and says
 * why; all others do, until the process ends.
 *
 * The child of a thread that is inside itself stands for that of another one: the count is the same.
 */
#define _GNU_SOURCE /* RUSAGE_THREAD */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "frazil/coordinator.h"
#include "lib/insider.h"
#include "lib/test.h"
#include "os/clients.h"
#include "os/part.h"
#include "os/socket.h"

/* ---- children --------------------------------------------------------------------- */

static frazil_err check(void)
{
    return fz_clients_check(fz_clients_share(NULL), NULL);
}

/* Does the work in a child that is forked here, and returns its result. */
static frazil_err as_child(frazil_err (*work)(void))
{
    int ends[2];
    frazil_err err = FRAZIL_OK;

    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        err = work();
        _exit(write(ends[1], &err, sizeof err) == (ssize_t)sizeof err ? 0 : 1);
    }
    (void)close(ends[1]);
    assert_int_equal(read(ends[0], &err, sizeof err), sizeof err);
    (void)close(ends[0]);
    assert_int_equal(waitpid(child, NULL, 0), child);
    return err;
}

static frazil_err check_grandchild(void)
{
    return as_child(check);
}

static frazil_err enter(void)
{
    frazil_err err = fz_clients_enter(NULL);

    if (err == FRAZIL_OK)
        fz_clients_leave();
    return err;
}

/* ---- going in and out -------------------------------------------------------------- */

TEST("A child may go in unless a thread was inside when it was forked; its own children are as it is")
{
    assert_int_equal(as_child(check), FRAZIL_OK);
    assert_int_equal(fz_clients_enter(NULL), FRAZIL_OK);
    assert_int_equal(as_child(check), FRAZIL_ESYS);
    assert_int_equal(as_child(check_grandchild), FRAZIL_ESYS);
    assert_int_equal(check(), FRAZIL_OK);
    fz_clients_leave();
    assert_int_equal(as_child(check), FRAZIL_OK);
    assert_int_equal(as_child(check_grandchild), FRAZIL_OK);
}

TEST("A thread that goes in again while it is inside is out with the last one that it leaves")
{
    assert_int_equal(fz_clients_enter(NULL), FRAZIL_OK);
    assert_int_equal(fz_clients_enter(NULL), FRAZIL_OK);
    fz_clients_leave();
    assert_int_equal(as_child(check), FRAZIL_ESYS);
    fz_clients_leave();
    assert_int_equal(as_child(check), FRAZIL_OK);
}

static frazil_err enter_and_check_grandchild(void)
{
    frazil_err err = fz_clients_enter(NULL);

    return err == FRAZIL_OK ? as_child(check) : err;
}

TEST("A child that goes in bars its own children")
{
    assert_int_equal(as_child(enter_and_check_grandchild), FRAZIL_ESYS);
}

/* ---- another thread ------------------------------------------------------------------ */

static frazil_err load(void)
{
    const void *entry;

    return fz_part_load("nonesuch", &entry, NULL);
}

static frazil_err load_without_descriptors(void)
{
    const struct rlimit none = {.rlim_cur = 3, .rlim_max = 3};
    const void *entry;
    frazil_error err = {.message = ""};

    if (setrlimit(RLIMIT_NOFILE, &none) != 0)
        abort();
    frazil_err result = fz_part_load("nonesuch", &entry, &err);
    return strstr(err.message, "(ulimit -n)") != NULL ? result : FRAZIL_OK;
}

TEST("A part that cannot be loaded for want of descriptors is not called missing")
{
    assert_int_equal(as_child(load_without_descriptors), FRAZIL_ESYS);
}

TEST("While another thread is inside, a child neither goes in nor asks the loader, and says what to do")
{
    frazil_error why = {.message = ""};
    struct insider insider;

    assert_int_equal(load(), FRAZIL_ENOTBUILT);
    insider_start(&insider);
    assert_int_equal(as_child(enter), FRAZIL_ESYS);
    assert_int_equal(as_child(load), FRAZIL_ESYS);
    assert_int_equal(enter(), FRAZIL_OK);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0)
        _exit(fz_clients_enter(&why) == FRAZIL_ESYS && strstr(why.message, "open generators before you fork") != NULL
                  ? 0
                  : 1);
    int status = -1;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    insider_end(&insider);
    assert_int_equal(as_child(load), FRAZIL_ENOTBUILT);
}

/* ---- threads that end ---------------------------------------------------------------- */

static pthread_key_t of_a_library;
static frazil_err seen_at_the_end;

/* As OpenSSL clears up after a thread, and a child is forked meanwhile. */
static void end_of_a_library(void *value)
{
    (void)value;
    seen_at_the_end = as_child(check);
}

static void *come_and_end(void *enters)
{
    (void)pthread_setspecific(of_a_library, &of_a_library);
    return enters != NULL && enter() != FRAZIL_OK ? enters : NULL;
}

static frazil_err end_of_thread(bool enters)
{
    pthread_t thread;
    void *failed = NULL;

    seen_at_the_end = FRAZIL_EINVAL;
    assert_int_equal(pthread_create(&thread, NULL, come_and_end, enters ? &thread : NULL), 0);
    assert_int_equal(pthread_join(thread, &failed), 0);
    assert_null(failed);
    return seen_at_the_end;
}

TEST("A thread that was inside once is inside again while the libraries clear up after it, and out when it has ended")
{
    assert_int_equal(enter(), FRAZIL_OK); /* the count is made before the library is loaded */
    assert_int_equal(pthread_key_create(&of_a_library, end_of_a_library), 0);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(end_of_thread(true), FRAZIL_ESYS);
        assert_int_equal(as_child(check), FRAZIL_OK);
        assert_int_equal(end_of_thread(false), FRAZIL_OK);
    }
    assert_int_equal(pthread_key_delete(of_a_library), 0);
}

/* ---- waiting -------------------------------------------------------------------------- */

static frazil_err seen_in_poll;
static bool waits_for_the_end; /* so does poll, and forks nothing */
static atomic_bool is_there;

/* In place of the system's: the file is ready, and a child is forked meanwhile. */
int poll(struct pollfd *fds, nfds_t n, int timeout_ms)
{
    (void)timeout_ms;
    for (nfds_t i = 0; i < n; i++)
        fds[i].revents = POLLIN;
    while (waits_for_the_end && check() == FRAZIL_OK)
        is_there = true;
    if (!waits_for_the_end)
        seen_in_poll = as_child(check);
    return (int)n;
}

TEST("A thread that waits for a server is outside meanwhile, and inside again after that; others never count as inside")
{
    const struct fz_allowance allowance = fz_allowance_of(60000, FZ_DEADLINE_NONE);

    seen_in_poll = FRAZIL_ENOMEM;
    assert_int_equal(fz_clients_enter(NULL), FRAZIL_OK);
    assert_int_equal(fz_allowance_wait(&allowance, 0, POLLIN), 0);
    assert_int_equal(seen_in_poll, FRAZIL_OK);
    assert_int_equal(as_child(check), FRAZIL_ESYS);
    fz_clients_leave();
    assert_int_equal(fz_allowance_wait(&allowance, 0, POLLIN), 0);
    assert_int_equal(seen_in_poll, FRAZIL_OK);
    assert_int_equal(as_child(check), FRAZIL_OK);
}

/* ---- the end of the process ----------------------------------------------------------- */

enum { A_WHILE_MS = 50, NOTHING_YET = 200 };

static atomic_int seen_by_thread;

/* As OpenSSL does, whose end is registered when it is first used.  Whatever has been registered before is left out. */
static void clear_up_after_a_library(void)
{
    _exit(enter() == FRAZIL_ESYS ? seen_by_thread : 100);
}

static void clear_up_after_the_thread(void)
{
    while (seen_by_thread == NOTHING_YET)
        sched_yield();
    clear_up_after_a_library();
}

/* Ends a process whose thread is at that work, once it is there.  Returns what the thread has seen by the end. */
static int end_with(void *(*work)(void *), void (*clear_up)(void))
{
    pthread_t thread;
    int status = -1;
    pid_t child = fork();

    assert_true(child >= 0);
    if (child == 0) {
        is_there = false;
        seen_by_thread = NOTHING_YET;
        if (atexit(clear_up) != 0)
            _exit(101);
        fz_clients_end_at_exit();
        if (pthread_create(&thread, NULL, work, NULL) != 0)
            _exit(102);
        while (!is_there)
            sched_yield();
        exit(103);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static void *leave_when_it_ends(void *ctx)
{
    frazil_err err = fz_clients_enter(NULL);

    is_there = err == FRAZIL_OK;
    while (check() == FRAZIL_OK)
        (void)poll(NULL, 0, 1);
    frazil_err again = enter();
    /* It sleeps: a thread that yields on a busy machine may be away for the second that exit waits. */
    (void)poll(NULL, 0, A_WHILE_MS);
    seen_by_thread = again == FRAZIL_ESYS ? 1 : 2;
    fz_clients_leave();
    return ctx;
}

TEST(
    "When the process ends, those who are inside are waited for before libraries clear up, and nobody goes in any more")
{
    assert_int_equal(end_with(leave_when_it_ends, clear_up_after_a_library), 1);
}

static void *stay(void *ctx)
{
    if (fz_clients_enter(NULL) == FRAZIL_OK)
        is_there = true;
    for (;;)
        pause();
    return ctx;
}

TEST("The end of the process does not wait for ever")
{
    assert_int_equal(end_with(stay, clear_up_after_a_library), NOTHING_YET);
}

/* How often the process has slept so far. */
static long sleeps(void)
{
    struct rusage usage;

    return getrusage(RUSAGE_THREAD, &usage) == 0 ? usage.ru_nvcsw : -1;
}

static long slept;

static void note_sleeps(void)
{
    slept = sleeps();
}

static void clear_up_unless_it_slept_since(void)
{
    _exit(sleeps() > slept + 1 ? 104 : NOTHING_YET);
}

/* Another part has registered before. */
static void *register_and_stay(void *ctx)
{
    if (atexit(note_sleeps) != 0)
        return ctx;
    fz_clients_end_at_exit();
    return stay(ctx);
}

TEST("It waits once, however many parts have registered for it")
{
    assert_int_equal(end_with(register_and_stay, clear_up_unless_it_slept_since), NOTHING_YET);
}

static void *wait_for_a_server(void *ctx)
{
    const struct fz_allowance allowance = fz_allowance_of(60000, FZ_DEADLINE_NONE);

    waits_for_the_end = true;
    if (fz_clients_enter(NULL) == FRAZIL_OK)
        seen_by_thread = fz_allowance_wait(&allowance, 0, POLLIN);
    fz_clients_leave();
    return ctx;
}

TEST("A thread that waits for a server when the process ends does not go back, and its wait fails")
{
    assert_int_equal(end_with(wait_for_a_server, clear_up_after_the_thread), ECANCELED);
}
