/* SPDX-License-Identifier: MIT */
/*
 * A batch: the ids that equal commands of a session asked for, and how they are replied.  They are written as the
 * client reads, so that no reply of 65,536 ids is ever in memory as text.
 */
#ifndef FRAZILD_BATCH_H
#define FRAZILD_BATCH_H

#include "call.h"

/* The replies that commands have for ids. */
enum batch_shape {
    SHAPE_ONE,    /* a bulk string */
    SHAPE_ARRAY,  /* an array of them */
    SHAPE_BINARY, /* one bulk string of all bytes */
    SHAPE_INTEGER /* of INCR and INCRBY: the last of the ids, which are in a row */
};

/* Takes the ids of a call and replies, now or when they are free. */
void batch_take(struct session *session, struct call *call, const struct wish *wish, enum batch_shape shape);

/* Writes on what a session's batch has to say, and frees it at its end.  False: it waits, or the output is full. */
bool batch_go_on(struct session *session, struct bytes *out);

/* Whether the session's batch waits for ids. */
bool batch_is_waiting(const struct session *session);

/* Answers the commands of a batch that waits: the daemon ends. */
void batch_cut(const struct session *session, struct bytes *out);

/* Ends a session's batch, wherever it is. */
void batch_drop(struct session *session);

#endif
