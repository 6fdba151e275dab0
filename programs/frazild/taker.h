/* SPDX-License-Identifier: MIT */
/*
 * The one place that takes ids.  It never waits: a request that cannot be met now stays in the queue of its engine, and
 * is tried again when the library said.  Those that wait for an engine get ids in turns, some at a time.
 *
 * A taker belongs to one thread; threads share the engines.
 */
#ifndef FRAZILD_TAKER_H
#define FRAZILD_TAKER_H

#include "generators.h"

/* A request for ids. */
struct taking {
    struct engine *engine;
    void *ids; /* room for `wanted` of uint64_t, or of frazil_sno */
    uint32_t wanted;
    uint32_t got;  /* so far; all of them, unless code is an error */
    uint8_t meta;  /* of snos */
    bool in_a_row; /* of 64-bit ids: each is the one before it plus 1; those before a gap are dropped */
    uint64_t deadline_ns;
    frazil_err code;
    uint64_t retry_ns; /* after an error that passes: when to come back */
    void (*done)(struct taking *taking);
    struct taking *next;
};

struct queue;

/* All zeros when it is new. */
struct taker {
    struct queue *queues; /* of the engines that requests wait for */
    unsigned next_engine; /* which of a generator's engines is next */
};

/*
 * Takes the ids of a request, from the engine that it names or one of those behind it: all of them, or, with an error
 * in its code, as many as could be had.  False: some are not free yet; the caller parks the request or forgets it.
 */
bool taker_take(struct taker *taker, struct taking *taking, uint64_t now_ns);

/*
 * Lets a request wait; its done is called by taker_run when it is over.  The request must stay where it is.  False:
 * there is no memory for that.
 */
bool taker_park(struct taker *taker, struct taking *taking, uint64_t now_ns);

/* Takes a waiting request out; its done is not called. */
void taker_cancel(struct taker *taker, struct taking *taking);

/* When taker_run is to be called; UINT64_MAX: nothing waits. */
uint64_t taker_due_ns(const struct taker *taker);

/* Tries what is due again. */
void taker_run(struct taker *taker, uint64_t now_ns);

/* Whether time mends an error: the client shall come back. */
bool taker_is_passing(frazil_err code);

/* Bytes of an id as the library gives it. */
size_t taker_id_size(const struct engine *engine);

#endif
