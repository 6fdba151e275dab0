/* SPDX-License-Identifier: MIT */
/* Sockets: opening them, waiting on them, and how much they may receive meanwhile. */
#ifndef FZ_OS_SOCKET_H
#define FZ_OS_SOCKET_H

#include <stdbool.h>
#include <stdint.h>

#include "deadline.h"

/* A socket that is closed when the program executes another one.  -1 and errno. */
FZ_PRIVATE int fz_socket_open(int family, int type);

/* Two datagram sockets of this host that are connected with each other, likewise.  -1 and errno. */
FZ_PRIVATE int fz_socket_pair(int ret_fds[2]);

/* ---- how long -------------------------------------------------------------- */

/* The time that one request has: it may wait several times, and not longer altogether. */
struct fz_allowance {
    struct fz_deadline until;
    uint64_t us; /* how long that is from its beginning, for sentences */
};

/* The time of a request that begins now: its URL's timeout, or what is left of the call's time if that is less. */
FZ_PRIVATE struct fz_allowance fz_allowance_of(uint32_t timeout_ms, struct fz_deadline deadline);

/* An equal part of the time left, for the first of `parts` attempts (1 or more); us stays the whole. */
FZ_PRIVATE struct fz_allowance fz_allowance_part(const struct fz_allowance *allowance, uint32_t parts);

/*
 * Waits until the file is ready for one of these events, as poll names them.  0 when it is, at once if it is
 * already: *ret_ready has the events.  ETIMEDOUT when the time is over, even if the file is ready: a peer that never
 * stops sending would defeat the deadline.  Or another errno.  Signals do not end it.  A thread in a client library is
 * outside meanwhile; ECANCELED: it may not go back (clients.h).
 */
FZ_PRIVATE int fz_allowance_poll(const struct fz_allowance *allowance, int fd, short events, short *ret_ready);

/* The same where it does not matter which event came. */
FZ_PRIVATE int fz_allowance_wait(const struct fz_allowance *allowance, int fd, short events);

/* ---- how much -------------------------------------------------------------- */

/*
 * How much a socket has received, for callers that leave reading to a client library
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
