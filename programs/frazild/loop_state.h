/* SPDX-License-Identifier: MIT */
/*
 * The state of a loop, for the loop and its connections.
 */
#ifndef FRAZILD_LOOP_STATE_H
#define FRAZILD_LOOP_STATE_H

#include "alarm.h"
#include "server.h"

#define INPUT_BYTES ((size_t)64 << 10) /* of one reading */

struct connection;

struct loop {
    struct event_thread event_thread; /* the first: the event thread's functions find the loop by it */
    struct server *server;
    pthread_t thread;
    bool is_started; /* thread */
    int epoll;
    int event;          /* an eventfd: look around */
    struct alarm alarm; /* requests for ids are due */
    int reserve;        /* a descriptor that is given up to refuse a connection when there is none left; -1: lost */
    bool pauses;        /* does not watch all listeners; a sweep tries again */
    struct connection *connections;
    struct connection *ready; /* to go on in this iteration, without an event */
    struct connection **ready_end;
    struct bytes_memory output; /* for what a session writes while it runs */
    char *input;
    bool drains; /* has seen server->draining */
};

#endif
