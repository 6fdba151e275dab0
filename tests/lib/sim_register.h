/* SPDX-License-Identifier: MIT */
/*
 * A coordinator that misbehaves as told: one simulated server over memory
 * stores, and for each client a link to it that loses, delays and doubles
 * requests and replies.  Everything happens in the caller's thread.
 */
#ifndef TESTS_LIB_SIM_REGISTER_H
#define TESTS_LIB_SIM_REGISTER_H

#include "lease/register.h"
#include "memory_register.h"

enum sim_fault {
    SIM_NONE,
    SIM_UNREACHABLE,  /* refused before it was sent */
    SIM_LOST_REQUEST, /* never arrives; no answer */
    SIM_LOST_REPLY,   /* carried out; no answer */
    SIM_DUPLICATE,    /* carried out twice; the second one's answer */
    SIM_DELAYED,      /* carried out some time later; no answer */
    SIM_REFUSED,      /* the coordinator says no */
    SIM_RIVAL,        /* somebody else swaps the same record to the same text just before */
    SIM_FAULTS_TOTAL
};

enum { SIM_DELAYED_MAX = 32, SIM_SCRIPT_MAX = 16 };

struct sim_delayed {
    uint32_t number;
    uint64_t expected;
    size_t len;
    char data[FZ_RECORD_SIZE_MAX];
};

struct sim_server {
    struct fz_memory_store *store;
    uint64_t generation;         /* of the store: its versions begin at generation << 32 */
    struct sim_history *history; /* NULL: none is kept */
    bool has_clock;
    int64_t unix_ms;
    uint32_t clock_width_ms;
    char incarnation[FZ_INCARNATION_SIZE];
    struct sim_delayed delayed[SIM_DELAYED_MAX];
    size_t n_delayed;
    uint64_t shown; /* records in all answers to read_all and read_many */
};

struct sim_link {
    struct sim_server *server;
    enum sim_fault script[SIM_SCRIPT_MAX]; /* the faults of the next requests */
    size_t n_script;
    bool cut;                                          /* everything is SIM_UNREACHABLE */
    enum sim_fault (*choose)(void *ctx, bool is_swap); /* after the script; NULL: SIM_NONE */
    void (*before)(void *ctx);                         /* before each request; may be NULL */
    void *ctx;
    uint64_t trips;
    uint64_t swaps;
    uint64_t forks;
    uint64_t closed;
    uint64_t struck[SIM_FAULTS_TOTAL];
};

/* An empty coordinator, without a clock and without an incarnation. */
void sim_server_start(struct sim_server *server);

/* Frees its store. */
void sim_server_stop(struct sim_server *server);

/* All records are gone. */
void sim_server_wipe(struct sim_server *server);

/* A copy of its records, for sim_server_roll_back. */
struct fz_memory_store *sim_server_copy(struct sim_server *server);

/* It holds again what it held then; the copy is the server's from now on. */
void sim_server_roll_back(struct sim_server *server, struct fz_memory_store *copy);

/* From now on it remembers each state that its records were in. */
void sim_server_keep_history(struct sim_server *server);

/* Its records become what they were n changes ago, or as long ago as it remembers. */
void sim_server_lose(struct sim_server *server, uint64_t n);

/* Carries out the delayed request number i. */
void sim_server_deliver(struct sim_server *server, size_t i);

/* A register of that link, which must outlive it. */
struct fz_register sim_register(struct sim_link *link);

/* Adds a fault to the link's script. */
void sim_link_script(struct sim_link *link, enum sim_fault fault);

#endif
