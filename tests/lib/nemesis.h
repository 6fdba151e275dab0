/* SPDX-License-Identifier: MIT */
/*
 * Shared by the nemesis tests: a coordinator of each kind with a real server, a
 * namespace in it, and how much of everything there is to be.
 */
#ifndef TESTS_LIB_NEMESIS_H
#define TESTS_LIB_NEMESIS_H

#include "lib/herd.h"
#include "lib/register_kinds.h"

/* How many times as much as in a short run is to be done: TEST_NEMESIS in the environment, 1 unless it is set. */
unsigned nemesis_scale(void);

/* The terms of an operator, and the time by its clock. */
struct nemesis_terms {
    uint64_t workers;
    uint64_t horizon_ms;
    uint64_t lost_horizon_ms; /* as in fz_namespace_options */
    int64_t max_skew_ms;
    int64_t offset_ms; /* of its clock, ahead of the real one */
    bool never_used;
};

/* Creates the namespace of the latest nemesis_start again; errors as fz_lease_init. */
frazil_err nemesis_create(const struct register_kind *kind, const struct nemesis_terms *terms, frazil_error *reterr);

/* From now on the namespace has another name, which nobody ever used. */
void nemesis_rename(void);

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

/* The same with a URL that allows each request 25 s, which is much more than the calls of a test may take. */
const char *nemesis_patient_spec(const struct register_kind *kind, uint16_t port, const char *more);

/* Whether the coordinator has it that this worker id was given back. */
bool nemesis_is_released(const struct register_kind *kind, uint32_t worker);

/* How many worker ids of the namespace were ever taken; *ret_versions grows with each change of their records. */
unsigned nemesis_count_taken(const struct register_kind *kind, uint64_t *ret_versions);

/* The coordinators of all kinds, NULL at the end. */
const frazil_coordinator *const *nemesis_coordinators(void);

#endif
