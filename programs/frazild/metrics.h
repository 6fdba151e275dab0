/* SPDX-License-Identifier: MIT */
/*
 * The metrics, as text for Prometheus: the event threads' counters added up, the generators, and the process.
 */
#ifndef FRAZILD_METRICS_H
#define FRAZILD_METRICS_H

#include "server.h"

/* The name of a command's or a route's row in the counters of an event thread; NULL: there is no such row. */
typedef const char *(*metrics_name_fn)(enum protocol protocol, size_t row);

/* The metrics that one user sees. */
struct metrics_view {
    const struct server *server;
    const struct setup *setup; /* the asking event thread's */
    const struct user *user;   /* sees the generators that it may; NULL: all */
    metrics_name_fn name_of;
};

/* Adds to out what the user may see: the generators' own, and the daemon's if it may see all generators. */
void metrics_write(const struct metrics_view *view, struct bytes *out);

/* How much memory the process has. */
uint64_t metrics_resident_bytes(void);

#endif
