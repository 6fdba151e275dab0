/* SPDX-License-Identifier: MIT */
/* An opening may wait for a coordinator or a worker id: on a terminal, a line says so. */
#ifndef OPENING_PROGRESS_H
#define OPENING_PROGRESS_H

#include <pthread.h>
#include <stdbool.h>

struct opening_progress {
    bool runs;
    bool over;
    pthread_t thread;
    pthread_mutex_t mutex;
    pthread_cond_t ended;
};

/*
 * From two seconds on, a thread counts them on standard error, until the end.  Between the two nothing else may be
 * written.  Without a terminal, if quiet, or if no thread can be made, nothing is said.
 */
void opening_progress_begin(struct opening_progress *progress, bool quiet);
void opening_progress_end(struct opening_progress *progress);

#endif
