/* SPDX-License-Identifier: MIT */
#include "patience.h"

#include "complain.h"

#include <signal.h>
#include <time.h>
#include <unistd.h>

#define SILENT_S 2

static void *count(void *arg)
{
    struct patience *patience = arg;
    struct timespec due;
    unsigned said = 0;

    (void)clock_gettime(CLOCK_MONOTONIC, &due);
    due.tv_sec += SILENT_S;
    (void)pthread_mutex_lock(&patience->mutex);
    while (!patience->over) {
        if (pthread_cond_timedwait(&patience->ended, &patience->mutex, &due) == 0)
            continue;
        complain_progress("opening the generator: %u s; open_wait= limits that", SILENT_S + said++);
        due.tv_sec++;
    }
    if (said > 0)
        complain_progress("%s", "");
    (void)pthread_mutex_unlock(&patience->mutex);
    return NULL;
}

/* Signals are for the thread that waits: they end its wait. */
static bool start(struct patience *patience)
{
    sigset_t all, before;

    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &before);
    int err = pthread_create(&patience->thread, NULL, count, patience);
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    return err == 0;
}

void patience_begin(struct patience *patience, bool quiet)
{
    pthread_condattr_t monotonic;

    *patience = (struct patience){.runs = false};
    if (quiet || isatty(STDERR_FILENO) != 1)
        return;
    (void)pthread_mutex_init(&patience->mutex, NULL);
    (void)pthread_condattr_init(&monotonic);
    (void)pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    (void)pthread_cond_init(&patience->ended, &monotonic);
    (void)pthread_condattr_destroy(&monotonic);
    patience->runs = start(patience);
}

void patience_end(struct patience *patience)
{
    if (!patience->runs)
        return;
    (void)pthread_mutex_lock(&patience->mutex);
    patience->over = true;
    (void)pthread_cond_signal(&patience->ended);
    (void)pthread_mutex_unlock(&patience->mutex);
    (void)pthread_join(patience->thread, NULL);
    (void)pthread_cond_destroy(&patience->ended);
    (void)pthread_mutex_destroy(&patience->mutex);
}
