/* SPDX-License-Identifier: MIT */
/*
 * Errands: what may take seconds, as a coordinator must answer, and so runs in a thread of its own: LEASES.
 */
#ifndef FRAZILD_ERRANDS_H
#define FRAZILD_ERRANDS_H

#include "call.h"

struct errands;

/* The thread and its queue.  NULL without memory or threads. */
struct errands *errands_start(void);

/* Ends it; an errand that is under way is waited for. */
void errands_stop(struct errands *errands);

/*
 * Has the leases of an engine's coordinator looked up for a session, which then waits.  When they are there, the thread
 * calls lane->notify, and the lane calls errands_collect.  False: too many wait already.
 */
bool errand_send(struct session *session, const struct command *row, struct engine *engine);

/* Wakes the sessions of a lane whose errands are done.  Called by the lane's thread. */
void errands_collect(struct lane *lane);

/* Writes the reply of a session's errand.  False: it is not done. */
bool errand_go_on(struct session *session, struct bytes *out);

/* The session is gone: nobody reads its errand's reply. */
void errand_drop(struct session *session);

#endif
