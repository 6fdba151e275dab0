/* SPDX-License-Identifier: MIT */
/*
 * Ids by HTTP: taken for a request, which may wait for them, and written while the client reads.
 */
#ifndef FRAZILD_HTTP_IDS_H
#define FRAZILD_HTTP_IDS_H

#include "http_request.h"

/* Replies to a request whose ids have come, or were given up. */
enum MHD_Result http_ids_reply(struct http_request *request);

/* A request ends, whatever it waits for. */
void http_ids_drop(struct http_request *request);

/* Gives all requests up that wait, with a reply that says so. */
void http_ids_cut(struct http_lane *lane);

#endif
