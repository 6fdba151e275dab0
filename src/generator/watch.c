/* SPDX-License-Identifier: MIT */
#include "watch.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/duration.h"
#include "extension_lock.h"
#include "monotonic_condition.h"
#include "os/this_process.h"

/* Queues are counted by the hash of a coordinator: with so many, two rarely share one. */
enum { QUEUES = 64, QUEUE_WIDTH = 4 };

/* A thread that nobody has needed for so long ends.  Not at once: generators that share a grant's length are due
 * together. */
static const uint64_t spare_ns = 2000000000;

/* A time_t holds it, and nobody waits for as long. */
static const uint64_t longest_due_ns = UINT64_C(1) << 60;

struct fz_watch {
    uint64_t process;        /* by its mark */
    struct fz_watch *former; /* of the process that this one was forked from: inherited, and never touched */
    pthread_mutex_t lock;
    pthread_cond_t roused; /* the sleeper: somebody is due before it would wake up */
    pthread_cond_t handed; /* spares, one at a time: there is no sleeper any more */
    pthread_cond_t done;   /* those who leave: a call or a thread has ended */
    struct fz_watched *first;
    unsigned char busy[QUEUES]; /* threads that are just looking after somebody of the queue */
    unsigned threads;
    bool is_starting; /* a thread has been started and not yet looked who is due */
    bool has_sleeper; /* a thread sleeps until the next is due */
    uint64_t sleeps_until_ns;
    unsigned spares; /* threads that sleep because there is a sleeper */
    pthread_t ended; /* the last thread to end, which nobody has joined */
    bool has_ended;
};

/* ---- the watch of this process ------------------------------------------------------- */

static bool init_watch(struct fz_watch *watch)
{
    /* The wall clock may be set back while a thread sleeps: it would sleep on, and a grant end meanwhile. */
    bool made = fz_monotonic_condition_init(&watch->roused) == 0 && fz_monotonic_condition_init(&watch->handed) == 0;

    return made && pthread_cond_init(&watch->done, NULL) == 0 && pthread_mutex_init(&watch->lock, NULL) == 0;
}

/* NULL: there is no memory for it. */
static struct fz_watch *watch_of_process(void)
{
    uint64_t process = fz_this_process();
    struct fz_watch *watch = fz_process_kept(FZ_KEPT_WATCH);

    /* After a fork the kept watch is the parent's: its threads are not here, and its lock may be held for ever. */
    if (process == 0 || (watch != NULL && watch->process == process))
        return process == 0 ? NULL : watch;
    struct fz_watch *own = fz_process_alloc(sizeof *own);
    if (own == NULL || !init_watch(own)) {
        fz_process_free(own);
        return NULL;
    }
    own->process = process;
    own->former = watch;
    if (fz_process_keep(FZ_KEPT_WATCH, watch, own))
        return own;
    fz_process_free(own); /* another thread was faster */
    return fz_process_kept(FZ_KEPT_WATCH);
}

bool fz_watch_is_ours(const struct fz_watched *watched)
{
    return watched->watch != NULL && watched->watch->process == fz_this_process();
}

unsigned fz_watch_queue(const char *url)
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
static struct fz_watched *first_due(const struct fz_watch *watch, uint64_t *ret_next_ns)
{
    struct fz_watched *found = NULL;

    *ret_next_ns = UINT64_MAX;
    for (struct fz_watched *watched = watch->first; watched != NULL; watched = watched->next) {
        bool is_free = !watched->is_looked_after && !watched->is_leaving && watch->busy[watched->queue] < QUEUE_WIDTH;
        if (!is_free || watched->due_ns >= *ret_next_ns)
            continue;
        *ret_next_ns = watched->due_ns;
        found = watched;
    }
    return *ret_next_ns <= fz_machine_clock_ns() ? found : NULL;
}

/* Wakes up earlier for reasons that are none: all callers look again. */
static void sleep_until(struct fz_watch *watch, pthread_cond_t *woken, uint64_t until_ns)
{
    uint64_t now_ns = fz_machine_clock_ns();
    uint64_t latest_ns = until_ns < now_ns + longest_due_ns ? until_ns : now_ns + longest_due_ns;
    struct timespec latest = {.tv_sec = (time_t)(latest_ns / FZ_NS_PER_S), .tv_nsec = (long)(latest_ns % FZ_NS_PER_S)};

    (void)pthread_cond_timedwait(woken, &watch->lock, &latest);
}

static void sleep_for_all(struct fz_watch *watch, uint64_t next_ns)
{
    watch->has_sleeper = true;
    watch->sleeps_until_ns = next_ns;
    sleep_until(watch, &watch->roused, next_ns);
    watch->has_sleeper = false;
}

static void sleep_as_spare(struct fz_watch *watch, uint64_t end_ns)
{
    watch->spares++;
    sleep_until(watch, &watch->handed, end_ns);
    watch->spares--;
}

static void *stand_watch(void *arg);

/* It takes no signals: they are the program's. */
static int start_watcher(struct fz_watch *watch)
{
    pthread_t thread;
    sigset_t all;
    sigset_t before;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int sys = pthread_create(&thread, NULL, stand_watch, watch);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    watch->threads += sys == 0;
    watch->is_starting = sys == 0;
    return sys;
}

/*
 * Sees to it that a thread is awake by then to find out who is due.  It wakes up one at the most, as each looks through
 * all who are watched.  Errors as pthread_create.
 */
static int rouse(struct fz_watch *watch, uint64_t due_ns)
{
    /* One that is just starting will look by itself; a second one would have nothing to do. */
    if (watch->is_starting || (watch->has_sleeper && watch->sleeps_until_ns <= due_ns))
        return 0;
    if (!watch->has_sleeper && watch->spares == 0)
        return start_watcher(watch);
    return pthread_cond_signal(watch->has_sleeper ? &watch->roused : &watch->handed);
}

static void look_after(struct fz_watch *watch, struct fz_watched *watched)
{
    watched->is_looked_after = true;
    watch->busy[watched->queue]++;
    /* If no thread can be started, the others wait for this one. */
    if (watch->first->next != NULL)
        (void)rouse(watch, UINT64_MAX);
    /* Without the lock, as it may wait for a coordinator.  fz_watch_leave waits for is_looked_after to end. */
    pthread_mutex_unlock(&watch->lock);
    uint64_t due_in_ns = watched->look(watched->ctx);
    pthread_mutex_lock(&watch->lock);
    watched->due_ns = fz_machine_clock_ns() + (due_in_ns < longest_due_ns ? due_in_ns : longest_due_ns);
    watched->is_looked_after = false;
    /* The sleeper knows neither when this one is due nor that there is room in its queue.  Without a sleeper this
     * thread will be it. */
    bool was_full = watch->busy[watched->queue]-- == QUEUE_WIDTH;
    if (watch->has_sleeper)
        (void)rouse(watch, was_full ? 0 : watched->due_ns);
    pthread_cond_broadcast(&watch->done);
}

/* The thread that calls ends; it joins the one that ended before it, as nobody else does.  Gives up the lock. */
static void end_watcher(struct fz_watch *watch)
{
    pthread_t former = watch->ended;
    bool has_former = watch->has_ended;

    watch->ended = pthread_self();
    watch->has_ended = true;
    watch->threads--;
    pthread_cond_broadcast(&watch->done);
    pthread_mutex_unlock(&watch->lock);
    if (has_former)
        pthread_join(former, NULL);
}

static void *stand_watch(void *arg)
{
    struct fz_watch *watch = arg;
    uint64_t next_ns;

    pthread_mutex_lock(&watch->lock);
    watch->is_starting = false;
    uint64_t needed_ns = fz_machine_clock_ns();
    while (watch->first != NULL) {
        struct fz_watched *due = first_due(watch, &next_ns);
        if (due != NULL) {
            look_after(watch, due);
            needed_ns = fz_machine_clock_ns();
        } else if (!watch->has_sleeper) {
            sleep_for_all(watch, next_ns);
        } else if (fz_machine_clock_ns() < needed_ns + spare_ns) {
            sleep_as_spare(watch, needed_ns + spare_ns);
        } else {
            break;
        }
    }
    end_watcher(watch);
    return NULL;
}

/* ---- joining and leaving ---------------------------------------------------------------- */

static void unlink_watched(struct fz_watch *watch, const struct fz_watched *watched)
{
    struct fz_watched **place = &watch->first;

    while (*place != watched)
        place = &(*place)->next;
    *place = watched->next;
}

int fz_watch_join(struct fz_watched *watched, uint64_t due_in_ns)
{
    struct fz_watch *watch = watch_of_process();

    if (watch == NULL)
        return ENOMEM;
    pthread_mutex_lock(&watch->lock);
    watched->due_ns = fz_machine_clock_ns() + (due_in_ns < longest_due_ns ? due_in_ns : longest_due_ns);
    watched->is_looked_after = false;
    watched->is_leaving = false;
    watched->next = watch->first;
    watch->first = watched;
    int sys = rouse(watch, watched->due_ns);
    if (sys == 0)
        watched->watch = watch;
    else
        unlink_watched(watch, watched);
    pthread_mutex_unlock(&watch->lock);
    return sys;
}

void fz_watch_hurry(struct fz_watched *watched)
{
    struct fz_watch *watch = watched->watch;

    pthread_mutex_lock(&watch->lock);
    watched->due_ns = 0;
    if (watch->has_sleeper || watch->spares > 0) /* else a thread will look that is at work or just starting */
        (void)rouse(watch, 0);
    pthread_mutex_unlock(&watch->lock);
}

/* The last one has left: waits until the threads have ended, if nobody joins meanwhile. */
static bool await_threads(struct fz_watch *watch, pthread_t *ret_last)
{
    pthread_cond_broadcast(&watch->roused);
    pthread_cond_broadcast(&watch->handed);
    /* Joining the last one is not enough: each joins the one before it, and may still be about to. */
    while (watch->first == NULL && watch->threads > 0)
        pthread_cond_wait(&watch->done, &watch->lock);
    bool is_last = watch->first == NULL && watch->has_ended;
    *ret_last = watch->ended;
    watch->has_ended = watch->has_ended && !is_last;
    return is_last;
}

void fz_watch_leave(struct fz_watched *watched)
{
    struct fz_watch *watch = watched->watch;
    pthread_t last;
    int cancel;

    /* pthread_cond_wait ends a cancelled thread, which would leave the generator half taken off the list. */
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
    pthread_mutex_lock(&watch->lock);
    watched->is_leaving = true;
    while (watched->is_looked_after)
        pthread_cond_wait(&watch->done, &watch->lock);
    unlink_watched(watch, watched);
    bool is_last = watch->first == NULL && await_threads(watch, &last);
    pthread_mutex_unlock(&watch->lock);
    if (is_last)
        pthread_join(last, NULL);
    watched->watch = NULL;
    pthread_setcancelstate(cancel, NULL);
}
