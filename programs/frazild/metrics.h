/* SPDX-License-Identifier: MIT */
/*
 * The metrics, as text for Prometheus: the lanes' counters added up, the generators, and the process.
 */
#ifndef FRAZILD_METRICS_H
#define FRAZILD_METRICS_H

#include "shared.h"

/* The name of a command's or a route's row in the counters of a lane; NULL: there is no such row. */
typedef const char *(*metrics_name_fn)(enum protocol protocol, size_t row);

/* Adds all of them to out.  The setup is the asking lane's. */
void metrics_write(const struct shared *shared, const struct setup *setup, metrics_name_fn name_of, struct bytes *out);

#endif
