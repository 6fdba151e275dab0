/* SPDX-License-Identifier: MIT */
/* How much a client wants a type, by the fields Accept of a head. */
#ifndef FRAZILD_HTTP_ACCEPT_H
#define FRAZILD_HTTP_ACCEPT_H

#include "http_read.h"

/* The weight of a type, 0 to 1000, as the range that names it most exactly says; 0: it is not wanted. */
unsigned http_accept(const struct http_head *head, const char *type);

#endif
