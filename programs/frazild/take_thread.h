/* SPDX-License-Identifier: MIT */
/*
 * The thread that takes ids from a generator whose coordinator gives each one (state=URL).  A take may last as long as
 * the coordinator needs to answer.  So event threads submit it as a job, and do not wait.  Jobs run one after another.
 */
#ifndef FRAZILD_TAKE_THREAD_H
#define FRAZILD_TAKE_THREAD_H

#include <frazil.h>

#include <stdatomic.h>
#include <stdbool.h>

struct event_thread;
struct take_thread;

/* One take, for an event thread. */
struct take_job {
    struct take_thread *taker;
    struct event_thread *event_thread; /* NULL: nobody waits for it any more */
    void (*notify)(struct event_thread *event_thread);
    uint64_t deadline_ns;
    uint64_t retry_ns; /* after an error that passes */
    frazil_err code;
    uint8_t meta;     /* of snos */
    uint32_t n;       /* ids that are wanted: all of them come, or none */
    atomic_bool done; /* code, retry_ns and ids are there */
    struct take_job *next;
    void *ids; /* uint64_t or frazil_sno */
};

/* Starts the thread.  NULL: no memory, or no thread. */
struct take_thread *take_thread_start(frazil *gen, bool is_sno);

/*
 * Stops the generator and ends the thread, within wait_ns.  False: it still waits for its coordinator, and calls
 * then(what) when that is over.
 */
bool take_thread_stop(struct take_thread *taker, uint64_t wait_ns, void (*then)(void *what), void *what);

/*
 * Submits a job: taker, next and ids are filled in, all else is the caller's order.  When it is done, the thread calls
 * notify.  NULL: no memory.
 */
struct take_job *take_job_submit(struct take_thread *taker, const struct take_job *order);

/* The submitter needs it no more, done or not. */
void take_job_abandon(struct take_job *job);

/* Adds to the health of the generator what its coordinator did last.  why (may be NULL) is set if that failed. */
void take_thread_add_health(struct take_thread *taker, frazil_health *health, frazil_error *why);

#endif
