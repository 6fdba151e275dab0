/* SPDX-License-Identifier: MIT */
/*
 * Background jobs: work that may take seconds, as a coordinator must answer, and so runs in a thread of its own:
 * leases.
 */
#ifndef FRAZILD_BACKGROUND_JOBS_H
#define FRAZILD_BACKGROUND_JOBS_H

#include <frazil/admin.h>

#include "admission.h"
#include "event_thread.h"

struct jobs;
struct job;

/* The thread and its queue.  NULL without memory or threads. */
struct jobs *jobs_start(void);

/* No event thread is told of a background job that is done any more.  To be called before the event threads end. */
void jobs_hush(struct jobs *jobs);

/* Ends it; a background job that is under way is waited for. */
void jobs_stop(struct jobs *jobs);

/* An order for leases: how they are written, and for whom. */
struct job_order {
    /* Writes them; called by the thread of jobs. */
    void (*write)(const frazil_admin_leases *leases, int version, struct bytes *out);
    int version;               /* of the protocol, for write */
    void (*wake)(void *owner); /* called by the owner's event thread when the job is done */
    void *owner;
};

/*
 * Has the leases of an engine's coordinator looked up.  When they are there, the thread calls event_thread->notify, and
 * the event thread calls jobs_collect.  One look serves all jobs that wait for the leases of that engine.  NULL: too
 * many wait already.
 */
struct job *job_send(struct event_thread *event_thread, struct engine *engine, const struct job_order *order);

/* Wakes the owners of an event thread whose jobs are done.  Called by the event thread. */
void jobs_collect(struct event_thread *event_thread);

/* Whether there is a reply, or an error, such as that the time of a request is over.  Called by the owner's event
 * thread. */
bool job_is_done(const struct job *job);

/* The reply of a background job that is done; NULL: *ret says why there is none. */
const struct bytes *job_reply(const struct job *job, struct refusal *ret);

/* The owner wants no more of it, done or not.  job may be NULL. */
void job_end(struct job *job);

#endif
