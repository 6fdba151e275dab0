/* SPDX-License-Identifier: MIT */
/*
 * The watch: the threads of a process that look after its generators, however many these are.
 *
 * One thread sleeps until the next generator is due.  Before it looks after that one, which may take as long as a
 * coordinator is silent, it hands the watch on to another thread, so that nobody waits for somebody else's coordinator.
 * At most four threads wait for one coordinator.  A thread with nothing to do ends after two seconds, and the last
 * ends with the last generator.
 *
 * A child inherits no threads, and locks in whatever state they were.  It never touches its parent's watch and starts
 * one of its own when it opens a generator that wants one.
 */
#ifndef FZ_GENERATOR_WATCH_H
#define FZ_GENERATOR_WATCH_H

#include <stdbool.h>
#include <stdint.h>

struct fz_watch;

/* One who is looked after; lies in the memory of whoever joins.  Written under the watch's lock. */
struct fz_watched {
    /* Does what is due, without the lock; returns in how many nanoseconds it is due again. */
    uint64_t (*look)(void *ctx);
    void *ctx;
    unsigned queue; /* of fz_watch_queue */
    /* Below: the watch's own. */
    struct fz_watch *watch; /* NULL: nobody looks after it */
    struct fz_watched *next;
    uint64_t due_ns; /* monotonic */
    bool is_looked_after;
    bool is_leaving;
};

/*
 * The queue of all who wait for the same coordinator: of its URL as far as the names of the servers reach.  NULL: of
 * those who wait for this host's disk.  Two coordinators may have one queue.
 */
FZ_PRIVATE unsigned fz_watch_queue(const char *url);

/*
 * Has look(ctx) called in due_in_ns, and then whenever it says, by a thread that takes no signals.  0, or the error
 * number of a thread that cannot be started.  Any thread.
 */
FZ_PRIVATE int fz_watch_join(struct fz_watched *watched, uint64_t due_in_ns);

/* Has it called now.  Not for who has been left behind by a fork: see fz_watch_is_ours. */
FZ_PRIVATE void fz_watch_hurry(struct fz_watched *watched);

/* Ends it, and waits for a call that is under way; with the last one the threads are gone.  Not after a fork, either.
 */
FZ_PRIVATE void fz_watch_leave(struct fz_watched *watched);

/* Whether a thread of this process looks after it, and not one of the process that this one was forked from. */
FZ_PRIVATE bool fz_watch_is_ours(const struct fz_watched *watched);

#endif
