/* SPDX-License-Identifier: MIT */
/* Sockets: opening them, waiting on them, and how much they may receive meanwhile. */
#ifndef FZ_OS_SOCKET_H
#define FZ_OS_SOCKET_H

#include <stdbool.h>
#include <stdint.h>

/* A socket that is closed when the program executes another one.  -1 and errno. */
FZ_PRIVATE int fz_socket_open(int family, int type);

/* ---- how long -------------------------------------------------------------- */

/* One operation's share of time, on the monotonic clock: it may wait several times, and not longer altogether. */
struct fz_deadline {
    uint64_t at_ns;
    uint32_t timeout_ms; /* as it was given, for sentences */
};

/* The instant so many milliseconds from now. */
FZ_PRIVATE struct fz_deadline fz_deadline_in(uint32_t timeout_ms);

/* An equal part of the time left, for the first of `parts` attempts (1 or more); timeout_ms stays the whole. */
FZ_PRIVATE struct fz_deadline fz_deadline_part(const struct fz_deadline *deadline, uint32_t parts);

/*
 * Waits until the file is ready for one of these events, as poll names them.  0 when it is, at once if it is
 * already: *ret_ready has the events.  ETIMEDOUT when the time is over, even if the file is ready: a peer that never
 * stops sending would defeat the deadline.  Or another errno.  Signals do not end it.  A thread in a client library is
 * outside meanwhile (clients.h).
 */
FZ_PRIVATE int fz_deadline_poll(const struct fz_deadline *deadline, int fd, short events, short *ret_ready);

/* The same where it does not matter which event came. */
FZ_PRIVATE int fz_deadline_wait(const struct fz_deadline *deadline, int fd, short events);

/* ---- how much -------------------------------------------------------------- */

/*
 * How much a socket has received, for those who leave reading to a client library
 * that keeps whatever comes: a peer that never stops sending must not take all
 * memory.
 */
struct fz_intake {
    bool is_known; /* the kernel tells it */
    uint64_t begun;
};

/* The bytes that a socket has ever received.  False: the kernel does not tell, or it is the portable build. */
FZ_PRIVATE bool fz_socket_received(int fd, uint64_t *ret);

/* Counts from now on.  The kernel tells it of TCP on Linux. */
FZ_PRIVATE struct fz_intake fz_intake_of(int fd);

/* Whether more than max bytes have come since to the same socket.  false where the kernel does not tell. */
FZ_PRIVATE bool fz_intake_exceeds(const struct fz_intake *intake, int fd, uint64_t max);

#endif
