/* SPDX-License-Identifier: MIT */
#include "addresses.h"

#include "peer.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

/* Reads unix:PATH.  Returns NULL, or what is wrong. */
static const char *read_unix(const char *path, size_t len, struct address *ret)
{
    if (len == 0 || len >= sizeof((struct sockaddr_un *)NULL)->sun_path)
        return "the path of a unix socket has 1 to 107 bytes";
    (void)snprintf(ret->host, sizeof ret->host, "%.*s", (int)len, path);
    return NULL;
}

/* Whether it can be the name of a host.  Any other text may hold a password, and no error shows it. */
static bool is_host(const char *text, size_t len)
{
    return len > 0 && strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_*") >= len;
}

/* Whether it can be an address of IPv6; a link-local one has its interface behind a %. */
static bool is_ipv6(const char *text, size_t len)
{
    size_t address_len = strspn(text, "0123456789abcdefABCDEF:.");

    return len > 0 &&
           (address_len >= len || (text[address_len] == '%' && is_host(text + address_len + 1, len - address_len - 1)));
}

const char *address_read(struct slice its, struct address *ret)
{
    static const char form[] = "an address is HOST:PORT, [IPV6]:PORT or unix:PATH";
    const char *text = its.at;
    size_t len = its.len, host_len = len;

    *ret = (struct address){.is_unix = len >= 5 && strncmp(text, "unix:", 5) == 0};
    if (ret->is_unix)
        return read_unix(text + 5, len - 5, ret);
    while (host_len > 0 && text[host_len - 1] != ':')
        host_len--;
    const char *port = text + host_len;
    size_t port_len = len - host_len;
    if (host_len < 2 || port_len == 0 || strspn(port, "0123456789") < port_len)
        return form;
    if (port_len > 5 || strtoul(port, NULL, 10) > UINT16_MAX)
        return "a port is a number from 0 to 65535";
    (void)snprintf(ret->port, sizeof ret->port, "%.*s", (int)port_len, port);
    host_len--;
    bool bracketed = text[0] == '[' && text[host_len - 1] == ']';
    if (bracketed ? !is_ipv6(text + 1, host_len - 2) : !is_host(text, host_len))
        return form;
    if (host_len >= sizeof ret->host)
        return "the name of the host is too long";
    (void)snprintf(ret->host, sizeof ret->host, "%.*s", (int)(bracketed ? host_len - 2 : host_len), text + bracketed);
    return NULL;
}

static bool is_local(const struct address *address)
{
    struct peer peer = {.its.v6.sin6_family = AF_INET6};

    if (address->is_unix || strcmp(address->host, "localhost") == 0)
        return true;
    if (inet_pton(AF_INET6, address->host, &peer.its.v6.sin6_addr) == 1)
        return peer_is_local(&peer);
    peer.its.v4 = (struct sockaddr_in){.sin_family = AF_INET};
    return inet_pton(AF_INET, address->host, &peer.its.v4.sin_addr) == 1 && peer_is_local(&peer);
}

bool addresses_are_local(const char *addresses)
{
    struct address address;
    struct slice text;

    while (slice_next_word(&addresses, &text)) {
        if (address_read(text, &address) == NULL && !is_local(&address))
            return false;
    }
    return true;
}

/* Beyond this host, tokens and ids could be read on the way, and anybody could take ids. */
bool addresses_check_reach(const struct settings *settings, enum protocol protocol, struct bytes *errors)
{
    const struct listen_settings *row = &settings->listen[protocol];
    const char *name = settings_protocol(protocol);
    bool has_tls = protocol_has_tls(protocol), has_users = settings->user_count > 0;

    if (!row->insecure && !has_tls)
        config_complain(errors, row->place,
                        "[listen %s] listens beyond this host without TLS: use [listen %ss], or a TLS proxy before an "
                        "address of this host, or set insecure=yes in a network that you trust",
                        name, name);
    if (!row->insecure && !has_users)
        config_complain(errors, row->place,
                        "[listen %s] is reachable from other hosts, and there are no users: anybody could take ids; "
                        "add [user NAME], or set insecure=yes in a network that you trust",
                        name);
    return row->insecure || (has_tls && has_users);
}

struct addrinfo *address_resolve(const struct address *address, const char **ret_why)
{
    const struct addrinfo hints = {
        .ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE | AI_NUMERICSERV};
    const char *host = strcmp(address->host, "*") == 0 ? NULL : address->host;
    struct addrinfo *found = NULL;
    int failure = getaddrinfo(host, address->port, &hints, &found);

    if (failure == 0)
        return found;
    *ret_why = gai_strerror(failure);
    return NULL;
}

/* ---- looking at them beforehand --------------------------------------------------------- */

/* An address that was looked at. */
struct known_address {
    bool is_understood;
    bool is_unix;
    union {
        struct sockaddr any;
        struct sockaddr_in v4;
        struct sockaddr_in6 v6;
    } where;
    dev_t device; /* of a unix socket: the folder, which can be named in many ways, and the socket's name in it */
    ino_t inode;
    char name[sizeof((struct sockaddr_un *)NULL)->sun_path];
    struct place place;
};

/* The addresses of all sections, as far as they were looked at. */
struct known_addresses {
    struct known_address *rows;
    size_t count;
};

static bool is_any(const struct known_address *address)
{
    return address->where.any.sa_family == AF_INET ? address->where.v4.sin_addr.s_addr == htonl(INADDR_ANY)
                                                   : IN6_IS_ADDR_UNSPECIFIED(&address->where.v6.sin6_addr);
}

static in_port_t port_of(const struct known_address *address)
{
    return address->where.any.sa_family == AF_INET ? address->where.v4.sin_port : address->where.v6.sin6_port;
}

/* Turns an address of IPv6 that stands for one of IPv4 into that one, as the system does. */
static void unmap(struct known_address *address)
{
    const struct sockaddr_in6 v6 = address->where.v6;

    if (v6.sin6_family != AF_INET6 || !IN6_IS_ADDR_V4MAPPED(&v6.sin6_addr))
        return;
    address->where.v4 = (struct sockaddr_in){.sin_family = AF_INET, .sin_port = v6.sin6_port};
    memcpy(&address->where.v4.sin_addr, &v6.sin6_addr.s6_addr[12], sizeof address->where.v4.sin_addr);
}

/* Whether the system refuses to have both; :: stands for the addresses of IPv4, too. */
static bool collide(const struct known_address *a, const struct known_address *b)
{
    sa_family_t family = a->where.any.sa_family, other = b->where.any.sa_family;

    if (a->is_unix || b->is_unix)
        return a->is_unix && b->is_unix && a->device == b->device && a->inode == b->inode &&
               strcmp(a->name, b->name) == 0;
    if (port_of(a) != port_of(b) || port_of(a) == 0)
        return false;
    if (family != other)
        return is_any(family == AF_INET6 ? a : b);
    if (is_any(a) || is_any(b))
        return true;
    if (family == AF_INET)
        return a->where.v4.sin_addr.s_addr == b->where.v4.sin_addr.s_addr;
    return IN6_ARE_ADDR_EQUAL(&a->where.v6.sin6_addr, &b->where.v6.sin6_addr) &&
           a->where.v6.sin6_scope_id == b->where.v6.sin6_scope_id;
}

/*
 * Finds out which path it is, and whether a socket can be made there.  A socket that is there may be left over: only
 * the start finds out.  Returns NULL, or what is wrong.
 */
static const char *look_at_path(const char *path, struct known_address *ret)
{
    struct stat about, its;
    const char *slash = strrchr(path, '/');
    char folder[sizeof ret->name] = ".";

    if (slash != NULL)
        (void)snprintf(folder, sizeof folder, "%.*s", slash == path ? 1 : (int)(slash - path), path);
    if (stat(folder, &about) != 0)
        return errno == ENOENT ? "the folder of the socket does not exist: create it (RuntimeDirectory= of the service)"
                               : strerror(errno);
    ret->device = about.st_dev;
    ret->inode = about.st_ino;
    (void)snprintf(ret->name, sizeof ret->name, "%.107s", slash != NULL ? slash + 1 : path);
    if (lstat(path, &its) == 0)
        return S_ISSOCK(its.st_mode) ? NULL : "a file that is not a socket exists already";
    if (!S_ISDIR(about.st_mode))
        return "the folder of the socket is not a directory: name another path";
    return access(folder, R_OK | W_OK | X_OK) == 0
               ? NULL
               : "this user cannot create or lock a file in the folder of the socket: let it write and read there "
                 "(chown, chmod), or name another folder";
}

/* Finds out what an address stands for.  Returns NULL, or what is wrong. */
static const char *look_at_address(struct slice text, struct known_address *ret)
{
    struct address address;
    const char *why = address_read(text, &address);

    if (why != NULL)
        return why;
    ret->is_understood = true;
    ret->is_unix = address.is_unix;
    if (address.is_unix)
        return look_at_path(address.host, ret);
    struct addrinfo *found = address_resolve(&address, &why);
    if (found == NULL)
        return why;
    memcpy(&ret->where, found->ai_addr, found->ai_addrlen < sizeof ret->where ? found->ai_addrlen : sizeof ret->where);
    freeaddrinfo(found);
    unmap(ret);
    if (ret->where.any.sa_family == AF_INET6 && IN6_IS_ADDR_LINKLOCAL(&ret->where.v6.sin6_addr) &&
        ret->where.v6.sin6_scope_id == 0)
        return "a link-local address needs its interface, as in [fe80::1%eth0]:PORT";
    return NULL;
}

/* How much of an address may be shown: none where it was not understood, or has a URL in it, which may have a password.
 */
static int shown_len(const struct known_address *address, struct slice text)
{
    return address->is_understood && !slice_holds(text, "://") ? (int)text.len : 0;
}

static void check_one(struct known_addresses *known, const struct place place, struct slice text, struct bytes *errors)
{
    struct known_address address = {.place = place};
    const char *why = look_at_address(text, &address);

    if (why != NULL) {
        config_complain(errors, place, "address=%.*s: %s", shown_len(&address, text), text.at, why);
        return;
    }
    for (size_t i = 0; i < known->count; i++) {
        if (!collide(&known->rows[i], &address))
            continue;
        config_complain(errors, place, "cannot listen on %.*s: line %u listens there already", (int)text.len, text.at,
                        known->rows[i].place.line);
        return;
    }
    struct known_address *rows = realloc(known->rows, (known->count + 1) * sizeof *rows);
    if (rows == NULL) {
        (void)config_memory(NULL, errors);
        return;
    }
    known->rows = rows;
    rows[known->count++] = address;
}

void addresses_check(const struct settings *settings, struct bytes *errors)
{
    struct known_addresses known = {0};

    for (int protocol = 0; protocol < PROTOCOL_COUNT; protocol++) {
        const struct listen_settings *row = &settings->listen[protocol];
        const char *addresses = row->given ? row->addresses : "";
        struct slice text;
        while (slice_next_word(&addresses, &text))
            check_one(&known, row->place, text, errors);
    }
    free(known.rows);
}
