/* SPDX-License-Identifier: MIT */
/*
 * The table of sources, and the function of each.  Nothing is guessed, masked or wrapped: a source that gives no
 * number, or one outside its range, is an error that says so.
 *
 * Numbers of the hashes are konayuki's; unlike there, how many hosts there are must be said, because nobody but the
 * user can know how likely it is that two of them clash.
 */
#include <string.h>
#include <strings.h>

#include "coordinators.h"
#include "core/collision.h"
#include "core/crc32.h"
#include "core/decimal.h"
#include "core/sentence.h"
#include "os/fail_errno.h"
#include "os/host.h"
#include "worker_ask.h"

/* ---- the table ------------------------------------------------------------- */

static const struct fz_worker_source sources[] = {
#define SOURCE_ROW(function, name, argument, verdict, keys, words)                                                     \
    {name, argument, FZ_VERDICT_##verdict, keys, fz_worker_from_##function},
    FZ_WORKER_SOURCES(SOURCE_ROW)
#undef SOURCE_ROW
};
enum { SOURCE_COUNT = sizeof sources / sizeof sources[0] };

#define SOURCE_WORDS(function, name, argument, verdict, keys, words) ", " words
static const char words_behind_commas[] = FZ_WORKER_SOURCES(SOURCE_WORDS);
#undef SOURCE_WORDS

const char *fz_worker_sources_in_words(void)
{
    return words_behind_commas + strlen(", ");
}

const struct fz_worker_source *fz_worker_source_at(size_t i)
{
    return i < SOURCE_COUNT ? &sources[i] : NULL;
}

const struct fz_worker_source *fz_worker_source_of(const char *given, const char **ret_argument)
{
    for (size_t i = 0; i < SOURCE_COUNT; i++) {
        const struct fz_worker_source *source = &sources[i];
        size_t len = strlen(source->name);
        bool takes_argument = source->argument[0] == ':';
        if (len == 0 ? !fz_is_url(given) : strncmp(given, source->name, len) != 0)
            continue;
        if (len > 0 && given[len] != (takes_argument ? ':' : '\0'))
            continue;
        *ret_argument = given + len + (takes_argument ? 1 : 0);
        return source;
    }
    return NULL;
}

/* ---- numbers ----------------------------------------------------------------- */

uint32_t fz_worker_in(const struct fz_worker_space *space, uint64_t number)
{
    return (uint32_t)(space->high + space->base + number);
}

/* Turns the text that a source gave into a worker.  FRAZIL_EWORKER: no number, or not below count. */
static frazil_err read_worker(const struct fz_worker_ask *ask, const char *text, size_t len, uint32_t *ret,
                              frazil_error *reterr)
{
    uint64_t number;

    if (!fz_decimal_parse(text, len, &number))
        return fz_fail(reterr, FRAZIL_EWORKER,
                       "worker=%v gives %Q: must be a whole number from 0 to %u, without sign or leading zero",
                       ask->given, text, len, ask->space.count - 1);
    if (number >= ask->space.count)
        return fz_fail(reterr, FRAZIL_EWORKER, "worker=%v gives %u: must be from 0 to %u", ask->given, number,
                       ask->space.count - 1);
    *ret = fz_worker_in(&ask->space, number);
    return FRAZIL_OK;
}

/* ---- given at the program's start --------------------------------------------- */

frazil_err fz_worker_from_fixed(const struct fz_worker_ask *ask, struct fz_worker_choice *choice, frazil_error *reterr)
{
    return read_worker(ask, ask->argument, strlen(ask->argument), &choice->first, reterr);
}

/* Whether it is made of what people write numbers of, and so no password that stands in the wrong place. */
static bool looks_like_number(const char *text)
{
    const size_t longest = 20; /* the digits of 2^64 */

    return strlen(text) <= longest && text[strspn(text, "0123456789+-., \n")] == '\0';
}

frazil_err fz_worker_from_env(const struct fz_worker_ask *ask, struct fz_worker_choice *choice, frazil_error *reterr)
{
    const char *name = ask->argument;
    const char *text = fz_environment(name);

    if (name[0] == '\0')
        return fz_fail(reterr, FRAZIL_ESPEC, "worker=env: names no variable: write worker=env:NAME");
    if (strchr(name, '=') != NULL)
        return fz_fail(reterr, FRAZIL_ESPEC,
                       "worker=%q: no environment variable has a '=' in its name: write worker=env:NAME, without a "
                       "value",
                       ask->given);
    if (fz_environment_is_foreign())
        return fz_fail(reterr, FRAZIL_EWORKER,
                       "worker=%v: this program does not read the environment, as it %s: use another source",
                       ask->given, fz_more_rights);
    if (text == NULL || text[0] == '\0')
        return fz_fail(reterr, FRAZIL_EWORKER,
                       "worker=%v: the environment variable is %s: it must hold a number from 0 to %u", ask->given,
                       text == NULL ? "not set" : "empty", ask->space.count - 1);
    /* The name of the wrong variable may have been given, and its value be anything. */
    if (!looks_like_number(text))
        return fz_fail(
            reterr, FRAZIL_EWORKER,
            "worker=%v: the environment variable holds %u character%s and no number: it must hold one from 0 to %u",
            ask->given, (uint64_t)strlen(text), text[1] == '\0' ? "" : "s", ask->space.count - 1);
    return read_worker(ask, text, strlen(text), &choice->first, reterr);
}

/* ---- given by a source that knows which are taken ----------------------------- */

/* All numbers of the space: each process takes one that is free. */
static void take_any(const struct fz_worker_ask *ask, struct fz_worker_choice *choice)
{
    choice->first = fz_worker_in(&ask->space, 0);
    choice->count = ask->space.count > UINT32_MAX ? UINT32_MAX : (uint32_t)ask->space.count;
}

frazil_err fz_worker_from_file_lock(const struct fz_worker_ask *ask, struct fz_worker_choice *choice,
                                    frazil_error *reterr)
{
    (void)reterr;
    take_any(ask, choice);
    choice->lock = true;
    return FRAZIL_OK;
}

/* Any number of the space that the coordinator has; how many these are is its own affair unless something limits it. */
frazil_err fz_worker_from_url(const struct fz_worker_ask *ask, struct fz_worker_choice *choice, frazil_error *reterr)
{
    bool limited = fz_is_given(ask->values, FZ_KEY_COUNT) || fz_is_given(ask->values, FZ_KEY_DATACENTER);

    (void)reterr;
    take_any(ask, choice);
    choice->count = limited ? choice->count : 0;
    choice->url = ask->given;
    return FRAZIL_OK;
}

frazil_err fz_worker_from_auto(const struct fz_worker_ask *ask, struct fz_worker_choice *choice, frazil_error *reterr)
{
    if (ask->values->layout.kind != FRAZIL_LAYOUT_SNO)
        return fz_fail(reterr, FRAZIL_ESPEC, "worker=auto is for layout=sno alone: use %s",
                       fz_worker_sources_in_words());
    if (fz_is_given(ask->values, FZ_KEY_BASE) || fz_is_given(ask->values, FZ_KEY_COUNT))
        return fz_fail(reterr, FRAZIL_ESPEC,
                       "base and count cannot be combined with worker=auto, which uses all partitions");
    choice->in_process = true; /* drawn by the process that opens */
    return FRAZIL_OK;
}

/* ---- out of what the host is called and where it is ---------------------------- */

enum { OCTETS = 256, HOSTS_MAX = 65536 };

/* The host's name, or the one that is to stand for it; *ret may point to buf. */
static frazil_err host_name(const struct fz_worker_ask *ask, char buf[FZ_HOST_NAME_SIZE], const char **ret,
                            frazil_error *reterr)
{
    *ret = fz_given_text(ask->values, FZ_KEY_HOSTNAME);
    if (*ret != NULL)
        return FRAZIL_OK;
    int sys = fz_host_name(buf, FZ_HOST_NAME_SIZE);
    if (sys != 0)
        return fz_fail_errno(reterr, sys, "the host's name cannot be read", NULL, ": give it with hostname=");
    if (buf[0] == '\0')
        return fz_fail(reterr, FRAZIL_EWORKER,
                       "worker=%s: the host has no name: give it one with hostname=", ask->given);
    *ret = buf;
    return FRAZIL_OK;
}

/* The host's primary address, or the one that is to stand for it, as it was written; *ret may point to buf. */
static frazil_err host_address(const struct fz_worker_ask *ask, char buf[FZ_ADDRESS_SIZE], const char **ret,
                               frazil_error *reterr)
{
    const char *given = fz_given_text(ask->values, FZ_KEY_IP);

    if (given != NULL && fz_address_version(given) == 0)
        return fz_fail(reterr, FRAZIL_ESPEC, "ip=%q: must be an IPv4 address such as 10.0.0.7, or an IPv6 address",
                       given);
    int sys = given == NULL ? fz_host_address(buf) : 0;
    if (sys != 0)
        return fz_fail_errno(reterr, sys, "the host's outgoing address cannot be found", NULL, ": give it with ip=");
    const char *address = given == NULL ? buf : given;
    const char *kind = fz_address_kind_of_many(address);
    if (kind != NULL)
        return fz_fail(
            reterr, FRAZIL_EWORKER,
            "worker=%s: %s %s, which is %s: other hosts have it too, so give the host's own with ip=", ask->given,
            given == NULL ? "the host's outgoing address is" : "the address given is", address, kind);
    *ret = address;
    return FRAZIL_OK;
}

/* The number after the last '-' of a name such as a StatefulSet gives its pods: "orders-3". */
frazil_err fz_worker_from_ordinal(const struct fz_worker_ask *ask, struct fz_worker_choice *choice,
                                  frazil_error *reterr)
{
    char buf[FZ_HOST_NAME_SIZE];
    const char *name;

    frazil_err err = host_name(ask, buf, &name, reterr);
    if (err != FRAZIL_OK)
        return err;
    /* Behind the first label of a full name stands its domain. */
    size_t end = strcspn(name, ".");
    size_t digits = end;
    while (digits > 0 && name[digits - 1] != '-')
        digits--;
    if (digits < 2 || digits == end)
        return fz_fail(
            reterr, FRAZIL_EWORKER,
            "worker=ordinal: the host's name %q does not end in -N as the pods of a StatefulSet do: elsewhere "
            "write worker=fixed:N, or give such a name in hostname=",
            name);
    return read_worker(ask, name + digits, end - digits, &choice->first, reterr);
}

frazil_err fz_worker_from_ip_last_octet(const struct fz_worker_ask *ask, struct fz_worker_choice *choice,
                                        frazil_error *reterr)
{
    char buf[FZ_ADDRESS_SIZE];
    const char *address = "";

    if (ask->space.count < OCTETS)
        return fz_fail(reterr, FRAZIL_ESPEC, "worker=%s gives numbers up to 255: it needs 256 worker ids, not %u",
                       ask->given, ask->space.count);
    frazil_err err = host_address(ask, buf, &address, reterr);
    if (err != FRAZIL_OK)
        return err;
    if (fz_address_version(address) != 4)
        return fz_fail(reterr, FRAZIL_EWORKER,
                       "worker=%s: the host's address %q is IPv6, and only IPv4 addresses have octets: give one with "
                       "ip=, or use worker=ip-hash",
                       ask->given, address);
    const char *octet = strrchr(address, '.') + 1;
    return read_worker(ask, octet, strlen(octet), &choice->first, reterr);
}

/* How many hosts there are, which nobody but the user knows. */
static frazil_err read_expected(const struct fz_worker_ask *ask, struct fz_worker_choice *choice, frazil_error *reterr)
{
    uint64_t most = ask->space.count < HOSTS_MAX ? ask->space.count : HOSTS_MAX;
    uint64_t hosts = 0;

    if (!fz_is_given(ask->values, FZ_KEY_EXPECT))
        return fz_fail(reterr, FRAZIL_ESPEC,
                       "worker=%s can give two hosts the same number: set expect=N to the number of hosts; `frazil "
                       "worker --max %u --expect N` shows how likely that is",
                       ask->given, ask->space.count);
    frazil_err err = fz_value_number(ask->values, FZ_KEY_EXPECT, &hosts, reterr);
    if (err == FRAZIL_OK && (hosts < 1 || hosts > most))
        err =
            fz_fail(reterr, FRAZIL_ERANGE, "expect=%u: must be from 1 to %u hosts, as there are %u worker ids for them",
                    hosts, most, ask->space.count);
    choice->expect = (uint32_t)hosts;
    return err;
}

/* CRC-32 modulo the number of workers, which may be 2^32: one more than frazil_worker_hash can be told. */
static frazil_err hash(const struct fz_worker_ask *ask, const char *text, struct fz_worker_choice *choice)
{
    choice->first = fz_worker_in(&ask->space, fz_crc32(text, strlen(text)) % ask->space.count);
    return fz_collision_ppm(choice->expect, ask->space.count, &choice->collision_ppm);
}

/*
 * Whether other hosts may be called so as well: a host that was given no name is, and each host resolves these to
 * itself, as all below "localhost" (RFC 6761).  A name may be an address, which tells as little as it does by itself.
 */
static bool is_name_of_many(const char *name)
{
    static const char names[][24] = {
        "localhost",    "localhost.localdomain",
        "localhost4",   "localhost4.localdomain4",
        "localhost6",   "localhost6.localdomain6",
        "(none)",       "ip6-localhost",
        "ip6-loopback", "loopback",
        "localdomain",
    };
    static const char below[] = ".localhost";
    size_t len = strlen(name);

    len -= len > 0 && name[len - 1] == '.'; /* the root, which a full name may end with */
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (len == strlen(names[i]) && strncasecmp(name, names[i], len) == 0)
            return true;
    }
    return fz_address_kind_of_many(name) != NULL ||
           (len >= strlen(below) && strncasecmp(name + len - strlen(below), below, strlen(below)) == 0);
}

frazil_err fz_worker_from_ip_hash(const struct fz_worker_ask *ask, struct fz_worker_choice *choice,
                                  frazil_error *reterr)
{
    char buf[FZ_ADDRESS_SIZE];
    const char *address = "";

    frazil_err err = read_expected(ask, choice, reterr);
    if (err == FRAZIL_OK)
        err = host_address(ask, buf, &address, reterr);
    return err == FRAZIL_OK ? hash(ask, address, choice) : err;
}

frazil_err fz_worker_from_hostname_hash(const struct fz_worker_ask *ask, struct fz_worker_choice *choice,
                                        frazil_error *reterr)
{
    char buf[FZ_HOST_NAME_SIZE];
    const char *name = "";

    frazil_err err = read_expected(ask, choice, reterr);
    if (err == FRAZIL_OK)
        err = host_name(ask, buf, &name, reterr);
    if (err == FRAZIL_OK && is_name_of_many(name))
        err = fz_fail(
            reterr, FRAZIL_EWORKER,
            "worker=%s: other hosts may also be called %q: rename the host, or give a unique name with hostname=",
            ask->given, name);
    return err == FRAZIL_OK ? hash(ask, name, choice) : err;
}
