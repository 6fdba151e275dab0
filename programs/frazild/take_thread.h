/* SPDX-License-Identifier: MIT */
/* The thread that takes ids from a generator whose coordinator gives each one (state=URL). */
#ifndef FRAZILD_TAKE_THREAD_H
#define FRAZILD_TAKE_THREAD_H

#include <frazil.h>

#include "job_thread.h"

struct take_thread;

/* One take, for an event thread. */
struct take_job {
    struct job job; /* first */
    uint64_t deadline_ns;
    uint64_t retry_ns; /* after an error that passes */
    frazil_err code;
    uint8_t meta; /* of snos */
    uint32_t n;   /* ids that are wanted: all of them come, or none */
    void *ids;    /* uint64_t or frazil_sno */
};

/* Starts the thread.  NULL: no memory, or no thread. */
struct take_thread *take_thread_start(frazil *gen, bool is_sno);

/*
 * Stops the generator and ends the thread, within wait_ns.  False: it still waits for its coordinator, and calls
 * on_end(ctx) when that is over.  Then, or if it has ended, take_thread_free is to be called.
 */
bool take_thread_stop(struct take_thread *taker, uint64_t wait_ns, void (*on_end)(void *ctx), void *ctx);

/* Frees what is left of a thread that has ended. */
void take_thread_free(struct take_thread *taker);

/*
 * Submits a job: deadline_ns, meta, n, and of its job event_thread and notify are the caller's order, and all else is
 * filled in.  When it is done, code, retry_ns and ids are there.  It is abandoned by job_abandon.  NULL: no memory.
 */
struct take_job *take_job_submit(struct take_thread *taker, const struct take_job *order);

/* Adds to the health of the generator what its coordinator did last.  why (may be NULL) is set if that failed. */
void take_thread_add_health(struct take_thread *taker, frazil_health *health, frazil_error *why);

#endif
