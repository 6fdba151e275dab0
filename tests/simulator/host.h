/* SPDX-License-Identifier: MIT */
/*
 * Simulated hosts: each has a clock that may be wrong, a counter, a run directory
 * that is gone after a boot, a disk that forgets what was not synced, and a place
 * in the network.
 */
#ifndef SIMULATOR_HOST_H
#define SIMULATOR_HOST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "claims.h"
#include "core/bounds.h"
#include "disk.h"
#include "oracle.h"

/* World time 0, on a clock that is right: 2026-06-01T00:00:00Z. */
#define TRUE_UNIX_MS INT64_C(1780272000000)

enum { RUN_FILES_MAX = 48, CLOCK_CHANGES_MAX = 64 };

struct page;
struct process;

/* From then on the clock shows shown_ns (since TRUE_UNIX_MS) and runs as fast as said. */
struct clock_change {
    uint64_t from_ns;
    int64_t shown_ns;
    int64_t ppm;    /* faster than time; -1000000: stands still */
    bool suspended; /* nothing runs on the host meanwhile */
};

struct host_clock {
    struct clock_change changes[CLOCK_CHANGES_MAX]; /* the latest ones, used in turns */
    unsigned count;
};

/* A file in the run directory, and whether it has been removed under the hands of those who have it mapped. */
struct run_file {
    bool exists;
    char path[160];
    char fingerprint[128];
    uint64_t worker; /* or what identifies a lease that processes share */
    struct fz_bounds bounds;
    uint64_t nonce;
    uint64_t inode;
    struct page *page;  /* NULL: a lock file */
    uint64_t locked_by; /* an open file */
};

enum cut { CUT_NOT, CUT_BOTH, CUT_REQUESTS, CUT_REPLIES };

struct host {
    bool exists;
    bool is_up;
    bool is_suspended; /* a copy that is not resumed yet */
    unsigned number;
    unsigned family; /* the host that it was copied from, or its own number */
    unsigned last_pid;
    struct host_clock clock;
    int64_t highest_ns;  /* that the clock has shown */
    uint64_t away_until; /* the services of the host are asked to leave, and to come back then */
    bool is_forgetful;   /* its clock must not go back any more: see "Exceptions" in docs/TRUST.md */
    int64_t least_ns;    /* that its clock shows from now on: likewise */
    int64_t monotonic_offset_ns;
    uint64_t counter_offset;
    uint64_t counts_per_us;
    bool has_counter;
    uint64_t device; /* of the run directory */
    uint64_t inodes;
    struct run_file run[RUN_FILES_MAX];
    struct disk disk;
    struct claim_file claims[CLAIM_FILES_MAX];
    enum cut cut;
    uint64_t last_arrival_ns;          /* when the latest of its requests reaches the coordinator */
    uint64_t granted[WORKERS_MAX];     /* up to which tick of each worker a process here was told that it may go */
    uint64_t carried_out[WORKERS_MAX]; /* the same, by the coordinator's records: an answer may be under way, or lost */
    unsigned last_place[WORKERS_MAX];  /* the run directory that had each last, plus 1; 0: none */
    uint64_t let_go_ns[WORKERS_MAX];   /* when a process last let go of each worker (users.h) */
    const void *programs[3];           /* of the processes that belong here */
    struct process *processes;         /* those that live here */
};

/* How many hosts there may be in a world without a fleet. */
enum { A_FEW_HOSTS = 10 };

/* All hosts of the world; those that exist. */
extern struct host *hosts;
extern unsigned hosts_max;

/* Forgets all hosts.  There may be no more than most. */
void hosts_begin(unsigned most);

/* A new host, switched off.  NULL: there are too many. */
struct host *host_add(void);

/* Its number; a number for another process. */
unsigned host_number(const struct host *host);
unsigned host_new_pid(struct host *host);

/* A process lets go of these workers: a bit for each. */
void host_let_go(struct host *host, uint32_t workers);

/* Power is lost: its processes and its run directory are gone, and what its disk had not synced. */
void host_lose_power(struct host *host);

/* A second one that goes on from where this one is, after a while.  NULL: there are too many. */
struct host *host_copy(struct host *from, uint64_t delay_ns);

/* ---- clocks ------------------------------------------------------------------ */

/* Whether it shows now what it has never shown before, and runs as fast as time. */
bool host_clock_is_ahead(const struct host *host);

/* The time on the clock: nanoseconds since TRUE_UNIX_MS. */
int64_t host_clock_ns(const struct host *host);

/* Sets it so far ahead of true time; runs it that much faster. */
void host_set_clock(struct host *host, int64_t offset_ns, int64_t ppm);

/* How far it is ahead of true time. */
int64_t host_clock_offset_ns(const struct host *host);

/* The least and the most that it has shown from a moment of true time until now; time in which the host was suspended
 * does not count. */
void host_clock_range(const struct host *host, uint64_t from_ns, int64_t *ret_least, int64_t *ret_most);

/* The highest that any clock has ever shown. */
int64_t clocks_highest_ns(void);

/* The clock that never steps, and the counter. */
uint64_t host_monotonic_ns(const struct host *host);
uint64_t host_counter(const struct host *host);

/* ---- the run directory --------------------------------------------------------- */

/* The file with that path; NULL: there is none. */
struct run_file *host_run_file(struct host *host, const char *path);

/* Makes one.  NULL: there is no room. */
struct run_file *host_make_run_file(struct host *host, const char *path);

/* Removes it; whoever has it mapped keeps it. */
void host_remove_run_file(struct run_file *file);

/* Notes when a request of the host arrives, and tells if that is before an earlier one. */
void host_note_arrival(struct host *host, uint64_t serial, uint64_t when_ns);

#endif
