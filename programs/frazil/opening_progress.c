/* SPDX-License-Identifier: MIT */
#include "opening_progress.h"

#include "complain.h"

#include <signal.h>
#include <time.h>
#include <unistd.h>

#define SILENT_S 2

static void *count(void *arg)
{
    struct opening_progress *progress = arg;
    struct timespec due;
    unsigned said = 0;

    (void)clock_gettime(CLOCK_MONOTONIC, &due);
    due.tv_sec += SILENT_S;
    (void)pthread_mutex_lock(&progress->mutex);
    while (!progress->over) {
        if (pthread_cond_timedwait(&progress->ended, &progress->mutex, &due) == 0)
            continue;
        complain_progress("opening the generator: %u s; open_wait= limits that", SILENT_S + said++);
        due.tv_sec++;
    }
    if (said > 0)
        complain_progress("%s", "");
    (void)pthread_mutex_unlock(&progress->mutex);
    return NULL;
}

/* Signals are for the thread that waits: they end its wait. */
static bool start(struct opening_progress *progress)
{
    sigset_t all, before;

    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &before);
    int err = pthread_create(&progress->thread, NULL, count, progress);
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    return err == 0;
}

void opening_progress_begin(struct opening_progress *progress, bool quiet)
{
    pthread_condattr_t monotonic;

    *progress = (struct opening_progress){.runs = false};
    if (quiet || isatty(STDERR_FILENO) != 1)
        return;
    (void)pthread_mutex_init(&progress->mutex, NULL);
    (void)pthread_condattr_init(&monotonic);
    (void)pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    (void)pthread_cond_init(&progress->ended, &monotonic);
    (void)pthread_condattr_destroy(&monotonic);
    progress->runs = start(progress);
}

void opening_progress_end(struct opening_progress *progress)
{
    if (!progress->runs)
        return;
    (void)pthread_mutex_lock(&progress->mutex);
    progress->over = true;
    (void)pthread_cond_signal(&progress->ended);
    (void)pthread_mutex_unlock(&progress->mutex);
    (void)pthread_join(progress->thread, NULL);
    (void)pthread_cond_destroy(&progress->ended);
    (void)pthread_mutex_destroy(&progress->mutex);
}
