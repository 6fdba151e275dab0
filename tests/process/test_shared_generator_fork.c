/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: a program forks in one thread while others open and close generators of frazil_open_shared.  The
 * child goes on at once, whichever step the others were at: it opens, takes ids and closes, and repeats nobody's.
 *
 * Allocations and locks go through the functions below, which fork after the n-th one; the threads of the last test
 * fork wherever they are.
 */
#define _GNU_SOURCE /* syscall, RTLD_NEXT */
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "frazil.h"
#include "lib/bound.h"
#include "lib/scratch.h"
#include "lib/test.h"

EACH_IN_SCRATCH

static char spec[900];
static char rival_spec[900];

static void name_specs(unsigned namespace)
{
    snprintf(spec, sizeof spec,
             "worker=fixed:7 namespace=n%u keeper=inline state=file run_dir=%s/run state_dir=%s/state", namespace,
             scratch, scratch);
    snprintf(rival_spec, sizeof rival_spec, "worker=fixed:8 state=memory keeper=inline");
}

/* ---- forking inside ------------------------------------------------------------------ */

static unsigned fork_at; /* 0: never */
static unsigned steps;
static pid_t child;

/* The work of a child that is forked in the middle of a call: all of it, within its own time. */
static void live_as_child(void)
{
    frazil *gen;
    frazil *rival = NULL;
    uint64_t ids[2];

    fork_at = 0;
    if (frazil_open_shared(&gen, spec, NULL) != FRAZIL_OK)
        _exit(1);
    /* The parent may have it, with its state in memory, and the child not. */
    frazil_err err = frazil_open_shared(&rival, rival_spec, NULL);
    if (err != FRAZIL_OK && err != FRAZIL_EWORKER)
        _exit(3);
    if (frazil_next(gen, &ids[0]) != FRAZIL_OK || (err == FRAZIL_OK && frazil_next(rival, &ids[1]) != FRAZIL_OK))
        _exit(2);
    frazil_close(rival);
    frazil_close(gen);
    _exit(0);
}

static void step(void)
{
    if (fork_at == 0 || ++steps != fork_at)
        return;
    child = bound_fork();
    if (child == 0)
        live_as_child();
}

void *calloc(size_t count, size_t size)
{
    static void *(*real)(size_t, size_t);

    if (real == NULL) {
        void *address = dlsym(RTLD_NEXT, "calloc");
        memcpy(&real, &address, sizeof real);
    }
    void *ret = real(count, size);
    step();
    return ret;
}

void free(void *pointer)
{
    static void (*real)(void *);

    if (real == NULL) {
        void *address = dlsym(RTLD_NEXT, "free");
        memcpy(&real, &address, sizeof real);
    }
    step();
    real(pointer);
}

int flock(int fd, int operation)
{
    int result = (int)syscall(SYS_flock, fd, operation);

    step();
    return result;
}

static void must_end_well(pid_t pid, unsigned at)
{
    int status;

    assert_int_equal(waitpid(pid, &status, 0), pid);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
        fail_msg("step %u: the child ended with %x", at, (unsigned)status);
}

TEST("A child that is born at any allocation, release or lock of an opening or a closing opens, takes and closes")
{
    enum { STEPS_MAX = 1000 };
    frazil *gen;
    frazil *again;
    uint64_t id;

    for (unsigned at = 1; at < STEPS_MAX; at++) {
#ifdef FRAZIL_PORTABLE
        /* There a child counts until it is waited for, so its parent does not give the grant back for the next step. */
        name_specs(at);
#else
        name_specs(0);
#endif
        steps = 0;
        child = 0;
        fork_at = at;
        assert_int_equal(frazil_open_shared(&gen, spec, NULL), FRAZIL_OK);
        assert_int_equal(frazil_open_shared(&again, spec, NULL), FRAZIL_OK);
        frazil_close(again);
        assert_int_equal(frazil_next(gen, &id), FRAZIL_OK);
        frazil_close(gen);
        fork_at = 0;
        if (steps < at) {
            assert_true(at > 20); /* there was something to fork at */
            return;
        }
        must_end_well(child, at);
    }
    fail_msg("there is no end of steps");
}

/* ---- threads ----------------------------------------------------------------------------- */

enum { THREADS = 3, FORKS = 60 };
static _Atomic bool stop;

static void *open_and_close(void *ctx)
{
    bool first = ctx == NULL;
    frazil *gen;
    uint64_t id;

    while (!stop) {
        frazil_err err = frazil_open_shared(&gen, first ? spec : rival_spec, NULL);
        if (err == FRAZIL_EWORKER && !first)
            continue; /* a child that was born meanwhile has the number, whose state is in memory */
        if (err != FRAZIL_OK || frazil_next(gen, &id) != FRAZIL_OK)
            return &stop;
        frazil_close(gen);
    }
    return NULL;
}

TEST("Threads open and close while another one forks: no child waits for what its parent's threads held")
{
    pthread_t threads[THREADS];
    void *failed;

    name_specs(0);
#ifdef FRAZIL_PORTABLE
    /* A file keeps its grant for a child that nobody has waited for, and the next grant is ahead of the clock. */
    snprintf(spec, sizeof spec, "worker=fixed:7 state=memory keeper=inline");
#endif
    for (size_t i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, open_and_close, i == 0 ? NULL : &threads[i]), 0);
    for (int i = 0; i < FORKS; i++) {
        pid_t pid = bound_fork();
        if (pid == 0)
            live_as_child();
        must_end_well(pid, (unsigned)i);
    }
    stop = true;
    for (size_t i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_join(threads[i], &failed), 0);
        assert_null(failed);
    }
}
