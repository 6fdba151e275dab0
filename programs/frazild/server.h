/* SPDX-License-Identifier: MIT */
/*
 * The server: what all threads of the daemon share.
 */
#ifndef FRAZILD_SERVER_H
#define FRAZILD_SERVER_H

#include <pthread.h>

#include "event_thread.h"
#include "listeners.h"

#define EVENT_THREADS_MAX 64

struct server {
    struct listeners *listeners;
    struct lease_threads *lease_threads;
    struct event_thread *event_threads[EVENT_THREADS_MAX]; /* set before the threads start */
    unsigned event_thread_count;
    atomic_uint connections;
    _Atomic uint64_t last_id;    /* of connections */
    atomic_bool leaving;         /* SIGTERM came: clients should not connect any more, but those that do are served */
    atomic_uint running;         /* loops whose threads have not ended */
    atomic_bool draining;        /* answer what was read, close what is idle, accept no more */
    atomic_bool cutting;         /* close everything */
    _Atomic int64_t read_unix_s; /* when the configuration of now was read */
    atomic_bool keeps_old;       /* the last attempt to read it anew has failed */
    pthread_mutex_t lock;        /* of setup */
    struct setup *setup;         /* of now */
};

/* Whether all event threads were seen alive a short time ago. */
bool server_is_alive(const struct server *server);

/* Has all event threads look around. */
void server_wake_event_threads(const struct server *server);

/* Notes that the configuration was read now. */
void server_note_setup(struct server *server);

/* The setup of now, held once more. */
struct setup *server_hold_setup(struct server *server);

/* Prepares an event thread, which then holds the setup of now. */
void server_open_event_thread(struct server *server, struct event_thread *event_thread);

/*
 * Gives an event thread the setup of now.  Returns the one that it had, for the caller to release; NULL: it is the
 * same.
 */
struct setup *server_renew(struct server *server, struct event_thread *event_thread);

#endif
