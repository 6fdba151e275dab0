/* SPDX-License-Identifier: MIT */
/*
 * One operation's share of time, on the monotonic clock, for whoever waits on
 * sockets several times and may not take longer altogether.
 */
#ifndef FZ_OS_DEADLINE_H
#define FZ_OS_DEADLINE_H

#include <stdint.h>

struct fz_deadline {
    uint64_t at_ns;
    uint32_t timeout_ms; /* what was given, for sentences */
};

/* The instant so many milliseconds from now. */
struct fz_deadline fz_deadline_in(uint32_t timeout_ms);

/* An equal part of the time left, for the first of `parts` attempts (1 or more); timeout_ms stays the whole. */
struct fz_deadline fz_deadline_part(const struct fz_deadline *deadline, uint32_t parts);

/*
 * Waits until the file is ready for one of these events, as poll names them.  0 when it is, at once if it is
 * already: *ret_ready has the events.  ETIMEDOUT when the time is over, even if the file is ready: a peer that never
 * stops sending would defeat the deadline.  Or another errno.  Signals do not end it.
 */
int fz_deadline_poll(const struct fz_deadline *deadline, int fd, short events, short *ret_ready);

/* The same where it does not matter which event came. */
int fz_deadline_wait(const struct fz_deadline *deadline, int fd, short events);

#endif
