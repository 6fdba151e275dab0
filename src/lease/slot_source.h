/* SPDX-License-Identifier: MIT */
/*
 * The slot port: slots of one worker taken from elsewhere than memory, for
 * processes of several hosts that issue ids of one worker and cannot share its
 * word.
 */
#ifndef FZ_LEASE_SLOT_SOURCE_H
#define FZ_LEASE_SLOT_SOURCE_H

#include "core/bounds.h"
#include "core/deadline.h"
#include "frazil/clock.h"
#include "frazil/error.h"
#include "frazil/layout.h"

/* Where slots are to come from.  Everything is copied, but for what random->ctx points to. */
struct fz_slots_request {
    const char *url;
    const frazil_layout *layout;
    const frazil_random *random;
    uint32_t worker;
    struct fz_bounds bounds; /* of the sequence numbers, which are the places in a tick */
    bool random_start;       /* whether a tick's first place is a random one */
    int64_t max_lead_ms;     /* how far ahead of the clock slots may be */
    int64_t max_skew_ms;     /* how far the clocks of processes that share the worker may differ */
};

/* Slots in a row, of one tick. */
struct fz_slot_run {
    uint64_t tick;
    uint64_t place; /* of the first one, counted from 0 at bounds.min */
    uint64_t count;
};

/* One caller at a time; take may block on disk or network. */
struct fz_slot_source {
    void *ctx;
    bool is_folder; /* of this host: a take waits for other processes in a guard, and never for an answer */

    /*
     * Takes up to n (>= 1) slots that nobody else ever gets, of the earliest tick
     * from now_tick on that has a free one and lies within max_lead.
     * FRAZIL_EFULL: there is none now, try again in the next tick; FRAZIL_EUNREACHABLE:
     * no answer (slots may be burned); FRAZIL_ECLOCK: clocks differ too much;
     * FRAZIL_EREFUSED: the other side refuses; FRAZIL_ENAMESPACE: its records are not ours; FRAZIL_ESYS.
     */
    frazil_err (*take)(void *ctx, struct fz_deadline deadline, uint64_t now_tick, uint64_t n, struct fz_slot_run *ret,
                       frazil_error *reterr);

    /* In a child process: drops what cannot be shared.  NULL: nothing to do. */
    void (*after_fork)(void *ctx);

    void (*close)(void *ctx);
};

#endif
