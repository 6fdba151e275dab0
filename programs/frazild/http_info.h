/* SPDX-License-Identifier: MIT */
/* Requests of HTTP for generators, layouts and ids that are there. */
#ifndef FRAZILD_HTTP_INFO_H
#define FRAZILD_HTTP_INFO_H

#include "http_request.h"

/* The generator of that name, which the user may use so.  NULL: the reply says why not. */
struct generator *http_generator(struct http_request *request, struct slice name);

#endif
