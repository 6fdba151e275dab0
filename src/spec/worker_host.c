/* SPDX-License-Identifier: MIT */
/*
 * Worker ids out of what the host is called and where it is.  Numbers of the
 * hashes are konayuki's; unlike there, how many hosts there are must be said,
 * because nobody but the user can know how likely it is that two of them clash.
 */
#include <string.h>

#include "core/crc32.h"
#include "core/sentence.h"
#include "frazil/text.h"
#include "os/fail_errno.h"
#include "os/host.h"
#include "worker_internal.h"

enum { OCTETS = 256, HOSTS_MAX = 65536 };

/* The host's name, or the one that is to stand for it; *ret may point to buf. */
static frazil_err host_name(const struct fz_settings *settings, const char *source, char buf[FZ_HOST_NAME_SIZE],
                            const char **ret, frazil_error *reterr)
{
    *ret = settings->value[FZ_KEY_HOSTNAME];
    if (*ret != NULL)
        return FRAZIL_OK;
    int sys = fz_host_name(buf, FZ_HOST_NAME_SIZE);
    if (sys != 0)
        return fz_fail_errno(reterr, sys, "the host's name cannot be read", NULL, ": give it with hostname=");
    if (buf[0] == '\0')
        return fz_fail(reterr, FRAZIL_EWORKER, "worker=%s: the host has no name: give it one with hostname=", source);
    *ret = buf;
    return FRAZIL_OK;
}

/* An address that every host has says nothing about this one. */
static bool is_everybodys(const char *address)
{
    return strncmp(address, "127.", 4) == 0 || strcmp(address, "::1") == 0 || strcmp(address, "0.0.0.0") == 0 ||
           strcmp(address, "::") == 0;
}

/* The host's primary address, or the one that is to stand for it, as it was written; *ret may point to buf. */
static frazil_err host_address(const struct fz_settings *settings, const char *source, char buf[FZ_ADDRESS_SIZE],
                               const char **ret, frazil_error *reterr)
{
    *ret = settings->value[FZ_KEY_IP];
    if (*ret != NULL && fz_address_version(*ret) == 0)
        return fz_fail(reterr, FRAZIL_ESPEC, "ip=%q: must be an IPv4 address such as 10.0.0.7, or an IPv6 address",
                       *ret);
    if (*ret != NULL)
        return FRAZIL_OK;
    int sys = fz_host_address(buf);
    if (sys != 0)
        return fz_fail_errno(reterr, sys, "the host's address toward the outside cannot be found", NULL,
                             ": give it with ip=");
    if (is_everybodys(buf))
        return fz_fail(reterr, FRAZIL_EWORKER,
                       "worker=%s: the host goes outward from %s, an address that every host has: give its own with "
                       "ip=",
                       source, buf);
    *ret = buf;
    return FRAZIL_OK;
}

/* The number after the last '-' of a name such as a StatefulSet gives its pods: "orders-3". */
frazil_err fz_worker_from_ordinal(const struct fz_worker_space *space, const struct fz_settings *settings,
                                  struct fz_worker_choice *choice, frazil_error *reterr)
{
    char buf[FZ_HOST_NAME_SIZE];
    const char *name;

    frazil_err err = host_name(settings, "ordinal", buf, &name, reterr);
    if (err != FRAZIL_OK)
        return err;
    const char *dash = strrchr(name, '-');
    if (dash == NULL || dash == name || dash[1] == '\0')
        return fz_fail(reterr, FRAZIL_EWORKER,
                       "worker=ordinal: the host's name %q does not end in -N as the pods of a StatefulSet do", name);
    return fz_worker_number(space, "ordinal", dash + 1, strlen(dash + 1), &choice->first, reterr);
}

frazil_err fz_worker_from_last_octet(const struct fz_worker_space *space, const struct fz_settings *settings,
                                     struct fz_worker_choice *choice, frazil_error *reterr)
{
    static const char source[] = "ip-last-octet";
    char buf[FZ_ADDRESS_SIZE];
    const char *address;

    if (space->count < OCTETS)
        return fz_fail(reterr, FRAZIL_ESPEC,
                       "worker=%s gives numbers up to 255, for which %u worker ids are too few: it needs 256", source,
                       space->count);
    frazil_err err = host_address(settings, source, buf, &address, reterr);
    if (err != FRAZIL_OK)
        return err;
    if (fz_address_version(address) != 4)
        return fz_fail(reterr, FRAZIL_EWORKER,
                       "worker=%s: the host's address %q is IPv6, and only IPv4 addresses have octets: give one with "
                       "ip=, or use worker=ip-hash",
                       source, address);
    const char *octet = strrchr(address, '.') + 1;
    return fz_worker_number(space, source, octet, strlen(octet), &choice->first, reterr);
}

/* How many hosts there are, which nobody but the user knows. */
static frazil_err read_expected(const struct fz_worker_space *space, const struct fz_settings *settings,
                                const char *source, uint32_t *ret, frazil_error *reterr)
{
    uint64_t most = space->count < HOSTS_MAX ? space->count : HOSTS_MAX;
    uint64_t hosts = 0;

    if (settings->value[FZ_KEY_EXPECT] == NULL)
        return fz_fail(reterr, FRAZIL_ESPEC,
                       "worker=%s can give two hosts the same number: say with expect=N how many hosts there are, and "
                       "see with `frazil worker --max %u --expect N` how likely that is",
                       source, space->count);
    frazil_err err = fz_config_number(settings, FZ_KEY_EXPECT, 0, UINT64_MAX, &hosts, reterr);
    if (err == FRAZIL_OK && (hosts < 1 || hosts > most))
        err =
            fz_fail(reterr, FRAZIL_ERANGE, "expect=%u: must be from 1 to %u hosts, as there are %u worker ids for them",
                    hosts, most, space->count);
    *ret = (uint32_t)hosts;
    return err;
}

/* CRC-32 modulo the number of workers, which may be 2^32: one more than frazil_worker_hash can be told. */
static frazil_err hash(const struct fz_worker_space *space, const char *text, uint32_t hosts,
                       struct fz_worker_choice *choice)
{
    choice->first = fz_worker_in(space, fz_crc32(text, strlen(text)) % space->count);
    return frazil_worker_collision(hosts, space->count, &choice->collision_ppm);
}

frazil_err fz_worker_from_ip_hash(const struct fz_worker_space *space, const struct fz_settings *settings,
                                  struct fz_worker_choice *choice, frazil_error *reterr)
{
    static const char source[] = "ip-hash";
    char buf[FZ_ADDRESS_SIZE];
    const char *address;
    uint32_t hosts;

    frazil_err err = read_expected(space, settings, source, &hosts, reterr);
    if (err == FRAZIL_OK)
        err = host_address(settings, source, buf, &address, reterr);
    return err == FRAZIL_OK ? hash(space, address, hosts, choice) : err;
}

frazil_err fz_worker_from_hostname_hash(const struct fz_worker_space *space, const struct fz_settings *settings,
                                        struct fz_worker_choice *choice, frazil_error *reterr)
{
    static const char source[] = "hostname-hash";
    char buf[FZ_HOST_NAME_SIZE];
    const char *name;
    uint32_t hosts;

    frazil_err err = read_expected(space, settings, source, &hosts, reterr);
    if (err == FRAZIL_OK)
        err = host_name(settings, source, buf, &name, reterr);
    return err == FRAZIL_OK ? hash(space, name, hosts, choice) : err;
}
