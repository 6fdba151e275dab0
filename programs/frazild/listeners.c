/* SPDX-License-Identifier: MIT */
#include "listeners.h"

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

/* ---- sockets of its own ------------------------------------------------------------------- */

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
    if (error == EADDRINUSE)
        return SOMEBODY_LISTENS;
    if (error == EACCES)
        return "this user may not use the port: name one above 1023, give the service AmbientCapabilities="
               "CAP_NET_BIND_SERVICE, or allow the port in the rules of SELinux";
    if (error == EADDRNOTAVAIL)
        return "this host does not have the address (ip address lists those that it has): name another one";
    return strerror(error);
}

static int open_tcp(const struct address *address, const char **ret_why)
{
    struct addrinfo *found = address_resolve(address, ret_why);
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
                     struct slice text, struct bytes *errors)
{
    struct listener listener = {.fd = -1, .protocol = protocol};
    struct address address;
    const char *why = address_read(text, &address);

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
                    (int)text.len, text.at, why != NULL ? why : "out of memory");
}

static void open_addresses(struct listeners *listeners, enum protocol protocol, const struct listen_settings *settings,
                           struct bytes *errors)
{
    const char *addresses = settings->addresses;
    struct slice text;

    while (slice_next_word(&addresses, &text))
        open_one(listeners, protocol, settings, text, errors);
}

/* ---- sockets of a service manager ---------------------------------------------------------- */

/* Whether a socket that another process has opened is for this host alone. */
static bool is_of_this_host(int fd)
{
    struct peer peer = {0};
    socklen_t len = sizeof peer;

    if (getsockname(fd, &peer.its.any, &len) != 0)
        return false;
    return peer_is_local(&peer);
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
        return "it is a connection, not a listening socket: use Accept=no";
    return "it does not listen: the manager must call listen(), as ListenStream= does";
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
    struct listener listener = {
        .fd = fd, .protocol = settings_protocol_of((struct slice){name, (size_t)len}), .is_shared = true};
    bool is_reached = !is_of_this_host(fd);

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
                     "socket %d of the service manager, '%.*s', is the same as its socket %d: give each its own "
                     "socket\n",
                     i, len, name, first_of_same(i));
    else if (is_reached && !addresses_check_reach(settings, listener.protocol, errors))
        return;
    else if (fcntl(fd, F_SETFD, FD_CLOEXEC) != 0 || fcntl(fd, F_SETFL, O_NONBLOCK) != 0 || !add(listeners, &listener))
        bytes_format(errors, "socket %d of the service manager cannot be taken over: %s\n", i, strerror(errno));
    else
        listeners->is_reached[listener.protocol] |= is_reached;
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

/* ---- all of them ---------------------------------------------------------------------------- */

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
