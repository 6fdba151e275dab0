/* SPDX-License-Identifier: MIT */
/*
 * The keeper pool: the threads of a process that run the keepers of its generators, however many these are.
 *
 * One thread sleeps until the next keeper is due.  A keeper may run for as long as its coordinator is silent.  So
 * another thread takes over the sleeping first, and no generator waits for another one's coordinator.  At most four
 * threads wait for one coordinator.  A thread with nothing to do ends after two seconds, and the last ends with the
 * last generator.
 *
 * A child inherits no threads, and locks in whatever state they were.  It never touches its parent's pool and starts
 * one of its own when it opens a generator that wants one.
 */
#ifndef FZ_GENERATOR_KEEPER_POOL_H
#define FZ_GENERATOR_KEEPER_POOL_H

#include <stdbool.h>
#include <stdint.h>

#include "core/deadline.h"

struct fz_keeper_pool;

/* A generator that is looked after; lies in its own memory.  Written under the pool's lock. */
struct fz_keeper_task {
    /* Does what is due, without the lock; returns in how many nanoseconds it is due again. */
    uint64_t (*look)(void *ctx);
    void *ctx;
    unsigned queue; /* of fz_keeper_pool_queue */
    /* Below: the pool's own. */
    struct fz_keeper_pool *pool; /* NULL: nobody looks after it */
    struct fz_keeper_task *next;
    uint64_t due_ns;         /* monotonic */
    void (*then)(void *ctx); /* of the leaver that has not waited for is_looked_after to end; NULL: none */
    bool is_looked_after;
    bool is_leaving;
};

/*
 * The queue of all tasks that wait for the same coordinator: of its URL as far as the names of the servers reach. NULL:
 * of tasks that wait for this host's disk.  Two coordinators may have one queue.
 */
FZ_PRIVATE unsigned fz_keeper_pool_queue(const char *url);

/*
 * Has look(ctx) called in due_in_ns, and then whenever it says, by a thread that takes no signals.  0, or the error
 * number of a thread that cannot be started.  Any thread.
 */
FZ_PRIVATE int fz_keeper_pool_join(struct fz_keeper_task *task, uint64_t due_in_ns);

/* Has it called now.  Not for a task that a fork left behind: see fz_keeper_pool_is_ours. */
FZ_PRIVATE void fz_keeper_pool_hurry(struct fz_keeper_task *task);

/*
 * Ends it, and waits for a call that is under way; with the last one the threads are gone, unless the deadline passes.
 * False: the call lasts beyond the deadline, and the thread that makes it calls then(ctx) after that.  It touches the
 * task no more.  Not after a fork, either.
 */
FZ_PRIVATE bool fz_keeper_pool_leave(struct fz_keeper_task *task, struct fz_deadline deadline, void (*then)(void *ctx));

/* Whether a thread of this process looks after it, and not one of the process that this one was forked from. */
FZ_PRIVATE bool fz_keeper_pool_is_ours(const struct fz_keeper_task *task);

#endif
