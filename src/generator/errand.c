/* SPDX-License-Identifier: MIT */
#include "errand.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>

#include "core/duration.h"

/* The caller and the thread hold it; whoever is the last frees it. */
struct errand {
    pthread_mutex_t lock;
    pthread_cond_t ended;
    unsigned holders;
    bool has_ended;
    fz_errand_fn run;
    struct fz_deadline deadline;
    frazil *gen;
    frazil_err err;
    frazil_error why;
};

static struct errand *new_errand(frazil *gen, fz_errand_fn run, struct fz_deadline deadline)
{
    struct errand *errand = calloc(1, sizeof *errand);
    pthread_condattr_t attributes;

    if (errand == NULL || pthread_condattr_init(&attributes) != 0) {
        free(errand);
        return NULL;
    }
    /* A wall clock that is set back must not make the caller wait for longer than it asked. */
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    bool made = pthread_cond_init(&errand->ended, &attributes) == 0;
    pthread_condattr_destroy(&attributes);
    if (!made || pthread_mutex_init(&errand->lock, NULL) != 0) {
        free(errand);
        return NULL;
    }
    /* Both from the start: the thread may have ended before the caller begins to wait. */
    errand->holders = 2;
    errand->run = run;
    errand->deadline = deadline;
    errand->gen = gen;
    return errand;
}

/* The caller holds the lock, and loses it. */
static void let_go(struct errand *errand)
{
    /* The caller may have stopped waiting long ago: then the thread is the last, and nobody reads what it found. */
    bool is_last = --errand->holders == 0;

    pthread_mutex_unlock(&errand->lock);
    if (!is_last)
        return;
    pthread_cond_destroy(&errand->ended);
    pthread_mutex_destroy(&errand->lock);
    free(errand);
}

static void *run_errand(void *arg)
{
    struct errand *errand = arg;
    frazil_err err = errand->run(errand->gen, errand->deadline, &errand->why);

    pthread_mutex_lock(&errand->lock);
    errand->err = err;
    errand->has_ended = true;
    pthread_cond_signal(&errand->ended);
    let_go(errand);
    return NULL;
}

/* Nobody joins the thread: a caller that has given up must not wait for it.  It takes no signals, as they are the
 * program's. */
static bool start(struct errand *errand)
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
    int sys = pthread_create(&thread, &attributes, run_errand, errand);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    return sys == 0;
}

/* The caller holds the lock. */
static void await_end(struct errand *errand, struct fz_deadline deadline)
{
    const uint64_t latest_ns = UINT64_C(1) << 60; /* beyond it a time_t could overflow */
    uint64_t until_ns = deadline.at_ns < latest_ns ? deadline.at_ns : latest_ns;
    struct timespec until = {.tv_sec = (time_t)(until_ns / FZ_NS_PER_S), .tv_nsec = (long)(until_ns % FZ_NS_PER_S)};
    int sys = 0;

    /* Only has_ended tells whether the errand is done: a wait may also end for no reason. */
    while (!errand->has_ended && sys != ETIMEDOUT)
        sys = pthread_cond_timedwait(&errand->ended, &errand->lock, &until);
}

bool fz_errand_run(frazil *gen, fz_errand_fn run, struct fz_deadline deadline, struct fz_deadline until,
                   frazil_err *ret_err, frazil_error *reterr)
{
    struct errand *errand = new_errand(gen, run, deadline);
    int cancel_state;

    /* A cancelled caller would leave the lock taken. */
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel_state);
    if (errand != NULL && !start(errand)) {
        free(errand);
        errand = NULL;
    }
    /* Without memory or a thread it is run here: late is better than never. */
    bool has_ended = errand == NULL;
    if (errand == NULL) {
        *ret_err = run(gen, deadline, reterr);
    } else {
        pthread_mutex_lock(&errand->lock);
        await_end(errand, until);
        has_ended = errand->has_ended;
        if (has_ended)
            *ret_err = errand->err;
        if (has_ended && errand->err != FRAZIL_OK && reterr != NULL)
            *reterr = errand->why;
        let_go(errand);
    }
    pthread_setcancelstate(cancel_state, &(int){0});
    return has_ended;
}
