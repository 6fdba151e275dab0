/* SPDX-License-Identifier: MIT */
/*
 * Ids by HTTP: taken for a request, which may wait for them, and written while the client reads.
 */
#ifndef FRAZILD_HTTP_IDS_H
#define FRAZILD_HTTP_IDS_H

#include "http_request.h"

/* Replies to a request with its ids, or with why there are none, as far as the output has room.  True: it is over. */
bool http_ids_go_on(struct http_request *request);

/* Whether the request waits for its ids, and not for room in the output. */
bool http_ids_wait(const struct http_request *request);

/* The request needs its ids no more, if it has or awaits some. */
void http_ids_drop(struct http_request *request);

#endif
