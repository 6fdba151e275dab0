/* SPDX-License-Identifier: MIT */
/* The leases of a generator's coordinator, by HTTP. */
#ifndef FRAZILD_HTTP_LEASES_H
#define FRAZILD_HTTP_LEASES_H

#include "http_request.h"

/* Replies to a request whose job is done.  True: it is over; false: the job is under way. */
bool http_leases_go_on(struct http_request *request);

#endif
