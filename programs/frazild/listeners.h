/* SPDX-License-Identifier: MIT */
/*
 * The sockets that listen: those that the daemon opens, and those that it takes over from a service manager.
 */
#ifndef FRAZILD_LISTENERS_H
#define FRAZILD_LISTENERS_H

#include <stdbool.h>
#include <stddef.h>

#include "peer.h"
#include "settings.h"
#include "unix_socket.h"

#define BACKLOG 4096 /* connections that the system lets in before they are accepted */

/* A socket that listens. */
struct listener {
    int fd;
    enum protocol protocol;
    char text[ADDRESS_TEXT_SIZE];   /* where it listens, with the port that the system chose for port 0 */
    struct unix_socket unix_socket; /* at a path; its path is "" for others */
    bool is_gone;                   /* another file is at its path, or none, and the log says so */
    bool is_shared;                 /* the manager of services has it, too, and hands it to the next daemon */
};

struct listeners {
    struct listener *rows;
    size_t count;
    bool is_reached[PROTOCOL_COUNT]; /* by other hosts, at a socket that was taken over */
};

/*
 * Opens all sockets of the settings, but takes those over that the manager of services has opened for a protocol. Each
 * failure is added to errors.
 */
void listeners_open(struct listeners *listeners, const struct settings *settings, struct bytes *errors);

/* Tells the log once of each unix socket whose path was taken away.  Called by the main thread now and then. */
void listeners_look_at_paths(struct listeners *listeners);

/* Closes them, and removes unix sockets. */
void listeners_close(struct listeners *listeners);

#endif
