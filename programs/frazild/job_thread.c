/* SPDX-License-Identifier: MIT */
#include "job_thread.h"

#include "clock.h"

#include <errno.h>

/* Waits for an event, or until that time.  The caller holds the lock, which is open meanwhile.  False: it is so late.
 */
static bool await(struct job_thread *thread, pthread_cond_t *event, uint64_t until_ns)
{
    const struct timespec until = {(time_t)(until_ns / NS_PER_S), (long)(until_ns % NS_PER_S)};

    if (until_ns == UINT64_MAX)
        return pthread_cond_wait(event, &thread->lock) == 0;
    return pthread_cond_timedwait(event, &thread->lock, &until) == 0;
}

static bool are_alike(const struct job_thread *thread, const struct job *a, const struct job *b)
{
    return a == b || (thread->kind->are_alike != NULL && thread->kind->are_alike(a, b));
}

static bool is_under_way(const struct job_thread *thread, const struct job *job)
{
    for (unsigned i = 0; i < thread->kind->threads; i++) {
        if (thread->busy[i] != NULL && are_alike(thread, thread->busy[i], job))
            return true;
    }
    return false;
}

/* The first job that may begin; NULL: none. */
static const struct job *find_next(const struct job_thread *thread)
{
    const struct job *job = thread->waiting;

    while (job != NULL && is_under_way(thread, job))
        job = job->next;
    return job;
}

/* Takes a job and those alike; NULL: none. */
static struct job *take_group(struct job_thread *thread, const struct job *first)
{
    struct job *group = NULL, **end = &group, **link = &thread->waiting;

    while (first != NULL && *link != NULL) {
        struct job *job = *link;
        if (!are_alike(thread, first, job)) {
            link = &job->next;
            continue;
        }
        *link = job->next;
        job->next = NULL;
        *end = job;
        end = &job->next;
    }
    return group;
}

static void end_group(struct job_thread *thread, struct job *group)
{
    while (group != NULL) {
        struct job *job = group;
        group = job->next;
        if (job->event_thread == NULL) {
            thread->kind->free_job(job);
            continue;
        }
        atomic_store(&job->done, true);
        job->notify(job->event_thread); /* under the lock: it may end when the job was abandoned */
    }
}

static void destroy(struct job_thread *thread)
{
    (void)pthread_cond_destroy(&thread->more);
    (void)pthread_cond_destroy(&thread->over);
    (void)pthread_mutex_destroy(&thread->lock);
}

/* Waits for a job, until then.  False: it is to be called without one. */
static bool idle(struct job_thread *thread, uint64_t due_ns)
{
    thread->idle++;
    bool is_woken = await(thread, &thread->more, due_ns);
    thread->idle--;
    return is_woken || thread->stopping;
}

/* Does jobs until the stop.  The caller holds the lock, which is open meanwhile. */
static void work(struct job_thread *thread, struct job **busy)
{
    uint64_t due_ns = UINT64_MAX;

    while (!thread->stopping) {
        const struct job *next = find_next(thread);
        if (next == NULL && idle(thread, due_ns))
            continue;
        *busy = take_group(thread, next);
        (void)pthread_mutex_unlock(&thread->lock);
        due_ns = thread->kind->run(thread, *busy);
        (void)pthread_mutex_lock(&thread->lock);
        end_group(thread, *busy);
        *busy = NULL;
    }
}

static void *loop(void *arg)
{
    struct job_thread *thread = arg;

    (void)pthread_mutex_lock(&thread->lock);
    work(thread, &thread->busy[thread->begun++]);
    bool is_last = --thread->alive == 0;
    void (*on_end)(void *ctx) = thread->on_end;
    void *ctx = thread->ctx;
    (void)pthread_cond_signal(&thread->over);
    (void)pthread_mutex_unlock(&thread->lock);
    if (!is_last || on_end == NULL)
        return NULL;
    destroy(thread);
    on_end(ctx);
    return NULL;
}

/* They begin when all are there.  Returns why one is not, or 0. */
static int start_threads(struct job_thread *thread)
{
    int why = 0;

    (void)pthread_mutex_lock(&thread->lock);
    while (why == 0 && thread->count < thread->kind->threads) {
        why = pthread_create(&thread->threads[thread->count], NULL, loop, thread);
        thread->count += why == 0;
    }
    thread->alive = thread->count;
    (void)pthread_mutex_unlock(&thread->lock);
    return why;
}

bool job_thread_start(struct job_thread *thread, const struct job_kind *kind)
{
    pthread_condattr_t monotonic;

    *thread = (struct job_thread){.kind = kind};
    (void)pthread_condattr_init(&monotonic);
    (void)pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    (void)pthread_mutex_init(&thread->lock, NULL);
    (void)pthread_cond_init(&thread->more, &monotonic);
    (void)pthread_cond_init(&thread->over, &monotonic);
    (void)pthread_condattr_destroy(&monotonic);
    int why = start_threads(thread);
    if (why == 0)
        return true;
    (void)job_thread_stop(thread, UINT64_MAX, NULL, NULL);
    errno = why;
    return false;
}

bool job_thread_stop(struct job_thread *thread, uint64_t until_ns, void (*on_end)(void *ctx), void *ctx)
{
    (void)pthread_mutex_lock(&thread->lock);
    thread->stopping = true;
    (void)pthread_cond_broadcast(&thread->more);
    /* Those that are idle end at once, however late it is. */
    while (thread->alive > 0 && await(thread, &thread->over, thread->idle > 0 ? UINT64_MAX : until_ns))
        continue;
    bool ended = thread->alive == 0;
    if (!ended) {
        thread->on_end = on_end;
        thread->ctx = ctx;
        for (unsigned i = 0; i < thread->count; i++)
            (void)pthread_detach(thread->threads[i]);
    }
    (void)pthread_mutex_unlock(&thread->lock);
    if (!ended)
        return false;
    for (unsigned i = 0; i < thread->count; i++)
        (void)pthread_join(thread->threads[i], NULL);
    destroy(thread);
    return true;
}

bool job_submit(struct job_thread *thread, struct job *job)
{
    struct job **end = &thread->waiting;
    unsigned waiting = 0;

    job->thread = thread;
    job->next = NULL;
    atomic_init(&job->done, false);
    (void)pthread_mutex_lock(&thread->lock);
    for (; *end != NULL; end = &(*end)->next)
        waiting += are_alike(thread, *end, job);
    bool may = waiting < thread->kind->alike_max;
    if (may) {
        *end = job;
        (void)pthread_cond_signal(&thread->more);
    }
    (void)pthread_mutex_unlock(&thread->lock);
    return may;
}

void job_skip(struct job_thread *thread, struct job *job)
{
    job->thread = thread;
    job->next = NULL;
    atomic_init(&job->done, true);
}

bool job_is_done(const struct job *job)
{
    return atomic_load(&job->done);
}

bool job_has_begun(const struct job *job)
{
    struct job_thread *thread = job->thread;

    (void)pthread_mutex_lock(&thread->lock);
    bool has = is_under_way(thread, job);
    (void)pthread_mutex_unlock(&thread->lock);
    return has;
}

bool job_may_rest(struct job *job, uint64_t rest_ns)
{
    struct job_thread *thread = job->thread;

    (void)pthread_mutex_lock(&thread->lock);
    bool may = job->event_thread != NULL && !thread->stopping;
    if (may)
        (void)await(thread, &thread->more, clock_ns() + rest_ns);
    (void)pthread_mutex_unlock(&thread->lock);
    return may;
}

void job_abandon(struct job *job)
{
    struct job_thread *thread = job->thread;
    struct job **link = &thread->waiting;

    (void)pthread_mutex_lock(&thread->lock);
    job->event_thread = NULL;
    while (*link != NULL && *link != job)
        link = &(*link)->next;
    bool is_ours = job_is_done(job) || *link == job;
    if (*link == job)
        *link = job->next;
    (void)pthread_mutex_unlock(&thread->lock);
    if (is_ours)
        thread->kind->free_job(job);
}
