/* SPDX-License-Identifier: MIT */
/*
 * Errands: takes from a generator whose ids a coordinator gives (state=URL).  Each may take as long as that needs to
 * answer, so a thread of the generator runs them, one after another, and no event thread waits.
 */
#ifndef FRAZILD_ERRANDS_H
#define FRAZILD_ERRANDS_H

#include <frazil.h>

#include <stdatomic.h>
#include <stdbool.h>

struct event_thread;
struct errands;

/* One take, for an event thread. */
struct errand {
    struct errands *errands;
    struct event_thread *event_thread; /* NULL: nobody waits for it any more */
    void (*notify)(struct event_thread *event_thread);
    uint64_t deadline_ns;
    uint64_t retry_ns; /* after an error that passes */
    frazil_err code;
    uint8_t meta;     /* of snos */
    uint32_t n;       /* ids that are wanted: all of them come, or none */
    atomic_bool done; /* code, retry_ns and ids are there */
    struct errand *next;
    void *ids; /* uint64_t or frazil_sno */
};

/* Starts the thread.  NULL: no memory, or no thread. */
struct errands *errands_start(frazil *gen, bool is_sno);

/*
 * Stops the generator and ends the thread, within wait_ns.  False: it still waits for its coordinator, and calls
 * then(what) when that is over.
 */
bool errands_stop(struct errands *errands, uint64_t wait_ns, void (*then)(void *what), void *what);

/*
 * Sends an errand; its errands, next and ids are filled in, and all else is the caller's order.  When it is done, the
 * thread calls notify.  NULL: no memory.
 */
struct errand *errand_send(struct errands *errands, const struct errand *order);

/* Its sender wants no more of it, done or not. */
void errand_end(struct errand *errand);

/* Adds to the health of the generator what its coordinator did last.  why (may be NULL) is set if that failed. */
void errands_look(struct errands *errands, frazil_health *health, frazil_error *why);

#endif
