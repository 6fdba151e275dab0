/* SPDX-License-Identifier: MIT */
/* The threads that look leases up, for LEASES and its path of HTTP. */
#ifndef FRAZILD_LEASE_THREAD_H
#define FRAZILD_LEASE_THREAD_H

#include <frazil/admin.h>

#include "admission.h"
#include "event_thread.h"

struct lease_threads;
struct lease_job;

/* Starts the threads.  NULL without memory or threads. */
struct lease_threads *lease_threads_start(void);

/* Ends them, when all jobs were abandoned; looks that are under way are waited for.  NULL: there are none. */
void lease_threads_stop(struct lease_threads *its);

/* How leases are written, and for whom. */
struct lease_order {
    /* Writes them; called by one of the threads. */
    void (*write)(const frazil_admin_leases *leases, int version, struct bytes *out);
    int version;               /* of the protocol, for write */
    void (*wake)(void *owner); /* called by the owner's event thread when the job is done */
    void *owner;
};

/*
 * Has the leases of an engine's coordinator looked up.  When they are there, a thread calls event_thread->notify, and
 * the event thread calls lease_jobs_collect.  One look serves all jobs that wait for the leases of that engine.  Eight
 * engines are asked at a time; the ninth waits until the first of them has answered.  Without a coordinator the job is
 * over at once.  NULL: too many wait for that engine already, or no memory.
 */
struct lease_job *lease_job_submit(struct event_thread *event_thread, struct engine *engine,
                                   const struct lease_order *order);

/* Wakes the owners of an event thread whose jobs are done; wake abandons none.  Called by the event thread. */
void lease_jobs_collect(const struct event_thread *event_thread);

/* Whether there is a reply, or an error, such as that the time of a request is over.  Called by the owner's event
 * thread. */
bool lease_job_is_over(const struct lease_job *job);

/* The reply of a job that is over; NULL: *ret says why there is none. */
const struct bytes *lease_job_reply(const struct lease_job *job, struct refusal *ret);

/* The owner wants no more of it, done or not.  job may be NULL. */
void lease_job_abandon(struct lease_job *job);

#endif
