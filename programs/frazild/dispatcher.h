/* SPDX-License-Identifier: MIT */
/*
 * The one place that takes ids.  It never waits: a request that cannot be met now stays in the queue of its engine, and
 * is tried again when the library said.  Those that wait for an engine get ids in turns, some at a time.
 *
 * A dispatcher belongs to one thread; threads share the engines.
 */
#ifndef FRAZILD_DISPATCHER_H
#define FRAZILD_DISPATCHER_H

#include "generators.h"

/* A request for ids. */
struct id_request {
    struct engine *engine;
    void *ids; /* room for `wanted` of uint64_t, or of frazil_sno */
    uint32_t wanted;
    uint32_t got;  /* so far; all of them, unless code is an error */
    uint8_t meta;  /* of snos */
    bool in_a_row; /* of 64-bit ids: each is the one before it plus 1; those before a gap are dropped */
    uint64_t deadline_ns;
    frazil_err code;
    uint64_t retry_ns; /* after an error that passes: when to come back */
    void (*done)(struct id_request *id_request);
    struct id_request *next;
};

struct queue;

/* All zeros when it is new. */
struct dispatcher {
    struct queue *queues;                              /* of the engines that requests wait for */
    unsigned next_engine;                              /* which of a generator's engines is next */
    struct event_thread *event_thread;                 /* for notify */
    void (*notify)(struct event_thread *event_thread); /* called by another thread when dispatcher_collect is to be */
};

/*
 * Takes the ids of a request, from the engine that it names or one of those behind it: all of them, or, with an error
 * in its code, as many as could be had.  False: some are not free yet; the caller parks the request or forgets it.
 */
bool dispatcher_take(struct dispatcher *dispatcher, struct id_request *id_request, uint64_t now_ns);

/*
 * Lets a request wait; its done is called by dispatcher_run when it is over.  The request must stay where it is. False:
 * there is no memory for that.
 */
bool dispatcher_park(struct dispatcher *dispatcher, struct id_request *id_request, uint64_t now_ns);

/* Takes a waiting request out; its done is not called. */
void dispatcher_cancel(struct dispatcher *dispatcher, struct id_request *id_request);

/* When dispatcher_run is to be called; UINT64_MAX: nothing waits. */
uint64_t dispatcher_due_ns(const struct dispatcher *dispatcher);

/* Makes due what other threads have taken ids for. */
void dispatcher_collect(struct dispatcher *dispatcher);

/* Tries what is due again. */
void dispatcher_run(struct dispatcher *dispatcher, uint64_t now_ns);

/* Whether time mends an error: the client shall come back. */
bool dispatcher_is_passing(frazil_err code);

/* Bytes of an id as the library gives it. */
size_t dispatcher_id_size(const struct engine *engine);

#endif
