/* SPDX-License-Identifier: MIT */
/*
 * A connection of a loop: the socket of a session, what was read and is not yet understood, and what is to be sent.
 */
#ifndef FRAZILD_CONNECTION_H
#define FRAZILD_CONNECTION_H

#include "io.h"
#include "loop_state.h"
#include "session.h"

struct connection {
    struct io io;
    struct session session;
    struct bytes in;
    struct bytes out;
    size_t need;               /* bytes in `in` before it is worth to look at it again */
    uint64_t begun_ns;         /* when the command that is not there in full began; 0: there is none */
    uint64_t stalled_ns;       /* when sending last got on, while something is unsent; 0: nothing is */
    uint64_t active_ns;        /* the last command or answer to a wait, or the opening */
    int64_t client_end_unix_s; /* when the certificate of its client ends; 0: there is none */
    struct connection *previous;
    struct connection *next;
    struct connection *next_ready;
    uint32_t events; /* that epoll tells of */
    bool is_ready;   /* it is in the list of the loop */
    bool ended;      /* the client sends no more */
    bool lingers;    /* everything is sent and shut down; what still comes is thrown away */
    bool reads;      /* the session wants more bytes */
    bool parted;     /* the client has had an answer during the drain */
    bool distrusted; /* the certificate of its client is not signed by whom a reload has named */
};

/* Takes over a socket that a listener has accepted.  False: no memory; the socket is closed. */
bool connection_open(struct loop *loop, int fd, const struct listener *listener, const struct peer *peer);

/* Tells the client, if it waits for an answer, that the daemon ends, and ends it at once. */
void connection_cut(struct loop *loop, struct connection *connection);

/* Ends it at once. */
void connection_close(struct loop *loop, struct connection *connection);

/* Something happened on its socket. */
void connection_on_event(struct loop *loop, struct connection *connection, uint32_t events);

/* Goes on without an event: its ids came, or it had its turn before. */
void connection_go_on(struct loop *loop, struct connection *connection);

/* Puts it among those that go on in this iteration. */
void connection_make_ready(struct loop *loop, struct connection *connection);

/* The user that the certificate of its client names; NULL: none, or there is no certificate.  An event thread's
 * user_of. */
struct user *connection_user(void *connection);

/* The loop has another setup: what it means for this connection shows when it goes on. */
void connection_renew(struct loop *loop, struct connection *connection);

/* How often its timeouts are to be looked at: so much later than it should be a connection is cut. */
uint64_t connection_look_ns(const struct daemon_settings *settings);

/* For so long the loop did not run: it counts towards none of its timeouts. */
void connection_excuse(struct connection *connection, uint64_t missed_ns);

/* Looks at its timeouts. */
void connection_check_time(struct loop *loop, struct connection *connection);

#endif
