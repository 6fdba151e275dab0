/* SPDX-License-Identifier: MIT */
#include "addresses.h"

#include "log.h"
#include "service.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

static const char blanks[] = " \t";

/* An address in parts. */
struct address {
    bool is_unix;
    char host[256]; /* or the path */
    char port[8];
};

/* Reads unix:PATH.  Returns NULL, or what is wrong. */
static const char *read_unix(const char *path, size_t len, struct address *ret)
{
    if (len == 0 || len >= sizeof((struct sockaddr_un *)NULL)->sun_path)
        return "the path of a unix socket has 1 to 107 bytes";
    (void)snprintf(ret->host, sizeof ret->host, "%.*s", (int)len, path);
    return NULL;
}

/* Whether it can stand for a host. Anything else may hold a password, and is shown nowhere. */
static bool is_host(const char *text, size_t len)
{
    return len > 0 && strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_*") >= len;
}

/* With its interface behind a %, as a link-local one needs. */
static bool is_ipv6(const char *text, size_t len)
{
    size_t address_len = strspn(text, "0123456789abcdefABCDEF:.");

    return len > 0 &&
           (address_len >= len || (text[address_len] == '%' && is_host(text + address_len + 1, len - address_len - 1)));
}

/* Reads HOST:PORT, [HOST]:PORT or unix:PATH of len characters.  Returns NULL, or what is wrong. */
static const char *read_address(const char *text, size_t len, struct address *ret)
{
    static const char form[] = "an address is HOST:PORT, [IPV6]:PORT or unix:PATH";
    size_t host_len = len;

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
    struct in_addr v4;

    if (address->is_unix || strcmp(address->host, "::1") == 0 || strcmp(address->host, "localhost") == 0)
        return true;
    return inet_pton(AF_INET, address->host, &v4) == 1 && ntohl(v4.s_addr) >> 24 == 127;
}

bool addresses_are_local(const char *addresses)
{
    struct address address;

    for (addresses += strspn(addresses, blanks); *addresses != '\0'; addresses += strspn(addresses, blanks)) {
        size_t len = strcspn(addresses, blanks);
        if (read_address(addresses, len, &address) == NULL && !is_local(&address))
            return false;
        addresses += len;
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
                        "address of this host, or say insecure=yes in a network that you trust",
                        name, name);
    if (!row->insecure && !has_users)
        config_complain(errors, row->place,
                        "[listen %s] is reachable from other hosts, and there are no users: anybody could take ids; "
                        "add [user NAME], or say insecure=yes in a network that you trust",
                        name);
    return row->insecure || (has_tls && has_users);
}

/* Whether a socket that somebody else has opened is for this host alone. */
static bool is_of_this_host(int fd)
{
    struct peer peer = {0};
    socklen_t len = sizeof peer;

    if (getsockname(fd, &peer.its.any, &len) != 0)
        return false;
    if (peer.its.any.sa_family == AF_INET)
        return ntohl(peer.its.v4.sin_addr.s_addr) >> 24 == 127;
    return peer.its.any.sa_family == AF_UNIX || IN6_IS_ADDR_LOOPBACK(&peer.its.v6.sin6_addr);
}

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

/* Writes where a socket listens, as the system has it. */
static void write_text(int fd, char *text)
{
    union {
        struct peer peer;
        struct sockaddr_un local;
    } its = {.local = {.sun_family = AF_UNSPEC}};
    socklen_t len = sizeof its - 1; /* a path that fills it stays terminated */
    const char *path = its.local.sun_path;

    if (getsockname(fd, &its.peer.its.any, &len) != 0)
        its.local.sun_family = AF_UNSPEC;
    if (its.local.sun_family == AF_UNIX && path[0] == '\0' && len > offsetof(struct sockaddr_un, sun_path))
        (void)snprintf(text, ADDRESS_TEXT_SIZE, "unix:@%.*s", (int)(len - offsetof(struct sockaddr_un, sun_path) - 1),
                       path + 1); /* an abstract name */
    else if (its.local.sun_family == AF_UNIX)
        (void)snprintf(text, ADDRESS_TEXT_SIZE, "unix:%s", path);
    else
        peer_write(&its.peer, text);
}

/* Says why the system refuses to listen there. */
static const char *reason(int error)
{
    return error == EADDRINUSE ? "another program listens there (ss -ltnp names it): stop it, or name another address"
                               : strerror(error);
}

/* Asks the system for the address; it gives none: *ret_why. The caller frees it. */
static struct addrinfo *resolve(const struct address *address, const char **ret_why)
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

static int open_tcp(const struct address *address, const char **ret_why)
{
    struct addrinfo *found = resolve(address, ret_why);
    int on = 1;

    if (found == NULL)
        return -1;
    int fd = socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd >= 0) {
        (void)setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
        if (bind(fd, found->ai_addr, found->ai_addrlen) != 0 || listen(fd, BACKLOG) != 0) {
            *ret_why = reason(errno);
            (void)close(fd);
            fd = -1;
        }
    } else {
        *ret_why = strerror(errno);
    }
    freeaddrinfo(found);
    return fd;
}

/* Adds a socket; false without memory. */
static bool add(struct listeners *listeners, const struct listener *listener)
{
    struct listener *rows = realloc(listeners->rows, (listeners->count + 1) * sizeof *rows);

    if (rows == NULL)
        return false;
    listeners->rows = rows;
    rows[listeners->count] = *listener;
    write_text(listener->fd, rows[listeners->count++].text); /* the system chose the port, if that was 0 */
    return true;
}

static void close_one(const struct listener *listener)
{
    if (listener->unix_socket.path[0] != '\0')
        unix_socket_close(&listener->unix_socket);
    else
        (void)close(listener->fd);
}

static void open_one(struct listeners *listeners, enum protocol protocol, const struct listen_settings *settings,
                     const char *text, size_t len, struct bytes *errors)
{
    struct listener listener = {.fd = -1, .protocol = protocol};
    struct address address;
    const char *why = read_address(text, len, &address);

    if (why == NULL && address.is_unix) {
        why = unix_socket_open(&listener.unix_socket, address.host, settings->mode, BACKLOG);
        listener.fd = listener.unix_socket.fd;
    } else if (why == NULL) {
        listener.fd = open_tcp(&address, &why);
    }
    if (listener.fd >= 0 && add(listeners, &listener))
        return;
    if (listener.fd >= 0)
        close_one(&listener);
    config_complain(errors, settings->place, "[listen %s] cannot listen on %.*s: %s", settings_protocol(protocol),
                    (int)len, text, why != NULL ? why : "out of memory");
}

/* ---- looking at them beforehand --------------------------------------------------------- */

/* An address that was looked at. */
struct known_address {
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

/* An address of IPv4 in the clothes of IPv6 becomes what it is. */
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
 * Finds out which path it is, and whether a socket can be made there.  One that is there is this daemon's, or left
 * over, or the start finds out.  Returns NULL, or what is wrong.
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
               : "this user can make no file in the folder of the socket, or not lock it: let it write and read there "
                 "(chown, chmod), or name another folder";
}

/* Finds out what an address stands for.  Returns NULL, or what is wrong. */
static const char *look_at_address(const char *text, size_t len, struct known_address *ret)
{
    struct address address;
    const char *why = read_address(text, len, &address);

    if (why != NULL)
        return why;
    ret->is_unix = address.is_unix;
    if (address.is_unix)
        return look_at_path(address.host, ret);
    struct addrinfo *found = resolve(&address, &why);
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
static int shown_len(const struct known_address *address, const char *text, size_t len)
{
    for (size_t i = 0; i + 3 <= len; i++) {
        if (memcmp(text + i, "://", 3) == 0)
            return 0;
    }
    return address->is_unix ? (int)len : 0;
}

static void check_one(struct known_addresses *known, const struct place place, const char *text, size_t len,
                      struct bytes *errors)
{
    struct known_address address = {.place = place};
    const char *why = look_at_address(text, len, &address);

    if (why != NULL) {
        config_complain(errors, place, "address=%.*s: %s", shown_len(&address, text, len), text, why);
        return;
    }
    for (size_t i = 0; i < known->count; i++) {
        if (!collide(&known->rows[i], &address))
            continue;
        config_complain(errors, place, "cannot listen on %.*s: line %u listens there already", (int)len, text,
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
        const char *at = row->given ? row->addresses + strspn(row->addresses, blanks) : "";
        for (size_t len; *at != '\0'; at += len + strspn(at + len, blanks)) {
            len = strcspn(at, blanks);
            check_one(&known, row->place, at, len, errors);
        }
    }
    free(known.rows);
}

/* ---- opening ----------------------------------------------------------------------------- */

static void open_addresses(struct listeners *listeners, enum protocol protocol, const struct listen_settings *settings,
                           struct bytes *errors)
{
    const char *at = settings->addresses + strspn(settings->addresses, blanks);

    for (; *at != '\0'; at += strspn(at, blanks)) {
        size_t len = strcspn(at, blanks);
        open_one(listeners, protocol, settings, at, len, errors);
        at += len;
    }
}

/* The protocol of that name; PROTOCOL_COUNT: there is none. */
static enum protocol protocol_called(const char *name, int len)
{
    enum protocol protocol = PROTOCOL_RESP;

    while (protocol < PROTOCOL_COUNT && (strlen(settings_protocol(protocol)) != (size_t)len ||
                                         strncmp(name, settings_protocol(protocol), (size_t)len) != 0))
        protocol++;
    return protocol;
}

static int option_of(int fd, int option)
{
    int value = 0;
    socklen_t len = sizeof value;

    return getsockopt(fd, SOL_SOCKET, option, &value, &len) == 0 ? value : -1;
}

/* Why a descriptor of the manager accepts no connections, and what is to be done; NULL: it does. */
static const char *look_at_socket(int fd)
{
    struct sockaddr_storage peer;
    socklen_t len = sizeof peer;
    int domain = option_of(fd, SO_DOMAIN);

    if (fcntl(fd, F_GETFD) < 0)
        return "it is not open: LISTEN_FDS= counts the sockets that are handed over";
    if (domain < 0)
        return "it is not a socket: open it by ListenStream=";
    if (option_of(fd, SO_TYPE) != SOCK_STREAM || (domain != AF_INET && domain != AF_INET6 && domain != AF_UNIX))
        return "it is not a TCP or unix stream socket: use ListenStream=, not ListenDatagram= or another";
    if (option_of(fd, SO_ACCEPTCONN) > 0)
        return NULL;
    if (getpeername(fd, (struct sockaddr *)&peer, &len) == 0)
        return "it is a connection, and no socket that listens: use Accept=no";
    return "it does not listen: the manager is to call listen(), as ListenStream= does";
}

/* The first of the manager's sockets that is this one; i: it comes once. */
static int first_of_same(int i)
{
    struct stat its, other;
    int first = 0;

    if (fstat(SERVICE_FDS_FIRST + i, &its) != 0)
        return i;
    while (first < i &&
           (fstat(SERVICE_FDS_FIRST + first, &other) != 0 || other.st_dev != its.st_dev || other.st_ino != its.st_ino))
        first++;
    return first;
}

/* Takes over one socket of the manager of services, which is called by its protocol. */
static void take_over_one(struct listeners *listeners, const struct settings *settings, int i, struct bytes *errors)
{
    int len, fd = SERVICE_FDS_FIRST + i;
    const char *name = service_fd_name(i, &len), *why = look_at_socket(fd);
    struct listener listener = {.fd = fd, .protocol = protocol_called(name, len), .is_shared = true};

    if (why != NULL)
        bytes_format(errors, "socket %d of the service manager, '%.*s', descriptor %d, cannot be taken over: %s\n", i,
                     len, name, fd, why);
    else if (listener.protocol == PROTOCOL_COUNT || !settings->listen[listener.protocol].given)
        bytes_format(errors,
                     "socket %d of the service manager is called '%.*s': FileDescriptorName= names a protocol whose "
                     "[listen] section the configuration has\n",
                     i, len, name);
    else if (first_of_same(i) < i)
        bytes_format(errors,
                     "socket %d of the service manager, '%.*s', is its socket %d once more: give each a socket of its "
                     "own\n",
                     i, len, name, first_of_same(i));
    else if (!is_of_this_host(fd) && !addresses_check_reach(settings, listener.protocol, errors))
        return;
    else if (fcntl(fd, F_SETFD, FD_CLOEXEC) != 0 || fcntl(fd, F_SETFL, O_NONBLOCK) != 0 || !add(listeners, &listener))
        bytes_format(errors, "socket %d of the service manager cannot be taken over: %s\n", i, strerror(errno));
}

static void take_over(struct listeners *listeners, const struct settings *settings, struct bytes *errors)
{
    const char *wrong;
    int count = service_fds(&wrong);

    if (wrong != NULL)
        bytes_format(errors, "LISTEN_FDS=%s: a service manager hands over 0 to %d sockets\n", wrong, SERVICE_FDS_MAX);
    for (int i = 0; i < count; i++)
        take_over_one(listeners, settings, i, errors);
}

static bool has_protocol(const struct listeners *listeners, enum protocol protocol)
{
    for (size_t i = 0; i < listeners->count; i++) {
        if (listeners->rows[i].protocol == protocol)
            return true;
    }
    return false;
}

void listeners_open(struct listeners *listeners, const struct settings *settings, struct bytes *errors)
{
    *listeners = (struct listeners){0};
    take_over(listeners, settings, errors);
    for (enum protocol protocol = PROTOCOL_RESP; protocol < PROTOCOL_COUNT; protocol++) {
        if (settings->listen[protocol].given && !has_protocol(listeners, protocol))
            open_addresses(listeners, protocol, &settings->listen[protocol], errors);
    }
}

void listeners_look_at_paths(struct listeners *listeners)
{
    for (size_t i = 0; i < listeners->count; i++) {
        struct listener *row = &listeners->rows[i];
        if (row->is_gone || row->unix_socket.path[0] == '\0' || unix_socket_is_there(&row->unix_socket))
            continue;
        row->is_gone = true;
        log_line(LOG_ALWAYS,
                 "the path of %s is no longer its socket's: somebody has removed or replaced it, and no new client "
                 "reaches this daemon there before a restart",
                 row->text);
    }
}

void listeners_close(struct listeners *listeners)
{
    for (size_t i = 0; i < listeners->count; i++)
        close_one(&listeners->rows[i]);
    free(listeners->rows);
    *listeners = (struct listeners){0};
}
