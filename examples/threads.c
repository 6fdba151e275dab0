/* SPDX-License-Identifier: MIT */
/*
 * Threads: all share one generator, and each has a frazil_local, which takes ids in
 * blocks and issues them without an atomic operation: one by one, the ids that are free,
 * or exactly so many.  Ids of one thread increase; those of several interleave.
 * (frazil_next, frazil_take and frazil_try_take may be called from any thread as well.)
 */
#include <frazil.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>

#define THREADS 4
#define IDS 1000
#define ONE_BY_ONE 300
#define AT_ONCE 100

typedef struct worker {
    pthread_t thread;
    frazil *gen;
    uint64_t ids[IDS];
    size_t taken;
} worker;

static void *work(void *ctx)
{
    worker *self = ctx;
    frazil_local *local;
    uint64_t retry_ns;
    size_t taken;

    if (frazil_local_open(&local, self->gen, NULL) != FRAZIL_OK)
        return NULL;
    while (self->taken < ONE_BY_ONE && frazil_local_next(local, &self->ids[self->taken]) == FRAZIL_OK)
        self->taken++;
    /* 0 to AT_ONCE of them, without a wait. */
    frazil_err tried = frazil_local_try_take(local, &self->ids[self->taken], AT_ONCE, &taken, &retry_ns, NULL);
    if (tried == FRAZIL_OK || tried == FRAZIL_EAGAIN)
        self->taken += taken;
    /* All others, or none. */
    taken = IDS - self->taken;
    if (frazil_local_take(local, &self->ids[self->taken], taken, FRAZIL_WAIT_DEFAULT, NULL) == FRAZIL_OK)
        self->taken = IDS;
    frazil_local_close(local);
    return NULL;
}

int main(void)
{
    static worker workers[THREADS];
    frazil *gen;
    frazil_error err;

    if (frazil_open(&gen, "worker=fixed:7", &err) != FRAZIL_OK) {
        fprintf(stderr, "%s\n", err.message);
        return 1;
    }
    for (int i = 0; i < THREADS; i++) {
        workers[i].gen = gen;
        if (pthread_create(&workers[i].thread, NULL, work, &workers[i]) != 0)
            return 1;
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(workers[i].thread, NULL);
        for (size_t k = 0; k < workers[i].taken; k++)
            printf("%d %" PRIu64 "\n", i, workers[i].ids[k]);
    }
    frazil_close(gen);
    return 0;
}
