/* SPDX-License-Identifier: MIT */
#include "errands.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WAITING_MAX 64
#define RETRY_MS 1000 /* after which a coordinator that did not answer may be asked again */

struct errand {
    struct errand_order order; /* owner NULL: it is gone */
    struct lane *lane;
    struct engine *engine;
    frazil_error err; /* its code is FRAZIL_OK if there are leases */
    struct bytes reply;
    bool done;
    struct errand *next;
};

struct errands {
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t more;
    struct errand *waiting;
    struct errand *done;
    unsigned count;
    bool hushed;
    bool stopping;
};

/* Whether a coordinator gives its worker id; if not, that is the error. */
static bool has_leases(struct errand *errand)
{
    const char *worker = strstr(errand->engine->meaning, "worker=");
    frazil_generator_info info;

    frazil_get_info(errand->engine->gen, &info, sizeof info);
    if (info.state == FRAZIL_STATE_GRANT)
        return true;
    if (worker == NULL)
        worker = "worker=file-lock"; /* what stands in for the worker that nothing names */
    errand->err.code = FRAZIL_EWORKER;
    (void)snprintf(errand->err.message, sizeof errand->err.message,
                   "generator %s has no leases: no coordinator gives its worker id (%.*s)", errand->engine->name,
                   (int)strcspn(worker, " "), worker);
    return false;
}

static void run(struct errand *errand)
{
    frazil_admin_leases *leases;

    errand->err.code = FRAZIL_OK;
    if (!has_leases(errand))
        return;
    if (frazil_admin_leases_open(&leases, errand->engine->meaning, NULL, &errand->err) != FRAZIL_OK)
        return;
    errand->order.write(leases, errand->order.version, &errand->reply);
    frazil_admin_leases_close(leases);
}

static void free_errand(struct errand *errand)
{
    engine_release(errand->engine, 0);
    bytes_free(&errand->reply);
    free(errand);
}

static void *loop(void *arg)
{
    struct errands *errands = arg;

    (void)pthread_mutex_lock(&errands->lock);
    for (;;) {
        while (errands->waiting == NULL && !errands->stopping)
            (void)pthread_cond_wait(&errands->more, &errands->lock);
        struct errand *errand = errands->waiting;
        if (errands->stopping)
            break;
        errands->waiting = errand->next;
        (void)pthread_mutex_unlock(&errands->lock);
        run(errand);
        (void)pthread_mutex_lock(&errands->lock);
        errand->next = errands->done;
        errands->done = errand;
        errands->count--;
        if (!errands->hushed)
            errand->lane->notify(errand->lane);
    }
    (void)pthread_mutex_unlock(&errands->lock);
    return NULL;
}

struct errands *errands_start(void)
{
    struct errands *errands = calloc(1, sizeof *errands);

    if (errands == NULL)
        return NULL;
    (void)pthread_mutex_init(&errands->lock, NULL);
    (void)pthread_cond_init(&errands->more, NULL);
    if (pthread_create(&errands->thread, NULL, loop, errands) == 0)
        return errands;
    free(errands);
    return NULL;
}

void errands_hush(struct errands *errands)
{
    (void)pthread_mutex_lock(&errands->lock);
    errands->hushed = true;
    (void)pthread_mutex_unlock(&errands->lock);
}

void errands_stop(struct errands *errands)
{
    if (errands == NULL)
        return;
    (void)pthread_mutex_lock(&errands->lock);
    errands->stopping = true;
    (void)pthread_cond_signal(&errands->more);
    (void)pthread_mutex_unlock(&errands->lock);
    (void)pthread_join(errands->thread, NULL);
    for (struct errand *errand = errands->waiting, *next; errand != NULL; errand = next) {
        next = errand->next;
        free_errand(errand);
    }
    for (struct errand *errand = errands->done, *next; errand != NULL; errand = next) {
        next = errand->next;
        free_errand(errand);
    }
    (void)pthread_cond_destroy(&errands->more);
    (void)pthread_mutex_destroy(&errands->lock);
    free(errands);
}

struct errand *errand_send(struct lane *lane, struct engine *engine, const struct errand_order *order)
{
    struct errands *errands = lane->errands;
    struct errand *errand = calloc(1, sizeof *errand);
    struct errand **end = &errands->waiting;

    if (errand == NULL)
        return NULL;
    (void)pthread_mutex_lock(&errands->lock);
    bool may = errands->count < WAITING_MAX;
    if (may) {
        engine_hold(engine);
        *errand = (struct errand){.order = *order, .lane = lane, .engine = engine};
        while (*end != NULL)
            end = &(*end)->next;
        *end = errand;
        errands->count++;
        (void)pthread_cond_signal(&errands->more);
    }
    (void)pthread_mutex_unlock(&errands->lock);
    if (may)
        return errand;
    free(errand);
    return NULL;
}

void errands_collect(struct lane *lane)
{
    struct errands *errands = lane->errands;
    struct errand **link = &errands->done;

    (void)pthread_mutex_lock(&errands->lock);
    while (*link != NULL) {
        struct errand *errand = *link;
        if (errand->lane != lane) {
            link = &errand->next;
            continue;
        }
        *link = errand->next;
        errand->done = true;
        if (errand->order.owner != NULL)
            errand->order.wake(errand->order.owner);
        else
            free_errand(errand);
    }
    (void)pthread_mutex_unlock(&errands->lock);
}

const struct bytes *errand_reply(const struct errand *errand, struct refusal *ret)
{
    *ret = (struct refusal){.code = CODE_ERR};
    if (errand->done && errand->err.code == FRAZIL_OK && !errand->reply.failed)
        return &errand->reply;
    if (errand->err.code == FRAZIL_OK || errand->err.code == FRAZIL_ENOMEM)
        *ret = (struct refusal){CODE_TRYAGAIN, 100, "the daemon is out of memory"};
    else if (taker_is_passing(errand->err.code))
        *ret = (struct refusal){.code = CODE_TRYAGAIN, .retry_ms = RETRY_MS};
    if (ret->text[0] == '\0')
        (void)snprintf(ret->text, sizeof ret->text, "%.*s", (int)sizeof ret->text - 1, errand->err.message);
    return NULL;
}

bool errand_is_done(const struct errand *errand)
{
    return errand->done;
}

void errand_end(struct errand *errand)
{
    if (errand == NULL)
        return;
    pthread_mutex_t *lock = &errand->lane->errands->lock;
    (void)pthread_mutex_lock(lock);
    bool done = errand->done;
    errand->order.owner = NULL;
    (void)pthread_mutex_unlock(lock);
    if (done)
        free_errand(errand);
}
