/* SPDX-License-Identifier: MIT */
/*
 * The worker ids of each lease that the processes of a host share.  They swap for two at the most, as long as nobody
 * else takes one of these, none is granted far ahead of the coordinator's clock, and that loses no records.
 */
#ifndef SIMULATOR_MEMBERS_H
#define SIMULATOR_MEMBERS_H

#include <stdbool.h>
#include <stdint.h>

struct host;

/* Forgets all leases: a world begins, or records are lost. */
void members_begin(void);

/* A record of a worker id that the coordinator has stored. */
struct member_swap {
    uint32_t worker;
    const char *record; /* its text */
    uint64_t until;     /* the tick that stands in it */
    bool counts; /* no records were lost since it was asked for: a late request may take what was left to others */
};

/* It was stored for a process of that host. */
void members_swapped(const struct host *host, const struct member_swap *swap);

/* The coordinator's clock was set, so that other records may be far ahead of it. */
void members_note_clock(void);

/* A host was copied: the copy's leases are other ones, which begin with the same worker ids. */
void members_copied(const struct host *from, const struct host *to);

#endif
