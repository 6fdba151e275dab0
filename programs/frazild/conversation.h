/* SPDX-License-Identifier: MIT */
/*
 * A session's conversation: bytes in, bytes out.
 */
#ifndef FRAZILD_CONVERSATION_H
#define FRAZILD_CONVERSATION_H

#include "session.h"

/* Why session_run came back. */
enum session_state {
    SESSION_READ, /* all of the bytes were used up to an unfinished command */
    SESSION_WAIT, /* it waits for ids or an errand: lane->wake tells when it can go on */
    SESSION_FULL, /* the output is to be sent first */
    SESSION_TURN, /* there is more to do, after other connections have had their turn */
    SESSION_CLOSE /* after the output was sent */
};

/* Ends it, whatever it waits for. */
void session_close(struct session *session);

/*
 * Runs the commands that len bytes hold, and adds replies to out.  *ret_used: how many bytes are done with.  *ret_need:
 * with SESSION_READ, how many bytes the next command takes at least.
 */
enum session_state session_run(struct session *session, const char *bytes, size_t len, size_t *ret_used,
                               size_t *ret_need, struct bytes *out);

#endif
