/* SPDX-License-Identifier: MIT */
/*
 * A sentence in memory that processes share: one of them writes it, at its own
 * pace, and any of them reads it without waiting.  A sequence lock, as the anchor
 * is: a process that is killed while it writes leaves nothing to be read, until
 * the next one writes.
 */
#ifndef FZ_STATE_SHARED_MESSAGE_H
#define FZ_STATE_SHARED_MESSAGE_H

#include <stdatomic.h>
#include <stdint.h>

#ifndef FZ_SHARED_MESSAGE_WORDS /* the memory model has shorter ones */
#define FZ_SHARED_MESSAGE_WORDS 47
#endif

/* Bytes of a message, terminator included; what is longer is cut. */
#define FZ_SHARED_MESSAGE_SIZE (FZ_SHARED_MESSAGE_WORDS * sizeof(uint64_t))

struct fz_shared_message {
    _Atomic uint64_t version; /* odd while it is being written */
    _Atomic uint64_t words[FZ_SHARED_MESSAGE_WORDS];
};

/* Writes it.  One writer at a time. */
FZ_PRIVATE void fz_shared_message_write(struct fz_shared_message *message, const char *text);

/* Copies it; empty if there is none, or while it is being written.  Any thread, any process. */
FZ_PRIVATE void fz_shared_message_read(const struct fz_shared_message *message, char ret[FZ_SHARED_MESSAGE_SIZE]);

#endif
