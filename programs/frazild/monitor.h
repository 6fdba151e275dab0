/* SPDX-License-Identifier: MIT */
/*
 * The monitor logs what no client's request tells an operator: a grant that is lost or comes back, a coordinator that
 * does not answer, a step of the clock.
 */
#ifndef FRAZILD_MONITOR_H
#define FRAZILD_MONITOR_H

#include "generators.h"

#define MONITOR_NS (1 * NS_PER_S) /* from one look to the next */

struct monitor {
    int64_t offset_ns; /* of the wall clock to the one that is never set */
    bool has_looked;
};

/* Looks at the clock and at each generator, and logs what has changed since the last look.  Waits for nothing.  One
 * thread. */
void monitor_look(struct monitor *monitor, const struct generators *set);

/* Logs how many lines about each generator were left out, after the last look. */
void monitor_end(const struct generators *set);

#endif
