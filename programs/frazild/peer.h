/* SPDX-License-Identifier: MIT */
/*
 * Where a client is, as the system said when it let the client in: a socket that was reset knows it no more.
 */
#ifndef FRAZILD_PEER_H
#define FRAZILD_PEER_H

#include <netinet/in.h>
#include <stdbool.h>
#include <sys/socket.h>

#define ADDRESS_TEXT_SIZE 320

/* All zeros: it is not known. */
struct peer {
    union {
        struct sockaddr any; /* also of a unix socket, which has no name there */
        struct sockaddr_in v4;
        struct sockaddr_in6 v6;
    } its;
};

/* Writes it as text: "127.0.0.1:5000", or "unix:". */
void peer_write(const struct peer *peer, char text[ADDRESS_TEXT_SIZE]);

/* Whether it is an address of this host alone. */
bool peer_is_local(const struct peer *peer);

#endif
