/* SPDX-License-Identifier: MIT */
/*
 * Shared by the tests of the lease: a simulated coordinator with a namespace of
 * a few worker ids, and owners with a link and a lease each.  The layout's ticks
 * are milliseconds since 1970, so that a tick and a clock can be told apart from
 * nothing but each other.
 */
#ifndef TESTS_LIB_FLEET_H
#define TESTS_LIB_FLEET_H

#include "lease/lease.h"
#include "lib/sim_register.h"

enum { FLEET_OWNERS_MAX = 8 };

#define FLEET_LAYOUT "41/10/12 epoch=0 tick=1ms"
#define FLEET_HORIZON 60000
#define FLEET_NOW UINT64_C(1000000)

struct fleet_owner {
    struct sim_link link;
    struct fz_lease *lease;
    struct fz_granter granter;
    uint64_t random; /* its seed and state */
    struct fz_grant held;
    frazil_error err; /* of the last call */
};

struct fleet {
    struct sim_server server;
    frazil_layout layout;
    struct fleet_owner owners[FLEET_OWNERS_MAX];
    struct fleet_owner observer; /* a link without faults, for looking */
    bool clock_follows;          /* the coordinator's clock is always that of the caller */
    uint64_t horizon_ms;         /* of the namespaces that are created; 0: FLEET_HORIZON */
    int64_t skew_ms;             /* likewise, max_skew */
    uint64_t workers;            /* of the namespace that was created last; 0: none was */
    uint64_t lost_horizon_ms;    /* likewise, as in fz_namespace_options */
};

/* The one that a test has. */
extern struct fleet fleet;

/* An empty coordinator, in place of the one before. */
void fleet_start(void);

/* Frees everything: for AFTER_EACH. */
void fleet_stop(void);

/* Options of owner i: seeded random numbers, a token of its own, all worker ids, what the namespace
 * has; how many workers that is, is said, so that the first look need not guess. */
struct fz_lease_options fleet_options(size_t i);

/* Opens the lease of owner i with these options. */
void fleet_open_with(size_t i, const struct fz_lease_options *options);

/* Opens the lease of owner i with fleet_options. */
void fleet_open(size_t i);

/* Creates the namespace at that tick, for `workers` ids; never_used as in fz_namespace_options. */
frazil_err fleet_init(uint64_t workers, uint64_t now_tick, bool never_used, frazil_error *reterr);

/* A coordinator with a namespace that has never been used and owners 0 .. n - 1. */
void fleet_start_with(uint64_t workers, size_t n);

/* fleet_start_with; the coordinator has a clock, which is always that of the caller. */
void fleet_start_with_clock(uint64_t workers, size_t n);

/* acquire and extend of owner i; on success held is the new grant. */
frazil_err fleet_acquire(size_t i, uint64_t now_tick);
frazil_err fleet_extend(size_t i, uint64_t now_tick);

/* fleet_acquire and fleet_extend; the test fails unless they succeed. */
void fleet_must_acquire(size_t i, uint64_t now_tick);
void fleet_must_extend(size_t i, uint64_t now_tick);

/* Releases what owner i holds. */
void fleet_release(size_t i, uint64_t used_tick);

/*
 * fleet_start_with one owner, which acquires at FLEET_NOW, and owner 1 with its token and what it holds, as a child
 * process has them.
 */
void fleet_start_with_child(uint64_t workers);

/* The grant that owner i holds. */
const struct fz_grant *fleet_held(size_t i);

/* Fails the test unless the grant is exactly that. */
void assert_grant(const struct fz_grant *grant, uint32_t worker, uint64_t floor, uint64_t until);

/* The record of a worker, and what the coordinator calls its version; version 0: there is none. */
uint64_t fleet_record(uint32_t worker, struct fz_worker_record *ret);

/* The record of the namespace. */
struct fz_namespace_record fleet_namespace(void);

/* Writes a record as somebody else would. */
void fleet_write(uint32_t worker, const struct fz_worker_record *record);

/* Writes raw text there. */
void fleet_write_text(uint32_t number, const char *text);

/* The counters of owner i. */
struct fz_lease_counters fleet_count(size_t i);

/* Fails the test unless the last error of owner i has that code and its sentence holds these words. */
void fleet_assert_error(size_t i, frazil_err code, const char *words);

#endif
