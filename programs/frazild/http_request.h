/* SPDX-License-Identifier: MIT */
/*
 * A request of HTTP: who asks, by which connection, and for what.
 */
#ifndef FRAZILD_HTTP_REQUEST_H
#define FRAZILD_HTTP_REQUEST_H

#include <microhttpd.h>

#include "shared.h"
#include "slice.h"
#include "tls.h"

#define HTTP_PARAMETERS_MAX 8

struct errand;
struct http_ids;
struct http_route;

/* The thread's own, which its requests know. */
struct http_lane {
    struct lane lane; /* the first: the lane's functions find the thread by it */
    struct shared *shared;
    struct http_request *suspended; /* requests that wait for something */
};

/* The connection that requests come by. */
struct http_socket {
    int fd;
    struct tls *tls;          /* the certificate of its beginning; NULL: no TLS */
    gnutls_session_t session; /* of TLS, or NULL */
    bool greets;              /* its handshake is not known to be over */
    bool is_busy;             /* a request is being answered */
    bool has_served;          /* one was answered */
    uint64_t since_ns;        /* when it was accepted, or its last request ended, or its next one began */
    bool has_begun;           /* a request has begun, and its head is not there in full */
    struct http_socket *previous;
    struct http_socket *next;
};

struct http_request {
    struct http_lane *lane;
    struct MHD_Connection *connection;
    struct http_socket *socket;
    const struct http_route *route; /* NULL: not known yet, or there is none */
    struct slice argument;          /* the part of the path that the route leaves open */
    struct user *user;              /* NULL: nobody, or there are no users */
    struct slice names[HTTP_PARAMETERS_MAX];
    struct slice values[HTTP_PARAMETERS_MAX];
    size_t parameters;
    struct http_ids *ids;  /* it waits for them, or has just got them */
    struct errand *errand; /* likewise */
    bool is_suspended;
    bool is_cut;                   /* its wait was given up */
    struct http_request *previous; /* those that are suspended */
    struct http_request *next;
};

/* Leaves the request alone until http_resume, which has libmicrohttpd come back to it. */
void http_suspend(struct http_request *request);
void http_resume(struct http_request *request);

/* A header of the request, the first of that name; absent if there is none. */
struct slice http_header(const struct http_request *request, const char *name);

/* A parameter of the query; absent if it is not given. */
struct slice http_parameter(const struct http_request *request, const char *name);

#endif
