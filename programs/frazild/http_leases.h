/* SPDX-License-Identifier: MIT */
/* The leases of a generator's coordinator, by HTTP. */
#ifndef FRAZILD_HTTP_LEASES_H
#define FRAZILD_HTTP_LEASES_H

#include "http_request.h"

/* Replies to a request whose errand is done. */
enum MHD_Result http_leases_reply(struct http_request *request);

/* The request needs its errand no more, if it has one. */
void http_leases_drop(struct http_request *request);

#endif
