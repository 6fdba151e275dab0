/* SPDX-License-Identifier: MIT */
/*
 * The head of a request of HTTP/1.1, read as strictly as a proxy does: what two programs could read in two ways is
 * wrong.
 */
#ifndef FRAZILD_HTTP_READ_H
#define FRAZILD_HTTP_READ_H

#include "slice.h"

#define HTTP_HEAD_MAX ((size_t)8 << 10)
#define HTTP_FIELDS_MAX 16

/* X(identifier, name, times): the fields that the daemon reads, and how often one may stand there. */
#define HTTP_FIELDS(X)                                                                                                 \
    X(HOST, "Host", 1)                                                                                                 \
    X(ORIGIN, "Origin", 1)                                                                                             \
    X(SEC_FETCH_SITE, "Sec-Fetch-Site", 1)                                                                             \
    X(REQUESTED_WITH, "X-Requested-With", 1)                                                                           \
    X(AUTHORIZATION, "Authorization", 1)                                                                               \
    X(ACCEPT, "Accept", HTTP_FIELDS_MAX)                                                                               \
    X(CONNECTION, "Connection", HTTP_FIELDS_MAX)                                                                       \
    X(CONTENT_LENGTH, "Content-Length", 1)                                                                             \
    X(TRANSFER_ENCODING, "Transfer-Encoding", 1)

enum http_name {
#define HTTP_FIELD(identifier, name, times) FIELD_##identifier,
    HTTP_FIELDS(HTTP_FIELD)
#undef HTTP_FIELD
        FIELD_COUNT
};

struct http_field {
    enum http_name name;
    struct slice value;
};

/* A head; its slices are parts of what it was read from. */
struct http_head {
    struct slice method;
    struct slice target;
    bool is_old;                               /* HTTP/1.0 */
    struct http_field fields[HTTP_FIELDS_MAX]; /* those that the daemon reads, in their order */
    size_t count;
    size_t bytes; /* all of it, with the empty line */
};

/* Why a head is refused. */
struct http_fault {
    unsigned status;
    const char *why;
};

enum http_result { HTTP_MORE, HTTP_WHOLE, HTTP_BROKEN };

/* Reads the head that the bytes begin with.  HTTP_MORE: it is not there in full.  HTTP_BROKEN: *ret_fault says why. */
enum http_result http_read(struct slice bytes, struct http_head *ret, struct http_fault *ret_fault);

#endif
