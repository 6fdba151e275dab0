/* SPDX-License-Identifier: MIT */
/* The records that the coordinator has stored, as far as the world wants to know what stands in them. */
#ifndef SIMULATOR_STORED_H
#define SIMULATOR_STORED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct fz_record;

/* Up to which tick a worker's record says that it is granted. */
uint64_t stored_until(const char *data, size_t len);

/* Whether a worker's record, as text, says that it was given back. */
bool stored_gives_back(const char *text);

/*
 * Whether so late a tick was granted that nobody can have asked for it by now whose clock is as the coordinator's,
 * which shows now_ns.  space: the record of the namespace.
 */
bool stored_is_far_ahead(const struct fz_record *space, uint64_t until, int64_t now_ns);

#endif
