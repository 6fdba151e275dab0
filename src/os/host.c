/* SPDX-License-Identifier: MIT */
#include "host.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "file.h"
#include "socket.h"

/* ---- the host -------------------------------------------------------------- */

int fz_host_name(char *buf, size_t size)
{
    if (gethostname(buf, size) != 0)
        return errno;
    buf[size - 1] = '\0'; /* a name that was cut may come without */
    return 0;
}

/* Addresses that documentation uses: they are nobody's, and lie outward of everybody. */
static const char outward_4[] = "192.0.2.1";
static const char outward_6[] = "2001:db8::1";

enum { DISCARD_PORT = 9 };

union address {
    struct sockaddr any;
    struct sockaddr_in v4;
    struct sockaddr_in6 v6;
};
_Static_assert(offsetof(struct sockaddr_in, sin_port) == offsetof(struct sockaddr_in6, sin6_port),
               "family and port lie at one place in both");

/* The local end of a socket that is to send to that address.  To connect it only fixes the route. */
static int find_local_end(union address *address, socklen_t size)
{
    int fd = fz_socket_open(address->any.sa_family, SOCK_DGRAM);
    int sys = 0;

    if (fd < 0)
        return errno;
    if (connect(fd, &address->any, size) != 0 || getsockname(fd, &address->any, &size) != 0)
        sys = errno;
    (void)close(fd);
    return sys;
}

static int address_toward(int family, const char *outward, char buf[FZ_ADDRESS_SIZE])
{
    union address address = {.v6 = {.sin6_family = (sa_family_t)family, .sin6_port = htons(DISCARD_PORT)}};
    bool is_v4 = family == AF_INET;
    void *ip = is_v4 ? (void *)&address.v4.sin_addr : (void *)&address.v6.sin6_addr;

    (void)inet_pton(family, outward, ip);
    int sys = find_local_end(&address, is_v4 ? sizeof address.v4 : sizeof address.v6);
    if (sys == 0)
        (void)inet_ntop(family, ip, buf, FZ_ADDRESS_SIZE);
    return sys;
}

int fz_host_address(char buf[FZ_ADDRESS_SIZE])
{
    int sys = address_toward(AF_INET, outward_4, buf);
    /* Without IPv4 the IPv6 address is the primary one.  Any other failure is returned: IPv6 would not cure it. */
    bool no_ipv4 = sys == ENETUNREACH || sys == EHOSTUNREACH || sys == EADDRNOTAVAIL || sys == EAFNOSUPPORT;

    return no_ipv4 ? address_toward(AF_INET6, outward_6, buf) : sys;
}

int fz_address_version(const char *text)
{
    unsigned char bytes[sizeof(struct in6_addr)];

    if (inet_pton(AF_INET, text, bytes) == 1)
        return 4;
    return inet_pton(AF_INET6, text, bytes) == 1 ? 6 : 0;
}

static const char *kind_of_many_4(const unsigned char bytes[4])
{
    static const unsigned char unspecified[4];
    static const unsigned char broadcast[4] = {255, 255, 255, 255};

    if (bytes[0] == 127)
        return "loopback";
    if (bytes[0] == 169 && bytes[1] == 254)
        return "link-local";
    if (bytes[0] >= 224 && bytes[0] < 240)
        return "multicast";
    if (memcmp(bytes, broadcast, sizeof broadcast) == 0)
        return "broadcast";
    if (memcmp(bytes, unspecified, sizeof unspecified) == 0)
        return "unspecified";
    return bytes[0] == 0 ? "reserved" : NULL; /* 0.0.0.0/8: "this network", whichever that is */
}

/*
 * The IPv4 address that one of IPv6 stands for; NULL: it is none's.  IN6_IS_ADDR_V4COMPAT would do for the first one,
 * but is not the same in each libc.
 */
static const unsigned char *v4_inside(const struct in6_addr *six)
{
    static const struct {
        unsigned char prefix[12];
        unsigned char len; /* the address stands behind the prefix */
    } forms[] = {
        {{0}, 12},                                        /* ::127.0.0.1 */
        {{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff}, 12}, /* ::ffff:127.0.0.1 */
        {{0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 0, 0}, 12}, /* ::ffff:0:127.0.0.1, of SIIT */
        {{0x00, 0x64, 0xff, 0x9b}, 12},                   /* 64:ff9b::127.0.0.1, of NAT64 */
        {{0x20, 0x02}, 2},                                /* 2002:7f00:1::, of 6to4 */
    };

    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
        if (memcmp(six->s6_addr, forms[i].prefix, forms[i].len) == 0)
            return six->s6_addr + forms[i].len;
    }
    return NULL;
}

const char *fz_address_kind_of_many(const char *text)
{
    struct in6_addr six;
    unsigned char four[4];

    if (inet_pton(AF_INET, text, four) == 1)
        return kind_of_many_4(four);
    if (inet_pton(AF_INET6, text, &six) != 1)
        return NULL;
    if (IN6_IS_ADDR_LOOPBACK(&six))
        return "loopback";
    const unsigned char *inside = v4_inside(&six);
    if (inside != NULL)
        return kind_of_many_4(inside);
    if (IN6_IS_ADDR_LINKLOCAL(&six))
        return "link-local";
    return IN6_IS_ADDR_MULTICAST(&six) ? "multicast" : NULL;
}

/* ---- the machine ----------------------------------------------------------- */

int fz_machine_id(char ret[FZ_MACHINE_ID_SIZE])
{
    char text[FZ_MACHINE_ID_SIZE];
    size_t len;

    int err = fz_file_read("/etc/machine-id", text, sizeof text, &len);
    if (err != 0)
        return err;
    text[strcspn(text, "\n")] = '\0';
    if (text[0] == '\0' || strcmp(text, "uninitialized") == 0)
        return ENOENT;
    memcpy(ret, text, sizeof text);
    return 0;
}

/* ---- the environment ------------------------------------------------------- */

extern char **environ;

const char *fz_environment(const char *name)
{
    return fz_environment_is_foreign() ? NULL : getenv(name);
}

char *const *fz_environment_untrusted(void)
{
    static char *const none[] = {NULL};

    return environ == NULL ? none : environ;
}

char *const *fz_environment_all(void)
{
    static char *const none[] = {NULL};

    return fz_environment_is_foreign() ? none : fz_environment_untrusted();
}

/* Systems of mandatory access control make such a program without a bit on its file. */
FZ_PRIVATE const char fz_more_rights[FZ_MORE_RIGHTS_SIZE] =
    "has more rights than the user who starts it (set-user-ID, file capabilities, or a transition of SELinux or "
    "AppArmor)";

const char *fz_foreign_variable(const char *beginning)
{
    if (!fz_environment_is_foreign())
        return NULL;
    for (char *const *variable = fz_environment_untrusted(); *variable != NULL; variable++) {
        if (strncmp(*variable, beginning, strlen(beginning)) == 0)
            return *variable;
    }
    return NULL;
}
