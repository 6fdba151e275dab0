/* SPDX-License-Identifier: MIT */
/* An opening may wait for a coordinator or a worker id: on a terminal, a line says so. */
#ifndef PATIENCE_H
#define PATIENCE_H

#include <pthread.h>
#include <stdbool.h>

struct patience {
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
void patience_begin(struct patience *patience, bool quiet);
void patience_end(struct patience *patience);

#endif
