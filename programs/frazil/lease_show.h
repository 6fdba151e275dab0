/* SPDX-License-Identifier: MIT */
/* Namespaces and their worker ids, for people and as JSON. */
#ifndef LEASE_SHOW_H
#define LEASE_SHOW_H

#include <stdbool.h>
#include <stdint.h>

/* Lists a namespace: a table, or a JSON object a line.  Returns the status. */
int lease_show_list(const char *spec, bool json);

/*
 * Prints what changes, and at first what is: each line is one event.  Looks every
 * interval_ms, and ends after `looks` looks (0: never) or when nobody reads it.
 * Returns the status.
 */
int lease_show_changes(const char *spec, uint64_t interval_ms, uint64_t looks, bool json);

#endif
