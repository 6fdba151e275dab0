/* SPDX-License-Identifier: MIT */
#include "lease_thread.h"

#include "log.h"

#include <stdio.h>
#include <stdlib.h>

#define LEASE_THREADS 8 /* coordinators that are asked at a time: one that is silent holds up no other one */
#define WAITING_MAX 64  /* for the leases of each engine */
#define RETRY_MS 1000   /* after which a coordinator that did not answer may be asked again */

_Static_assert(LEASE_THREADS <= JOB_THREADS_MAX, "each has a thread");

struct lease_job {
    struct job job; /* first */
    struct lease_order order;
    struct engine *engine;
    uint64_t deadline_ns;
    frazil_error err; /* its code is FRAZIL_OK if there are leases */
    struct bytes reply;
    struct lease_job *next; /* of its event thread */
};

struct lease_threads {
    struct job_thread threads;
};

/* Whether a coordinator gives its worker id; if not, that is the error. */
static bool has_leases(const struct engine *engine, frazil_error *err)
{
    frazil_info info;

    frazil_get_info(engine->gen, &info, sizeof info);
    if (info.state == FRAZIL_STATE_GRANT)
        return true;
    err->code = FRAZIL_EWORKER;
    (void)snprintf(err->message, sizeof err->message,
                   "generator %s has no leases: no coordinator gives its worker id (worker=%s)", engine->name,
                   engine->worker);
    return false;
}

static const struct engine *engine_of(const struct job *job)
{
    return ((const struct lease_job *)job)->engine;
}

/* Looks the leases up, once for all of these jobs. */
static uint64_t run(struct job_thread *thread, struct job *group)
{
    const struct engine *engine = engine_of(group);
    frazil_error err = {.code = FRAZIL_OK};
    frazil_admin_leases *leases = NULL;

    (void)thread;
    if (frazil_admin_leases_open(&leases, engine->meaning.text, NULL, &err) != FRAZIL_OK)
        log_line(LOG_LEASES, "generator %s: its leases cannot be listed: %s", engine->name, err.message);
    for (struct job *at = group; at != NULL; at = at->next) {
        struct lease_job *job = (struct lease_job *)at;
        job->err = err;
        if (leases != NULL)
            job->order.write(leases, job->order.version, &job->reply);
    }
    if (leases != NULL)
        frazil_admin_leases_close(leases);
    return UINT64_MAX;
}

static bool are_of_one_engine(const struct job *a, const struct job *b)
{
    return engine_of(a) == engine_of(b);
}

static void free_job(struct job *its)
{
    struct lease_job *job = (struct lease_job *)its;

    engine_release(job->engine, 0);
    bytes_free(&job->reply);
    free(job);
}

static const struct job_kind kind = {run, are_of_one_engine, free_job, WAITING_MAX, LEASE_THREADS};

struct lease_threads *lease_threads_start(void)
{
    struct lease_threads *its = malloc(sizeof *its);

    if (its == NULL || job_thread_start(&its->threads, &kind))
        return its;
    free(its);
    return NULL;
}

void lease_threads_stop(struct lease_threads *its)
{
    if (its != NULL)
        (void)job_thread_stop(&its->threads, UINT64_MAX, NULL, NULL);
    free(its);
}

struct lease_job *lease_job_submit(struct event_thread *event_thread, struct engine *engine,
                                   const struct lease_order *order)
{
    struct lease_job *job = malloc(sizeof *job);

    if (job == NULL)
        return NULL;
    engine_hold(engine);
    *job = (struct lease_job){.job = {.event_thread = event_thread, .notify = event_thread->notify},
                              .order = *order,
                              .engine = engine,
                              .deadline_ns =
                                  event_thread->now_ns + event_thread->setup->settings.daemon.request_timeout_ns,
                              .next = event_thread->lease_jobs};
    if (!has_leases(engine, &job->err)) {
        job_skip(&event_thread->lease_threads->threads, &job->job);
    } else if (!job_submit(&event_thread->lease_threads->threads, &job->job)) {
        free_job(&job->job);
        return NULL;
    }
    event_thread->lease_jobs = job;
    return job;
}

void lease_jobs_collect(const struct event_thread *event_thread)
{
    for (const struct lease_job *job = event_thread->lease_jobs; job != NULL; job = job->next) {
        if (job_is_done(&job->job))
            job->order.wake(job->order.owner);
    }
}

const struct bytes *lease_job_reply(const struct lease_job *job, struct refusal *ret)
{
    *ret = (struct refusal){.code = CODE_ERR};
    if (!job_is_done(&job->job)) { /* its time is over; the thread may be writing the rest */
        *ret = (struct refusal){.code = CODE_TRYAGAIN, .retry_ms = RETRY_MS};
        (void)snprintf(ret->text, sizeof ret->text, "generator %s: %s", job->engine->name,
                       job_has_begun(&job->job) ? frazil_strerror(FRAZIL_EUNREACHABLE)
                                                : "the daemon waits for the coordinator of another generator");
        return NULL;
    }
    if (job->err.code == FRAZIL_OK && !job->reply.failed)
        return &job->reply;
    if (job->err.code == FRAZIL_OK || job->err.code == FRAZIL_ENOMEM)
        *ret = admission_no_memory;
    else if (dispatcher_is_passing(job->err.code))
        *ret = (struct refusal){.code = CODE_TRYAGAIN, .retry_ms = RETRY_MS};
    if (ret->text[0] == '\0' && job->err.code == FRAZIL_EWORKER)
        (void)snprintf(ret->text, sizeof ret->text, "%.*s", (int)sizeof ret->text - 1, job->err.message);
    else if (ret->text[0] == '\0')
        (void)snprintf(ret->text, sizeof ret->text, "generator %s: %s: the daemon's log says why", job->engine->name,
                       frazil_strerror(job->err.code));
    return NULL;
}

bool lease_job_is_over(const struct lease_job *job)
{
    return job_is_done(&job->job) || job->job.event_thread->now_ns > job->deadline_ns;
}

void lease_job_abandon(struct lease_job *job)
{
    if (job == NULL)
        return;
    struct lease_job **link = &job->job.event_thread->lease_jobs;
    while (*link != job)
        link = &(*link)->next;
    *link = job->next;
    job_abandon(&job->job);
}
