/* SPDX-License-Identifier: MIT */
/*
 * A head that was read: its fields, its target, its host, its body, and the site that asks.
 */
#ifndef FRAZILD_HTTP_HEAD_H
#define FRAZILD_HTTP_HEAD_H

#include "http_read.h"

/* The first field of that name; absent if there is none. */
struct slice http_field(const struct http_head *head, enum http_name name);

/* Whether one of the fields of that name, which are lists, has the word, in either case. */
bool http_field_has(const struct http_head *head, enum http_name name, const char *word);

/* A target in parts, as they were sent. */
struct http_target {
    struct slice authority; /* of http://authority/path; absent where the path stands alone */
    struct slice path;
    struct slice query; /* absent without a question mark */
};

/* Takes the target of a head apart, and looks at the head.  False: *ret_fault says what is wrong. */
bool http_head_is_right(const struct http_head *head, const char *hosts, struct http_target *ret,
                        struct http_fault *ret_fault);

/* Whether something in the head says that no page of another site asks: such a page can send none of it. */
bool http_head_is_own(const struct http_head *head, const struct http_target *target);

/*
 * Decodes %XX, and in a query + as a blank, into `to`, which has room for as many bytes as the text.  False: it is no
 * such text, or holds a zero.
 */
bool http_decode(struct slice text, bool is_query, char *to, struct slice *ret);

/* ---- how much a client wants a type ------------------------------ */

/* The weight of a type, 0 to 1000, as the range that names it most exactly says; 0: it is not wanted. */
unsigned http_accept(const struct http_head *head, const char *type);

#endif
