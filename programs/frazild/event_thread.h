/* SPDX-License-Identifier: MIT */
/*
 * An event thread: what one thread of the daemon has for the connections that it serves.  Sessions and commands know
 * it; they know no socket.
 */
#ifndef FRAZILD_EVENT_THREAD_H
#define FRAZILD_EVENT_THREAD_H

#include "counters.h"
#include "dispatcher.h"
#include "setup.h"

struct server;

struct event_thread {
    struct server *server;
    struct setup *setup; /* of now; another one after a reload, never within an iteration */
    struct dispatcher dispatcher;
    void *ids;                /* room for MAX_BATCH_MAX ids, for requests that are met at once */
    uint64_t now_ns;          /* when this iteration began */
    _Atomic uint64_t seen_ns; /* when its thread was seen alive last */
    int64_t started_unix_s;
    struct counters counters;
    void (*wake)(void *connection); /* has a session of this event thread go on, after what it waited for */
    void (*notify)(struct event_thread *event_thread); /* has the event thread look around; any thread */
    struct user *(*user_of)(void *connection); /* whom its certificate names; NULL: nobody, or it has shown none */
    struct lease_threads *lease_threads;       /* of the whole daemon */
    struct lease_job *lease_jobs;              /* that its sessions wait for */
    int64_t date_unix_s;                       /* of `date` */
    char date[48];                             /* a line of HTTP */
    const atomic_uint *connections;            /* of the whole daemon */
};

#endif
