/* SPDX-License-Identifier: MIT */
#include "take_thread.h"

#include "clock.h"

#include <pthread.h>
#include <stdlib.h>

/* A take may last so long at a time, whatever time its job has: then its failure is known, and is told. */
#define TRY_NS (2 * NS_PER_S)
/* Between two takes that fail at once. */
#define PAUSE_NS (100 * NS_PER_MS)
/* Between two looks at whether the coordinator is back. */
#define PROBE_NS (1 * NS_PER_S)

struct take_thread {
    frazil *gen;
    bool is_sno;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t more;
    pthread_cond_t over;
    struct take_job *waiting;
    uint64_t failures; /* of the coordinator, in a row */
    frazil_error failure;
    bool stopping;
    bool ended;
    void (*then)(void *what); /* NULL: somebody waits for the end */
    void *what;
};

static bool is_of_coordinator(frazil_err code)
{
    return code == FRAZIL_EUNREACHABLE || code == FRAZIL_EREFUSED || code == FRAZIL_ENAMESPACE || code == FRAZIL_ECLOCK;
}

/* Waits for a new job, or the end of that time.  The caller holds the lock, which is open meanwhile.  False: it is
 * over. */
static bool await_more(struct take_thread *taker, uint64_t wait_ns)
{
    uint64_t until_ns = clock_ns() + wait_ns;
    const struct timespec until = {(time_t)(until_ns / NS_PER_S), (long)(until_ns % NS_PER_S)};

    return pthread_cond_timedwait(&taker->more, &taker->lock, &until) == 0;
}

/* Takes the ids, and keeps what that says of the coordinator.  The caller holds the lock, which is open meanwhile. */
static void try_once(struct take_thread *taker, struct take_job *job)
{
    frazil_error err = {.retry_ns = 0};

    (void)pthread_mutex_unlock(&taker->lock);
    job->code = taker->is_sno ? frazil_sno_take(taker->gen, job->meta, job->ids, job->n, TRY_NS, &err)
                              : frazil_take(taker->gen, job->ids, job->n, TRY_NS, &err);
    job->retry_ns = err.retry_ns;
    (void)pthread_mutex_lock(&taker->lock);
    if (job->code == FRAZIL_OK || job->code == FRAZIL_EFULL)
        taker->failures = 0;
    if (!is_of_coordinator(job->code))
        return;
    taker->failures++;
    taker->failure = err;
}

/* Tries until the job's time is over, while somebody waits for it. */
static void run(struct take_thread *taker, struct take_job *job)
{
    for (;;) {
        try_once(taker, job);
        if (frazil_err_classify(job->code) != FRAZIL_CLASS_RETRY || clock_ns() >= job->deadline_ns ||
            job->event_thread == NULL || taker->stopping)
            return;
        (void)await_more(taker, PAUSE_NS);
    }
}

/* Whether it is back shows in a take, although no client asks: they all may have gone elsewhere. */
static void probe(struct take_thread *taker)
{
    frazil_sno room;
    uint64_t id;
    struct take_job job = {.n = 1, .ids = taker->is_sno ? (void *)&room : (void *)&id};

    try_once(taker, &job);
}

/* Waits for a job, or for the time of a probe. */
static void await(struct take_thread *taker)
{
    if (taker->failures == 0)
        (void)pthread_cond_wait(&taker->more, &taker->lock);
    else if (!await_more(taker, PROBE_NS))
        probe(taker);
}

static void free_job(struct take_job *job)
{
    free(job->ids);
    free(job);
}

static void free_take_thread(struct take_thread *taker)
{
    (void)pthread_cond_destroy(&taker->more);
    (void)pthread_cond_destroy(&taker->over);
    (void)pthread_mutex_destroy(&taker->lock);
    free(taker);
}

static void *loop(void *arg)
{
    struct take_thread *taker = arg;

    (void)pthread_mutex_lock(&taker->lock);
    while (!taker->stopping) {
        struct take_job *job = taker->waiting;
        if (job == NULL) {
            await(taker);
            continue;
        }
        taker->waiting = job->next;
        run(taker, job);
        if (job->event_thread == NULL) {
            free_job(job);
            continue;
        }
        atomic_store(&job->done, true);
        job->notify(job->event_thread);
    }
    taker->ended = true;
    void (*then)(void *what) = taker->then;
    void *what = taker->what;
    (void)pthread_cond_signal(&taker->over);
    (void)pthread_mutex_unlock(&taker->lock);
    if (then == NULL)
        return NULL;
    free_take_thread(taker);
    then(what);
    return NULL;
}

struct take_thread *take_thread_start(frazil *gen, bool is_sno)
{
    struct take_thread *taker = calloc(1, sizeof *taker);
    pthread_condattr_t monotonic;

    if (taker == NULL)
        return NULL;
    taker->gen = gen;
    taker->is_sno = is_sno;
    (void)pthread_condattr_init(&monotonic);
    (void)pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    (void)pthread_mutex_init(&taker->lock, NULL);
    (void)pthread_cond_init(&taker->more, &monotonic);
    (void)pthread_cond_init(&taker->over, &monotonic);
    (void)pthread_condattr_destroy(&monotonic);
    if (pthread_create(&taker->thread, NULL, loop, taker) == 0)
        return taker;
    free_take_thread(taker);
    return NULL;
}

bool take_thread_stop(struct take_thread *taker, uint64_t wait_ns, void (*then)(void *what), void *what)
{
    uint64_t until_ns = clock_ns() + wait_ns;
    const struct timespec until = {(time_t)(until_ns / NS_PER_S), (long)(until_ns % NS_PER_S)};
    pthread_t thread = taker->thread;

    frazil_stop(taker->gen);
    (void)pthread_mutex_lock(&taker->lock);
    taker->stopping = true;
    (void)pthread_cond_signal(&taker->more);
    while (!taker->ended && pthread_cond_timedwait(&taker->over, &taker->lock, &until) == 0)
        continue;
    bool ended = taker->ended;
    if (!ended) {
        taker->then = then;
        taker->what = what;
        (void)pthread_detach(thread);
    }
    (void)pthread_mutex_unlock(&taker->lock);
    if (!ended)
        return false;
    (void)pthread_join(thread, NULL);
    free_take_thread(taker);
    return true;
}

struct take_job *take_job_submit(struct take_thread *taker, const struct take_job *order)
{
    struct take_job *job = malloc(sizeof *job);
    void *ids = malloc(order->n * (taker->is_sno ? sizeof(frazil_sno) : sizeof(uint64_t)));
    struct take_job **end = &taker->waiting;

    if (job == NULL || ids == NULL) {
        free(job);
        free(ids);
        return NULL;
    }
    *job = *order;
    job->taker = taker;
    job->ids = ids;
    job->next = NULL;
    (void)pthread_mutex_lock(&taker->lock);
    while (*end != NULL)
        end = &(*end)->next;
    *end = job;
    (void)pthread_cond_signal(&taker->more);
    (void)pthread_mutex_unlock(&taker->lock);
    return job;
}

void take_job_abandon(struct take_job *job)
{
    struct take_thread *taker = job->taker;
    struct take_job **link = &taker->waiting;

    (void)pthread_mutex_lock(&taker->lock);
    job->event_thread = NULL;
    while (*link != NULL && *link != job)
        link = &(*link)->next;
    bool is_ours = atomic_load(&job->done) || *link == job;
    if (*link == job)
        *link = job->next;
    (void)pthread_mutex_unlock(&taker->lock);
    if (is_ours)
        free_job(job);
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
