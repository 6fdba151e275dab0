/* SPDX-License-Identifier: MIT */
/*
 * A session's conversation: bytes in, bytes out.
 */
#ifndef FRAZILD_CONVERSATION_H
#define FRAZILD_CONVERSATION_H

#include "session.h"

/* Ends it, whatever it waits for. */
void session_close(struct session *session);

/*
 * Runs the commands that len bytes hold, and adds replies to out.  *ret_used: how many bytes are done with.  *ret_need:
 * with SESSION_READ, how many bytes the next command takes at least.
 */
enum session_state session_run(struct session *session, const char *bytes, size_t len, size_t *ret_used,
                               size_t *ret_need, struct bytes *out);

#endif
