/* SPDX-License-Identifier: MIT */
/*
 * Background jobs: calls of the library that take as long as a coordinator does, and that cannot be cut into pieces.  A
 * thread makes each of them, without any object of Python, so that the caller can look at signals meanwhile.
 */
#define _POSIX_C_SOURCE 200809L /* pthread_condattr_setclock */
#include "generator.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>

_Atomic uint64_t abandoned_jobs;

/* The caller and the thread share this. */
struct job_thread {
    pthread_mutex_t lock;
    pthread_cond_t ended;
    bool has_ended;
    bool is_abandoned; /* nobody waits for it any more */
    struct background_job *job;
};

static struct job_thread *thread_new(struct background_job *job)
{
    struct job_thread *thread = calloc(1, sizeof *thread);
    pthread_condattr_t attributes;

    if (thread == NULL || pthread_condattr_init(&attributes) != 0) {
        free(thread);
        return NULL;
    }
    (void)pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    (void)pthread_mutex_init(&thread->lock, NULL);
    (void)pthread_cond_init(&thread->ended, &attributes);
    (void)pthread_condattr_destroy(&attributes);
    thread->job = job;
    return thread;
}

static void thread_free(struct job_thread *thread)
{
    (void)pthread_cond_destroy(&thread->ended);
    (void)pthread_mutex_destroy(&thread->lock);
    free(thread);
}

static void *run_job(void *argument)
{
    struct job_thread *thread = argument;

    thread->job->run(thread->job);
    (void)pthread_mutex_lock(&thread->lock);
    thread->has_ended = true;
    bool is_abandoned = thread->is_abandoned;
    (void)pthread_cond_signal(&thread->ended);
    (void)pthread_mutex_unlock(&thread->lock);
    if (is_abandoned) {
        thread->job->discard(thread->job);
        thread_free(thread);
        atomic_fetch_sub(&abandoned_jobs, 1);
    }
    return NULL;
}

/* Nobody joins the thread.  It takes no signals: they are the program's. */
static bool thread_start(struct job_thread *thread)
{
    pthread_t id;
    sigset_t all;
    sigset_t before;

    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &before);
    bool good = pthread_create(&id, NULL, run_job, thread) == 0;
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (good)
        (void)pthread_detach(id);
    return good;
}

/* Waits for a piece of time.  True: it has ended. */
static bool await_piece(struct job_thread *thread)
{
    const uint64_t second_ns = 1000000000;
    struct timespec until;
    int sys = 0;

    (void)clock_gettime(CLOCK_MONOTONIC, &until);
    uint64_t ns = (uint64_t)until.tv_nsec + PIECE_NS;
    until.tv_sec += (time_t)(ns / second_ns);
    until.tv_nsec = (long)(ns % second_ns);
    (void)pthread_mutex_lock(&thread->lock);
    while (!thread->has_ended && sys != ETIMEDOUT)
        sys = pthread_cond_timedwait(&thread->ended, &thread->lock, &until);
    bool has_ended = thread->has_ended;
    (void)pthread_mutex_unlock(&thread->lock);
    return has_ended;
}

/* The thread that locks last discards the result. */
static void abandon(struct job_thread *thread)
{
    (void)pthread_mutex_lock(&thread->lock);
    thread->is_abandoned = true;
    bool has_ended = thread->has_ended;
    if (!has_ended)
        atomic_fetch_add(&abandoned_jobs, 1);
    (void)pthread_mutex_unlock(&thread->lock);
    if (has_ended) {
        thread->job->discard(thread->job);
        thread_free(thread);
    }
}

int do_in_background(const struct state *state, struct background_job *job)
{
    uint64_t forks = atomic_load(&fork_count);
    struct job_thread *thread = thread_new(job);
    bool has_ended = false;

    if (thread == NULL || !thread_start(thread)) { /* without a thread the caller makes the call */
        Py_BEGIN_ALLOW_THREADS job->run(job);
        Py_END_ALLOW_THREADS if (thread != NULL) thread_free(thread);
        return 0;
    }
    for (;;) {
        Py_BEGIN_ALLOW_THREADS has_ended = await_piece(thread);
        Py_END_ALLOW_THREADS if (has_ended) break;
        int signals = check_signals(state);
        /* A handler forked.  The child has no such thread, and its lock may be taken for ever. */
        if (atomic_load(&fork_count) != forks) {
            if (signals == 0)
                (void)raise_sentence(state, FRAZIL_ESYS,
                                     "a signal handler forked while a generator was being opened or closed: have the "
                                     "child execute a program, or open generators there");
            return -1;
        }
        if (signals < 0) {
            Py_BEGIN_ALLOW_THREADS abandon(thread);
            Py_END_ALLOW_THREADS return -1;
        }
    }
    thread_free(thread);
    return 0;
}
