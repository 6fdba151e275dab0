/* SPDX-License-Identifier: MIT */
/*
 * Addresses to listen on, as texts: "127.0.0.1:6380", "[::1]:6380", "*:6380", "unix:/run/frazild/resp.sock".
 */
#ifndef FRAZILD_ADDRESSES_H
#define FRAZILD_ADDRESSES_H

#include <stdbool.h>

#include "settings.h"
#include "slice.h"

struct addrinfo;

/* An address in parts. */
struct address {
    bool is_unix;
    char host[256]; /* or the path */
    char port[8];
};

/* Reads HOST:PORT, [IPV6]:PORT or unix:PATH.  Returns NULL, or what is wrong. */
const char *address_read(struct slice text, struct address *ret);

/* Asks the system for the address; freeaddrinfo frees it.  NULL: *ret_why says why it gives none. */
struct addrinfo *address_resolve(const struct address *address, const char **ret_why);

/* Whether all addresses of a list are of this host alone. */
bool addresses_are_local(const char *addresses);

/* Whether the protocol may listen beyond this host, where anybody reaches it; adds what it lacks to errors. */
bool addresses_check_reach(const struct settings *settings, enum protocol protocol, struct bytes *errors);

/*
 * Looks at the addresses of all sections: that they can be understood, that none comes twice, and that a unix socket
 * has a place.  It listens nowhere; whether another process listens there is found out at the start.
 */
void addresses_check(const struct settings *settings, struct bytes *errors);

#endif
