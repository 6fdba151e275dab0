/* SPDX-License-Identifier: MIT */
/*
 * An exchange of HTTP, from the head of a request to its reply: the functions that libmicrohttpd calls.  Their cls is
 * the struct http_lane.
 */
#ifndef FRAZILD_HTTP_EXCHANGE_H
#define FRAZILD_HTTP_EXCHANGE_H

#include "http_request.h"

/* For each request: when its head is there, at its end, and again when its ids have come. */
enum MHD_Result http_exchange_run(void *cls, struct MHD_Connection *connection, const char *url, const char *method,
                                  const char *version, const char *data, size_t *data_size, void **request);

/* After each request, however it ended. */
void http_exchange_end(void *cls, struct MHD_Connection *connection, void **request,
                       enum MHD_RequestTerminationCode why);

/* Gives all up that requests wait for, with a reply that says so. */
void http_exchange_cut(struct http_lane *lane);

#endif
