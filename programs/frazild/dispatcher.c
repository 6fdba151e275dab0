/* SPDX-License-Identifier: MIT */
#include "dispatcher.h"

#include "clock.h"

#include <stdlib.h>
#include <string.h>

#define RETRY_LEAST_NS (20 * UINT64_C(1000)) /* a sooner timer costs more than it brings */
#define RETRY_UNKNOWN_NS (1 * NS_PER_MS)     /* the library did not say when */
#define RETRY_GRANT_NS (5 * NS_PER_MS)       /* it is being extended, which a disk or a coordinator does */
#define RETRY_MEMORY_NS (100 * NS_PER_MS)    /* there was none for a job */
#define LATE_NS (100 * NS_PER_MS)            /* a job ends with its deadline, and knows the reason */
#define SHARE 64U                            /* ids for one request, then others that wait have their turn */

/* The requests that wait for an engine, the oldest first. */
struct queue {
    struct engine *engine;
    struct id_request *first;
    struct id_request **end;
    struct take_job *job; /* for the first one; NULL: none is under way */
    unsigned count;
    uint64_t due_ns;
    struct queue *next;
};

/* How far a request came. */
enum advance { ADVANCE_DONE, ADVANCE_WAITS, ADVANCE_HAD_ITS_SHARE };

size_t dispatcher_id_size(const struct engine *engine)
{
    return engine->is_sno ? sizeof(frazil_sno) : sizeof(uint64_t);
}

bool dispatcher_is_passing(frazil_err code)
{
    return code == FRAZIL_EAGAIN || code == FRAZIL_EFULL || code == FRAZIL_ECLOCK || code == FRAZIL_EUNREACHABLE;
}

/* All or none: a part would leave others without the rest of the tick, and never be completed. */
static frazil_err take_all(struct id_request *id_request, size_t *ret_taken)
{
    const struct engine *engine = id_request->engine;
    frazil_error err = {.retry_ns = 0};
    frazil_err code = engine->is_sno
                          ? frazil_sno_take(engine->gen, id_request->meta, id_request->ids, id_request->wanted, 0, &err)
                          : frazil_take(engine->gen, id_request->ids, id_request->wanted, 0, &err);

    *ret_taken = code == FRAZIL_OK ? id_request->wanted : 0;
    id_request->retry_ns = err.retry_ns;
    return code;
}

static frazil_err take_some(struct id_request *id_request, size_t most, size_t *ret_taken)
{
    size_t left = id_request->wanted - id_request->got, n = left < most ? left : most;

    if (id_request->engine->is_strict)
        return take_all(id_request, ret_taken);
    if (id_request->engine->is_sno)
        return frazil_sno_try_take(id_request->engine->gen, id_request->meta,
                                   (frazil_sno *)id_request->ids + id_request->got, n, ret_taken, &id_request->retry_ns,
                                   NULL);
    return frazil_try_take(id_request->engine->gen, (uint64_t *)id_request->ids + id_request->got, n, ret_taken,
                           &id_request->retry_ns, NULL);
}

/*
 * Whether the grant has ended without a failed extension: after a sleep or a step of the clock the keeper is about to
 * extend it.  Calls of the library that never wait report this at once, and calls that wait do so for this.  No event
 * tells of an extension, so frazil_event_fd would not wake the loop: the grant is looked at each RETRY_GRANT_NS.  Where
 * another process is to extend it (keeper=other), that one may be gone, and the request would wait in vain.
 */
static bool awaits_grant(const struct id_request *id_request)
{
    frazil_health health;

    if (id_request->code != FRAZIL_ELEASE)
        return false;
    frazil_get_health(id_request->engine->gen, &health, sizeof health, NULL);
    return health.needs_grant != 0 && health.failures == 0 && !is_kept_elsewhere(&health);
}

/* Whether the request cannot wait for so long. */
static bool is_late(const struct id_request *id_request, uint64_t due_ns)
{
    return due_ns > id_request->deadline_ns;
}

/* Drops what stands before the last ids in a row: behind it, the numbers between are others'. */
static void keep_last_row(struct id_request *id_request)
{
    uint64_t *ids = id_request->ids;
    uint32_t first = id_request->got > 0 ? id_request->got - 1 : 0;

    while (first > 0 && ids[first] - ids[first - 1] == 1)
        first--;
    id_request->got -= first;
    memmove(ids, ids + first, id_request->got * sizeof *ids);
}

/*
 * Takes what is free now, up to `most` ids.  It waits only if its deadline allows that.  A row is taken at once: what
 * another takes in between would break it.
 */
static enum advance advance(struct id_request *id_request, size_t most, uint64_t now_ns)
{
    size_t left = id_request->in_a_row ? SIZE_MAX : most, taken;

    while (id_request->got < id_request->wanted) {
        if (left == 0)
            return ADVANCE_HAD_ITS_SHARE;
        id_request->code = take_some(id_request, left, &taken);
        left -= taken < left ? taken : left;
        id_request->got += (uint32_t)taken;
        if (id_request->in_a_row)
            keep_last_row(id_request);
        if (id_request->code == FRAZIL_OK)
            continue;
        if (awaits_grant(id_request))
            id_request->retry_ns = RETRY_GRANT_NS;
        else if (id_request->code != FRAZIL_EAGAIN)
            return ADVANCE_DONE;
        if (id_request->retry_ns == 0)
            id_request->retry_ns = RETRY_UNKNOWN_NS;
        if (id_request->retry_ns < RETRY_LEAST_NS)
            id_request->retry_ns = RETRY_LEAST_NS;
        return is_late(id_request, now_ns + id_request->retry_ns) ? ADVANCE_DONE : ADVANCE_WAITS;
    }
    id_request->code = FRAZIL_OK;
    return ADVANCE_DONE;
}

static struct queue *find(const struct dispatcher *dispatcher, const struct engine *engine)
{
    struct queue *queue = dispatcher->queues;

    while (queue != NULL && queue->engine != engine)
        queue = queue->next;
    return queue;
}

/* The engine that a request takes from: each in its turn, but those that others wait for last. */
static struct engine *choose(struct dispatcher *dispatcher, struct engine *first)
{
    unsigned count = 0;

    if (first->next == NULL)
        return first;
    for (const struct engine *at = first; at != NULL; at = at->next)
        count++;
    struct engine *chosen = first;
    for (unsigned skip = dispatcher->next_engine++ % count; skip > 0; skip--)
        chosen = chosen->next;
    for (unsigned i = 0; i < count && find(dispatcher, chosen) != NULL; i++)
        chosen = chosen->next != NULL ? chosen->next : first;
    return chosen;
}

bool dispatcher_take(struct dispatcher *dispatcher, struct id_request *id_request, uint64_t now_ns)
{
    id_request->engine = choose(dispatcher, id_request->engine);
    struct queue *queue = dispatcher->queues != NULL ? find(dispatcher, id_request->engine) : NULL;

    if (queue == NULL && id_request->engine->taker == NULL)
        return advance(id_request, SIZE_MAX, now_ns) == ADVANCE_DONE;
    /* Others came first, or a job is needed. */
    id_request->code = FRAZIL_EAGAIN;
    id_request->retry_ns = 0;
    if (queue != NULL)
        id_request->retry_ns = queue->due_ns > now_ns ? queue->due_ns - now_ns : RETRY_LEAST_NS;
    return false;
}

bool dispatcher_park(struct dispatcher *dispatcher, struct id_request *id_request, uint64_t now_ns)
{
    struct queue *queue = find(dispatcher, id_request->engine);

    if (queue == NULL) {
        queue = malloc(sizeof *queue);
        if (queue == NULL)
            return false;
        *queue = (struct queue){.engine = id_request->engine,
                                .end = &queue->first,
                                .due_ns = now_ns + id_request->retry_ns,
                                .next = dispatcher->queues};
        dispatcher->queues = queue;
    }
    id_request->next = NULL;
    *queue->end = id_request;
    queue->end = &id_request->next;
    queue->count++;
    engine_hold(id_request->engine);
    (void)atomic_fetch_add_explicit(&id_request->engine->waiting, 1, memory_order_relaxed);
    return true;
}

/* Forgets the job of a queue; what it brings, or has brought, stays a gap unless it was taken out. */
static void abandon_job(struct queue *queue)
{
    if (queue->job == NULL)
        return;
    job_abandon(&queue->job->job);
    queue->job = NULL;
    queue->due_ns = 0; /* for the next one */
}

/* Takes the request that *link points to out of its queue. */
static void unlink_one(struct queue *queue, struct id_request **link)
{
    struct id_request *id_request = *link;

    if (link == &queue->first)
        abandon_job(queue);

    *link = id_request->next;
    if (queue->end == &id_request->next)
        queue->end = link;
    queue->count--;
    (void)atomic_fetch_sub_explicit(&id_request->engine->waiting, 1, memory_order_relaxed);
}

static void free_if_empty(struct dispatcher *dispatcher, struct queue *queue)
{
    struct queue **link = &dispatcher->queues;

    if (queue->first != NULL)
        return;
    while (*link != queue)
        link = &(*link)->next;
    *link = queue->next;
    free(queue);
}

void dispatcher_cancel(struct dispatcher *dispatcher, struct id_request *id_request)
{
    struct queue *queue = find(dispatcher, id_request->engine);
    struct id_request **link = &queue->first;

    while (*link != id_request)
        link = &(*link)->next;
    unlink_one(queue, link);
    free_if_empty(dispatcher, queue);
    engine_release(id_request->engine, 0);
}

uint64_t dispatcher_due_ns(const struct dispatcher *dispatcher)
{
    uint64_t due_ns = UINT64_MAX;

    for (const struct queue *queue = dispatcher->queues; queue != NULL; queue = queue->next) {
        if (queue->due_ns < due_ns)
            due_ns = queue->due_ns;
    }
    return due_ns;
}

/* The request that *link points to is over.  Its done may cancel or park others. */
static void finish(struct dispatcher *dispatcher, struct queue *queue, struct id_request **link)
{
    struct id_request *id_request = *link;
    struct engine *engine = id_request->engine;

    unlink_one(queue, link);
    free_if_empty(dispatcher, queue);
    id_request->done(id_request);
    engine_release(engine, 0);
}

/* The first request that cannot wait until then; NULL: all can. */
static struct id_request **find_late(struct queue *queue, uint64_t due_ns)
{
    for (struct id_request **link = &queue->first; *link != NULL; link = &(*link)->next) {
        if (is_late(*link, due_ns))
            return link;
    }
    return NULL;
}

/* Nothing is free before retry_ns have passed, for that reason.  Requests that may not wait so long fail now. */
static void wait_on(struct dispatcher *dispatcher, struct engine *engine, uint64_t now_ns, uint64_t retry_ns,
                    frazil_err why)
{
    struct queue *queue = find(dispatcher, engine);
    struct id_request **late;

    queue->due_ns = now_ns + retry_ns;
    while (queue != NULL && (late = find_late(queue, queue->due_ns)) != NULL) {
        (*late)->code = why;
        (*late)->retry_ns = retry_ns;
        finish(dispatcher, queue, late);
        queue = find(dispatcher, engine);
    }
}

/* The first one becomes the last one. */
static void rotate(struct queue *queue)
{
    struct id_request *first = queue->first;

    if (first->next == NULL)
        return;
    queue->first = first->next;
    first->next = NULL;
    *queue->end = first;
    queue->end = &first->next;
}

/*
 * Gives the requests of a queue their shares in turns, so that a large one makes no small one wait for long, until
 * nothing is free.  After a round other threads have theirs, if requests wait there.  The queue is looked for anew
 * after each request that is over.
 */
static void run_queue(struct dispatcher *dispatcher, struct engine *engine, uint64_t now_ns)
{
    struct queue *queue;

    for (unsigned turns = 0; (queue = find(dispatcher, engine)) != NULL; turns++) {
        struct id_request *id_request = queue->first;
        if (turns >= queue->count && atomic_load_explicit(&engine->waiting, memory_order_relaxed) > queue->count) {
            queue->due_ns = now_ns + RETRY_LEAST_NS;
            return;
        }
        enum advance how = advance(id_request, SHARE, now_ns);
        if (how == ADVANCE_WAITS) {
            wait_on(dispatcher, engine, now_ns, id_request->retry_ns, id_request->code);
            return;
        }
        if (how == ADVANCE_DONE)
            finish(dispatcher, queue, &queue->first);
        else
            rotate(queue);
    }
}

/* ---- by jobs -------------------------------------------------------------------- */

void dispatcher_collect(struct dispatcher *dispatcher)
{
    for (struct queue *queue = dispatcher->queues; queue != NULL; queue = queue->next) {
        if (queue->job != NULL && job_is_done(&queue->job->job))
            queue->due_ns = 0;
    }
}

/* The first one gets what its job has brought. */
static enum advance receive(struct id_request *id_request, const struct take_job *job)
{
    size_t size = dispatcher_id_size(id_request->engine);

    id_request->code = job->code;
    id_request->retry_ns = job->retry_ns;
    if (job->code != FRAZIL_OK)
        return ADVANCE_DONE;
    memcpy((char *)id_request->ids + id_request->got * size, job->ids, job->n * size);
    id_request->got += job->n;
    if (id_request->in_a_row)
        keep_last_row(id_request);
    return id_request->got == id_request->wanted ? ADVANCE_DONE : ADVANCE_HAD_ITS_SHARE;
}

/* Sends one for the first request, and has the queue looked at when it, or the time of a request, is over. */
static void submit_job(const struct dispatcher *dispatcher, struct queue *queue, uint64_t now_ns)
{
    struct id_request *first = queue->first;
    const struct engine *engine = queue->engine;
    if (first->in_a_row) /* what others take meanwhile would break it: all of it comes at once, or nothing */
        first->got = 0;
    uint32_t left = first->wanted - first->got;
    const struct take_job order = {.job = {.event_thread = dispatcher->event_thread, .notify = dispatcher->notify},
                                   .deadline_ns = first->deadline_ns,
                                   .meta = first->meta,
                                   .n = left < SHARE || first->in_a_row || engine->is_strict ? left : SHARE};

    if (queue->job == NULL)
        queue->job = take_job_submit(engine->taker, &order);
    queue->due_ns = queue->job == NULL ? now_ns + RETRY_MEMORY_NS : UINT64_MAX;
    for (const struct id_request *at = first; at != NULL; at = at->next) {
        uint64_t late_ns = at->deadline_ns + LATE_NS + 1;
        queue->due_ns = late_ns < queue->due_ns ? late_ns : queue->due_ns;
    }
}

/* Ends those whose time is over, while a job for one of them may go on. */
static void end_late(struct dispatcher *dispatcher, struct engine *engine, uint64_t now_ns)
{
    frazil_health health;
    struct queue *queue;
    struct id_request **late;

    engine_health(engine, &health, NULL);
    while ((queue = find(dispatcher, engine)) != NULL && (late = find_late(queue, now_ns - LATE_NS)) != NULL) {
        (*late)->code = health.failures > 0 ? (frazil_err)health.last_code : FRAZIL_EAGAIN;
        (*late)->retry_ns = NS_PER_S;
        finish(dispatcher, queue, late);
    }
}

/* The same as run_queue where a thread of the engine takes the ids, for one request at a time, in turns. */
static void run_by_jobs(struct dispatcher *dispatcher, struct engine *engine, uint64_t now_ns)
{
    struct queue *queue = find(dispatcher, engine);

    if (queue->job != NULL && job_is_done(&queue->job->job)) {
        enum advance how = receive(queue->first, queue->job);
        abandon_job(queue);
        if (how == ADVANCE_DONE)
            finish(dispatcher, queue, &queue->first);
        else
            rotate(queue);
    }
    end_late(dispatcher, engine, now_ns);
    queue = find(dispatcher, engine);
    if (queue != NULL)
        submit_job(dispatcher, queue, now_ns);
}

void dispatcher_run(struct dispatcher *dispatcher, uint64_t now_ns)
{
    for (;;) {
        struct queue *queue = dispatcher->queues;
        while (queue != NULL && queue->due_ns > now_ns)
            queue = queue->next;
        if (queue == NULL)
            return;
        queue->due_ns = UINT64_MAX; /* until run_queue has set it */
        struct engine *engine = queue->engine;
        engine_hold(engine); /* the last of the queue may have been the last to hold it */
        if (engine->taker != NULL)
            run_by_jobs(dispatcher, engine, now_ns);
        else
            run_queue(dispatcher, engine, now_ns);
        engine_release(engine, 0);
    }
}
