/* SPDX-License-Identifier: MIT */
/*
 * Replies of HTTP.  Each function writes the reply of a request, and counts it.
 */
#ifndef FRAZILD_HTTP_REPLY_H
#define FRAZILD_HTTP_REPLY_H

#include <jansson.h>

#include "admission.h"
#include "http_request.h"

/* X(status, identifier, words): all that are sent. */
#define HTTP_STATUSES(X)                                                                                               \
    X(200, OK, "OK")                                                                                                   \
    X(400, BAD_REQUEST, "Bad Request")                                                                                 \
    X(401, UNAUTHORIZED, "Unauthorized")                                                                               \
    X(403, FORBIDDEN, "Forbidden")                                                                                     \
    X(404, NOT_FOUND, "Not Found")                                                                                     \
    X(405, METHOD_NOT_ALLOWED, "Method Not Allowed")                                                                   \
    X(406, NOT_ACCEPTABLE, "Not Acceptable")                                                                           \
    X(413, CONTENT_TOO_LARGE, "Content Too Large")                                                                     \
    X(421, MISDIRECTED_REQUEST, "Misdirected Request")                                                                 \
    X(429, TOO_MANY_REQUESTS, "Too Many Requests")                                                                     \
    X(431, HEAD_TOO_LARGE, "Request Header Fields Too Large")                                                          \
    X(500, INTERNAL_SERVER_ERROR, "Internal Server Error")                                                             \
    X(503, SERVICE_UNAVAILABLE, "Service Unavailable")                                                                 \
    X(505, VERSION_NOT_SUPPORTED, "HTTP Version Not Supported")

enum http_status {
#define HTTP_STATUS(status, identifier, words) HTTP_##identifier = status,
    HTTP_STATUSES(HTTP_STATUS)
#undef HTTP_STATUS
};

/* Writes the head of a good reply, whose body of so many bytes the caller writes. */
void http_reply_head(struct http_request *request, const char *type, size_t length);

/* Replies with a body of this type, of which it keeps nothing. */
void http_reply_copy(struct http_request *request, const char *type, struct slice body);

/* Replies with a body of this type, and frees it. */
void http_reply(struct http_request *request, const char *type, struct bytes *body);

/* Replies with a text. */
void http_reply_text(struct http_request *request, enum http_status status, const char *text);

/* Adds JSON as a line, and lets it go.  out->failed: there was no memory, also for JSON that is NULL. */
void http_add_json(json_t *json, struct bytes *out);

/* Replies with it, likewise. */
void http_reply_json(struct http_request *request, json_t *json);

/* Replies with a problem (RFC 9457) with the code of an error; its sentence is like printf's. */
void http_fail(struct http_request *request, enum http_status status, enum reply_code code, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

/* Replies with a refusal as the problem that it is. */
void http_refuse(struct http_request *request, const struct refusal *refusal);

#endif
