/* SPDX-License-Identifier: MIT */
/*
 * Replies of HTTP.  Each function sends the reply of a request and counts it; what it returns is for libmicrohttpd.
 */
#ifndef FRAZILD_HTTP_REPLY_H
#define FRAZILD_HTTP_REPLY_H

#include <jansson.h>

#include "admission.h"
#include "http_request.h"

/* Sends a body of this type.  The bytes are the reply's from now on. */
enum MHD_Result http_reply(struct http_request *request, const char *type, struct bytes *body);

/* Sends a text that stays. */
enum MHD_Result http_reply_text(struct http_request *request, unsigned status, const char *text);

/* Sends JSON, and lets it go.  NULL: there was no memory for it. */
enum MHD_Result http_reply_json(struct http_request *request, json_t *json);

/* Sends what a response of libmicrohttpd makes, and lets it go.  NULL: there was no memory for it. */
enum MHD_Result http_reply_response(struct http_request *request, const char *type, struct MHD_Response *response);

/* Sends a problem (RFC 9457) with the code of an error; its sentence is like printf's. */
enum MHD_Result http_fail(struct http_request *request, unsigned status, enum reply_code code, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

/* Sends a refusal as the problem that it is. */
enum MHD_Result http_refuse(struct http_request *request, const struct refusal *refusal);

#endif
