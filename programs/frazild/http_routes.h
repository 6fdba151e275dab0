/* SPDX-License-Identifier: MIT */
/*
 * The routes of HTTP: one table, which the requests, /openapi.json, the permissions, the metrics and the manual's test
 * read.
 */
#ifndef FRAZILD_HTTP_ROUTES_H
#define FRAZILD_HTTP_ROUTES_H

#include "http_request.h"

enum {
    ROUTE_OPEN = 1,     /* also without a token */
    ROUTE_GENERATOR = 2 /* its argument is a generator's name */
};

struct http_route {
    const char *name;       /* in the metrics */
    const char *path;       /* {...} stands for the argument, which has slashes only at the end of the path */
    const char *methods;    /* as the header Allow has them */
    const char *parameters; /* of the query, with commas */
    enum verb verb;
    unsigned flags;
    void (*run)(struct http_request *request);
    const char *type; /* of what it sends; NULL: several */
    const char *help;
};

/* The table; it ends with a row without a name. */
extern const struct http_route http_routes[];

/* The route of a path as it was sent; *ret_argument: what stands for {...}.  NULL: there is none. */
const struct http_route *http_routes_find(struct slice path, struct slice *ret_argument);

/* http_ids.c */
void http_take_ids(struct http_request *request);

/* http_info.c */
void http_list_generators(struct http_request *request);
void http_show_generator(struct http_request *request);
void http_inspect(struct http_request *request);
void http_compose(struct http_request *request);
void http_range(struct http_request *request);
void http_list_layouts(struct http_request *request);
void http_show_layout(struct http_request *request);

/* http_leases.c */
void http_list_leases(struct http_request *request);

/* http_server.c */
void http_metrics(struct http_request *request);
void http_livez(struct http_request *request);
void http_readyz(struct http_request *request);

/* http_root.c */
void http_root(struct http_request *request);

/* http_openapi.c */
void http_openapi(struct http_request *request);

#endif
