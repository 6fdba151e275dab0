/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: ip-last-octet, ip-hash and hostname-hash give konayuki's
 * numbers, out of the address that the host would use outward and out of its
 * name; what does not suit is refused, and how likely a collision is is known.
 *
 * The functions of libc that know the host are replaced by ones that a test can
 * set, so that it is the same everywhere; one test asks the real host.
 */
#define _GNU_SOURCE /* RTLD_NEXT */
#include <arpa/inet.h>
#include <dlfcn.h>
#include <errno.h>
#include <ifaddrs.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "frazil/extras.h"
#include "lib/rig.h"
#include "lib/scratch.h"
#include "lib/test.h"
#include "lib/tsv.h"
#include "os/host.h"

/* ---- the host, as the tests want it ------------------------------------------- */

/* The behaviour of one version of IP: the errno that a call fails with, or the local address. */
struct fake_ip {
    int socket_errno;
    int connect_errno;
    int getsockname_errno;
    const char *local;
};

static struct {
    bool is_fake;
    struct fake_ip v4;
    struct fake_ip v6;
    const char *name; /* the result of gethostname; NULL: it fails with EPERM */
    char asked[2][INET6_ADDRSTRLEN];
    unsigned connects;
    unsigned sends;
} host;

static const struct fake_ip *fake_of(int family)
{
    return family == AF_INET ? &host.v4 : &host.v6;
}

static int fails(int code)
{
    errno = code;
    return -1;
}

int socket(int family, int type, int protocol)
{
    int (*const real)(int, int, int) = (int (*)(int, int, int))dlsym(RTLD_NEXT, "socket");

    if (host.is_fake) {
        assert_int_equal(type & SOCK_DGRAM, SOCK_DGRAM);
#if !defined(FRAZIL_PORTABLE) /* which says it in a second call */
        assert_int_equal(type & SOCK_CLOEXEC, SOCK_CLOEXEC);
#endif
        if (fake_of(family)->socket_errno != 0)
            return fails(fake_of(family)->socket_errno);
    }
    return real(family, type, protocol);
}

int connect(int fd, const struct sockaddr *address, socklen_t size)
{
    int (*const real)(int, const struct sockaddr *, socklen_t) =
        (int (*)(int, const struct sockaddr *, socklen_t))dlsym(RTLD_NEXT, "connect");

    if (!host.is_fake)
        return real(fd, address, size);
    const void *ip = address->sa_family == AF_INET ? (const void *)&((const struct sockaddr_in *)address)->sin_addr
                                                   : (const void *)&((const struct sockaddr_in6 *)address)->sin6_addr;
    assert_non_null(inet_ntop(address->sa_family, ip, host.asked[host.connects++ % 2], INET6_ADDRSTRLEN));
    const int code = fake_of(address->sa_family)->connect_errno;
    return code == 0 ? 0 : fails(code);
}

int getsockname(int fd, struct sockaddr *address, socklen_t *size)
{
    int (*const real)(int, struct sockaddr *, socklen_t *) =
        (int (*)(int, struct sockaddr *, socklen_t *))dlsym(RTLD_NEXT, "getsockname");
    const bool is_v4 = address->sa_family == AF_INET;

    if (!host.is_fake)
        return real(fd, address, size);
    const struct fake_ip *fake = is_v4 ? &host.v4 : &host.v6;
    if (fake->getsockname_errno != 0)
        return fails(fake->getsockname_errno);
    void *ip = is_v4 ? (void *)&((struct sockaddr_in *)address)->sin_addr
                     : (void *)&((struct sockaddr_in6 *)address)->sin6_addr;
    assert_int_equal(inet_pton(is_v4 ? AF_INET : AF_INET6, fake->local, ip), 1);
    return 0;
}

/* Nothing may be sent. */
ssize_t send(int fd, const void *bytes, size_t len, int flags)
{
    (void)fd, (void)bytes, (void)flags;
    host.sends++;
    return (ssize_t)len;
}

int gethostname(char *buf, size_t size)
{
    int (*const real)(char *, size_t) = (int (*)(char *, size_t))dlsym(RTLD_NEXT, "gethostname");

    if (!host.is_fake)
        return real(buf, size);
    if (host.name == NULL)
        return fails(EPERM);
    snprintf(buf, size, "%s", host.name);
    return 0;
}

/* A host with an address of each kind and a name. */
static void make_host(void)
{
    memset(&host, 0, sizeof host);
    host.is_fake = true;
    host.v4.local = "10.64.179.67";
    host.v6.local = "2001:db8:17::5";
    host.name = "app-240";
}

BEFORE_EACH
{
    make_host();
}

/* ---- the address ---------------------------------------------------------------- */

TEST("A host with both is known by its IPv4 address, toward an address that is nobody's; nothing is sent, nothing is "
     "left open")
{
    char address[FZ_ADDRESS_SIZE];
    const unsigned fds = scratch_open_fds();

    assert_int_equal(fz_host_address(address), 0);
    assert_string_equal(address, "10.64.179.67");
    assert_int_equal(host.connects, 1);
    assert_string_equal(host.asked[0], "192.0.2.1");
    assert_int_equal(host.sends, 0);
    assert_int_equal(scratch_open_fds(), fds);
}

TEST("Without a way out over IPv4, in whichever way that shows, IPv6 is asked")
{
    static const int no_route[] = {ENETUNREACH, EHOSTUNREACH, EADDRNOTAVAIL, EAFNOSUPPORT};
    char address[FZ_ADDRESS_SIZE];

    for (size_t i = 0; i < sizeof no_route / sizeof no_route[0]; i++) {
        make_host();
        host.v4.connect_errno = no_route[i];
        assert_int_equal(fz_host_address(address), 0);
        assert_string_equal(address, "2001:db8:17::5");
        assert_int_equal(host.connects, 2);
        assert_string_equal(host.asked[1], "2001:db8::1");
    }
    make_host();
    host.v4.socket_errno = EAFNOSUPPORT;
    assert_int_equal(fz_host_address(address), 0);
    assert_string_equal(address, "2001:db8:17::5");
}

TEST("Each call that fails is the reason given, no descriptor is left, and what is no matter of routes is not tried "
     "again")
{
    static const struct {
        struct fake_ip v4;
        struct fake_ip v6;
        int right;
    } rows[] = {
        {{.socket_errno = EMFILE}, {.local = "::2"}, EMFILE},
        {{.connect_errno = EACCES}, {.local = "::2"}, EACCES},
        {{.getsockname_errno = ENOBUFS}, {.local = "::2"}, ENOBUFS},
        {{.connect_errno = ENETUNREACH}, {.connect_errno = EADDRNOTAVAIL}, EADDRNOTAVAIL},
        {{.connect_errno = ENETUNREACH}, {.socket_errno = EAFNOSUPPORT}, EAFNOSUPPORT},
        {{.connect_errno = ENETUNREACH}, {.getsockname_errno = ENOMEM}, ENOMEM},
    };
    const unsigned fds = scratch_open_fds();

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char address[FZ_ADDRESS_SIZE] = "untouched";
        make_host();
        host.v4 = rows[i].v4;
        host.v6 = rows[i].v6;
        assert_int_equal(fz_host_address(address), rows[i].right);
        assert_string_equal(address, "untouched");
        assert_open_refused("worker=ip-last-octet", NULL, FRAZIL_ESYS,
                            rows[i].right == EMFILE ? "open files (ulimit -n)" : ": give it with ip=");
    }
    assert_int_equal(scratch_open_fds(), fds);
}

TEST("The real host's address is one of its interfaces', or there is no route")
{
    char address[FZ_ADDRESS_SIZE];
    struct ifaddrs *interfaces;
    bool found = false;

    host.is_fake = false;
    const int sys = fz_host_address(address);
    if (sys != 0) {
        assert_true(sys == ENETUNREACH || sys == EHOSTUNREACH || sys == EADDRNOTAVAIL || sys == EAFNOSUPPORT);
        return;
    }
    assert_int_equal(getifaddrs(&interfaces), 0);
    for (const struct ifaddrs *at = interfaces; at != NULL; at = at->ifa_next) {
        char text[INET6_ADDRSTRLEN] = "";
        if (at->ifa_addr == NULL || (at->ifa_addr->sa_family != AF_INET && at->ifa_addr->sa_family != AF_INET6))
            continue;
        const void *ip = at->ifa_addr->sa_family == AF_INET
                             ? (const void *)&((const struct sockaddr_in *)(const void *)at->ifa_addr)->sin_addr
                             : (const void *)&((const struct sockaddr_in6 *)(const void *)at->ifa_addr)->sin6_addr;
        assert_non_null(inet_ntop(at->ifa_addr->sa_family, ip, text, sizeof text));
        found = found || strcmp(text, address) == 0;
    }
    freeifaddrs(interfaces);
    assert_true(found);
}

TEST("An address and its version are told from other text")
{
    static const char *const v4[] = {"10.0.0.7", "0.0.0.0", "255.255.255.255"};
    static const char *const v6[] = {"::", "2001:db8::1", "2001:DB8::1", "::ffff:10.0.0.7",
                                     "17cd:a93:4423:eee:c950:8a2d:46b8:facb"};
    static const char *const none[] = {"",          "10",        "10.0.0",      "10.0.0.256", "10.0.0.7.1",
                                       "010.0.0.7", "10.0.0.7 ", " 10.0.0.7",   "10.0.0.x",   "app-240",
                                       "2001:db8",  "1::2::3",   "fe80::1%eth0"};

    for (size_t i = 0; i < sizeof v4 / sizeof v4[0]; i++)
        assert_int_equal(fz_address_version(v4[i]), 4);
    for (size_t i = 0; i < sizeof v6 / sizeof v6[0]; i++)
        assert_int_equal(fz_address_version(v6[i]), 6);
    for (size_t i = 0; i < sizeof none / sizeof none[0]; i++)
        assert_int_equal(fz_address_version(none[i]), 0);
}

/* ---- the sources ------------------------------------------------------------------ */

TEST("Every number that konayuki computed, for names and for addresses of both kinds, given as overrides")
{
    struct tsv *tsv = tsv_open("workerhash.tsv");
    unsigned addresses = 0;

    while (tsv_next(tsv)) {
        const char *hint = tsv_text(tsv, "hint");
        const uint64_t workers = tsv_u64(tsv, "max_workers");
        const bool is_address = fz_address_version(hint) != 0;
        char spec[256];

        snprintf(spec, sizeof spec, "layout=41/12/10 worker=hostname-hash expect=1 hostname=%s count=%llu", hint,
                 (unsigned long long)workers);
        assert_int_equal(info_of_spec(spec).worker, tsv_u64(tsv, "worker"));
        snprintf(spec, sizeof spec, "layout=41/12/10 worker=ip-hash expect=1 ip=%s count=%llu", hint,
                 (unsigned long long)workers);
        if (is_address)
            assert_int_equal(info_of_spec(spec).worker, tsv_u64(tsv, "worker"));
        else
            assert_open_refused(spec, NULL, FRAZIL_ESPEC, "must be an IPv4 address such as 10.0.0.7");
        addresses += is_address;
    }
    assert_int_equal(tsv_close(tsv), 120);
    assert_in_range(addresses, 30, 119);
}

TEST("The host's own name and address, with base, count and datacenter")
{
    static const struct {
        const char *spec;
        uint32_t worker;
    } rows[] = {
        {"worker=hostname-hash expect=5 count=256", 103},
        {"worker=hostname-hash expect=5 count=256 base=512", 512 + 103},
        {"worker=hostname-hash expect=5 count=256 hostname=app-1175", 103},
        {"layout=41/4+8/10 worker=hostname-hash expect=5 datacenter=3", 3 * 256 + 103},
        {"layout=sno worker=hostname-hash expect=5 count=256", 103},
        {"layout='31/32/1 epoch=2025-01-01T00:00:00Z tick=1s' worker=hostname-hash expect=5 hostname=123456789",
         UINT32_C(0xcbf43926)},
        {"worker=ip-hash expect=5 count=256", 64},
        {"worker=ip-hash expect=5 ip=10.202.198.91 count=1000", 976},
        {"worker=ip-last-octet", 67},
        {"worker=ip-last-octet ip=10.0.0.0", 0},
        {"worker=ip-last-octet ip=10.0.0.255 count=256", 255},
        {"worker=ip-last-octet ip=10.0.1.255 base=768", 1023},
        {"layout=41/4+8/10 worker=ip-last-octet datacenter=3", 3 * 256 + 67},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        assert_int_equal(info_of_spec(rows[i].spec).worker, rows[i].worker);
}

TEST("The hash's modulus is konayuki's max_workers: `count`, and what base leaves of the layout where that is not said")
{
    /* So dividing the numbers gives most hosts another one. */
    static const uint32_t crc_of_app_3 = UINT32_C(3259259605); /* CRC-32 (IEEE), by Python's zlib */
    const struct {
        const char *spec;
        uint32_t worker;
    } rows[] = {
        {"", crc_of_app_3 % 1024},
        {"count=1024", crc_of_app_3 % 1024},
        {"count=512", crc_of_app_3 % 512},
        {"count=512 base=512", 512 + crc_of_app_3 % 512},
        {"base=512", 512 + crc_of_app_3 % 512},
        {"base=1", 1 + crc_of_app_3 % 1023},
        {"count=1", 0},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char spec[128];
        uint32_t hashed;
        snprintf(spec, sizeof spec, "worker=hostname-hash expect=1 hostname=app-3 %s", rows[i].spec);
        assert_int_equal(info_of_spec(spec).worker, rows[i].worker);
        assert_int_equal(frazil_worker_hash("app-3", 5, 512, &hashed), FRAZIL_OK);
        assert_int_equal(hashed, crc_of_app_3 % 512);
    }
}

TEST("How likely a collision is can be read for the hashes, of the numbers that are left to them; others have none to "
     "tell")
{
    static const struct {
        const char *spec;
        uint32_t ppm;
    } rows[] = {
        {"worker=hostname-hash expect=1", 0},
        {"worker=hostname-hash expect=20", 170338},
        {"worker=hostname-hash expect=20 base=24 count=1000", 174072},
        {"worker=hostname-hash expect=3 count=3", 777778},
        {"worker=ip-hash expect=50 ip=10.0.0.7", 703600},
        {"worker=ip-last-octet", 0},
        {"worker=fixed:1", 0},
        {"worker=ordinal", 0},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        assert_int_equal(info_of_spec(rows[i].spec).collision_ppm, rows[i].ppm);
}

TEST("An address of an IPv6-only host hashes as it is written, and has no last octet")
{
    uint32_t right;

    host.v4.connect_errno = ENETUNREACH;
    assert_int_equal(frazil_worker_hash(host.v6.local, strlen(host.v6.local), 1024, &right), FRAZIL_OK);
    assert_int_equal(info_of_spec("worker=ip-hash expect=2").worker, right);
    assert_open_refused("worker=ip-last-octet", NULL, FRAZIL_EWORKER,
                        "the host's address '2001:db8:17::5' is IPv6, and only IPv4 addresses have octets");
}

TEST("Settings that do not suit, with the sentence that says why and how")
{
    static const struct {
        const char *spec;
        frazil_err code;
        const char *why;
    } rows[] = {
        {"worker=hostname-hash", FRAZIL_ESPEC, "worker=hostname-hash can give two hosts the same number: set expect=N"},
        {"worker=ip-hash", FRAZIL_ESPEC, "worker=ip-hash can give two hosts the same number: set expect=N to the"},
        {"worker=ip-hash count=100", FRAZIL_ESPEC, "`frazil worker --max 100 --expect N` shows how likely that is"},
        {"worker=hostname-hash expect=0", FRAZIL_ERANGE, "expect=0: must be from 1 to 1024 hosts, as there are 1024"},
        {"worker=hostname-hash expect=1025", FRAZIL_ERANGE, "expect=1025: must be from 1 to 1024 hosts"},
        {"worker=ip-hash expect=5 count=4", FRAZIL_ERANGE,
         "expect=5: must be from 1 to 4 hosts, as there are 4 worker"},
        {"layout=41/20/2 worker=ip-hash expect=65537", FRAZIL_ERANGE, "expect=65537: must be from 1 to 65536 hosts"},
        {"worker=ip-hash expect=18446744073709551615", FRAZIL_ERANGE, "must be from 1 to 1024 hosts"},
        {"worker=ip-hash expect=many", FRAZIL_ESPEC, "expect='many': must be a whole number"},
        {"worker=ip-hash expect=-1", FRAZIL_ESPEC, "expect='-1': must be a whole number"},
        {"worker=ip-hash expect=''", FRAZIL_ESPEC, "the value of expect is empty"},
        {"worker=ip-hash expect=5 ip=''", FRAZIL_ESPEC, "the value of ip is empty"},
        {"worker=ip-hash expect=5 ip=localhost", FRAZIL_ESPEC, "ip='localhost': must be an IPv4 address such as"},
        {"worker=ip-hash expect=5 ip=10.0.0.256", FRAZIL_ESPEC, "ip='10.0.0.256': must be an IPv4 address"},
        {"worker=ip-last-octet ip=10.0.0", FRAZIL_ESPEC, "ip='10.0.0': must be an IPv4 address"},
        {"worker=ip-last-octet ip=::ffff:10.0.0.7", FRAZIL_EWORKER, "is IPv6, and only IPv4 addresses have octets"},
        {"worker=ip-last-octet count=255", FRAZIL_ESPEC, "gives numbers up to 255: it needs 256 worker ids, not 255"},
        {"worker=ip-last-octet base=769", FRAZIL_ESPEC, "up to 255: it needs 256 worker ids, not 255"},
        {"layout=twitter worker=ip-last-octet datacenter=1", FRAZIL_ESPEC, "it needs 256 worker ids, not 32"},
        {"worker=hostname-hash expect=5 hostname=''", FRAZIL_ESPEC, "the value of hostname is empty"},
        {"worker=hostname-hash:5", FRAZIL_ESPEC, "worker='hostname-hash:5' is not a source"},
        {"worker=ip", FRAZIL_ESPEC, "worker='ip' is not a source"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        assert_open_refused(rows[i].spec, NULL, rows[i].code, rows[i].why);
}

TEST("An address or a name that other hosts have as well is refused, whether it was found or given")
{
    static const char *const addresses[] = {"127.0.0.1",       "127.255.0.3",  "0.0.0.0",         "169.254.0.1",
                                            "169.254.255.254", "224.0.0.1",    "239.255.255.255", "255.255.255.255",
                                            "0.0.0.7",         "0.255.255.255"};
    static const char *const sixes[] = {"::1",
                                        "::",
                                        "fe80::1",
                                        "febf::1:2",
                                        "::ffff:127.0.0.1",
                                        "::ffff:169.254.1.1",
                                        "::127.0.0.1",
                                        "::255.255.255.255",
                                        "ff02::1",
                                        "64:ff9b::7f00:1",
                                        "64:ff9b::169.254.1.1",
                                        "2002:7f00:1::",
                                        "2002:a9fe:101::5",
                                        "::ffff:0:127.0.0.1",
                                        "::0.0.0.7"};
    static const char *const names[] = {"localhost",     "LocalHost",    "localhost.localdomain",
                                        "(none)",        "localhost.",   "localhost.localdomain.",
                                        "ip6-localhost", "ip6-loopback", "db.localhost",
                                        "db.LOCALHOST.", "loopback",     "localdomain",
                                        "LocalDomain.",  "127.0.0.1",    "0.0.0.0",
                                        "::1",           "169.254.1.1"};
    char spec[128];

    for (size_t i = 0; i < sizeof addresses / sizeof addresses[0]; i++) {
        host.v4.local = addresses[i];
        assert_open_refused("worker=ip-hash expect=2", NULL, FRAZIL_EWORKER, "the host's outgoing address is ");
        assert_open_refused("worker=ip-last-octet", NULL, FRAZIL_EWORKER, "so give the host's own with ip=");
        snprintf(spec, sizeof spec, "worker=ip-hash expect=2 ip=%s", addresses[i]);
        assert_open_refused(spec, NULL, FRAZIL_EWORKER, "the address given is ");
        snprintf(spec, sizeof spec, "worker=ip-last-octet ip=%s", addresses[i]);
        assert_open_refused(spec, NULL, FRAZIL_EWORKER, "other hosts have it too");
    }
    host.v4.connect_errno = ENETUNREACH;
    for (size_t i = 0; i < sizeof sixes / sizeof sixes[0]; i++) {
        host.v6.local = sixes[i];
        assert_open_refused("worker=ip-hash expect=2", NULL, FRAZIL_EWORKER, "the host's outgoing address is ");
        snprintf(spec, sizeof spec, "worker=ip-hash expect=2 ip=%s", sixes[i]);
        assert_open_refused(spec, NULL, FRAZIL_EWORKER, "the address given is ");
    }
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        host.name = names[i];
        assert_open_refused("worker=hostname-hash expect=2", NULL, FRAZIL_EWORKER, "other hosts may also be called ");
        snprintf(spec, sizeof spec, "worker=hostname-hash expect=2 hostname=%s", names[i]);
        assert_open_refused(spec, NULL, FRAZIL_EWORKER, "other hosts may also be called ");
    }
}

TEST("Addresses and names near to those are hosts' own")
{
    static const char *const own[] = {"126.255.255.255", "128.0.0.1",       "169.253.0.1",     "169.255.0.1",
                                      "10.0.0.1",        "1.0.0.0",         "fec0::1",         "64:ff9b::10.0.0.7",
                                      "2002:a00:7::1",   "2003:7f00:1::",   "64:ff9c::7f00:1", "2001:db8::1",
                                      "fd00::1",         "::ffff:10.0.0.7", "192.168.0.1",     "223.255.255.255",
                                      "240.0.0.1",       "255.255.255.254", "::10.0.0.7",      "fe00::1"};
    static const char *const names[] = {"localhost-1", "localhosts", "db-localhost", "localhost.example", "none"};
    char spec[128];

    for (size_t i = 0; i < sizeof own / sizeof own[0]; i++) {
        snprintf(spec, sizeof spec, "worker=ip-hash expect=2 ip=%s", own[i]);
        (void)info_of_spec(spec);
    }
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        snprintf(spec, sizeof spec, "worker=hostname-hash expect=2 hostname=%s", names[i]);
        (void)info_of_spec(spec);
    }
}

TEST("A name that is empty or cannot be had is not hashed")
{
    host.name = "";
    assert_open_refused("worker=hostname-hash expect=2", NULL, FRAZIL_EWORKER,
                        "the host has no name: give it one with");
    assert_open_refused("worker=ordinal", NULL, FRAZIL_EWORKER, "worker=ordinal: the host has no name");
    host.name = NULL;
    assert_open_refused("worker=hostname-hash expect=2", NULL, FRAZIL_ESYS, "the host's name cannot be read");
}

TEST("expect, ip and hostname come from the environment as all keys do")
{
    assert_int_equal(setenv("FRAZIL_WORKER", "ip-hash", 1), 0);
    assert_int_equal(setenv("FRAZIL_EXPECT", "5", 1), 0);
    assert_int_equal(setenv("FRAZIL_IP", "10.202.198.91", 1), 0);
    assert_int_equal(info_of_spec("count=1000").worker, 976);
    assert_int_equal(info_of_spec("").collision_ppm, 9733);
    assert_int_equal(unsetenv("FRAZIL_WORKER"), 0);
    assert_int_equal(unsetenv("FRAZIL_EXPECT"), 0);
    assert_int_equal(unsetenv("FRAZIL_IP"), 0);
}

TEST("A key that the source has no use for is refused where a person wrote it for this source")
{
    static const struct {
        const char *spec;
        const char *why;
    } rows[] = {
        {"worker=fixed:3 hostname=x", "hostname='x' has no effect with worker=fixed:3: it is for worker=ordinal and"},
        {"worker=fixed:3 ip=10.0.0.1", "ip='10.0.0.1' has no effect with worker=fixed:3: it is for worker=ip-hash and"},
        {"worker=fixed:3 expect=0", "expect='0' has no effect with worker=fixed:3: it is for worker=ip-hash and"},
        {"worker=fixed:3 horizon=60s", "horizon='60s' has no effect with worker=fixed:3: it is for worker=URL"},
        {"worker=fixed:3 workers=4", "workers='4' has no effect with worker=fixed:3: it is for worker=URL"},
        {"worker=fixed:3 max_skew=1s", "max_skew='1s' has no effect with worker=fixed:3: it is for worker=URL and"},
        {"worker=fixed:3 on_loss=stop", "on_loss='stop' has no effect with worker=fixed:3: it is for worker=URL"},
        {"worker=file-lock hostname=x", "hostname='x' has no effect with worker=file-lock"},
        {"worker=ordinal ip=10.0.0.1", "ip='10.0.0.1' has no effect with worker=ordinal"},
        {"worker=ordinal expect=3", "expect='3' has no effect with worker=ordinal"},
        {"worker=ip-hash expect=2 hostname=x", "hostname='x' has no effect with worker=ip-hash"},
        {"worker=hostname-hash expect=2 ip=10.0.0.1", "ip='10.0.0.1' has no effect with worker=hostname-hash"},
        {"worker=ip-last-octet expect=2", "expect='2' has no effect with worker=ip-last-octet"},
        {"layout=sno worker=auto max_skew=1s", "max_skew='1s' has no effect with worker=auto"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        assert_open_refused(rows[i].spec, NULL, FRAZIL_ESPEC, rows[i].why);
}

TEST("Worker ids that the namespace is said not to have are refused before a coordinator is asked")
{
    static const struct {
        const char *spec;
        const char *why;
    } rows[] = {
        {"worker=redis://h/n base=10 workers=10",
         "workers=10 says that the namespace has worker ids 0 to 9, but base and count ask for 10 to 10"},
        {"worker=redis://h/n base=3 count=8 workers=10", "ask for 3 to 10: choose them within that range"},
        {"worker=redis://h/n layout=41/5+5/12 datacenter=3 workers=100",
         "ask for 96 to 127: choose them within that range"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        assert_open_refused(rows[i].spec, NULL, FRAZIL_ESPEC, rows[i].why);
}

TEST("In the environment it is for all programs of a fleet, and no error for the one that does not need it")
{
    static const char *const keys[][2] = {{"FRAZIL_HOSTNAME", "web-1"}, {"FRAZIL_IP", "10.0.0.1"},
                                          {"FRAZIL_EXPECT", "20"},      {"FRAZIL_HORIZON", "60s"},
                                          {"FRAZIL_WORKERS", "64"},     {"FRAZIL_MAX_SKEW", "1s"}};

    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        assert_int_equal(setenv(keys[i][0], keys[i][1], 1), 0);
        assert_int_equal(info_of_spec("worker=fixed:3").worker, 3);
        assert_int_equal(unsetenv(keys[i][0]), 0);
    }
}
