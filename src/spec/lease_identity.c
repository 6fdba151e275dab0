/* SPDX-License-Identifier: MIT */
#include "lease_identity.h"

#include <string.h>

#include "core/secret.h"
#include "os/host.h"

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
 * The URL without its password.  All else counts: the user and what stands behind the '?' may decide which records
 * it leads to.
 */
static void add_url(struct fz_lease_identity *identity, const char *url)
{
    size_t len = strlen(url);
    struct fz_secrets secrets = fz_secrets_of(url, len);
    bool has_user = secrets.end > secrets.begin && (secrets.begin == 0 || url[secrets.begin - 1] != ':');
    const char *colon = has_user ? memchr(url + secrets.begin, ':', secrets.end - secrets.begin) : NULL;
    /* Without a user, as in redis://:PASSWORD@HOST, all of it is the password. */
    size_t user_end = has_user ? secrets.end : secrets.begin;
    size_t before = colon != NULL ? (size_t)(colon - url) : user_end;

    add_text(identity, url, before);
    add_text(identity, url + secrets.end, len - secrets.end);
}

/*
 * PostgreSQL's client takes what a URL leaves out from these variables: one URL with two values leads to two
 * coordinators, or to two tables of one, as user and options decide the search_path.
 */
static void add_variables(struct fz_lease_identity *identity, const char *url)
{
    static const char scheme[] = "postgres";
    static const char *const names[] = {"PGHOST",        "PGHOSTADDR",   "PGPORT", "PGDATABASE", "PGSERVICE",
                                        "PGSERVICEFILE", "PGSYSCONFDIR", "PGUSER", "PGOPTIONS"};

    if (strncmp(url, scheme, strlen(scheme)) != 0)
        return;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const char *value = fz_environment(names[i]);
        add_text(identity, value == NULL ? "" : value, value == NULL ? 0 : strlen(value));
    }
}

void fz_lease_identify(struct fz_decision *decision)
{
    struct fz_lease_identity identity = {.name = name_begin, .check = check_begin};
    const struct fz_lease_terms *terms = &decision->lease;
    const char *fingerprint = decision->places.fingerprint;
    const uint64_t numbers[] = {decision->worker.first, decision->worker.count, decision->bounds.min,
                                decision->bounds.max,   terms->max_skew_said,   (uint64_t)terms->max_skew_ms,
                                terms->horizon_ms,      terms->workers};

    add_url(&identity, decision->worker.url);
    add_variables(&identity, decision->worker.url);
    add_text(&identity, fingerprint, strlen(fingerprint));
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        add_u64(&identity, numbers[i]);
    decision->lease.identity = identity;
}
