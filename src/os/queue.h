/* SPDX-License-Identifier: MIT */
/*
 * The queue of processes that wait for a lock on a file: first come, first served.
 *
 * A place in it is a lock on one byte of the file, above all bytes that others have.
 * So the kernel takes a place away when its process dies, and nothing has to be
 * repaired.  A process that enters by its place has the lock on a second byte, from
 * which the others see that the queue moves.
 *
 * A file system that has no such locks has no queue, nor has the portable build.
 */
#ifndef FZ_OS_QUEUE_H
#define FZ_OS_QUEUE_H

#include <stdbool.h>
#include <stdint.h>

/* The descriptors of all functions are of one file, and each was opened by the one that waits. */

/* Takes the place behind all others.  0: there is no queue. */
FZ_PRIVATE uint64_t fz_queue_join(int fd);

/* A waiter's place, above `from` and below `place`; 0: there is none. */
FZ_PRIVATE uint64_t fz_queue_ahead(int fd, uint64_t from, uint64_t place);

/* Whether nobody waits. */
FZ_PRIVATE bool fz_queue_is_empty(int fd);

/* Leaves the place and records that its holder is inside. */
FZ_PRIVATE void fz_queue_enter(int fd, uint64_t place);

/* The place that the one inside had; 0: it came without one, or nobody is inside. */
FZ_PRIVATE uint64_t fz_queue_inside(int fd);

/* Leaves the queue, and the inside. */
FZ_PRIVATE void fz_queue_leave(int fd);

#endif
