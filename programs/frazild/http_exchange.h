/* SPDX-License-Identifier: MIT */
/*
 * A session over HTTP: bytes in, bytes out.
 */
#ifndef FRAZILD_HTTP_EXCHANGE_H
#define FRAZILD_HTTP_EXCHANGE_H

#include "session.h"

/* session_run calls this for a session of HTTP; the contract is the same. */
enum session_state http_run(struct session *session, const char *bytes, size_t len, size_t *ret_used, size_t *ret_need,
                            struct bytes *out);

/* Gives up what the session waits for; if it waits, that is the reply.  Its connection is about to be closed. */
void http_cut(struct session *session, struct bytes *out);

/* Ends the request that is under way, if there is one, without a reply. */
void http_close(struct session *session);

#endif
