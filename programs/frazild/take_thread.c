/* SPDX-License-Identifier: MIT */
#include "take_thread.h"

#include "clock.h"

#include <limits.h>
#include <stdlib.h>

/* A take may last so long at a time, whatever time its job has: then its failure is known, and is told. */
#define TRY_NS (2 * NS_PER_S)
/* Between two takes that fail at once. */
#define PAUSE_NS (100 * NS_PER_MS)
/* Between two looks at whether the coordinator is back. */
#define PROBE_NS (1 * NS_PER_S)

struct take_thread {
    struct job_thread thread; /* first */
    frazil *gen;
    bool is_sno;
    pthread_mutex_t lock; /* of what follows, which the thread writes */
    uint64_t failures;    /* of the coordinator, in a row */
    frazil_error failure;
};

static bool is_of_coordinator(frazil_err code)
{
    return code == FRAZIL_EUNREACHABLE || code == FRAZIL_EREFUSED || code == FRAZIL_ENAMESPACE || code == FRAZIL_ECLOCK;
}

/* Takes the ids, and keeps what that says of the coordinator. */
static void try_once(struct take_thread *taker, struct take_job *job)
{
    frazil_error err = {.retry_ns = 0};

    job->code = taker->is_sno ? frazil_sno_take(taker->gen, job->meta, job->ids, job->n, TRY_NS, &err)
                              : frazil_take(taker->gen, job->ids, job->n, TRY_NS, &err);
    job->retry_ns = err.retry_ns;
    (void)pthread_mutex_lock(&taker->lock);
    if (job->code == FRAZIL_OK || job->code == FRAZIL_EFULL)
        taker->failures = 0;
    if (is_of_coordinator(job->code)) {
        taker->failures++;
        taker->failure = err;
    }
    (void)pthread_mutex_unlock(&taker->lock);
}

/* Tries until the job's time is over, while somebody waits for it. */
static void take(struct take_thread *taker, struct take_job *job)
{
    do
        try_once(taker, job);
    while (frazil_err_classify(job->code) == FRAZIL_CLASS_RETRY && clock_ns() < job->deadline_ns &&
           job_may_rest(&job->job, PAUSE_NS));
}

/* Whether it is back shows in a take, although no client asks: they all may have gone elsewhere. */
static void probe(struct take_thread *taker)
{
    frazil_sno room;
    uint64_t id;
    struct take_job job = {.n = 1, .ids = taker->is_sno ? (void *)&room : (void *)&id};

    try_once(taker, &job);
}

static uint64_t run(struct job_thread *thread, struct job *job)
{
    struct take_thread *taker = (struct take_thread *)thread;

    if (job != NULL)
        take(taker, (struct take_job *)job);
    else
        probe(taker);
    return taker->failures > 0 ? clock_ns() + PROBE_NS : UINT64_MAX;
}

static void free_job(struct job *job)
{
    free(((struct take_job *)job)->ids);
    free(job);
}

static const struct job_kind kind = {run, NULL, free_job, UINT_MAX, 1};

struct take_thread *take_thread_start(frazil *gen, bool is_sno)
{
    struct take_thread *taker = malloc(sizeof *taker);

    if (taker == NULL)
        return NULL;
    *taker = (struct take_thread){.gen = gen, .is_sno = is_sno, .lock = PTHREAD_MUTEX_INITIALIZER};
    if (job_thread_start(&taker->thread, &kind))
        return taker;
    take_thread_free(taker);
    return NULL;
}

bool take_thread_stop(struct take_thread *taker, uint64_t wait_ns, void (*on_end)(void *ctx), void *ctx)
{
    frazil_stop(taker->gen);
    return job_thread_stop(&taker->thread, clock_ns() + wait_ns, on_end, ctx);
}

void take_thread_free(struct take_thread *taker)
{
    if (taker != NULL)
        (void)pthread_mutex_destroy(&taker->lock);
    free(taker);
}

struct take_job *take_job_submit(struct take_thread *taker, const struct take_job *order)
{
    struct take_job *job = malloc(sizeof *job);
    void *ids = malloc(order->n * (taker->is_sno ? sizeof(frazil_sno) : sizeof(uint64_t)));

    if (job == NULL || ids == NULL) {
        free(job);
        free(ids);
        return NULL;
    }
    *job = *order;
    job->ids = ids;
    (void)job_submit(&taker->thread, &job->job); /* any number may wait */
    return job;
}

void take_thread_add_health(struct take_thread *taker, frazil_health *health, frazil_error *why)
{
    (void)pthread_mutex_lock(&taker->lock);
    health->failures = taker->failures;
    if (taker->failures > 0) {
        health->last_code = taker->failure.code;
        health->state = health->state == FRAZIL_HEALTH_SERVING ? FRAZIL_HEALTH_FENCED : health->state;
        if (why != NULL)
            *why = taker->failure;
    }
    (void)pthread_mutex_unlock(&taker->lock);
}
