/* SPDX-License-Identifier: MIT */
#include "peer.h"

#include <arpa/inet.h>
#include <stdio.h>

void peer_write(const struct peer *peer, char text[ADDRESS_TEXT_SIZE])
{
    char host[64] = "?";

    if (peer->its.any.sa_family == AF_INET6) {
        (void)inet_ntop(AF_INET6, &peer->its.v6.sin6_addr, host, sizeof host);
        (void)snprintf(text, ADDRESS_TEXT_SIZE, "[%s]:%u", host, (unsigned)ntohs(peer->its.v6.sin6_port));
    } else if (peer->its.any.sa_family == AF_INET) {
        (void)inet_ntop(AF_INET, &peer->its.v4.sin_addr, host, sizeof host);
        (void)snprintf(text, ADDRESS_TEXT_SIZE, "%s:%u", host, (unsigned)ntohs(peer->its.v4.sin_port));
    } else {
        (void)snprintf(text, ADDRESS_TEXT_SIZE, "%s", peer->its.any.sa_family == AF_UNIX ? "unix:" : "?");
    }
}
