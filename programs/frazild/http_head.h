/* SPDX-License-Identifier: MIT */
/*
 * Checks of a head of HTTP, before anything is done for it.  libmicrohttpd lets more pass than a service should.
 */
#ifndef FRAZILD_HTTP_HEAD_H
#define FRAZILD_HTTP_HEAD_H

#include "http_request.h"

#define HTTP_HEAD_MAX ((size_t)8 << 10)
#define HTTP_BODY_MAX ((size_t)64 << 10)

/* Why a head is refused. */
struct http_fault {
    unsigned status;
    const char *why;
};

/* Whether it is right; otherwise *ret says why not. */
bool http_head_is_right(const struct http_request *request, const char *url, const char *version,
                        struct http_fault *ret);

/* Whether a client may call this host so: an address, localhost, or one of `hosts`, whatever the port. */
bool http_host_is_known(struct slice host, const char *hosts);

#endif
