/* SPDX-License-Identifier: MIT */
#include "keeper_pool.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/duration.h"
#include "extension_lock.h"
#include "monotonic_condition.h"
#include "os/cancel.h"
#include "os/deadline.h"
#include "os/this_process.h"

/* Queues are counted by the hash of a coordinator: with this many, two rarely share one. */
enum { QUEUES = 64, QUEUE_WIDTH = 4 };

/* A thread that nobody has needed for so long ends.  Not at once: generators that share a grant's length are due
 * together. */
static const uint64_t spare_ns = 2000000000;

/* A time_t holds it, and nobody waits for as long. */
static const uint64_t longest_due_ns = UINT64_C(1) << 60;

struct fz_keeper_pool {
    uint64_t process;              /* by its mark */
    struct fz_keeper_pool *former; /* of the process that this one was forked from: inherited, and never touched */
    pthread_mutex_t lock;
    pthread_cond_t roused; /* the sleeper: a task is due before it would wake up */
    pthread_cond_t handed; /* spares, one at a time: there is no sleeper any more */
    pthread_cond_t done;   /* leavers: a call or a thread has ended */
    struct fz_keeper_task *first;
    unsigned char busy[QUEUES]; /* threads that are just looking after a task of the queue */
    unsigned threads;
    bool is_starting; /* a thread has been started and has not yet looked which task is due */
    bool has_sleeper; /* a thread sleeps until the next is due */
    uint64_t sleeps_until_ns;
    unsigned spares; /* threads that sleep because there is a sleeper */
    pthread_t ended; /* the last thread to end, which nobody has joined */
    bool has_ended;
};

/* ---- the pool of this process ------------------------------------------------------- */

static bool init_pool(struct fz_keeper_pool *pool)
{
    /* The wall clock may be set back while a thread sleeps: it would sleep on, and a grant end meanwhile. */
    bool made = fz_monotonic_condition_init(&pool->roused) == 0 && fz_monotonic_condition_init(&pool->handed) == 0;

    return made && fz_monotonic_condition_init(&pool->done) == 0 && pthread_mutex_init(&pool->lock, NULL) == 0;
}

/* NULL: there is no memory for it. */
static struct fz_keeper_pool *pool_of_process(void)
{
    uint64_t process = fz_this_process();
    struct fz_keeper_pool *pool = fz_process_kept(FZ_KEPT_KEEPER_POOL);

    /* After a fork the kept pool is the parent's: its threads are not here, and its lock may be held for ever. */
    if (process == 0 || (pool != NULL && pool->process == process))
        return process == 0 ? NULL : pool;
    struct fz_keeper_pool *own = fz_process_alloc(sizeof *own);
    if (own == NULL || !init_pool(own)) {
        fz_process_free(own);
        return NULL;
    }
    own->process = process;
    own->former = pool;
    if (fz_process_keep(FZ_KEPT_KEEPER_POOL, pool, own))
        return own;
    fz_process_free(own); /* another thread was faster */
    return fz_process_kept(FZ_KEPT_KEEPER_POOL);
}

bool fz_keeper_pool_is_ours(const struct fz_keeper_task *task)
{
    return task->pool != NULL && task->pool->process == fz_this_process();
}

unsigned fz_keeper_pool_queue(const char *url)
{
    /* Paths and options differ between generators that wait for the same servers. */
    const char *servers = url == NULL ? NULL : strstr(url, "://");
    size_t len = servers == NULL ? 0 : (size_t)(servers - url) + 3 + strcspn(servers + 3, "/?#");
    uint32_t hash = 2166136261U; /* FNV-1a */

    for (size_t i = 0; i < len; i++)
        hash = (hash ^ (unsigned char)url[i]) * 16777619U;
    return hash % QUEUES;
}

/* ---- threads; all of this under the lock ---------------------------------------------- */

/* The first that is due in a queue with room; NULL: none is.  *ret_next_ns: when one will be. */
static struct fz_keeper_task *first_due(const struct fz_keeper_pool *pool, uint64_t *ret_next_ns)
{
    struct fz_keeper_task *found = NULL;

    *ret_next_ns = UINT64_MAX;
    for (struct fz_keeper_task *task = pool->first; task != NULL; task = task->next) {
        bool is_free = !task->is_looked_after && !task->is_leaving && pool->busy[task->queue] < QUEUE_WIDTH;
        if (!is_free || task->due_ns >= *ret_next_ns)
            continue;
        *ret_next_ns = task->due_ns;
        found = task;
    }
    return *ret_next_ns <= fz_machine_clock_ns() ? found : NULL;
}

/* Wakes up earlier for reasons that are none: all callers look again. */
static void sleep_until(struct fz_keeper_pool *pool, pthread_cond_t *woken, uint64_t until_ns)
{
    uint64_t now_ns = fz_machine_clock_ns();
    uint64_t latest_ns = until_ns < now_ns + longest_due_ns ? until_ns : now_ns + longest_due_ns;
    struct timespec latest = {.tv_sec = (time_t)(latest_ns / FZ_NS_PER_S), .tv_nsec = (long)(latest_ns % FZ_NS_PER_S)};

    (void)pthread_cond_timedwait(woken, &pool->lock, &latest);
}

static void sleep_for_all(struct fz_keeper_pool *pool, uint64_t next_ns)
{
    pool->has_sleeper = true;
    pool->sleeps_until_ns = next_ns;
    sleep_until(pool, &pool->roused, next_ns);
    pool->has_sleeper = false;
}

static void sleep_as_spare(struct fz_keeper_pool *pool, uint64_t end_ns)
{
    pool->spares++;
    sleep_until(pool, &pool->handed, end_ns);
    pool->spares--;
}

static void *run_keepers(void *arg);

/* It takes no signals: they are the program's. */
static int start_thread(struct fz_keeper_pool *pool)
{
    pthread_t thread;
    sigset_t all;
    sigset_t before;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int sys = pthread_create(&thread, NULL, run_keepers, pool);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pool->threads += sys == 0;
    pool->is_starting = sys == 0;
    return sys;
}

/*
 * Makes sure that a thread is awake by then to find out which task is due.  It wakes up at most one, as each looks
 * through all tasks.  Errors as pthread_create.
 */
static int rouse(struct fz_keeper_pool *pool, uint64_t due_ns)
{
    /* One that is just starting will look by itself; a second one would have nothing to do. */
    if (pool->is_starting || (pool->has_sleeper && pool->sleeps_until_ns <= due_ns))
        return 0;
    if (!pool->has_sleeper && pool->spares == 0)
        return start_thread(pool);
    return pthread_cond_signal(pool->has_sleeper ? &pool->roused : &pool->handed);
}

static void unlink_task(struct fz_keeper_pool *pool, const struct fz_keeper_task *task)
{
    struct fz_keeper_task **place = &pool->first;

    while (*place != task)
        place = &(*place)->next;
    *place = task->next;
}

/* The leaver has gone, and left the rest to the thread that calls. */
static void finish_leaving(struct fz_keeper_pool *pool, struct fz_keeper_task *task)
{
    unlink_task(pool, task);
    task->pool = NULL;
    if (pool->first == NULL) { /* the other threads end, too */
        pthread_cond_broadcast(&pool->roused);
        pthread_cond_broadcast(&pool->handed);
    }
    pthread_mutex_unlock(&pool->lock);
    task->then(task->ctx);
    pthread_mutex_lock(&pool->lock);
}

static void look_after(struct fz_keeper_pool *pool, struct fz_keeper_task *task)
{
    task->is_looked_after = true;
    pool->busy[task->queue]++;
    /* If no thread can be started, the others wait for this one. */
    if (pool->first->next != NULL)
        (void)rouse(pool, UINT64_MAX);
    /* Without the lock, as it may wait for a coordinator.  fz_keeper_pool_leave waits for is_looked_after to end. */
    pthread_mutex_unlock(&pool->lock);
    uint64_t due_in_ns = task->look(task->ctx);
    pthread_mutex_lock(&pool->lock);
    task->due_ns = fz_machine_clock_ns() + (due_in_ns < longest_due_ns ? due_in_ns : longest_due_ns);
    task->is_looked_after = false;
    /* The sleeper knows neither when this one is due nor that there is room in its queue.  Without a sleeper this
     * thread will be it. */
    bool was_full = pool->busy[task->queue]-- == QUEUE_WIDTH;
    if (pool->has_sleeper)
        (void)rouse(pool, was_full ? 0 : task->due_ns);
    pthread_cond_broadcast(&pool->done);
    if (task->then != NULL)
        finish_leaving(pool, task);
}

/* The thread that calls ends; it joins the one that ended before it, as nobody else does.  Gives up the lock. */
static void end_thread(struct fz_keeper_pool *pool)
{
    pthread_t former = pool->ended;
    bool has_former = pool->has_ended;

    pool->ended = pthread_self();
    pool->has_ended = true;
    pool->threads--;
    pthread_cond_broadcast(&pool->done);
    pthread_mutex_unlock(&pool->lock);
    if (has_former)
        pthread_join(former, NULL);
}

static void *run_keepers(void *arg)
{
    struct fz_keeper_pool *pool = arg;
    uint64_t next_ns;

    pthread_mutex_lock(&pool->lock);
    pool->is_starting = false;
    uint64_t needed_ns = fz_machine_clock_ns();
    while (pool->first != NULL) {
        struct fz_keeper_task *due = first_due(pool, &next_ns);
        if (due != NULL) {
            look_after(pool, due);
            needed_ns = fz_machine_clock_ns();
        } else if (!pool->has_sleeper) {
            sleep_for_all(pool, next_ns);
        } else if (fz_machine_clock_ns() < needed_ns + spare_ns) {
            sleep_as_spare(pool, needed_ns + spare_ns);
        } else {
            break;
        }
    }
    end_thread(pool);
    return NULL;
}

/* ---- joining and leaving ---------------------------------------------------------------- */

int fz_keeper_pool_join(struct fz_keeper_task *task, uint64_t due_in_ns)
{
    struct fz_keeper_pool *pool = pool_of_process();

    if (pool == NULL)
        return ENOMEM;
    pthread_mutex_lock(&pool->lock);
    task->due_ns = fz_machine_clock_ns() + (due_in_ns < longest_due_ns ? due_in_ns : longest_due_ns);
    task->is_looked_after = false;
    task->is_leaving = false;
    task->then = NULL;
    task->next = pool->first;
    pool->first = task;
    int sys = rouse(pool, task->due_ns);
    if (sys == 0)
        task->pool = pool;
    else
        unlink_task(pool, task);
    pthread_mutex_unlock(&pool->lock);
    return sys;
}

void fz_keeper_pool_hurry(struct fz_keeper_task *task)
{
    struct fz_keeper_pool *pool = task->pool;

    pthread_mutex_lock(&pool->lock);
    task->due_ns = 0;
    if (pool->has_sleeper || pool->spares > 0) /* else a thread will look that is at work or just starting */
        (void)rouse(pool, 0);
    pthread_mutex_unlock(&pool->lock);
}

/* The last one has left: waits until the threads have ended, if nobody joins meanwhile. */
static bool await_threads(struct fz_keeper_pool *pool, struct fz_deadline deadline, pthread_t *ret_last)
{
    pthread_cond_broadcast(&pool->roused);
    pthread_cond_broadcast(&pool->handed);
    /* Joining the last one is not enough: each joins the one before it, and may still be about to. */
    while (pool->first == NULL && pool->threads > 0 && fz_monotonic_condition_look(&pool->done, &pool->lock, deadline))
        ;
    bool is_last = pool->first == NULL && pool->threads == 0 && pool->has_ended;
    *ret_last = pool->ended;
    pool->has_ended = pool->has_ended && !is_last;
    return is_last;
}

bool fz_keeper_pool_leave(struct fz_keeper_task *task, struct fz_deadline deadline, void (*then)(void *ctx))
{
    struct fz_keeper_pool *pool = task->pool;
    bool is_last = false;
    pthread_t last;

    /* A wait for a condition ends a cancelled thread, which would leave the generator half taken off the list. */
    int cancel = fz_cancel_off();
    pthread_mutex_lock(&pool->lock);
    task->is_leaving = true;
    while (task->is_looked_after && fz_monotonic_condition_look(&pool->done, &pool->lock, deadline))
        ;
    bool has_left = !task->is_looked_after;
    if (has_left) {
        unlink_task(pool, task);
        task->pool = NULL;
        is_last = pool->first == NULL && await_threads(pool, deadline, &last);
    } else {
        task->then = then;
    }
    pthread_mutex_unlock(&pool->lock);
    if (is_last)
        pthread_join(last, NULL);
    fz_cancel_as(cancel);
    return has_left;
}
