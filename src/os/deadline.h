/* SPDX-License-Identifier: MIT */
/* Making deadlines, and asking them how much time is left. */
#ifndef FZ_OS_DEADLINE_H
#define FZ_OS_DEADLINE_H

#include "core/deadline.h"

/* The moment this many nanoseconds from now; FZ_DEADLINE_NONE for FRAZIL_WAIT_FOREVER and all that no clock shows. */
FZ_PRIVATE struct fz_deadline fz_deadline_in(uint64_t ns);

/* The nanoseconds that are left; 0: it has passed.  UINT64_MAX if there is none. */
FZ_PRIVATE uint64_t fz_deadline_left_ns(struct fz_deadline deadline);

/* The earlier one of two. */
FZ_PRIVATE struct fz_deadline fz_deadline_earlier(struct fz_deadline deadline, struct fz_deadline other);

#endif
