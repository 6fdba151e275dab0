/* SPDX-License-Identifier: MIT */
/*
 * An HTTP request: its user, its session, and what it asks for.
 */
#ifndef FRAZILD_HTTP_REQUEST_H
#define FRAZILD_HTTP_REQUEST_H

#include "http_head.h"
#include "server.h"
#include "session.h"

#define HTTP_PARAMETERS_MAX 8

struct http_ids;
struct http_route;

/* One parameter of the query. */
struct http_parameter {
    struct slice name;
    struct slice value;
};

struct http_request {
    struct session *session;
    struct event_thread *event_thread; /* the session's */
    struct bytes *out;                 /* where the reply goes */
    const struct http_head *head;      /* NULL once the request waits; the slices below are absent then */
    struct http_target target;
    const struct http_route *route; /* NULL: not known yet, or there is none */
    struct slice argument;          /* the part of the path that the route leaves open */
    struct user *user;              /* NULL: nobody, or there are no users */
    struct http_parameter parameters[HTTP_PARAMETERS_MAX];
    size_t count;
    struct http_ids *ids; /* it waits for them, or sends them */
    struct page *page;    /* that it is sending; NULL: none */
    size_t sent;          /* bytes of the page that were written */
    bool is_head;         /* its reply has no body */
    bool is_old;          /* of HTTP/1.0 */
    bool keeps;           /* the connection stays for another one */
    bool is_last;         /* no other one had come in full behind it */
};

/* Keeps the request until its session is woken.  False: there is no memory, and the connection is to be closed. */
bool http_wait(struct http_request *request);

/* A parameter of the query; absent if it is not given. */
struct slice http_parameter(const struct http_request *request, const char *name);

/* ---- requests for ids -------------------------------------------- */

/* Replies to a request with its ids, or with why there are none, as far as the output has room.  True: it is over. */
bool http_ids_go_on(struct http_request *request);

/* Whether the request waits for its ids, and not for room in the output. */
bool http_ids_wait(const struct http_request *request);

/* The request needs its ids no more, if it has or awaits some. */
void http_ids_drop(struct http_request *request);

/* ---- requests for the page ---------------------------------------- */

/* Writes on as far as the output has room.  True: it is over. */
bool http_page_go_on(struct http_request *request);

/* The request needs its page no more, if it has one. */
void http_page_drop(struct http_request *request);

/* ---- requests for the leases of a coordinator -------------------- */

/* Replies to a request whose job is done.  True: it is over; false: the job is under way. */
bool http_leases_go_on(struct http_request *request);

/* ---- requests for generators, layouts and ids that are there ----- */

/* The generator of that name, which the user may use so.  NULL: the reply says why not. */
struct generator *http_generator(struct http_request *request, struct slice name);

#endif
