/* SPDX-License-Identifier: MIT */
#include "taker.h"

#include "clock.h"

#include <stdlib.h>
#include <string.h>

#define RETRY_LEAST_NS (20 * UINT64_C(1000)) /* a sooner timer costs more than it brings */
#define RETRY_UNKNOWN_NS (1 * NS_PER_MS)     /* the library did not say when */
#define SHARE 64U                            /* ids for one request, then others that wait have their turn */

/* Those who wait for an engine, the first first. */
struct queue {
    struct engine *engine;
    struct taking *first;
    struct taking **end;
    unsigned count;
    uint64_t due_ns;
    struct queue *next;
};

/* How far a request came. */
enum advance { ADVANCE_DONE, ADVANCE_WAITS, ADVANCE_HAD_ITS_SHARE };

size_t taker_id_size(const struct engine *engine)
{
    return engine->is_sno ? sizeof(frazil_sno) : sizeof(uint64_t);
}

bool taker_is_passing(frazil_err code)
{
    return code == FRAZIL_EAGAIN || code == FRAZIL_EFULL || code == FRAZIL_ECLOCK || code == FRAZIL_EUNREACHABLE;
}

static frazil_err take_some(struct taking *taking, size_t most, size_t *ret_taken)
{
    size_t left = taking->wanted - taking->got, n = left < most ? left : most;

    if (taking->engine->is_sno)
        return frazil_sno_try_take(taking->engine->gen, taking->meta, (frazil_sno *)taking->ids + taking->got, n,
                                   ret_taken, &taking->retry_ns);
    return frazil_try_take(taking->engine->gen, (uint64_t *)taking->ids + taking->got, n, ret_taken, &taking->retry_ns);
}

/* Whether the request cannot wait for so long. */
static bool is_late(const struct taking *taking, uint64_t due_ns)
{
    return due_ns > taking->deadline_ns;
}

/* Drops what stands before the last ids in a row: behind it, the numbers between are others'. */
static void keep_last_row(struct taking *taking)
{
    uint64_t *ids = taking->ids;
    uint32_t first = taking->got > 0 ? taking->got - 1 : 0;

    while (first > 0 && ids[first] - ids[first - 1] == 1)
        first--;
    taking->got -= first;
    memmove(ids, ids + first, taking->got * sizeof *ids);
}

/*
 * Takes what is free now, up to `most` ids.  It waits only if its deadline allows that.  A row is taken at once: what
 * another takes in between would break it.
 */
static enum advance advance(struct taking *taking, size_t most, uint64_t now_ns)
{
    size_t left = taking->in_a_row ? SIZE_MAX : most, taken;

    while (taking->got < taking->wanted) {
        if (left == 0)
            return ADVANCE_HAD_ITS_SHARE;
        taking->code = take_some(taking, left, &taken);
        left -= taken;
        taking->got += (uint32_t)taken;
        if (taking->in_a_row)
            keep_last_row(taking);
        (void)atomic_fetch_add_explicit(&taking->engine->ids, taken, memory_order_relaxed);
        if (taking->code == FRAZIL_OK)
            continue;
        if (taking->code != FRAZIL_EAGAIN)
            return ADVANCE_DONE;
        if (taking->retry_ns == 0)
            taking->retry_ns = RETRY_UNKNOWN_NS;
        if (taking->retry_ns < RETRY_LEAST_NS)
            taking->retry_ns = RETRY_LEAST_NS;
        return is_late(taking, now_ns + taking->retry_ns) ? ADVANCE_DONE : ADVANCE_WAITS;
    }
    taking->code = FRAZIL_OK;
    return ADVANCE_DONE;
}

static struct queue *find(const struct taker *taker, const struct engine *engine)
{
    struct queue *queue = taker->queues;

    while (queue != NULL && queue->engine != engine)
        queue = queue->next;
    return queue;
}

/* The engine that a request takes from: each in its turn, but those that others wait for last. */
static struct engine *choose(struct taker *taker, struct engine *first)
{
    unsigned count = 0;

    if (first->next == NULL)
        return first;
    for (const struct engine *at = first; at != NULL; at = at->next)
        count++;
    struct engine *chosen = first;
    for (unsigned skip = taker->next_engine++ % count; skip > 0; skip--)
        chosen = chosen->next;
    for (unsigned i = 0; i < count && find(taker, chosen) != NULL; i++)
        chosen = chosen->next != NULL ? chosen->next : first;
    return chosen;
}

bool taker_take(struct taker *taker, struct taking *taking, uint64_t now_ns)
{
    taking->engine = choose(taker, taking->engine);
    struct queue *queue = taker->queues != NULL ? find(taker, taking->engine) : NULL;

    if (queue == NULL)
        return advance(taking, SIZE_MAX, now_ns) == ADVANCE_DONE;
    /* Others came first. */
    taking->code = FRAZIL_EAGAIN;
    taking->retry_ns = queue->due_ns > now_ns ? queue->due_ns - now_ns : RETRY_LEAST_NS;
    return false;
}

bool taker_park(struct taker *taker, struct taking *taking, uint64_t now_ns)
{
    struct queue *queue = find(taker, taking->engine);

    if (queue == NULL) {
        queue = malloc(sizeof *queue);
        if (queue == NULL)
            return false;
        *queue = (struct queue){
            .engine = taking->engine, .end = &queue->first, .due_ns = now_ns + taking->retry_ns, .next = taker->queues};
        taker->queues = queue;
    }
    taking->next = NULL;
    *queue->end = taking;
    queue->end = &taking->next;
    queue->count++;
    engine_hold(taking->engine);
    (void)atomic_fetch_add_explicit(&taking->engine->waiting, 1, memory_order_relaxed);
    return true;
}

/* Takes the request that *link points to out of its queue. */
static void unlink_one(struct queue *queue, struct taking **link)
{
    struct taking *taking = *link;

    *link = taking->next;
    if (queue->end == &taking->next)
        queue->end = link;
    queue->count--;
    (void)atomic_fetch_sub_explicit(&taking->engine->waiting, 1, memory_order_relaxed);
}

static void free_if_empty(struct taker *taker, struct queue *queue)
{
    struct queue **link = &taker->queues;

    if (queue->first != NULL)
        return;
    while (*link != queue)
        link = &(*link)->next;
    *link = queue->next;
    free(queue);
}

void taker_cancel(struct taker *taker, struct taking *taking)
{
    struct queue *queue = find(taker, taking->engine);
    struct taking **link = &queue->first;

    while (*link != taking)
        link = &(*link)->next;
    unlink_one(queue, link);
    free_if_empty(taker, queue);
    engine_release(taking->engine, 0);
}

uint64_t taker_due_ns(const struct taker *taker)
{
    uint64_t due_ns = UINT64_MAX;

    for (const struct queue *queue = taker->queues; queue != NULL; queue = queue->next) {
        if (queue->due_ns < due_ns)
            due_ns = queue->due_ns;
    }
    return due_ns;
}

/* The request that *link points to is over.  Its done may cancel or park others. */
static void finish(struct taker *taker, struct queue *queue, struct taking **link)
{
    struct taking *taking = *link;
    struct engine *engine = taking->engine;

    unlink_one(queue, link);
    free_if_empty(taker, queue);
    taking->done(taking);
    engine_release(engine, 0);
}

/* The first request that cannot wait until the queue is due; NULL: all can. */
static struct taking **find_late(struct queue *queue)
{
    for (struct taking **link = &queue->first; *link != NULL; link = &(*link)->next) {
        if (is_late(*link, queue->due_ns))
            return link;
    }
    return NULL;
}

/* Nothing is free before retry_ns have passed: who cannot wait so long is told so now. */
static void wait_on(struct taker *taker, struct engine *engine, uint64_t now_ns, uint64_t retry_ns)
{
    struct queue *queue = find(taker, engine);
    struct taking **late;

    queue->due_ns = now_ns + retry_ns;
    while (queue != NULL && (late = find_late(queue)) != NULL) {
        (*late)->code = FRAZIL_EAGAIN;
        (*late)->retry_ns = retry_ns;
        finish(taker, queue, late);
        queue = find(taker, engine);
    }
}

/* The first one becomes the last one. */
static void rotate(struct queue *queue)
{
    struct taking *first = queue->first;

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
static void run_queue(struct taker *taker, struct engine *engine, uint64_t now_ns)
{
    struct queue *queue;

    for (unsigned turns = 0; (queue = find(taker, engine)) != NULL; turns++) {
        struct taking *taking = queue->first;
        if (turns >= queue->count && atomic_load_explicit(&engine->waiting, memory_order_relaxed) > queue->count) {
            queue->due_ns = now_ns + RETRY_LEAST_NS;
            return;
        }
        enum advance how = advance(taking, SHARE, now_ns);
        if (how == ADVANCE_WAITS) {
            wait_on(taker, engine, now_ns, taking->retry_ns);
            return;
        }
        if (how == ADVANCE_DONE)
            finish(taker, queue, &queue->first);
        else
            rotate(queue);
    }
}

void taker_run(struct taker *taker, uint64_t now_ns)
{
    for (;;) {
        struct queue *queue = taker->queues;
        while (queue != NULL && queue->due_ns > now_ns)
            queue = queue->next;
        if (queue == NULL)
            return;
        queue->due_ns = UINT64_MAX; /* until run_queue has set it */
        struct engine *engine = queue->engine;
        engine_hold(engine); /* the last of the queue may have been the last to hold it */
        run_queue(taker, engine, now_ns);
        engine_release(engine, 0);
    }
}
