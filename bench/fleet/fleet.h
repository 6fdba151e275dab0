/* SPDX-License-Identifier: MIT */
/*
 * frazil-fleet: many generators and one coordinator.  Client processes open leases, of which they release none, and
 * then extend those that they have.  Nothing stands between them and the coordinator, so what is counted is what
 * generators send and receive.
 */
#ifndef FLEET_H
#define FLEET_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum { FLEET_CLIENTS_MAX = 64 };

/* The worker ids that namespaces are created with: 16,384 of them. */
#define FLEET_LAYOUT "41/14/8"

/* The options of the command line. */
struct fleet_plan {
    const char *url;    /* of the namespace, which exists */
    unsigned openings;  /* leases in all */
    unsigned connected; /* of these, those that stay open to be extended; at least one a client */
    unsigned clients;   /* processes, each of which does one thing at a time */
    unsigned rate;      /* extensions a second */
    unsigned extensions;
    pid_t server; /* 0: the coordinator is no process */
};

/* One opening: from connecting to having the lease. */
struct fleet_opening {
    uint64_t at_ns;     /* when it was done */
    uint32_t bytes;     /* received from the coordinator */
    uint32_t exchanges; /* requests that were waited for, without those of connecting */
    uint32_t refusals;  /* how often it was told to try again */
};

/* The memory that clients and their parent share. */
struct fleet {
    struct fleet_plan plan;
    atomic_uint begun, opened, extended; /* how many so far */
    atomic_ullong bytes, exchanges;      /* of extensions */
    struct fleet_opening *openings;      /* in the order in which they were done */
    uint32_t *extension_us;              /* how long each took */
};

/*
 * The life of a client process: opens, waits, extends, waits.  It says that it has come to a wait by a byte to
 * `parent`, and goes on after a byte from there.  It ends without releasing a lease.  Returns the exit status, not 0
 * after a complaint.
 */
int fleet_client_run(struct fleet *fleet, unsigned index, int parent);

/* The processor time of a process and its children, in nanoseconds, and their memory, shared pages divided, in KiB. */
struct fleet_use {
    uint64_t cpu_ns;
    uint64_t memory_kib;
};

/* Asks the system what a server has used; false: it does not say. */
bool fleet_use_read(pid_t server, struct fleet_use *ret);

#endif
