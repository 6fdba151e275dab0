/* SPDX-License-Identifier: MIT */
/*
 * Ids by HTTP: taken for a request, which may wait for them, and written while the client reads.
 */
#ifndef FRAZILD_HTTP_IDS_H
#define FRAZILD_HTTP_IDS_H

#include "http_request.h"

/* Replies to a request whose ids have come, or were given up. */
enum MHD_Result http_ids_reply(struct http_request *request);

/* The request needs its ids no more, if it has or awaits some. */
void http_ids_drop(struct http_request *request);

#endif
