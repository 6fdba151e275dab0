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

bool peer_is_local(const struct peer *peer)
{
    const struct in6_addr *v6 = &peer->its.v6.sin6_addr;

    if (peer->its.any.sa_family == AF_INET)
        return ntohl(peer->its.v4.sin_addr.s_addr) >> 24 == 127;
    if (peer->its.any.sa_family == AF_INET6)
        return IN6_IS_ADDR_LOOPBACK(v6) || (IN6_IS_ADDR_V4MAPPED(v6) && v6->s6_addr[12] == 127);
    return peer->its.any.sa_family == AF_UNIX;
}
