/* SPDX-License-Identifier: MIT */
/*
 * The insides of a loop, for the loop and its connections.
 */
#ifndef FRAZILD_REACTOR_H
#define FRAZILD_REACTOR_H

#include <pthread.h>

#include "addresses.h"
#include "lane.h"

#define INPUT_BYTES ((size_t)64 << 10) /* of one reading */

struct connection;

/* All loops share this. */
struct shared {
    struct listeners *listeners;
    struct errands *errands;
    atomic_uint connections;
    _Atomic uint64_t last_id; /* of connections */
    atomic_bool draining;     /* answer what was read, close what is idle, accept no more */
    atomic_bool cutting;      /* close everything */
    pthread_mutex_t lock;     /* of setup */
    struct setup *setup;      /* of now */
};

struct loop {
    struct lane lane; /* the first: the lane's functions find the loop by it */
    struct shared *shared;
    pthread_t thread;
    int epoll;
    int event;         /* an eventfd: look around */
    int timer;         /* a timerfd: requests for ids are due */
    int reserve;       /* a descriptor that is given up to refuse a connection when there is none left */
    uint64_t armed_ns; /* when the timer ends */
    struct connection *connections;
    struct connection *ready; /* to go on in this turn, without an event */
    struct connection **ready_end;
    struct bytes output; /* of the session that runs */
    char *input;
    bool drains;               /* has seen shared->draining */
    bool failed;               /* could not be opened */
    _Atomic uint64_t turns_ns; /* when it was seen alive last */
};

#endif
