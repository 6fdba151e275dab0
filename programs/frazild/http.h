/* SPDX-License-Identifier: MIT */
/*
 * The thread of HTTP: one lane, and a daemon of libmicrohttpd for each of its listeners, all driven by one epoll.
 */
#ifndef FRAZILD_HTTP_H
#define FRAZILD_HTTP_H

#include "shared.h"

struct http;

/* Prepares it and starts its thread, if there is a listener of HTTP.  False: it adds to errors why not. */
bool http_start(struct http **ret, struct shared *shared, struct bytes *errors);

/* Has it look around: a new setup, or the end.  Any thread.  http may be NULL. */
void http_wake(struct http *http);

/* Waits until the thread has ended, and frees it.  http may be NULL. */
void http_join(struct http *http);

#endif
