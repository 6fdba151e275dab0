/* SPDX-License-Identifier: MIT */
/*
 * What the nemesis tests share: a coordinator of each kind with a real server, a
 * namespace in it, and how much of everything there is to be.
 */
#ifndef TESTS_LIB_NEMESIS_H
#define TESTS_LIB_NEMESIS_H

#include "lib/herd.h"
#include "lib/register_kinds.h"

/* How many times as much as in a short run is to be done: FRAZIL_NEMESIS in the environment, 1 unless it is set. */
unsigned nemesis_scale(void);

/*
 * Creates a namespace of its own in the kind's server, used by nobody before, for
 * the default layout.
 */
void nemesis_start(const struct register_kind *kind, uint64_t workers, uint64_t horizon_ms);

/* Creates the same one again after a wipe, with the quarantine that this takes. */
void nemesis_recreate(const struct register_kind *kind, uint64_t workers, uint64_t horizon_ms);

/* A spec over the kind's server, or over that port of the loopback; `more` is added to it.  Freed by nobody, used up
 * by the next call. */
const char *nemesis_spec(const struct register_kind *kind, uint16_t port, const char *more);

/* Whether the coordinator has it that this worker id was given back. */
bool nemesis_is_released(const struct register_kind *kind, uint32_t worker);

/* Holds every kind that has a server to a rule, or the one that FRAZIL_NEMESIS_KIND in the environment names. */
void nemesis_over_all(kind_rule rule);

/* The coordinators of all kinds, NULL at the end. */
const frazil_coordinator *const *nemesis_coordinators(void);

#endif
