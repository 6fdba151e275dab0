/* SPDX-License-Identifier: MIT */
/*
 * The worker ids of each lease that the processes of a host share.  They swap for two at the most, as long as nobody
 * else takes one of these and the coordinator loses no records.
 */
#ifndef SIMULATOR_MEMBERS_H
#define SIMULATOR_MEMBERS_H

#include <stdbool.h>
#include <stdint.h>

struct host;

/* Forgets all leases: a world begins, or records are lost. */
void members_begin(void);

/*
 * The coordinator has stored this text as the record of a worker id, for a process of that host.  counts: no records
 * were lost since that asked for it.  After a loss, a late request may take what its lease has left to others since.
 */
void members_swapped(const struct host *host, uint32_t worker, const char *record, bool counts);

/* A host was copied: the copy's leases are other ones, which begin with the same worker ids. */
void members_copied(const struct host *from, const struct host *to);

#endif
