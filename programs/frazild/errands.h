/* SPDX-License-Identifier: MIT */
/*
 * Errands: work that may take seconds, as a coordinator must answer, and so runs in a thread of its own: leases.
 */
#ifndef FRAZILD_ERRANDS_H
#define FRAZILD_ERRANDS_H

#include <frazil/admin.h>

#include "admission.h"
#include "lane.h"

struct errands;
struct errand;

/* The thread and its queue.  NULL without memory or threads. */
struct errands *errands_start(void);

/* No lane is told of an errand that is done any more.  To be called before the lanes end. */
void errands_hush(struct errands *errands);

/* Ends it; an errand that is under way is waited for. */
void errands_stop(struct errands *errands);

/* An order for leases: how they are written, and for whom. */
struct errand_order {
    /* Writes them; called by the thread of errands. */
    void (*write)(const frazil_admin_leases *leases, int version, struct bytes *out);
    int version;               /* of the protocol, for write */
    void (*wake)(void *owner); /* called by the owner's lane when the errand is done */
    void *owner;
};

/*
 * Has the leases of an engine's coordinator looked up.  When they are there, the thread calls lane->notify, and the
 * lane calls errands_collect.  NULL: too many wait already.
 */
struct errand *errand_send(struct lane *lane, struct engine *engine, const struct errand_order *order);

/* Wakes the owners of a lane whose errands are done.  Called by the lane's thread. */
void errands_collect(struct lane *lane);

/* Whether there is a reply, or an error. */
bool errand_is_done(const struct errand *errand);

/* The reply of an errand that is done; NULL: *ret says why there is none. */
const struct bytes *errand_reply(const struct errand *errand, struct refusal *ret);

/* The owner wants no more of it, done or not.  errand may be NULL. */
void errand_end(struct errand *errand);

#endif
