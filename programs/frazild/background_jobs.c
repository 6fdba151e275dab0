/* SPDX-License-Identifier: MIT */
#include "background_jobs.h"

#include "log.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WAITING_MAX 64
#define RETRY_MS 1000 /* after which a coordinator that did not answer may be asked again */

struct job {
    struct job_order order; /* owner NULL: it is gone, and the thread has the job */
    struct event_thread *event_thread;
    struct engine *engine;
    uint64_t deadline_ns;
    frazil_error err; /* its code is FRAZIL_OK if there are leases */
    struct bytes reply;
    bool is_taken; /* by the thread; guarded by the lock */
    bool done;
    struct job *next;
};

struct jobs {
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t more;
    struct job *waiting;
    struct job *done;
    const struct engine *asked; /* whose coordinator the thread waits for; NULL: none's */
    unsigned count;
    bool hushed;
    bool stopping;
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

/* Looks the leases up, once for all of these jobs, which are of one engine. */
static void run(struct job *group)
{
    const struct engine *engine = group->engine;
    frazil_error err = {.code = FRAZIL_OK};
    frazil_admin_leases *leases = NULL;

    if (has_leases(engine, &err) && frazil_admin_leases_open(&leases, engine->meaning, NULL, &err) != FRAZIL_OK)
        log_line(LOG_LEASES, "generator %s: its leases cannot be listed: %s", engine->name, err.message);
    for (struct job *job = group; job != NULL; job = job->next) {
        job->err = err;
        if (leases != NULL)
            job->order.write(leases, job->order.version, &job->reply);
    }
    if (leases != NULL)
        frazil_admin_leases_close(leases);
}

static void free_job(struct job *job)
{
    engine_release(job->engine, 0);
    bytes_free(&job->reply);
    free(job);
}

/* Takes those that wait for the leases of the same engine as the first one. */
static struct job *take_group(struct jobs *jobs)
{
    const struct engine *engine = jobs->waiting->engine;
    struct job *group = NULL, **end = &group, **link = &jobs->waiting;

    while (*link != NULL) {
        struct job *job = *link;
        if (job->engine != engine) {
            link = &job->next;
            continue;
        }
        *link = job->next;
        job->next = NULL;
        job->is_taken = true;
        jobs->count--;
        *end = job;
        end = &job->next;
    }
    return group;
}

static void end_group(struct jobs *jobs, struct job *group)
{
    while (group != NULL) {
        struct job *job = group;
        group = job->next;
        job->next = jobs->done;
        jobs->done = job;
        if (!jobs->hushed)
            job->event_thread->notify(job->event_thread);
    }
}

static void *loop(void *arg)
{
    struct jobs *jobs = arg;

    (void)pthread_mutex_lock(&jobs->lock);
    for (;;) {
        while (jobs->waiting == NULL && !jobs->stopping)
            (void)pthread_cond_wait(&jobs->more, &jobs->lock);
        if (jobs->stopping)
            break;
        struct job *group = take_group(jobs);
        jobs->asked = group->engine;
        (void)pthread_mutex_unlock(&jobs->lock);
        run(group);
        (void)pthread_mutex_lock(&jobs->lock);
        jobs->asked = NULL;
        end_group(jobs, group);
    }
    (void)pthread_mutex_unlock(&jobs->lock);
    return NULL;
}

struct jobs *jobs_start(void)
{
    struct jobs *jobs = calloc(1, sizeof *jobs);

    if (jobs == NULL)
        return NULL;
    (void)pthread_mutex_init(&jobs->lock, NULL);
    (void)pthread_cond_init(&jobs->more, NULL);
    int why = pthread_create(&jobs->thread, NULL, loop, jobs);
    if (why == 0)
        return jobs;
    free(jobs);
    errno = why;
    return NULL;
}

void jobs_hush(struct jobs *jobs)
{
    (void)pthread_mutex_lock(&jobs->lock);
    jobs->hushed = true;
    (void)pthread_mutex_unlock(&jobs->lock);
}

void jobs_stop(struct jobs *jobs)
{
    if (jobs == NULL)
        return;
    (void)pthread_mutex_lock(&jobs->lock);
    jobs->stopping = true;
    (void)pthread_cond_signal(&jobs->more);
    (void)pthread_mutex_unlock(&jobs->lock);
    (void)pthread_join(jobs->thread, NULL);
    for (struct job *job = jobs->waiting, *next; job != NULL; job = next) {
        next = job->next;
        free_job(job);
    }
    for (struct job *job = jobs->done, *next; job != NULL; job = next) {
        next = job->next;
        free_job(job);
    }
    (void)pthread_cond_destroy(&jobs->more);
    (void)pthread_mutex_destroy(&jobs->lock);
    free(jobs);
}

struct job *job_send(struct event_thread *event_thread, struct engine *engine, const struct job_order *order)
{
    struct jobs *jobs = event_thread->jobs;
    struct job *job = calloc(1, sizeof *job);
    struct job **end = &jobs->waiting;

    if (job == NULL)
        return NULL;
    (void)pthread_mutex_lock(&jobs->lock);
    bool may = jobs->count < WAITING_MAX;
    if (may) {
        engine_hold(engine);
        *job =
            (struct job){.order = *order,
                         .event_thread = event_thread,
                         .engine = engine,
                         .deadline_ns = event_thread->now_ns + event_thread->setup->settings.daemon.request_timeout_ns};
        while (*end != NULL)
            end = &(*end)->next;
        *end = job;
        jobs->count++;
        (void)pthread_cond_signal(&jobs->more);
    }
    (void)pthread_mutex_unlock(&jobs->lock);
    if (may)
        return job;
    free(job);
    return NULL;
}

void jobs_collect(struct event_thread *event_thread)
{
    struct jobs *jobs = event_thread->jobs;
    struct job **link = &jobs->done;

    (void)pthread_mutex_lock(&jobs->lock);
    while (*link != NULL) {
        struct job *job = *link;
        if (job->event_thread != event_thread) {
            link = &job->next;
            continue;
        }
        *link = job->next;
        job->done = true;
        if (job->order.owner != NULL)
            job->order.wake(job->order.owner);
        else
            free_job(job);
    }
    (void)pthread_mutex_unlock(&jobs->lock);
}

/* Whether a job that is not done waits for its own coordinator: in the thread, or behind others of its engine. */
static bool waits_for_its_own(const struct job *job)
{
    struct jobs *jobs = job->event_thread->jobs;

    (void)pthread_mutex_lock(&jobs->lock);
    bool does = job->is_taken || jobs->asked == job->engine;
    (void)pthread_mutex_unlock(&jobs->lock);
    return does;
}

const struct bytes *job_reply(const struct job *job, struct refusal *ret)
{
    *ret = (struct refusal){.code = CODE_ERR};
    if (!job->done) { /* its time is over; the thread may be writing the rest */
        *ret = (struct refusal){.code = CODE_TRYAGAIN, .retry_ms = RETRY_MS};
        (void)snprintf(ret->text, sizeof ret->text, "generator %s: %s", job->engine->name,
                       waits_for_its_own(job) ? frazil_strerror(FRAZIL_EUNREACHABLE)
                                              : "the daemon waits for the coordinator of another generator");
        return NULL;
    }
    if (job->err.code == FRAZIL_OK && !job->reply.failed)
        return &job->reply;
    if (job->err.code == FRAZIL_OK || job->err.code == FRAZIL_ENOMEM)
        *ret = (struct refusal){CODE_TRYAGAIN, 100, "the daemon is out of memory"};
    else if (dispatcher_is_passing(job->err.code))
        *ret = (struct refusal){.code = CODE_TRYAGAIN, .retry_ms = RETRY_MS};
    if (ret->text[0] == '\0' && job->err.code == FRAZIL_EWORKER)
        (void)snprintf(ret->text, sizeof ret->text, "%.*s", (int)sizeof ret->text - 1, job->err.message);
    else if (ret->text[0] == '\0')
        (void)snprintf(ret->text, sizeof ret->text, "generator %s: %s: the daemon's log says why", job->engine->name,
                       frazil_strerror(job->err.code));
    return NULL;
}

bool job_is_done(const struct job *job)
{
    return job->done || job->event_thread->now_ns > job->deadline_ns;
}

/* Out of the queue, for others that may wait. */
static void take_back(struct jobs *jobs, const struct job *job)
{
    struct job **link = &jobs->waiting;

    while (*link != job)
        link = &(*link)->next;
    *link = job->next;
    jobs->count--;
}

void job_end(struct job *job)
{
    if (job == NULL)
        return;
    struct jobs *jobs = job->event_thread->jobs;
    (void)pthread_mutex_lock(&jobs->lock);
    bool is_ours = job->done || !job->is_taken;
    if (!job->is_taken)
        take_back(jobs, job);
    job->order.owner = NULL;
    (void)pthread_mutex_unlock(&jobs->lock);
    if (is_ours)
        free_job(job);
}
