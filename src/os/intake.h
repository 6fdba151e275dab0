/* SPDX-License-Identifier: MIT */
/*
 * How much a socket has received, for those who leave reading to a client library
 * that keeps whatever comes: a peer that never stops sending must not take all
 * memory.
 */
#ifndef FZ_OS_INTAKE_H
#define FZ_OS_INTAKE_H

#include <stdbool.h>
#include <stdint.h>

struct fz_intake {
    bool is_known; /* the kernel tells it */
    uint64_t begun;
};

/* Counts from now on.  The kernel tells it of TCP on Linux. */
struct fz_intake fz_intake_of(int fd);

/* Whether more than max bytes have come since to the same socket.  false where the kernel does not tell. */
bool fz_intake_exceeds(const struct fz_intake *intake, int fd, uint64_t max);

#endif
