/* SPDX-License-Identifier: MIT */
#include "errands.h"

#include "clock.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

#define TRY_LEAST_NS                                                                                                   \
    (1 * NS_PER_S)              /* an errand whose time is over is no reason to think that a coordinator is away       \
                                 */
#define PROBE_NS (1 * NS_PER_S) /* between two looks at whether it is back */

struct errands {
    frazil *gen;
    bool is_sno;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t more;
    pthread_cond_t over;
    struct errand *waiting;
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

/* Takes the ids, and keeps what that says of the coordinator.  The caller holds the lock, which is open meanwhile. */
static void run(struct errands *errands, struct errand *errand)
{
    frazil_error err = {.retry_ns = 0};
    uint64_t now_ns = clock_ns();
    uint64_t wait_ns = errand->deadline_ns > now_ns ? errand->deadline_ns - now_ns : 0;

    (void)pthread_mutex_unlock(&errands->lock);
    wait_ns = wait_ns < TRY_LEAST_NS ? TRY_LEAST_NS : wait_ns;
    errand->code = errands->is_sno ? frazil_sno_take(errands->gen, errand->meta, errand->ids, errand->n, wait_ns, &err)
                                   : frazil_take(errands->gen, errand->ids, errand->n, wait_ns, &err);
    errand->retry_ns = err.retry_ns;
    (void)pthread_mutex_lock(&errands->lock);
    if (errand->code == FRAZIL_OK || errand->code == FRAZIL_EFULL)
        errands->failures = 0;
    if (!is_of_coordinator(errand->code))
        return;
    errands->failures++;
    errands->failure = err;
}

/* Whether it is back shows in a take, although no client asks: they all may have gone elsewhere. */
static void probe(struct errands *errands)
{
    frazil_sno room;
    uint64_t id;
    struct errand errand = {.n = 1, .ids = errands->is_sno ? (void *)&room : (void *)&id};

    run(errands, &errand);
}

/* Waits for an errand, or for the time of a probe. */
static void await(struct errands *errands)
{
    uint64_t until_ns = clock_ns() + PROBE_NS;
    const struct timespec until = {(time_t)(until_ns / NS_PER_S), (long)(until_ns % NS_PER_S)};

    if (errands->failures == 0)
        (void)pthread_cond_wait(&errands->more, &errands->lock);
    else if (pthread_cond_timedwait(&errands->more, &errands->lock, &until) == ETIMEDOUT)
        probe(errands);
}

static void free_errand(struct errand *errand)
{
    free(errand->ids);
    free(errand);
}

static void free_errands(struct errands *errands)
{
    (void)pthread_cond_destroy(&errands->more);
    (void)pthread_cond_destroy(&errands->over);
    (void)pthread_mutex_destroy(&errands->lock);
    free(errands);
}

static void *loop(void *arg)
{
    struct errands *errands = arg;

    (void)pthread_mutex_lock(&errands->lock);
    while (!errands->stopping) {
        struct errand *errand = errands->waiting;
        if (errand == NULL) {
            await(errands);
            continue;
        }
        errands->waiting = errand->next;
        run(errands, errand);
        if (errand->event_thread == NULL) {
            free_errand(errand);
            continue;
        }
        atomic_store(&errand->done, true);
        errand->notify(errand->event_thread);
    }
    errands->ended = true;
    void (*then)(void *what) = errands->then;
    void *what = errands->what;
    (void)pthread_cond_signal(&errands->over);
    (void)pthread_mutex_unlock(&errands->lock);
    if (then == NULL)
        return NULL;
    free_errands(errands);
    then(what);
    return NULL;
}

struct errands *errands_start(frazil *gen, bool is_sno)
{
    struct errands *errands = calloc(1, sizeof *errands);
    pthread_condattr_t monotonic;

    if (errands == NULL)
        return NULL;
    errands->gen = gen;
    errands->is_sno = is_sno;
    (void)pthread_condattr_init(&monotonic);
    (void)pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    (void)pthread_mutex_init(&errands->lock, NULL);
    (void)pthread_cond_init(&errands->more, &monotonic);
    (void)pthread_cond_init(&errands->over, &monotonic);
    (void)pthread_condattr_destroy(&monotonic);
    if (pthread_create(&errands->thread, NULL, loop, errands) == 0)
        return errands;
    free_errands(errands);
    return NULL;
}

bool errands_stop(struct errands *errands, uint64_t wait_ns, void (*then)(void *what), void *what)
{
    uint64_t until_ns = clock_ns() + wait_ns;
    const struct timespec until = {(time_t)(until_ns / NS_PER_S), (long)(until_ns % NS_PER_S)};
    pthread_t thread = errands->thread;

    frazil_stop(errands->gen);
    (void)pthread_mutex_lock(&errands->lock);
    errands->stopping = true;
    (void)pthread_cond_signal(&errands->more);
    while (!errands->ended && pthread_cond_timedwait(&errands->over, &errands->lock, &until) == 0)
        continue;
    bool ended = errands->ended;
    if (!ended) {
        errands->then = then;
        errands->what = what;
        (void)pthread_detach(thread);
    }
    (void)pthread_mutex_unlock(&errands->lock);
    if (!ended)
        return false;
    (void)pthread_join(thread, NULL);
    free_errands(errands);
    return true;
}

struct errand *errand_send(struct errands *errands, const struct errand *order)
{
    struct errand *errand = malloc(sizeof *errand);
    void *ids = malloc(order->n * (errands->is_sno ? sizeof(frazil_sno) : sizeof(uint64_t)));
    struct errand **end = &errands->waiting;

    if (errand == NULL || ids == NULL) {
        free(errand);
        free(ids);
        return NULL;
    }
    *errand = *order;
    errand->errands = errands;
    errand->ids = ids;
    errand->next = NULL;
    (void)pthread_mutex_lock(&errands->lock);
    while (*end != NULL)
        end = &(*end)->next;
    *end = errand;
    (void)pthread_cond_signal(&errands->more);
    (void)pthread_mutex_unlock(&errands->lock);
    return errand;
}

void errand_end(struct errand *errand)
{
    struct errands *errands = errand->errands;
    struct errand **link = &errands->waiting;

    (void)pthread_mutex_lock(&errands->lock);
    errand->event_thread = NULL;
    while (*link != NULL && *link != errand)
        link = &(*link)->next;
    bool is_ours = atomic_load(&errand->done) || *link == errand;
    if (*link == errand)
        *link = errand->next;
    (void)pthread_mutex_unlock(&errands->lock);
    if (is_ours)
        free_errand(errand);
}

void errands_look(struct errands *errands, frazil_health *health, frazil_error *why)
{
    (void)pthread_mutex_lock(&errands->lock);
    health->failures = errands->failures;
    if (errands->failures > 0) {
        health->last_code = errands->failure.code;
        health->state = health->state == FRAZIL_HEALTH_SERVING ? FRAZIL_HEALTH_FENCED : health->state;
        if (why != NULL)
            *why = errands->failure;
    }
    (void)pthread_mutex_unlock(&errands->lock);
}
