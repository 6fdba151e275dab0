/* SPDX-License-Identifier: MIT */
/*
 * The oracle: knows what ids were issued and what was recorded, takes ids apart
 * by itself, and ends the run when a promise is broken.  It knows nothing of how
 * the library keeps them.
 */
#ifndef SIMULATOR_ORACLE_H
#define SIMULATOR_ORACLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The workers of a world in which hosts are copied; a fleet has more. */
enum { WORKERS_MAX = 16, SHARDS_MAX = 24 };

/* The sequence numbers that a generator may use; both ends included. */
struct bounds {
    uint64_t first;
    uint64_t last;
    unsigned state_dir; /* the number of the directory where their grant is on record */
};

/* The form of all ids of the world, and the promises about them. */
struct promises {
    unsigned worker_bits;
    unsigned sequence_bits;
    unsigned time_bits;
    uint64_t tick_ms;
    int64_t epoch_unix_ms;
    uint64_t workers;     /* worker ids 0 .. workers - 1 may be used */
    uint64_t max_lead_ms; /* UINT64_MAX: no bound */
    uint64_t max_wait_ns; /* likewise */
    bool divides;         /* processes of a host may have parts of a worker's sequence */
    bool may_stop;        /* somebody may stop a generator that others have */
    uint64_t horizon_ms;  /* no grant may reach further ahead of the clock */
    size_t remembered;    /* the oracle keeps this many stretches of a worker's ids; 0: all */
};

/* Forgets everything. */
void oracle_begin(const struct promises *promises);

/* The largest sequence number of the layout. */
uint64_t oracle_largest_sequence(void);

/* It is on record, durably, that a worker's ticks up to this one may be used, with these sequence numbers. */
void oracle_recorded(uint32_t worker, struct bounds bounds, uint64_t until);

/* A worker is given back, and with it all that was granted above this tick. */
void oracle_given_back(uint32_t worker, uint64_t until);

/* The highest tick on record for a worker, and for any. */
uint64_t oracle_record_of(uint32_t worker);
uint64_t oracle_highest_record(void);

/*
 * A host was copied while it had this worker, granted up to this tick.  F9: up to
 * there the hosts of the family may repeat what the others of them issue.
 */
void oracle_cloned(unsigned family, uint32_t worker, uint64_t until);

/* A call that takes ids, from its beginning on; lives on the caller's stack. */
struct oracle_call {
    uint64_t started_ns;
    uint64_t slept_ns;
    uint64_t readings;
    uint64_t highest; /* id that had been issued from the same word by then */
    bool by_handle;   /* whose ids increase by themselves only */
};

struct oracle_call oracle_call_begins(bool by_handle);

/* It has returned n ids; *last_id is the handle's own last one (by_handle), to be kept by the caller. */
void oracle_issued(const struct oracle_call *call, const uint64_t *ids, size_t n, uint64_t *last_id);

/* It has failed to take n: with a code that such a call may have, and before its time was over. */
void oracle_refused(const struct oracle_call *call, int code, size_t n, bool life_may_end);

/* How many ids there were; how many of them were a clone's repetitions, as F9 allows. */
uint64_t oracle_ids(void);
uint64_t oracle_repeated(void);

#endif
