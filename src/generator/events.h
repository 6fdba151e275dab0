/* SPDX-License-Identifier: MIT */
/*
 * The last events of a generator in this process, for frazil_next_event.  Writers and readers wait for nobody.  The
 * ring lies on the private page, so a child finds it empty; its count goes on in the handle, which the child copies,
 * so that a copied cursor still means the same.
 */
#ifndef FZ_GENERATOR_EVENTS_H
#define FZ_GENERATOR_EVENTS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "frazil/observe.h"
#include "lease/granter.h"

/* The number of events that are kept. */
#ifndef FZ_EVENTS_KEPT /* the memory model, which has little time, has fewer */
#define FZ_EVENTS_KEPT 64
#endif

/* Where an event lies.  Several threads read it while one writes it: a sequence lock, without fences as in anchor.h. */
struct fz_event_place {
    _Atomic uint64_t version; /* 2n + 1: event n is being written; 2n + 2: it stands there; 0: none ever */
    _Atomic int64_t unix_ms;
    _Atomic uint64_t value;
    _Atomic uint32_t kind;
    _Atomic int32_t code;
    _Atomic uint32_t worker;
};

struct fz_event_ring {
    struct fz_event_place places[FZ_EVENTS_KEPT];
};

/* The descriptor for threads that wait for events, see event_fd.c. */
struct fz_event_wake;

/* In the handle. */
struct fz_event_state {
    _Atomic uint64_t count;               /* of events so far */
    _Atomic uint32_t told_worker;         /* the one that readers know of */
    _Atomic int32_t told_failure;         /* the last code of a failure that was told */
    _Atomic uint64_t told_end;            /* the first tick after the grant whose end was told last; 0: none was */
    _Atomic int64_t overflow_ms;          /* when a call last waited for a full tick; 0: none did */
    _Atomic bool has_begun;               /* opening has come so far that there is a worker id to tell of */
    _Atomic(struct fz_event_wake *) wake; /* of this process, or inherited; NULL: nobody has asked for one */
};

/* Writes an event as the next one by the count.  Any thread. */
FZ_PRIVATE void fz_event_write(struct fz_event_ring *ring, _Atomic uint64_t *count, const frazil_event *event);

/* Reads event `number`, but for what is missed.  False: it is not there, not yet or not any more.  Any thread. */
FZ_PRIVATE bool fz_event_read(const struct fz_event_ring *ring, uint64_t number, frazil_event *ret);

/* Writes an event of the generator's worker id now.  Any thread. */
FZ_PRIVATE void fz_events_tell(frazil *gen, frazil_event_kind kind, frazil_err code, int64_t unix_ms, uint64_t value);

/* The first grant is in force: its worker id is what readers know of.  Before other threads have the generator. */
FZ_PRIVATE void fz_events_begin(frazil *gen);

/* A call has just seen this grant, which another process may have put in force: tells of a new worker id. */
FZ_PRIVATE void fz_events_see_grant(frazil *gen, const struct fz_grant *grant);

/* The grant was put in force: it may be another worker id's, or take the one before away. */
FZ_PRIVATE void fz_events_note_grant(frazil *gen, const struct fz_grant *grant);

/* The grant has ended, or is lost: told once, by the first thread that sees it. */
FZ_PRIVATE void fz_events_note_end(frazil *gen, const struct fz_grant *grant);

/* Extending failed; is_first: for the first time after a success. */
FZ_PRIVATE void fz_events_note_failure(frazil *gen, frazil_err code, bool is_first);

/* Makes the descriptor of this process readable, if there is one: an event stands in the ring.  Any thread. */
FZ_PRIVATE void fz_events_signal(frazil *gen);

/* Makes it no longer readable.  Whether it was: then look for events once more.  Any thread. */
FZ_PRIVATE bool fz_events_drain(frazil *gen);

/* Closes it, and those of processes that this one was forked from.  The generator's last call. */
FZ_PRIVATE void fz_events_close(frazil *gen);

/* A call waits for a full tick, at unix_ms. */
FZ_PRIVATE void fz_events_note_overflow(frazil *gen, int64_t unix_ms);

#endif
