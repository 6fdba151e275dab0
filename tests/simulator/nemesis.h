/* SPDX-License-Identifier: MIT */
/* Everything that goes wrong by itself, to processes, hosts, clocks, disks, the network and the coordinator. */
#ifndef SIMULATOR_NEMESIS_H
#define SIMULATOR_NEMESIS_H

#include <stdbool.h>
#include <stdint.h>

struct host;
struct process;

/* Something happens to somebody.  A world_fn, whose arguments are not used. */
void nemesis_happen(void *arg, uint64_t unused);

/* Kills a process (struct process). */
void nemesis_kill(void *process);

/* Stops it for a while. */
void nemesis_stop(struct process *process, uint64_t ns);

/* Resumes a copy of a host (struct host). */
void nemesis_clone_host(void *host);

/* A host's power is lost, unless something else has happened that must not happen with it; it boots later. */
void nemesis_lose_power(void *host);

/* A host (struct host) boots, if it is not up; wrong: its clock may show anything.  A world_fn. */
void nemesis_boot(void *host, uint64_t wrong);

/* A host's disk works again, and has the right files.  A world_fn. */
void nemesis_repair(void *host, uint64_t unused);

/*
 * The coordinator has just stored a record, of which the answer is not sent yet:
 * at no other moment is a loss as near to what has been granted.
 */
void nemesis_after_swap(bool of_namespace);

/*
 * Likewise, a worker's record for a process that shares its lease.  If it dies now, nobody puts on their page what was
 * granted, or they have given back what stands there.
 */
void nemesis_after_swap_of(struct process *sender, bool gives_back);

/* An offset within what the clocks of those who share a namespace may differ by, to both sides. */
int64_t nemesis_small_offset_ns(void);

#endif
