/* SPDX-License-Identifier: MIT */
#include "background_job.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

#include "monotonic_condition.h"
#include "os/cancel.h"
#include "os/deadline.h"

/* The caller and the thread hold it; the last one frees it. */
struct job {
    pthread_mutex_t lock;
    pthread_cond_t ended;
    unsigned holders;
    bool has_ended;
    fz_background_fn run;
    struct fz_deadline deadline;
    frazil *gen;
    frazil_err err;
    frazil_error why;
};

static struct job *new_job(frazil *gen, fz_background_fn run, struct fz_deadline deadline)
{
    struct job *job = calloc(1, sizeof *job);

    if (job == NULL)
        return NULL;
    /* A wall clock that is set back must not make the caller wait for longer than it asked. */
    if (fz_monotonic_condition_init(&job->ended) != 0 || pthread_mutex_init(&job->lock, NULL) != 0) {
        free(job);
        return NULL;
    }
    /* Both from the start: the thread may have ended before the caller begins to wait. */
    job->holders = 2;
    job->run = run;
    job->deadline = deadline;
    job->gen = gen;
    return job;
}

static void free_job(struct job *job)
{
    pthread_cond_destroy(&job->ended);
    pthread_mutex_destroy(&job->lock);
    free(job);
}

/* The caller holds the lock, and loses it. */
static void let_go(struct job *job)
{
    /* The caller may have stopped waiting long ago: then the thread is the last, and nobody reads what it found. */
    bool is_last = --job->holders == 0;

    pthread_mutex_unlock(&job->lock);
    if (is_last)
        free_job(job);
}

static void *run_job(void *arg)
{
    struct job *job = arg;
    frazil_err err = job->run(job->gen, job->deadline, &job->why);

    pthread_mutex_lock(&job->lock);
    job->err = err;
    job->has_ended = true;
    pthread_cond_signal(&job->ended);
    let_go(job);
    return NULL;
}

/* Nobody joins the thread: a caller that has given up must not wait for it.  It takes no signals, as they are the
 * program's. */
static bool start(struct job *job)
{
    pthread_attr_t attributes;
    pthread_t thread;
    sigset_t all;
    sigset_t before;

    if (pthread_attr_init(&attributes) != 0)
        return false;
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int sys = pthread_create(&thread, &attributes, run_job, job);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    return sys == 0;
}

/* A caller that is cancelled holds the lock. */
static void let_go_cancelled(void *job)
{
    let_go(job);
}

/* The caller holds the lock. */
static void await_end(struct job *job, const struct fz_background_wait *wait, int cancel_state)
{
    bool has_time = true;

    while (has_time && !job->has_ended && (wait->is_over == NULL || !wait->is_over(job->gen))) {
        pthread_cleanup_push(let_go_cancelled, job);
        if (wait->is_over != NULL)
            fz_cancel_as(cancel_state);
        has_time = fz_monotonic_condition_look(&job->ended, &job->lock, wait->until);
        (void)fz_cancel_off();
        pthread_cleanup_pop(0);
    }
}

enum fz_background fz_background_run(frazil *gen, fz_background_fn run, struct fz_deadline deadline,
                                     const struct fz_background_wait *wait, frazil_err *ret_err, frazil_error *reterr)
{
    struct job *job = new_job(gen, run, deadline);

    if (job == NULL)
        return FZ_BACKGROUND_NO_THREAD;
    /* Elsewhere a cancelled caller would leave the lock taken. */
    int cancel_state = fz_cancel_off();
    bool is_started = start(job);
    bool has_ended = false;
    if (is_started) {
        pthread_mutex_lock(&job->lock);
        await_end(job, wait, cancel_state);
        has_ended = job->has_ended;
        if (has_ended)
            *ret_err = job->err;
        if (has_ended && job->err != FRAZIL_OK && reterr != NULL)
            *reterr = job->why;
        let_go(job);
    } else {
        free_job(job);
    }
    fz_cancel_as(cancel_state);
    return !is_started ? FZ_BACKGROUND_NO_THREAD : has_ended ? FZ_BACKGROUND_ENDED : FZ_BACKGROUND_GOES_ON;
}
