/* SPDX-License-Identifier: MIT */
/*
 * The watch: what an operator looks for in the log and no client's request tells: a grant that is lost or comes back, a
 * coordinator that does not answer, a step of the clock.
 */
#ifndef FRAZILD_WATCH_H
#define FRAZILD_WATCH_H

#include "generators.h"

#define WATCH_NS (1 * NS_PER_S) /* from one look to the next */

struct watch {
    int64_t offset_ns; /* of the wall clock to the one that is never set */
    bool has_looked;
};

/* Looks at the clock and at each generator, and logs what has changed since the last look.  Waits for nothing.  One
 * thread. */
void watch_look(struct watch *watch, const struct generators *set);

#endif
