/* SPDX-License-Identifier: MIT */
/*
 * One deadline for a call: made when the public function begins, and handed down to each guard, lock, request and retry
 * of it.  All that may wait takes one as an argument, so that nothing can wait for longer than its caller may.
 */
#ifndef FZ_CORE_DEADLINE_H
#define FZ_CORE_DEADLINE_H

#include <stdint.h>

/* A moment of the machine's monotonic clock, whatever clock the program has brought.  os/deadline.h makes them. */
struct fz_deadline {
    uint64_t at_ns; /* UINT64_MAX: there is none, and each request has its own timeout alone */
};

/* For work that nobody waits for: of a thread, or of a program that has said so. */
#define FZ_DEADLINE_NONE ((struct fz_deadline){UINT64_MAX})

#endif
