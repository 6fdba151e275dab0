/* SPDX-License-Identifier: MIT */
/* The scenarios, by the source that they are about; each list ends with a name that is NULL. */
#ifndef MEMORY_MODEL_SCENARIOS_H
#define MEMORY_MODEL_SCENARIOS_H

#include "model.h"

extern const struct scenario parts_scenarios[];  /* parts.c: anchor, ring, calibration, each by itself */
extern const struct scenario taking_scenarios[]; /* taking.c: ids taken by two and three threads */
extern const struct scenario sides_scenarios[];  /* sides.c: sno's tick-tock */
extern const struct scenario grants_scenarios[]; /* grants.c: the keeper extends and replaces grants meanwhile */

#endif
