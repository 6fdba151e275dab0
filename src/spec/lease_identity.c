/* SPDX-License-Identifier: MIT */
#include "lease_identity.h"

#include <string.h>

#include "client_environment.h"

/* FNV-1a, twice, from two beginnings: files of one name are told apart by the second. */
static const uint64_t name_begin = UINT64_C(0xcbf29ce484222325);
static const uint64_t check_begin = UINT64_C(0x6c62272e07bb0142);
static const uint64_t prime = UINT64_C(0x100000001b3);

static void add_byte(struct fz_lease_identity *identity, unsigned char byte)
{
    identity->name = (identity->name ^ byte) * prime;
    identity->check = (identity->check ^ byte) * prime;
}

static void add_u64(struct fz_lease_identity *identity, uint64_t number)
{
    for (unsigned shift = 0; shift < 64; shift += 8)
        add_byte(identity, (unsigned char)(number >> shift));
}

static void add_text(struct fz_lease_identity *identity, const char *text, size_t len)
{
    for (size_t i = 0; i < len; i++)
        add_byte(identity, (unsigned char)text[i]);
    add_byte(identity, 0);
}

/*
 * The URL without its password, which stands where url.c of the coordinators looks for it: behind the first ':' of what
 * precedes the last '@' before the '?'.  All else counts, whatever it looks like: it may decide which records the URL
 * leads to.  A path, as that of a socket, has no password.
 */
static void add_url(struct fz_lease_identity *identity, const char *url)
{
    const char *begin = strstr(url, "://") + strlen("://");
    const char *at = *begin == '/' ? NULL : begin + strcspn(begin, "?");

    while (at != NULL && *at != '@')
        at = at > begin ? at - 1 : NULL;
    const char *colon = at == NULL ? NULL : memchr(begin, ':', (size_t)(at - begin));
    add_text(identity, url, colon == NULL ? strlen(url) : (size_t)(colon - url));
    if (colon != NULL)
        add_text(identity, at, strlen(at));
}

static void add_client_variable(void *identity, const char *variable)
{
    add_text(identity, variable, strlen(variable));
}

void fz_lease_identify(struct fz_decision *decision)
{
    struct fz_lease_identity identity = {.name = name_begin, .check = check_begin};
    const struct fz_lease_terms *terms = &decision->lease;
    const char *value = decision->places.value;
    /* The width of time is not in the value, but those of one namespace agree about it. */
    const uint64_t numbers[] = {decision->layout.time_bits,   decision->worker.first, decision->worker.count,
                                decision->bounds.min,         decision->bounds.max,   terms->max_skew_said,
                                (uint64_t)terms->max_skew_ms, terms->horizon_ms,      terms->workers};

    add_url(&identity, decision->worker.url);
    fz_client_environment(decision->worker.url, add_client_variable, &identity);
    add_text(&identity, value, strlen(value));
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        add_u64(&identity, numbers[i]);
    decision->lease.identity = identity;
}
